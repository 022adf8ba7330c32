#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Unpacking: members in a row, damage, and the limit. */
#include <zlib.h>

#include "formats/gzip.h"

static void pack(struct span content, struct buf *out)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
		Z_OK);
	assert_true(buf_reserve(out, deflateBound(&z, content.n)));
	z.next_in = (Bytef *)(uintptr_t)content.at;
	z.avail_in = (uInt)content.n;
	z.next_out = (Bytef *)out->at + out->n;
	z.avail_out = (uInt)deflateBound(&z, content.n);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->n += z.total_out;
	deflateEnd(&z);
}

static void refused(struct span packed, size_t limit, const char *text)
{
	struct tfprof_error err;
	struct buf out = {0};

	assert_int_equal(gzip_unpack(packed, limit, "x.gz", &out, &err), TFPROF_FORMAT);
	if (!strstr(err.text, text))
		fail_msg("%s: not in: %s", text, err.text);
	buf_clear(&out);
}

static void members_in_a_row_are_one(void **state)
{
	struct buf packed = {0}, out = {0};

	pack(SPAN("one, "), &packed);
	pack(SPAN(""), &packed);
	pack(SPAN("two"), &packed);
	buf_fill(&packed, '\0', 512);
	assert_true(gzip_has_magic(buf_get(&packed)));
	assert_int_equal(gzip_unpack(buf_get(&packed), 8, "x.gz", &out, NULL), TFPROF_OK);
	assert_true(span_equal(buf_get(&out), SPAN("one, two")));
	buf_clear(&packed);
	buf_clear(&out);
}

static void damage_is_reported(void **state)
{
	struct buf packed = {0};

	pack(SPAN("some content that is long enough to be cut"), &packed);
	for (size_t n = 2; n < packed.n; n++)
		refused((struct span){packed.at, n}, 1000, "cut short");
	buf_text(&packed, "garbage");
	refused(buf_get(&packed), 1000, "damaged after 42 bytes of content");
	packed.at[packed.n - 7 - 5] ^= 1; /* the checksum */
	refused(buf_get(&packed), 1000, "damaged");
	buf_clear(&packed);
}

static void what_unpacks_to_more_than_the_limit_is_refused(void **state)
{
	struct buf zeros = {0}, packed = {0}, out = {0};

	buf_fill(&zeros, '\0', 1 << 20);
	pack(buf_get(&zeros), &packed);
	assert_int_equal(gzip_unpack(buf_get(&packed), 1 << 20, "x.gz", &out, NULL), TFPROF_OK);
	assert_int_equal(out.n, 1 << 20);
	refused(buf_get(&packed), (1 << 20) - 1,
		"x.gz: it unpacks to more than 1048575 bytes, the limit for ");
	out.n = 0;
	assert_true(gzip_unpack_head(buf_get(&packed), 100, &out));
	assert_int_equal(out.n, 100);
	buf_clear(&zeros);
	buf_clear(&packed);
	buf_clear(&out);
}

static void the_limit_grows_with_the_size(void **state)
{
	assert_int_equal(gzip_get_limit(0), 64 << 20);
	assert_int_equal(gzip_get_limit(1 << 20), 164 << 20);
	assert_true(gzip_get_limit(SIZE_MAX) == (size_t)2 << 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_in_a_row_are_one),
		cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(what_unpacks_to_more_than_the_limit_is_refused),
		cmocka_unit_test(the_limit_grows_with_the_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
