#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "proto/wire.h"
#include "proto/wire_write.h"

/* Field numbers; what is read here is no message in particular. */
enum { FIRST = 1, SECOND, THIRD, FOURTH, FIFTH, SIXTEENTH = 16, LAST = 0x1fffffff };

#define READER(literal) wire_reader(SPAN(literal))

static void varints_of_every_length(void **state)
{
	for (unsigned shift = 0; shift < 64; shift++) {
		uint64_t numbers[] = {(uint64_t)1 << shift, ((uint64_t)1 << shift) - 1,
			UINT64_MAX >> shift};

		for (size_t i = 0; i < 3; i++) {
			char bytes[30];
			char *end = wire_write_varint(bytes, numbers[i]);
			struct wire_reader r;
			uint64_t number;

			assert_int_equal(end - bytes, wire_varint_size(numbers[i]));
			memset(end, 0xff, 20); /* what is behind it does not count */
			for (size_t behind = 0; behind <= 20; behind++) {
				r = wire_reader(
					(struct span){bytes, (size_t)(end - bytes) + behind});
				assert_true(wire_varint(&r, &number));
				assert_int_equal(number, numbers[i]);
				assert_ptr_equal(r.at, end);
			}
			/* and cut off anywhere, it is malformed */
			for (char *cut = bytes; cut < end; cut++) {
				r = wire_reader((struct span){bytes, (size_t)(cut - bytes)});
				assert_false(wire_varint(&r, &number));
				assert_ptr_equal(r.bad, bytes);
			}
		}
	}
}

static void varints_without_a_loop_are_the_same(void **state)
{
	for (unsigned shift = 0; shift < 64; shift++) {
		uint64_t numbers[] = {(uint64_t)1 << shift, ((uint64_t)1 << shift) - 1,
			UINT64_MAX >> shift, 0x5555555555555555 >> shift};

		for (size_t i = 0; i < 4; i++) {
			char one[10], other[10];
			size_t n = (size_t)(wire_write_varint(one, numbers[i]) - one);

			assert_int_equal(wire_append_varint(other, numbers[i]) - other, n);
			assert_memory_equal(one, other, n);
		}
	}
}

/* Random bytes that are mostly small numbers: checking says what reading says. */
static void checking_finds_what_reading_finds(void **state)
{
	uint64_t seed = 1;

	for (int round = 0; round < 20000; round++) {
		char bytes[12];
		size_t n = (size_t)round % (sizeof(bytes) + 1);
		struct wire_reader r;
		struct wire_field f;
		const char *bad;

		for (size_t i = 0; i < n; i++) {
			static const unsigned char some[] = {0x08, 0x10, 0x78, 0x80, 0xff, 0x01,
				0x00, 0x0a, 0x7f, 0x88, 0x0d, 0x02};

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[i] = (char)some[(seed >> 33) % sizeof(some)];
		}
		r = wire_reader((struct span){bytes, n});
		while (wire_next(&r, &f))
			;
		assert_int_equal(wire_check((struct span){bytes, n}, &bad), !r.bad);
		assert_ptr_equal(bad, r.bad);
	}
}

static void pieces_are_the_whole(void **state)
{
	static const char message[] = "\x08\x01\x12\x03"
				      "abc\x10\x05\x1a\x00\x20\x80\x01\x0a\x7fx";

	/* the last field is cut short; before that the cuts are between fields */
	for (size_t n = 0; n < sizeof(message); n++)
		for (size_t parts = 1; parts <= 4; parts++) {
			struct span pieces[4], whole = {message, n};
			const char *end = message, *bad, *first_bad = NULL;

			wire_split(whole, pieces, parts);
			for (size_t i = 0; i < parts; i++) {
				assert_ptr_equal(pieces[i].at, end);
				end += pieces[i].n;
				if (!wire_check(pieces[i], &bad) && !first_bad)
					first_bad = bad;
			}
			assert_ptr_equal(end, message + n);
			wire_check(whole, &bad);
			assert_ptr_equal(first_bad, bad);
		}
}

