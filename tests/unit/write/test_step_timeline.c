/* What the comparison with TensorFlow cannot cover: allocation failures, a failing
 * sink, arbitrary bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "write/step_timeline.h"
#include "proto/wire_write.h"

enum { ALL = STEP_TIMELINE_DATAFLOW | STEP_TIMELINE_MEMORY };

static void put_output(struct buf *b, const char *allocator, int64_t bytes)
{
	size_t output = wire_open(b, 7), description = wire_open(b, 3), part, dim;

	wire_put_int(b, 1, 1);
	part = wire_open(b, 2);
	dim = wire_open(b, 2);
	wire_put_int(b, 1, 28);
	wire_put_bytes(b, 2, SPAN("side"));
	wire_close(b, dim);
	wire_close(b, part);
	part = wire_open(b, 4);
	wire_put_int(b, 1, bytes);
	wire_put_bytes(b, 3, span_of(allocator));
	wire_close(b, part);
	wire_close(b, description);
	wire_close(b, output);
}

/* RunMetadata with StepStats of `n` nodes on each of two devices, all in parallel. */
static struct buf make_run_metadata(size_t n)
{
	struct buf b = {0};
	size_t stats = wire_open(&b, 1);

	for (size_t d = 0; d < 2; d++) {
		size_t device = wire_open(&b, 1);

		wire_put_bytes(&b, 1, d ? SPAN("/cpu:1") : SPAN("/cpu:0"));
		for (size_t i = 0; i < n; i++) {
			size_t entry = wire_open(&b, 2);
			struct buf text = {0};

			buf_printf(&text, "node%zu", i + d * n);
			wire_put_bytes(&b, 1, buf_get(&text));
			wire_put_int(&b, 2, 100);
			wire_put_int(&b, 5, 7);
			put_output(&b, "cpu", 1000);
			put_output(&b, "bfc", 20);
			text.n = 0;
			buf_printf(&text, "x = Op(node%zu, node%zu:1)", i / 2, i);
			wire_put_bytes(&b, 8, buf_get(&text));
			wire_close(&b, entry);
			buf_clear(&text);
		}
		wire_close(&b, device);
	}
	wire_close(&b, stats);
	assert_false(b.failed);
	return b;
}

/* The decoder's status, with the position of malformed bytes. */
static enum tfprof_status status_of(const struct decoder *d, const char **bad,
	struct tfprof_error *err)
{
	*bad = d->bad;
	if (!d->failed)
		return TFPROF_OK;
	return d->bad ? TFPROF_FORMAT : error_no_memory(err);
}

static enum tfprof_status write_run_metadata(struct span message, struct sink *out,
	const char **bad, struct tfprof_error *err)
{
	struct decoder d = {0};

	step_timeline_write(&d, message, ALL, out);
	return status_of(&d, bad, err);
}

/* Fields of a message may be split: then what is in them adds up. */
static void test_stats_in_one_or_two_pieces(void **state)
{
	struct buf whole = make_run_metadata(3), pieces = {0}, a = {0}, b = {0};
	struct wire_reader r = wire_reader(buf_get(&whole));
	struct wire_field f;
	struct sink out;
	const char *bad;

	assert_true(wire_next(&r, &f));
	r = wire_reader(f.bytes);
	while (wire_next(&r, &f)) {
		size_t stats = wire_open(&pieces, 1);

		wire_put_bytes(&pieces, 1, f.bytes);
		wire_close(&pieces, stats);
	}
	assert_true(pieces.n > whole.n);
	sink_open_buf(&out, &a, SINK_PLAIN, NULL);
	assert_int_equal(write_run_metadata(buf_get(&whole), &out, &bad, NULL), TFPROF_OK);
	assert_int_equal(sink_commit(&out, NULL), TFPROF_OK);
	sink_open_buf(&out, &b, SINK_PLAIN, NULL);
	assert_int_equal(write_run_metadata(buf_get(&pieces), &out, &bad, NULL), TFPROF_OK);
	assert_int_equal(sink_commit(&out, NULL), TFPROF_OK);
	assert_true(a.n > 1000);
	assert_string_equal(a.at, b.at);
	assert_non_null(strstr(a.at, "\"ph\":\"s\""));
	assert_non_null(strstr(a.at, "name: side\\n"));
	buf_clear(&whole);
	buf_clear(&pieces);
	buf_clear(&a);
	buf_clear(&b);
}

