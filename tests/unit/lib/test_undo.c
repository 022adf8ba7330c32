/* A step is added completely or not at all: every allocation fails in turn, or an entry behind
 * many others is damaged, and the profile must then be what it was. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfprof/tfprof.h>

#include "base/mem.h"
#include "tiny_profile.h"

enum start { EMPTY, GRAPH, STEPS, SAVED };

struct image {
	void *bytes;
	size_t n;
	struct tfprof_summary summary;
};

static struct image image_of(tfprof_profile *p)
{
	struct image i;

	memset(&i, 0, sizeof(i));
	assert_int_equal(tfprof_profile_serialize(p, &i.bytes, &i.n, NULL), TFPROF_OK);
	tfprof_profile_get_summary(p, &i.summary);
	return i;
}

static void assert_same(tfprof_profile *p, const struct image *was)
{
	struct image now = image_of(p);

	assert_int_equal(now.n, was->n);
	assert_memory_equal(now.bytes, was->bytes, was->n);
	assert_int_equal(now.summary.n_nodes, was->summary.n_nodes);
	assert_int_equal(now.summary.n_steps, was->summary.n_steps);
	assert_true(now.summary.coverage == was->summary.coverage);
	assert_int_equal(now.summary.has_code_traces, was->summary.has_code_traces);
	tfprof_bytes_free(now.bytes);
}

static enum tfprof_status add(tfprof_profile *p, int64_t step, bool whole)
{
	struct buf graph = tiny_graph(), run = tiny_step(step), log = tiny_op_log();
	struct tfprof_input g = tfprof_input_bytes(graph.at, graph.n);
	struct tfprof_input r = tfprof_input_bytes(run.at, run.n);
	struct tfprof_input l = tfprof_input_bytes(log.at, log.n);
	enum tfprof_status status = tfprof_profile_add_step(p, step, whole ? &g : NULL, &r,
		whole ? &l : NULL, NULL, NULL);

	buf_clear(&graph);
	buf_clear(&run);
	buf_clear(&log);
	return status;
}

static tfprof_profile *begin(enum start start)
{
	tfprof_profile *p = tfprof_profile_new();
	struct buf graph = tiny_graph();
	struct tfprof_input in = tfprof_input_bytes(graph.at, graph.n);

	assert_non_null(p);
	if (start == GRAPH)
		assert_int_equal(tfprof_profile_add(p, "graph", &in, 0, NULL), TFPROF_OK);
	if (start >= STEPS) {
		assert_int_equal(add(p, 0, true), TFPROF_OK);
		assert_int_equal(add(p, 2, false), TFPROF_OK);
	}
	if (start == SAVED) {
		struct image saved = image_of(p);

		tfprof_profile_free(p);
		p = tfprof_profile_new();
		in = tfprof_input_bytes(saved.bytes, saved.n);
		assert_int_equal(tfprof_profile_add(p, "profile", &in, 0, NULL), TFPROF_OK);
		tfprof_bytes_free(saved.bytes);
	}
	buf_clear(&graph);
	return p;
}

/* Returns how many allocations were made to fail. */
static size_t walk(enum start start, int64_t step)
{
	tfprof_profile *p = begin(start), *whole = begin(start);
	struct image before = image_of(p), after;
	struct buf run = tiny_step(step), graph = tiny_graph(), log = tiny_op_log();
	struct tfprof_input r = tfprof_input_bytes(run.at, run.n);
	struct tfprof_input g = tfprof_input_bytes(graph.at, graph.n);
	struct tfprof_input l = tfprof_input_bytes(log.at, log.n);
	enum tfprof_status status = TFPROF_NO_MEMORY;
	size_t n = 0;

	while (status == TFPROF_NO_MEMORY) {
		mem_fail_at(++n);
		status = tfprof_profile_add_step(p, step, &g, &r, &l, NULL, NULL);
		mem_fail_at(0);
		if (status == TFPROF_NO_MEMORY)
			assert_same(p, &before);
	}
	assert_int_equal(status, TFPROF_OK);
	assert_int_equal(add(whole, step, true), TFPROF_OK);
	after = image_of(whole);
	assert_same(p, &after);
	tfprof_bytes_free(before.bytes);
	tfprof_bytes_free(after.bytes);
	buf_clear(&run);
	buf_clear(&graph);
	buf_clear(&log);
	tfprof_profile_free(p);
	tfprof_profile_free(whole);
	return n - 1;
}