static void varints_may_be_longer_than_needed(void **state)
{
	struct wire_reader r = READER("\x85\x80\x80\x00");
	uint64_t number;

	assert_true(wire_varint(&r, &number));
	assert_int_equal(number, 5);
	r = READER("\x85\x80\x80\x00 and more");
	assert_true(wire_varint(&r, &number));
	assert_int_equal(number, 5);
	assert_int_equal(*r.at, ' ');
	r = READER("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	assert_true(wire_varint(&r, &number));
	assert_int_equal(number, UINT64_MAX);
	r = READER("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"); /* eleven bytes */
	assert_false(wire_varint(&r, &number));
	assert_non_null(r.bad);
}

static void fields_of_every_type(void **state)
{
	struct wire_reader r = READER("\x08\x96\x01"                         /* 1: 150 */
				      "\x11\x01\x02\x03\x04\x05\x06\x07\x08" /* 2: fixed64 */
				      "\x1a\x03"
				      "abc"                        /* 3: "abc" */
				      "\x22\x00"                   /* 4: "" */
				      "\x2d\x01\x02\x03\x84"       /* 5: fixed32 */
				      "\xf8\xff\xff\xff\x0f\x07"); /* the last number: 7 */
	struct wire_field f;

	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_VARINT(FIRST));
	assert_int_equal(f.value, 150);
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_I64(SECOND));
	assert_int_equal(f.value, 0x0807060504030201);
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_LEN(THIRD));
	assert_true(span_equal(f.bytes, SPAN("abc")));
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_LEN(FOURTH));
	assert_int_equal(f.bytes.n, 0);
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_I32(FIFTH));
	assert_int_equal(f.value, 0x84030201);
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_VARINT(LAST));
	assert_int_equal(f.value, 7);
	assert_false(wire_next(&r, &f));
	assert_null(r.bad);
	assert_false(wire_next(&r, &f));
}

/* A number under a tag of bytes, and the other way round, is another field. */
static void a_tag_has_its_wire_type(void **state)
{
	struct wire_reader r = READER("\x08\x02"
				      "\x0a\x01z"
				      "\x0d"
				      "1234");
	struct wire_field f;

	assert_true(wire_next(&r, &f));
	assert_int_not_equal(f.tag, WIRE_LEN(FIRST));
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_LEN(FIRST));
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_I32(FIRST));
	assert_false(wire_next(&r, &f));
	assert_null(r.bad);
}

static void groups_are_stepped_over(void **state)
{
	struct wire_reader r = READER("\x0b" /* 1 { */
				      "\x08\x01"
				      "\x12\x02hi"
				      "\x13\x1b\x1c\x14" /* 2 { 3 { } } */
				      "\x21"
				      "12345678"
				      "\x2d"
				      "1234"
				      "\x0c" /* } */
				      "\x10\x05");
	struct wire_field f;

	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, 1 << 3 | WIRE_T_START);
	assert_int_equal(f.bytes.n, 2 + 4 + 4 + 9 + 5);
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_VARINT(SECOND));
	assert_int_equal(f.value, 5);
	assert_false(wire_next(&r, &f));
	assert_null(r.bad);
}

static void deep_groups_need_no_stack(void **state)
{
	struct buf b = {0};
	struct wire_reader r;
	struct wire_field f;

	buf_fill(&b, 0x0b, 1000000);
	buf_fill(&b, 0x0c, 1000000);
	r = wire_reader(buf_get(&b));
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.bytes.n, 1999998);
	assert_false(wire_next(&r, &f));
	assert_null(r.bad);
	buf_clear(&b);
}

struct malformed {
	struct span bytes;
	size_t good; /* fields before the malformed one */
	size_t from; /* `bad` points here or behind, but into that field */
};

