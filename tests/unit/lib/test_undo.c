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
		cmocka_unit_test(test_damaged_entry),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	/* Execs of a profile that is read in parts are not contiguous. */
	setenv("TFPROF_TEST_PARTS", "3", 1);
	return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
