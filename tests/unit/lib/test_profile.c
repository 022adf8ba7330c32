#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* The library from outside: profiles side by side, all or nothing, and what
 * happens when every single allocation fails. What reports say is
 * compared with TensorFlow's profiler elsewhere. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <tfprof/tfprof.h>

#include "base/mem.h"
#include "run_query.h"

static const char graph_text[] =
	"node { name: 'w/DW' op: 'VariableV2' attr { key: 'shape' value { shape { dim { size: 3 } "
	"dim { size: 16 } } } } attr { key: '_output_shapes' value { list { shape { dim { size: 3 "
	"} "
	"dim { size: 16 } } } } } } "
	"node { name: 'x' op: 'Placeholder' } "
	"node { name: 'net/conv' op: 'Conv2D' input: 'x' input: 'w/DW' input: 'x:1' } "
	"node { name: 'gradients/net/conv_grad/f' op: 'Back' input: 'net/conv' input: '^gone' }";

static const char step_text[] =
	"step_stats { dev_stats { device: '/job:w/device:GPU:0' node_stats { node_name: 'net/conv' "
	"all_start_micros: 10 op_end_rel_micros: 5 memory { allocator_name: 'GPU_0' total_bytes: "
	"99 "
	"allocation_records { alloc_micros: 11 alloc_bytes: 99 } } output { slot: 0 "
	"tensor_description "
	"{ allocation_description { requested_bytes: 4 ptr: 77 } } } } } dev_stats { device: "
	"'/gpu:0/stream:all' node_stats { node_name: 'net/conv:Conv2D' all_start_micros: 12 "
	"op_end_rel_micros: 3 } node_stats { node_name: 'extra' all_start_micros: 12 } node_stats "
	"{ "
	"node_name: 'RecvTensor' all_start_micros: 1 } } }";

static const char log_text[] =
	"log_entries { name: 'net/conv' float_ops: 7 types: 'mine' code_def { traces { lineno: 3 } "
	"traces { lineno: 4 function_id: 1 } } } log_entries { name: 'gradients/net/conv_grad/f' "
	"code_def { traces { lineno: 9 } } } id_to_string { key: 0 value: 'a.py' } id_to_string { "
	"key: 1 value: 'build' }";

static struct tfprof_input text_input(const char *text)
{
	return tfprof_input_bytes(text, strlen(text));
}

static enum tfprof_status fill(tfprof_profile *p, struct tfprof_error *err)
{
	struct tfprof_input graph = text_input(graph_text), log = text_input(log_text);
	struct tfprof_input step = text_input(step_text);
	enum tfprof_status status = tfprof_profile_add_step(p, 0, &graph, &step, &log, NULL, err);

	return status != TFPROF_OK ? status
				   : tfprof_profile_add_step(p, 3, NULL, &step, NULL, NULL, err);
}

/* Renders a result in every way. */
static enum tfprof_status use_all(tfprof_result *r, struct tfprof_error *err)
{
	enum tfprof_status status = tfprof_result_output(r, TFPROF_FRAMED, NULL, NULL, NULL, err);
	const struct tfprof_column_info *info;
	struct tfprof_column column;
	const int64_t *rows;
	size_t size;
	void *bytes;

	if (status == TFPROF_OK)
		status = tfprof_result_render(r, "message", &bytes, &size, err);
	if (status == TFPROF_OK)
		tfprof_bytes_free(bytes);
	for (size_t i = 0; status == TFPROF_OK && (info = tfprof_column_get_info(i)); i++)
		status = tfprof_result_get_column(r, info->name, &column, err);
	if (status == TFPROF_OK)
		status = tfprof_result_get_node_rows(r, &rows, &size, err);
	return status;
}

