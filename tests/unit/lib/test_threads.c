#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Everything the header allows in parallel on one profile: queries whose results are kept
 * and rendered later, comparisons, tables, timelines, nodes, advice, saving, settings; and
 * adding. What is wrong shows under ThreadSanitizer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfprof/tfprof.h>

#include "base/buf.h"

enum { N_ROUNDS = 8, N_NODES = 300 };

static struct buf graph, step, op_log;
static char log_path[] = "/tmp/tfprof_threads_XXXXXX";

/* One of the inputs is a file, which outputs are compared with. */
static int write_log(void)
{
	int fd = mkstemp(log_path);
	bool ok = fd >= 0 && write(fd, op_log.at, op_log.n) == (ssize_t)op_log.n;

	return close(fd) == 0 && ok ? 0 : -1;
}

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
			"op_end_rel_micros: 5 memory { allocator_name: 'GPU_0_bfc' "
			"total_bytes: 9 "
			"allocator_bytes_in_use: %d allocation_records { alloc_micros: %d "
			"alloc_bytes: 64 } } } ",
			i / 10, i, 10 + 6 * i, 100 + i, 10 + 6 * i);
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
	return graph.failed || step.failed || op_log.failed || write_log() ? -1 : 0;
}

static int clear_inputs(void **state)
{
	buf_clear(&graph);
	buf_clear(&step);
	buf_clear(&op_log);
	unlink(log_path);
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
	tfprof_result_output(r, 0, NULL, drop, &n, NULL);
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
			MUST(tfprof_ask(p, tfprof_view_get_name(view), o, NULL, &results[view],
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
	static const char *const names[] = {"summary", "steps", "devices", "ops", "nodes", "lines"};

	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_options *o = tfprof_options_new();
		tfprof_result *r;
		tfprof_timeline *timeline;
		void *bytes;
		size_t size;

		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
			MUST(tfprof_options_set(o, "table", names[k], &err));
			MUST(tfprof_ask(p, "table", o, NULL, &r, &err));
			tfprof_result_free(r);
		}
		tfprof_options_free(o);
		MUST(tfprof_ask(p, "events", NULL, NULL, &r, &err));
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
	struct tfprof_diff_side side = {.profiles = profiles, .names = names, .n = 1};

	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_options *o = tfprof_options_new();
		struct tfprof_summary summary;
		tfprof_result *r;

		MUST(tfprof_ask(p, "advise", o, NULL, &r, &err));
		MUST(tfprof_result_output(r, 0, NULL, NULL, NULL, &err));
		tfprof_result_free(r);
		MUST(tfprof_diff_run(&side, &side, TFPROF_SCOPE, o, NULL, &r, &err));
		MUST(tfprof_result_output(r, 0, NULL, NULL, NULL, &err));
		tfprof_result_free(r);
		MUST(tfprof_profile_find_names(p, "net/", next_name, NULL, &err));
		tfprof_profile_get_summary(p, &summary);
		tfprof_options_free(o);
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

static int next_shape(void *context, int32_t slot, const char *shape)
{
	*(size_t *)context += strlen(shape);
	return 0;
}

static int next_link(void *context, const struct tfprof_link *link)
{
	*(size_t *)context += link->name_length;
	return 0;
}

static int next_attribute(void *context, const char *name, size_t name_length, const char *value,
	size_t value_length)
{
	*(size_t *)context += value_length;
	return 0;
}

static int next_step(void *context, const struct tfprof_node_step *done)
{
	*(size_t *)context += (size_t)done->n_runs;
	return 0;
}

static int next_frame(void *context, const struct tfprof_frame *frame)
{
	*(size_t *)context += frame->file_length;
	return 0;
}

static int next_edges(void *context, const struct tfprof_edges *edges)
{
	*(size_t *)context += edges->n_tensors;
	return 0;
}

static void *visit_nodes(void *p)
{
	uint32_t groups[N_NODES];
	size_t n = 0;
	struct tfprof_node_visitor visitor = {next_shape, next_link, next_link, next_attribute,
		next_step, next_frame, &n};

	for (uint32_t i = 0; i < N_NODES; i++)
		groups[i] = i / 10;
	for (int round = 0; round < N_ROUNDS; round++) {
		for (size_t i = 0; i < N_NODES; i += 29) {
			struct tfprof_node node;

			MUST(tfprof_profile_visit_node(p, i, &node, &visitor, &err));
			if (tfprof_profile_find_node(p, node.name, node.name_length) != i)
				return strdup("a node is not found");
		}
		n = 0;
		MUST(tfprof_profile_find_edges(p, groups, N_NODES, next_edges, &n, &err));
		if (!n)
			return strdup("there are no edges");
	}
	return NULL;
}

static int next_slice(void *context, const struct tfprof_slice *slice)
{
	*(size_t *)context += slice->n_executions;
	return 0;
}

static int next_holder(void *context, uint64_t node, int64_t bytes)
{
	*(size_t *)context += (size_t)bytes;
	return 0;
}

static void *read_times(void *p)
{
	static const unsigned char selected[N_NODES] = {1, 1, 0, 1};

	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_timeline *whole, *only;
		struct tfprof_memory_device device;
		struct tfprof_lane lane;
		tfprof_memory *memory;
		int64_t lowest[4], highest[4];
		size_t n = 0, n_held = 0;

		MUST(tfprof_timeline_new(p, i % 2 ? 0 : -1, &whole, &err));
		MUST(tfprof_timeline_select(whole, selected, N_NODES, &only, &err));
		tfprof_timeline_free(whole);
		for (size_t k = 0; tfprof_timeline_read_lane(only, k, &lane); k++)
			tfprof_timeline_find_slices(only, k, TFPROF_ALL_ROWS, 0, INT64_MAX, 0,
				next_slice, &n);
		tfprof_timeline_free(only);
		MUST(tfprof_memory_new(p, 0, &memory, &err));
		if (!tfprof_memory_read_device(memory, 0, &device))
			return strdup("no device has memory");
		tfprof_memory_read(memory, 0, 0, 5000, 4, lowest, highest);
		tfprof_memory_find_holders(memory, 0, 1000, 3, next_holder, &n_held);
		tfprof_memory_free(memory);
		if (!n || !n_held)
			return strdup("a timeline or memory is empty");
	}
	return NULL;
}

static void *describe(void *p)
{
	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_result *overview;
		struct tfprof_field field;
		size_t size;

		MUST(tfprof_ask(p, "overview", NULL, NULL, &overview, &err));
		if (!tfprof_result_get_field(overview, "n_nodes", &field))
			return strdup("the overview has no nodes");
		tfprof_result_free(overview);
		for (size_t k = 0; tfprof_profile_get_type(p, k, &size); k++)
			if (!size)
				return strdup("a type is empty");
	}
	return NULL;
}