static void test_allocation_failures(void **state)
{
	struct buf message = make_run_metadata(80);
	enum tfprof_status status = TFPROF_NO_MEMORY;
	size_t nth;

	for (nth = 1; status != TFPROF_OK; nth++) {
		struct tfprof_error err = {0};
		struct buf text = {0};
		struct sink out;
		const char *bad;

		sink_open_buf(&out, &text, SINK_PLAIN, NULL);
		mem_fail_at(nth);
		status = write_run_metadata(buf_get(&message), &out, &bad, &err);
		if (status == TFPROF_OK)
			status = sink_commit(&out, &err);
		else
			sink_abandon(&out);
		mem_fail_at(0);
		if (status != TFPROF_OK) {
			assert_int_equal(status, TFPROF_NO_MEMORY);
			assert_string_equal(err.text, "out of memory");
		}
		buf_clear(&text);
		assert_true(nth < 1000);
	}
	assert_true(nth > 40);
	buf_clear(&message);
}

struct limited {
	size_t room, n_calls;
};

static int write_limited(void *context, const void *bytes, size_t n)
{
	struct limited *limited = context;

	limited->n_calls++;
	if (n > limited->room)
		return ENOSPC;
	limited->room -= n;
	return 0;
}

/* A full disk ends writing soon and is reported at commit. */
static void test_a_failing_sink(void **state)
{
	struct buf message = make_run_metadata(3000);
	struct limited limited = {100000, 0};
	struct tfprof_error err;
	struct sink out;
	const char *bad;

	assert_int_equal(sink_open_fn(&out, write_limited, &limited, "t", SINK_PLAIN, &err),
		TFPROF_OK);
	assert_int_equal(write_run_metadata(buf_get(&message), &out, &bad, &err), TFPROF_OK);
	assert_int_equal(sink_commit(&out, &err), TFPROF_IO);
	assert_string_equal(err.text, "t: cannot write: No space left on device");
	assert_int_equal(limited.n_calls, 2);
	buf_clear(&message);
}

/* Any bytes yield a trace or the position of an error. */
static void test_damaged_input(void **state)
{
	struct buf message = make_run_metadata(4);
	uint32_t random = 1;
	size_t n_refused = 0;

	for (size_t round = 0; round < 20000; round++) {
		char *bytes = malloc(message.n);
		enum tfprof_status status;
		struct buf text = {0};
		struct sink out;
		const char *bad;

		memcpy(bytes, message.at, message.n);
		for (size_t i = 0; i <= round % 4; i++) {
			random = random * 1664525 + 1013904223;
			bytes[(random >> 8) % message.n] = (char)(random >> 24 ^ random);
		}
		sink_open_buf(&out, &text, SINK_PLAIN, NULL);
		status = write_run_metadata((struct span){bytes, message.n}, &out, &bad, NULL);
		if (status != TFPROF_OK) {
			assert_int_equal(status, TFPROF_FORMAT);
			assert_true(bad >= bytes && bad <= bytes + message.n);
			n_refused++;
		}
		sink_abandon(&out);
		buf_clear(&text);
		free(bytes);
	}
	assert_true(n_refused > 1000 && n_refused < 19000);
	buf_clear(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stats_in_one_or_two_pieces),
		cmocka_unit_test(test_allocation_failures),
		cmocka_unit_test(test_a_failing_sink),
		cmocka_unit_test(test_damaged_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
