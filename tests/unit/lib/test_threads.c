#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Everything the header allows in parallel on one profile: queries whose results are kept
 * and rendered later, comparisons, tables, timelines, advice, saving; and adding. What is wrong
 * shows under ThreadSanitizer. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <tfprof/tfprof.h>

#include "base/buf.h"

enum { N_ROUNDS = 8, N_NODES = 300 };

static struct buf graph, step, op_log;

static int make_inputs(void **state)
{
	buf_text(&step, "step_stats { dev_stats { device: '/job:w/device:GPU:0' ");
	for (int i = 0; i < N_NODES; i++) {
		buf_printf(&graph,
			"node { name: 'net/layer_%d/op_%d' op: 'Op%d' input: 'net/layer_%d/op_%d' "
			"attr { key: '_output_shapes' value { list { shape { dim { size: %d } } } "
			"} } } ",
			i / 10, i, i % 7, i / 20, i / 2, i + 1);
		buf_printf(&step,
			"node_stats { node_name: 'net/layer_%d/op_%d' all_start_micros: %d "
			"op_end_rel_micros: 5 } ",
			i / 10, i, 10 + 6 * i);
		buf_printf(&op_log,
			"log_entries { name: 'net/layer_%d/op_%d' float_ops: %d code_def { traces "
			"{ lineno: 3 } traces { lineno: %d function_id: 1 } } } ",
			i / 10, i, i, i % 20);
	}
	/* Nodes that have the name of a type, which is indexed already. */
	for (int i = 0; i < 7; i++)
		buf_printf(&graph, "node { name: 'Op%d' op: 'Op%d' } ", i, i);
	buf_text(&step, "} }");
	buf_text(&op_log,
		"id_to_string { key: 0 value: 'a.py' } id_to_string { key: 1 value: 'f' }");
	return graph.failed || step.failed || op_log.failed ? -1 : 0;
}

static int clear_inputs(void **state)
{
	buf_clear(&graph);
	buf_clear(&step);
	buf_clear(&op_log);
	return 0;
}

static struct tfprof_input input_of(const struct buf *b)
{
	return tfprof_input_bytes(b->at, b->n);
}

#define MUST(call)                                             \
	do {                                                   \
		struct tfprof_error err = {0};                 \
		if ((call) != TFPROF_OK)                       \
			return strcpy(malloc(2000), err.text); \
	} while (0)

/* ---- what threads do: each returns NULL, or what went wrong -------------------------- */

static void *add_steps(void *p)
{
	for (int i = 0; i < N_ROUNDS; i++) {
		struct tfprof_input in = input_of(&step), log = input_of(&op_log);

		MUST(tfprof_profile_add_step(p, 10 + i, NULL, &in, i % 3 ? NULL : &log, NULL,
			&err));
	}
	return NULL;
}

static int drop(void *context, const void *bytes, size_t n)
{
	*(size_t *)context += n;
	return 0;
}

/* The profile may have changed since: then what was not kept is refused. */
static void render(tfprof_result *r)
{
	static const char *const formats[] = {"text", "json", "csv", "message", "pprof"};
	struct ArrowArrayStream stream;
	struct tfprof_column column;
	size_t n = 0;

	for (size_t i = 0; i < 5; i++)
		tfprof_result_write(r, formats[i], drop, &n, NULL);
	tfprof_result_output_to(r, 0, NULL, drop, &n, NULL);
	tfprof_result_get_column(r, "name", &column, NULL);
	if (tfprof_result_export_arrow(r, NULL, 0, &stream, NULL) == TFPROF_OK)
		stream.release(&stream);
	assert_true(n > 0);
}

static void *query(void *p)
{
	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_result *results[4];
		tfprof_options *o = tfprof_options_new();

		MUST(tfprof_options_set(o, "max_depth", "100", &err));
		for (int view = 0; view < 4; view++)
			MUST(tfprof_query_run(p, (enum tfprof_view)view, o, NULL, &results[view],
				&err));
		for (int view = 0; view < 4; view++) {
			render(results[view]);
			tfprof_result_free(results[view]);
		}
		tfprof_options_free(o);
	}
	return NULL;
}