/* Every other time a query does it. */
static void *count_float_ops(void *p)
{
	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_options *o = tfprof_options_new();
		tfprof_result *r;

		if (i % 2)
			MUST(tfprof_profile_count_float_ops(p, &err));
		MUST(tfprof_options_set(o, "count_float_ops", "true", &err));
		MUST(tfprof_ask(p, "scope", o, NULL, &r, &err));
		render(r);
		tfprof_result_free(r);
		tfprof_options_free(o);
	}
	return NULL;
}

static void drop_progress(void *context, uint64_t done, uint64_t total, uint64_t n_nodes)
{
}

static void *change_settings(void *p)
{
	for (int i = 0; i < 10 * N_ROUNDS; i++) {
		tfprof_profile_set_reading(p, i % 2 ? TFPROF_READ_RECOVER : TFPROF_READ_AS_IS);
		tfprof_profile_set_progress(p, i % 2 ? drop_progress : NULL, NULL);
	}
	return NULL;
}

static void *add_logs(void *p)
{
	for (int i = 0; i < N_ROUNDS; i++) {
		struct tfprof_input log = tfprof_input_file(log_path);

		MUST(tfprof_profile_add(p, "op_log", &log, 0, &err));
	}
	return NULL;
}

/* Over files that exist, which takes a temporary name. */
static void *save(void *p)
{
	char path[] = "/tmp/tfprof_threads_XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return strdup("there is no temporary file");
	close(fd);
	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_options *o = tfprof_options_new();
		tfprof_result *r;

		MUST(tfprof_profile_save(p, path, &err));
		MUST(tfprof_ask(p, "op", o, NULL, &r, &err));
		MUST(tfprof_result_save(r, "text", path, &err));
		tfprof_result_free(r);
		tfprof_options_free(o);
	}
	unlink(path);
	return NULL;
}