static void malformed_bytes_are_reported_where_they_are(void **state)
{
	static const struct malformed cases[] = {
		{{"\x08", 1}, 0, 0},     /* no value */
		{{"\x08\x80", 2}, 0, 0}, /* half a value */
		{{"\x80", 1}, 0, 0},     /* half a tag */
		{{"\x00\x01", 2}, 0, 0}, /* number 0 */
		{{"\x02\x00", 2}, 0, 0},
		{{"\x80\x00\x01", 3}, 0, 0},
		{{"\x0e\x01", 2}, 0, 0}, /* wire types 6 and 7 */
		{{"\x0f\x01", 2}, 0, 0},
		{{"\x0c", 1}, 0, 0},     /* a group that never began */
		{{"\x0a", 1}, 0, 0},     /* no length */
		{{"\x0a\x01", 2}, 0, 0}, /* no content */
		{{"\x0a\x80", 2}, 0, 0},
		{{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x", 12}, 0, 0},
		{{"\x09"
		  "1234567",
			 8},
			0, 0},
		{{"\x0d"
		  "123",
			 4},
			0, 0},
		{{"\x88\x80\x80\x80\x80\x01\x01", 7}, 0, 0}, /* a tag of more than 32 bits */
		{{"\x0b", 1}, 0, 0},                         /* groups that never end */
		{{"\x0b\x08", 2}, 0, 0},
		{{"\x0b\x08\x01", 3}, 0, 0},
		{{"\x0b\x0a\x05x", 4}, 0, 0},
		{{"\x0b\x09"
		  "1234",
			 6},
			0, 0},
		{{"\x0b\x0d\x01", 3}, 0, 0},
		{{"\x0b\x00\x0c", 3}, 0, 0},
		{{"\x0b\x0e\x0c", 3}, 0, 0},
		{{"\x0b\x14", 2}, 0, 0}, /* or as another one */
		{{"\x08\x01\x0a\x01z\x0a\x09", 7}, 2, 5},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wire_reader r = wire_reader(cases[i].bytes);
		struct wire_field f;
		const char *bad = NULL;
		size_t n = 0;

		while (wire_next(&r, &f))
			n++;
		assert_int_equal(n, cases[i].good);
		assert_non_null(r.bad);
		assert_in_range((uintptr_t)(r.bad - cases[i].bytes.at), cases[i].from,
			cases[i].bytes.n);
		assert_false(wire_next(&r, &f));
		assert_non_null(r.bad);
		assert_false(wire_check(cases[i].bytes, &bad));
		assert_ptr_equal(bad, r.bad);
	}
}

static void every_cut_is_noticed_or_between_fields(void **state)
{
	static const char bytes[] = "\x08\x96\x01\x11"
				    "12345678"
				    "\x1a\x03"
				    "abc"
				    "\x2d"
				    "1234"
				    "\x0b\x0c";
	static const size_t ends[] = {0, 3, 12, 17, 22, 24};

	for (size_t n = 0; n < sizeof(bytes); n++) {
		const char *bad;
		bool between = false;

		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			between = between || ends[i] == n;
		assert_int_equal(wire_check((struct span){bytes, n}, &bad), between);
		assert_int_equal(bad == NULL, between);
	}
}

static void nothing_is_a_message(void **state)
{
	const char *bad = "";

	assert_true(wire_check((struct span){NULL, 0}, &bad));
	assert_null(bad);
}

static void packed_numbers(void **state)
{
	struct wire_reader r = READER("\x01\x96\x01\x02");
	uint64_t number;

	assert_true(wire_packed_next(&r, &number));
	assert_int_equal(number, 1);
	assert_true(wire_packed_next(&r, &number));
	assert_int_equal(number, 150);
	assert_true(wire_packed_next(&r, &number));
	assert_int_equal(number, 2);
	assert_false(wire_packed_next(&r, &number));
	assert_null(r.bad);
	r = READER("\x01\x96");
	assert_true(wire_packed_next(&r, &number));
	assert_false(wire_packed_next(&r, &number));
	assert_non_null(r.bad);
}

static void what_is_written_is_read(void **state)
{
	struct buf b = {0};
	struct wire_reader r;
	struct wire_field f;

	wire_put_int(&b, 1, -1);
	wire_put_nonzero(&b, 2, 0);
	wire_put_nonzero(&b, 2, 3);
	wire_put_bytes(&b, 16, SPAN("text"));
	r = wire_reader(buf_get(&b));
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_VARINT(FIRST));
	assert_int_equal((int64_t)f.value, -1);
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_VARINT(SECOND));
	assert_int_equal(f.value, 3);
	assert_true(wire_next(&r, &f));
	assert_int_equal(f.tag, WIRE_LEN(SIXTEENTH));
	assert_true(span_equal(f.bytes, SPAN("text")));
	assert_false(wire_next(&r, &f));
	assert_null(r.bad);
	buf_clear(&b);
}