static enum tfprof_status ask_all(tfprof_profile *p, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;
	tfprof_options *o = tfprof_options_new();
	tfprof_result *r;

	if (!o)
		return TFPROF_NO_MEMORY;
	/* Edges alone, before the shapes that come with them in other reports. */
	status = run_query(p, TFPROF_GRAPH, o, NULL, &r, err);
	if (status == TFPROF_OK)
		tfprof_result_free(r);
	if (status == TFPROF_OK)
		status = tfprof_options_set(o, "select",
			"micros,bytes,params,float_ops,device,op_types,occurrence,input_shapes",
			err);
	if (status == TFPROF_OK)
		status = tfprof_options_set(o, "order_by", "micros", err);
	for (int view = TFPROF_SCOPE; status == TFPROF_OK && view <= TFPROF_CODE; view++) {
		status = tfprof_ask(p, tfprof_view_get_name(view), o, NULL, &r, err);
		if (status == TFPROF_OK) {
			status = use_all(r, err);
			tfprof_result_free(r);
		}
	}
	tfprof_options_free(o);
	return status;
}

/* Everything once; NULL stands for success. */
static enum tfprof_status whole_life(struct tfprof_error *err)
{
	tfprof_profile *p = tfprof_profile_new(), *loaded = tfprof_profile_new();
	enum tfprof_status status = p && loaded ? fill(p, err) : TFPROF_NO_MEMORY;
	struct tfprof_input saved;
	void *bytes;
	size_t size;

	if (status == TFPROF_OK)
		status = ask_all(p, err);
	if (status == TFPROF_OK)
		status = tfprof_profile_serialize(p, &bytes, &size, err);
	if (status == TFPROF_OK) {
		saved = tfprof_input_bytes(bytes, size);
		status = tfprof_profile_add(loaded, "profile", &saved, 0, err);
		if (status == TFPROF_OK)
			status = ask_all(loaded, err);
		tfprof_bytes_free(bytes);
	}
	tfprof_profile_free(p);
	tfprof_profile_free(loaded);
	return status;
}

static void test_memory_out_at_every_allocation(void **state)
{
	struct tfprof_error err = {0};
	enum tfprof_status status = TFPROF_NO_MEMORY;
	size_t n;

	for (n = 1; status == TFPROF_NO_MEMORY; n++) {
		mem_fail_at(n);
		status = whole_life(&err);
		mem_fail_at(0);
	}
	if (status != TFPROF_OK)
		fail_msg("allocation %zu: %s", n - 1, err.text);
	assert_true(n > 300);
}

static char *report(tfprof_profile *p, enum tfprof_view view)
{
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;
	char *text;

	if (run_query(p, view, o, NULL, &r, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	text = strdup(tfprof_result_get_text(r, NULL));
	tfprof_result_free(r);
	tfprof_options_free(o);
	return text;
}

/* The same before and after a failed call. */
static void unchanged(tfprof_profile *p, char *before)
{
	struct tfprof_summary s;
	char *after = report(p, TFPROF_SCOPE);

	tfprof_profile_get_summary(p, &s);
	assert_string_equal(before, after);
	assert_int_equal(s.n_steps, 2);
	assert_int_equal(s.n_nodes, 5);
	free(after);
}

static void test_damaged_step_changes_nothing(void **state)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;
	struct tfprof_input graph = text_input("node { name: 'new' op: 'New' }");
	struct tfprof_input step = text_input(step_text);
	struct tfprof_input damaged = tfprof_input_bytes("\x0a\x05\x0a\x7f", 4);
	struct tfprof_input empty = tfprof_input_bytes("", 0);
	char *before;

	assert_int_equal(fill(p, &err), TFPROF_OK);
	before = report(p, TFPROF_SCOPE);
	assert_int_equal(tfprof_profile_add_step(p, 9, &graph, &damaged, NULL, NULL, &err),
		TFPROF_FORMAT);
	assert_non_null(strstr(err.text, "byte 0 of 4"));
	unchanged(p, before);
	assert_int_equal(tfprof_profile_add_step(p, 9, &damaged, &step, NULL, NULL, &err),
		TFPROF_FORMAT);
	unchanged(p, before);
	assert_int_equal(tfprof_profile_add_step(p, 9, &graph, &step, &damaged, NULL, &err),
		TFPROF_FORMAT);
	unchanged(p, before);
	assert_int_equal(tfprof_profile_add_step(p, 9, &graph, &empty, NULL, NULL, &err),
		TFPROF_FORMAT);
	assert_non_null(strstr(err.text, "Invalid RunMetadata for step 9"));
	unchanged(p, before);
	assert_int_equal(tfprof_profile_add(p, "profile", &step, 0, &err), TFPROF_ARGUMENT);
	unchanged(p, before);
	free(before);
	tfprof_profile_free(p);
}

static void test_answers_leave_no_trace(void **state)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;
	char *first[4];

	assert_int_equal(fill(p, &err), TFPROF_OK);
	for (int view = 0; view < 4; view++)
		first[view] = report(p, (enum tfprof_view)view);
	for (int view = 3; view >= 0; view--) {
		char *again = report(p, (enum tfprof_view)view);

		assert_string_equal(first[view], again);
		free(again);
	}
	for (int view = 0; view < 4; view++)
		free(first[view]);
	tfprof_profile_free(p);
}