static void *count_models(void *p)
{
	struct tfprof_input in = tfprof_input_file(TEST_DATA "/../models/files/mlp/export");
	struct tfprof_diff_side model = {.model = &in};

	for (int i = 0; i < N_ROUNDS; i++) {
		tfprof_options *o = tfprof_options_new();
		tfprof_result *r;

		MUST(tfprof_model_ask("model", &in, TFPROF_READ_AS_IS, NULL, &r, &err));
		MUST(tfprof_result_output(r, 0, NULL, NULL, NULL, &err));
		tfprof_result_free(r);
		MUST(tfprof_diff_run(&model, &model, TFPROF_OP, o, NULL, &r, &err));
		MUST(tfprof_result_output(r, 0, NULL, NULL, NULL, &err));
		tfprof_result_free(r);
		tfprof_options_free(o);
	}
	return NULL;
}

/* What takes no lock is only not to be called while something is added. */
static void *read_unlocked(void *p)
{
	for (int i = 0; i < 200 * N_ROUNDS; i++) {
		size_t n;
		const int64_t *steps = tfprof_profile_get_steps(p, &n);

		if (n != 1 || steps[0] != 0 || *tfprof_profile_get_notes(p) ||
			!(tfprof_profile_get_coverage(p) >= 0))
			return strdup("steps, notes or coverage have changed");
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
	pthread_t threads[16];
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
	void *(*const work[])(void *) = {query, tables, advise_and_compare, query, read_names,
		add_steps, visit_nodes, read_times, describe, count_float_ops};
	tfprof_profile *p = make_profile();

	run_threads(work, sizeof(work) / sizeof(*work), p);
	tfprof_profile_free(p);
}

static void test_adding_counting_and_saving(void **state)
{
	void *(*const work[])(void *) = {describe, change_settings, add_logs, count_float_ops, save,
		save, save, add_logs, add_steps, count_models, count_models};
	tfprof_profile *p = make_profile();

	run_threads(work, sizeof(work) / sizeof(*work), p);
	tfprof_profile_free(p);
}

/* Names of a saved profile are indexed when a query first looks one up, and edges are read
 * when somebody first needs them. */
static void run_on_saved(void *(*const *work)(void *), size_t n_work)
{
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
	run_threads(work, n_work, saved);
	tfprof_profile_free(saved);
	tfprof_bytes_free(bytes);
	tfprof_profile_free(p);
}

static void test_names_are_read_while_they_are_indexed(void **state)
{
	void *(*const work[])(void *) = {read_names, query, read_names, query};

	run_on_saved(work, sizeof(work) / sizeof(*work));
}

static void test_saved_profiles_are_completed(void **state)
{
	void *(*const work[])(void *) = {describe, read_times, visit_nodes, tables, query,
		advise_and_compare, save, read_unlocked, count_float_ops};

	run_on_saved(work, sizeof(work) / sizeof(*work));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_the_same_time),
		cmocka_unit_test(test_adding_counting_and_saving),
		cmocka_unit_test(test_saved_profiles_are_completed),
		cmocka_unit_test(test_names_are_read_while_they_are_indexed),
	};

	return cmocka_run_group_tests(tests, make_inputs, clear_inputs);
}