static void test_every_allocation_fails(void **state)
{
	static const int64_t steps[] = {1, 0, 2, 5};
	size_t n = 0;

	for (int start = EMPTY; start <= SAVED; start++)
		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
			n += walk((enum start)start, steps[i]);
	printf("%zu allocations failed\n", n);
	assert_true(n > 500);
}

static int drop(void *context, const void *bytes, size_t n)
{
	return 0;
}

static struct buf text_of(tfprof_result *r)
{
	struct buf text = {0};
	void *bytes;
	size_t n;

	assert_int_equal(tfprof_result_render(r, "text", &bytes, &n, NULL), TFPROF_OK);
	buf_put(&text, bytes, n);
	tfprof_bytes_free(bytes);
	return text;
}

/* Results that nobody has rendered yet show what they did, whether adding fails before or
 * after they were to keep it. */
static void test_results_outlive_a_failure(void **state)
{
	struct buf run = tiny_step(5);
	struct tfprof_input in = tfprof_input_bytes(run.at, run.n);
	tfprof_options *o = tfprof_options_new();
	size_t n_failed = 0;

	for (size_t n = 1; n <= 200; n++) {
		enum tfprof_status status;
		tfprof_profile *p = begin(SAVED);
		struct buf before, after;
		tfprof_result *r, *again;

		assert_int_equal(tfprof_ask(p, "scope", o, NULL, &r, NULL), TFPROF_OK);
		mem_fail_at(n);
		status = tfprof_profile_add_step(p, 5, NULL, &in, NULL, NULL, NULL);
		mem_fail_at(0);
		n_failed += status == TFPROF_NO_MEMORY;
		/* What it could not keep for want of memory is refused. */
		if (status == TFPROF_NO_MEMORY &&
			tfprof_result_write(r, "text", drop, NULL, NULL) == TFPROF_OK) {
			assert_int_equal(tfprof_ask(p, "scope", o, NULL, &again, NULL), TFPROF_OK);
			before = text_of(r);
			after = text_of(again);
			assert_int_equal(before.n, after.n);
			assert_memory_equal(before.at, after.at, before.n);
			buf_clear(&before);
			buf_clear(&after);
			tfprof_result_free(again);
		}
		tfprof_result_free(r);
		tfprof_profile_free(p);
	}
	assert_true(n_failed > 20);
	tfprof_options_free(o);
	buf_clear(&run);
}

/* Runs of known and of new nodes, more than are decoded together, and one cut short. */
static struct buf damaged_step(void)
{
	struct buf b = {0};
	struct nested device = open_device(&b, TINY_DEVICE);

	for (int i = 0; i < 5000; i++) {
		char name[20];

		snprintf(name, sizeof(name), "new/%d", i % 100);
		put_run(&b, i % 2 ? "a/x" : name, 10, 100);
	}
	put_text(&b, DEVICE_STEP_STATS_NODE_STATS, "\x0a\x7f");
	close_nested(&b, device);
	return b;
}

static void test_damaged_entry(void **state)
{
	struct buf run = damaged_step(), graph = tiny_graph(), log = tiny_op_log();
	struct tfprof_input r = tfprof_input_bytes(run.at, run.n);
	struct tfprof_input g = tfprof_input_bytes(graph.at, graph.n);
	struct tfprof_input l = tfprof_input_bytes(log.at, log.n);

	for (int start = EMPTY; start <= SAVED; start++)
		for (int64_t step = 0; step < 3; step++) {
			tfprof_profile *p = begin((enum start)start);
			tfprof_profile *whole = begin((enum start)start);
			struct image before = image_of(p), after;

			assert_int_equal(tfprof_profile_add(p, "run_meta", &r, step, NULL),
				TFPROF_FORMAT);
			assert_same(p, &before);
			assert_int_equal(tfprof_profile_add_step(p, step, &g, &r, &l, NULL, NULL),
				TFPROF_FORMAT);
			assert_same(p, &before);
			assert_int_equal(add(p, step, true), TFPROF_OK);
			assert_int_equal(add(whole, step, true), TFPROF_OK);
			after = image_of(whole);
			assert_same(p, &after);
			tfprof_bytes_free(before.bytes);
			tfprof_bytes_free(after.bytes);
			tfprof_profile_free(p);
			tfprof_profile_free(whole);
		}
	buf_clear(&run);
	buf_clear(&graph);
	buf_clear(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_allocation_fails),
		cmocka_unit_test(test_results_outlive_a_failure),
		cmocka_unit_test(test_damaged_entry),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	/* Execs of a profile that is read in parts are not contiguous. */
	setenv("TFPROF_TEST_PARTS", "3", 1);
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