static void test_unknown_step_names_the_known(void **state)
{
	tfprof_profile *p = tfprof_profile_new();
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;

	assert_int_equal(fill(p, &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "step", "7", &err), TFPROF_OK);
	assert_int_equal(run_query(p, TFPROF_OP, o, NULL, &r, &err), TFPROF_STEP);
	assert_null(r);
	assert_non_null(strstr(err.text, "0 3"));
	tfprof_options_free(o);
	tfprof_profile_free(p);
}

static void test_cancelled_query(void **state)
{
	tfprof_profile *p = tfprof_profile_new();
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;
	volatile int stop = 1;

	assert_int_equal(fill(p, &err), TFPROF_OK);
	for (int view = 0; view < 4; view++)
		assert_int_equal(run_query(p, (enum tfprof_view)view, o, &stop, &r, &err),
			TFPROF_CANCELLED);
	tfprof_options_free(o);
	tfprof_profile_free(p);
}

/* Threads ask and add at once, on a shared profile and on their own. */
static void *work(void *shared)
{
	tfprof_profile *own = tfprof_profile_new();
	struct tfprof_input step = text_input(step_text);
	struct tfprof_error err;

	for (int i = 0; i < 30; i++) {
		if (ask_all(shared, &err) != TFPROF_OK ||
			(i == 0 && fill(own, &err) != TFPROF_OK) ||
			ask_all(own, &err) != TFPROF_OK ||
			tfprof_profile_add_step(shared, 10 + i, NULL, &step, NULL, NULL, &err) !=
				TFPROF_OK)
			return shared;
	}
	tfprof_profile_free(own);
	return NULL;
}

static void test_threads(void **state)
{
	tfprof_profile *p = tfprof_profile_new(), *loaded = tfprof_profile_new();
	struct tfprof_error err;
	struct tfprof_input saved;
	pthread_t threads[4];
	void *bytes, *failed;
	size_t size;

	assert_int_equal(fill(p, &err), TFPROF_OK);
	assert_int_equal(tfprof_profile_serialize(p, &bytes, &size, &err), TFPROF_OK);
	saved = tfprof_input_bytes(bytes, size);
	assert_int_equal(tfprof_profile_add(loaded, "profile", &saved, 0, &err), TFPROF_OK);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, loaded);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	tfprof_bytes_free(bytes);
	tfprof_profile_free(p);
	tfprof_profile_free(loaded);
}

/* In proto3 an empty text is absent, as in the messages of TensorFlow's profiler. */
static void test_message_without_empty_name(void **state)
{
	tfprof_profile *p = tfprof_profile_new();
	tfprof_options *o = tfprof_options_new();
	struct tfprof_input graph = text_input("node { op: 'NoOp' }");
	tfprof_result *r;
	void *bytes;
	size_t size;

	assert_int_equal(tfprof_profile_add(p, "graph", &graph, 0, NULL), TFPROF_OK);
	assert_int_equal(tfprof_ask(p, "scope", o, NULL, &r, NULL), TFPROF_OK);
	assert_int_equal(tfprof_result_render(r, "message", &bytes, &size, NULL), TFPROF_OK);
	assert_null(memmem(bytes, size, "\x0a\x00", 2));
	tfprof_bytes_free(bytes);
	tfprof_result_free(r);
	tfprof_options_free(o);
	tfprof_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_out_at_every_allocation),
		cmocka_unit_test(test_damaged_step_changes_nothing),
		cmocka_unit_test(test_answers_leave_no_trace),
		cmocka_unit_test(test_unknown_step_names_the_known),
		cmocka_unit_test(test_cancelled_query),
		cmocka_unit_test(test_message_without_empty_name),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