static void *tables(void *p)
{
	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_result *r;
		tfprof_timeline *timeline;
		void *bytes;
		size_t size;

		for (size_t k = 0; tfprof_table_get_name(k); k++) {
			MUST(tfprof_table_run(p, tfprof_table_get_name(k), -1, &r, &err));
			tfprof_result_free(r);
		}
		MUST(tfprof_events_run(p, -1, &r, &err));
		tfprof_result_free(r);
		MUST(tfprof_timeline_new(p, 0, &timeline, &err));
		tfprof_timeline_free(timeline);
		MUST(tfprof_profile_serialize(p, &bytes, &size, &err));
		tfprof_bytes_free(bytes);
	}
	return NULL;
}

static int next_name(void *context, const char *name, size_t length)
{
	return 0;
}

static void *advise_and_compare(void *p)
{
	tfprof_profile *profiles[] = {p};
	const char *names[] = {"p"};
	struct tfprof_diff_side side = {profiles, names, 1};

	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_advice_options *advice = tfprof_advice_options_new();
		tfprof_diff_options *diff = tfprof_diff_options_new();
		tfprof_options *o = tfprof_options_new();
		struct tfprof_summary summary;
		tfprof_result *r;

		MUST(tfprof_advise_run(p, advice, NULL, &r, &err));
		MUST(tfprof_result_output(r, 0, NULL, &err));
		tfprof_result_free(r);
		MUST(tfprof_diff_run(&side, &side, TFPROF_SCOPE, o, diff, NULL, &r, &err));
		MUST(tfprof_result_output(r, 0, NULL, &err));
		tfprof_result_free(r);
		MUST(tfprof_profile_find_names(p, "net/", next_name, NULL, &err));
		tfprof_profile_get_summary(p, &summary);
		tfprof_options_free(o);
		tfprof_diff_options_free(diff);
		tfprof_advice_options_free(advice);
	}
	return NULL;
}

static void *read_names(void *p)
{
	for (int round = 0; round < N_ROUNDS; round++)
		for (size_t i = 0; i < N_NODES + 7; i++) {
			size_t n = 0, n_op = 0;
			const char *name = tfprof_profile_get_node_name(p, i, &n);
			const char *op = tfprof_profile_get_node_op(p, i, &n_op);

			if (!op || n_op != 3 || memcmp(op, "Op", 2) != 0)
				return strdup("a node has another type");
			if (!name ||
				(memcmp(name, "net/", 4) != 0 &&
					(n != 3 || memcmp(name, op, 3) != 0)))
				return strdup("a node has another name");
		}
	return NULL;
}

static tfprof_profile *make_profile(void)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_input g = input_of(&graph), s = input_of(&step), l = input_of(&op_log);
	struct tfprof_error err = {0};

	if (tfprof_profile_add_step(p, 0, &g, &s, &l, NULL, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	return p;
}

static void run_threads(void *(*const *work)(void *), size_t n, tfprof_profile *p)
{
	pthread_t threads[8];
	void *wrong;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work[i], p), 0);
	for (size_t i = 0; i < n; i++) {
		pthread_join(threads[i], &wrong);
		if (wrong)
			fail_msg("%s", (char *)wrong);
	}
}

static void test_at_the_same_time(void **state)
{
	void *(*const work[])(
		void *) = {query, tables, advise_and_compare, query, read_names, add_steps};
	tfprof_profile *p = make_profile();

	run_threads(work, sizeof(work) / sizeof(*work), p);
	tfprof_profile_free(p);
}

/* Names of a saved profile are indexed when a query first looks one up. */
static void test_names_are_read_while_they_are_indexed(void **state)
{
	void *(*const work[])(void *) = {read_names, query, read_names, query};
	tfprof_profile *p = make_profile(), *saved = tfprof_profile_new();
	struct tfprof_error err = {0};
	struct tfprof_input in;
	void *bytes;
	size_t size;

	if (tfprof_profile_serialize(p, &bytes, &size, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	in = tfprof_input_bytes(bytes, size);
	if (tfprof_profile_add(saved, "profile", &in, 0, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	run_threads(work, sizeof(work) / sizeof(*work), saved);
	tfprof_profile_free(saved);
	tfprof_bytes_free(bytes);
	tfprof_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_the_same_time),
		cmocka_unit_test(test_names_are_read_while_they_are_indexed),
	};

	return cmocka_run_group_tests(tests, make_inputs, clear_inputs);
}