/* Around the lengths that need one more byte. */
static void nested_messages_of_every_length(void **state)
{
	static const size_t lengths[] = {0, 1, 127, 128, 129, 16383, 16384, 2097151, 2097152};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct buf b = {0};
		struct wire_reader r;
		struct wire_field f;
		size_t outer = wire_open(&b, 1), inner = wire_open(&b, 2);

		buf_fill(&b, 'x', lengths[i]);
		wire_close(&b, inner);
		wire_close(&b, outer);
		wire_put_int(&b, 3, 1);
		assert_false(b.failed);
		assert_int_equal(b.at[b.n], '\0');
		r = wire_reader(buf_get(&b));
		assert_true(wire_next(&r, &f));
		assert_int_equal(f.tag, WIRE_LEN(FIRST));
		assert_true(wire_next(&r, &f) && f.tag == WIRE_VARINT(THIRD));
		assert_false(wire_next(&r, &f));
		r = wire_reader(buf_get(&b));
		wire_next(&r, &f);
		r = wire_reader(f.bytes);
		assert_true(wire_next(&r, &f));
		assert_int_equal(f.tag, WIRE_LEN(SECOND));
		assert_int_equal(f.bytes.n, lengths[i]);
		for (size_t j = 0; j < f.bytes.n; j++)
			assert_int_equal(f.bytes.at[j], 'x');
		assert_false(wire_next(&r, &f));
		assert_null(r.bad);
		buf_clear(&b);
	}
}

static void writing_survives_any_failed_allocation(void **state)
{
	for (size_t nth = 1;; nth++) {
		struct buf b = {0};
		size_t open;
		bool failed;

		mem_fail_at(nth);
		open = wire_open(&b, 1);
		for (int i = 0; i < 200; i++)
			wire_put_int(&b, 2, i);
		wire_close(&b, open);
		mem_fail_at(0);
		failed = b.failed;
		buf_clear(&b);
		if (!failed) {
			assert_true(nth > 3);
			return;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints_of_every_length),
		cmocka_unit_test(varints_without_a_loop_are_the_same),
		cmocka_unit_test(checking_finds_what_reading_finds),
		cmocka_unit_test(pieces_are_the_whole),
		cmocka_unit_test(varints_may_be_longer_than_needed),
		cmocka_unit_test(fields_of_every_type),
		cmocka_unit_test(a_tag_has_its_wire_type),
		cmocka_unit_test(groups_are_stepped_over),
		cmocka_unit_test(deep_groups_need_no_stack),
		cmocka_unit_test(malformed_bytes_are_reported_where_they_are),
		cmocka_unit_test(every_cut_is_noticed_or_between_fields),
		cmocka_unit_test(nothing_is_a_message),
		cmocka_unit_test(packed_numbers),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(nested_messages_of_every_length),
		cmocka_unit_test(writing_survives_any_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
