#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

/* What is shown where options are left at their defaults. */
#include "proto/wire_write.h"
#include "tiny_profile.h"

/* ---- order ------------------------------------------------------------------------- */

/* The numbers are in the table in tiny_profile.h. */
static void assert_ops(const char *options, const char *names)
{
	tfprof_options *o = tiny_options(options);
	struct tfprof_column column;
	struct buf found = {0};
	struct tfprof_error err;
	tfprof_result *r = NULL;

	if (tfprof_ask(tiny, "op", o, NULL, &r, &err) != TFPROF_OK ||
		tfprof_result_get_column(r, "name", &column, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	for (size_t i = 1; i < column.n_rows; i++)
		buf_printf(&found, "%s%.*s", i > 1 ? " " : "",
			(int)(column.offsets[i + 1] - column.offsets[i]),
			column.bytes + column.offsets[i]);
	assert_string_equal(found.at, names);
	buf_clear(&found);
	tfprof_result_free(r);
	tfprof_options_free(o);
}

/* Sum 100us, Mul 38us, Add 20us; memory: Mul 280B, Add 40B; nodes: 3 Mul. */
static void test_ops_by_the_first_number_as_typed(void **state)
{
	assert_ops("", "Sum Mul Add VariableV2 Const");
	assert_ops("select=micros,bytes", "Sum Mul Add VariableV2 Const");
	assert_ops("select=bytes,micros", "Mul Add Const Sum VariableV2");
	assert_ops("select=device,params,micros", "VariableV2 Add Const Mul Sum");
	assert_ops("select=occurrence,micros", "Mul Add Const Sum VariableV2");
	assert_ops("select=device,op_types", "Add Const Mul Sum VariableV2");
	assert_ops("select=micros order_by=name", "Add Const Mul Sum VariableV2");
	assert_ops("select=micros order_by=params", "VariableV2 Add Const Mul Sum");
}

static void test_trees_by_name(void **state)
{
	assert_report(TFPROF_SCOPE, "select=cpu_micros max_depth=2",
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n"
		"  b (15us/15us)\n"
		"  c (0us/0us)\n"
		"  d (100us/103us)\n");
}

/* ---- as TensorFlow -------------------------------------------------------------------- */

/* The result of options that came as a message, with a few of the defaults. */
static tfprof_result *ask_like_tensorflow(enum tfprof_view view, const char *account,
	int64_t min_micros)
{
	tfprof_options *o = tfprof_options_new();
	struct buf b = {0};
	struct tfprof_error err;
	tfprof_result *r = NULL;

	wire_put_int(&b, OPTIONS_MAX_DEPTH, 10);
	wire_put_int(&b, OPTIONS_MIN_MICROS, min_micros);
	wire_put_int(&b, OPTIONS_STEP, -1);
	wire_put_bytes(&b, OPTIONS_ACCOUNT_TYPE_REGEXES, span_of(account));
	wire_put_bytes(&b, OPTIONS_START_NAME_REGEXES, SPAN(".*"));
	wire_put_bytes(&b, OPTIONS_SHOW_NAME_REGEXES, SPAN(".*"));
	wire_put_bytes(&b, OPTIONS_SELECT, SPAN("micros"));
	wire_put_bytes(&b, OPTIONS_ORDER_BY, SPAN("name"));
	assert_int_equal(tfprof_options_set_message(o, b.at, b.n, &err), TFPROF_OK);
	assert_int_equal(tfprof_ask(tiny, tfprof_view_get_name(view), o, NULL, &r, &err),
		TFPROF_OK);
	tfprof_options_free(o);
	buf_clear(&b);
	return r;
}

static void assert_names(tfprof_result *r, const char *names)
{
	struct tfprof_column column;
	struct tfprof_error err;

	assert_int_equal(tfprof_result_get_column(r, "name", &column, &err), TFPROF_OK);
	assert_int_equal(column.offsets[column.n_rows], strlen(names));
	assert_memory_equal(column.bytes, names, strlen(names));
	tfprof_result_free(r);
}

/* TensorFlow's order. */
static void test_a_message_leaves_nothing_open(void **state)
{
	assert_names(ask_like_tensorflow(TFPROF_OP, ".*", 0),
		"_TFProfRootAddConstMulSumVariableV2");
}

/* 101us of Sum and what follows it; Sum itself takes 100us. */
static void test_a_message_compares_cumulative_times_of_ops(void **state)
{
	assert_names(ask_like_tensorflow(TFPROF_OP, ".*", 101), "_TFProfRootAddConstMulSum");
}

static void test_a_message_lists_all_scopes_and_columns(void **state)
{
	tfprof_result *r = ask_like_tensorflow(TFPROF_SCOPE, "Mul", 0);

	static const char expected[] = "\n_TFProfRoot (--/138us, --/0us, --/138us)\n"
				       "  a (--/20us, --/0us, --/20us)\n"
				       "    a/x (20us/20us, 0us/0us, 20us/20us)\n";
	struct tfprof_error err;
	void *text;
	size_t size;

	assert_int_equal(tfprof_result_render(r, "text", &text, &size, &err), TFPROF_OK);
	assert_non_null(memmem(text, size, expected, strlen(expected)));
	tfprof_bytes_free(text);
	assert_names(r, "_TFProfRootaa/xbdd/m");
}

/* ---- depth -------------------------------------------------------------------------- */

/* s, s/s, … 14 scopes inside each other: depths 2 to 15. Each is a node, with an op of
 * its own: O00, O01, … */
enum { DEEPEST = 14 };

static tfprof_profile *deep_profile(void)
{
	tfprof_profile *p = tfprof_profile_new();
	struct buf graph = {0};
	struct tfprof_error err;
	struct tfprof_input in;
	char name[2 * DEEPEST] = "s", op[8];

	for (int i = 0; i < DEEPEST; i++) {
		snprintf(op, sizeof(op), "O%02d", i);
		put_graph_node(&graph, name, op, "");
		strcat(name, i + 1 < DEEPEST ? "/s" : "");
	}
	in = tfprof_input_bytes(graph.at, graph.n);
	if (tfprof_profile_add(p, "graph", &in, 0, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	buf_clear(&graph);
	return p;
}

/* The last line of a report, and the number of its lines of nodes. */
static void assert_end(enum tfprof_view view, const char *options, size_t n_lines, const char *end)
{
	tfprof_profile *p = deep_profile();
	tfprof_options *o = tiny_options(options);
	tfprof_result *r = NULL;
	struct tfprof_error err;
	const char *text, *at;
	size_t n = 0, length = strlen(end);

	if (run_query(p, view, o, NULL, &r, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	text = tfprof_result_get_text(r, NULL);
	at = strchr(strstr(text, "node name | "), '\n') + 1;
	for (const char *line = at; *line; line = strchr(line, '\n') + 1)
		n++;
	assert_int_equal(n, n_lines + (length > 0));
	if (strlen(at) < length || strcmp(at + strlen(at) - length, end) != 0)
		fail_msg("'%s' does not end in '%s'", at, end);
	if (!length)
		assert_null(strstr(text, "more (max_depth"));
	tfprof_result_free(r);
	tfprof_options_free(o);
	tfprof_profile_free(p);
}

#define SELECT_PARAMS "select=params "
#define DEPTH_12 "(s/){10}s"

static void test_a_cut_report_says_so(void **state)
{
	assert_end(TFPROF_SCOPE, SELECT_PARAMS, 10, "… 5 more (max_depth 10)\n");
	assert_end(TFPROF_GRAPH, SELECT_PARAMS, 15, ""); /* no edges: one level */
	assert_end(TFPROF_OP, SELECT_PARAMS, 11, "… 3 more (max_depth 10)\n");
}

/* Only what would be shown otherwise counts. */
static void test_the_rest_is_counted_exactly(void **state)
{
	assert_end(TFPROF_SCOPE, SELECT_PARAMS "hide_name_regexes=" DEPTH_12, 10,
		"… 4 more (max_depth 10)\n");
	assert_end(TFPROF_SCOPE, SELECT_PARAMS "show_name_regexes=" DEPTH_12, 1,
		"… 1 more (max_depth 10)\n");
	assert_end(TFPROF_SCOPE, SELECT_PARAMS "trim_name_regexes=" DEPTH_12, 10,
		"… 2 more (max_depth 10)\n");
	assert_end(TFPROF_SCOPE, SELECT_PARAMS "start_name_regexes=s/s/s/s/s", 10,
		"… 1 more (max_depth 10)\n");
	assert_end(TFPROF_SCOPE, SELECT_PARAMS "start_name_regexes=s/s/s/s/s/s", 10, "");
	assert_end(TFPROF_SCOPE, SELECT_PARAMS "min_params=1", 1, "");
	assert_end(TFPROF_OP, SELECT_PARAMS "hide_name_regexes=O1[23]", 11,
		"… 1 more (max_depth 10)\n");
	assert_end(TFPROF_OP, SELECT_PARAMS "trim_name_regexes=O12", 11,
		"… 1 more (max_depth 10)\n");
	assert_end(TFPROF_OP, SELECT_PARAMS "start_name_regexes=O05", 9, "");
}

static void test_a_given_depth_is_not_explained(void **state)
{
	assert_end(TFPROF_SCOPE, SELECT_PARAMS "max_depth=10", 10, "");
	assert_end(TFPROF_OP, SELECT_PARAMS "max_depth=3", 4, "");
	assert_end(TFPROF_SCOPE, SELECT_PARAMS "max_depth=100", 15, "");
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* Tables hold every row, text is cut, whatever is asked for first. */
static void assert_rows(const char *options, size_t n_rows, size_t n_json)
{
	tfprof_profile *p = deep_profile();
	tfprof_options *o = tiny_options(options);
	tfprof_result *r = NULL;
	struct tfprof_column column;
	struct tfprof_error err;
	const int64_t *node_rows;
	void *json, *text;
	size_t size;

	assert_int_equal(tfprof_ask(p, "scope", o, NULL, &r, &err), TFPROF_OK);
	assert_int_equal(tfprof_result_get_n_rows(r), n_rows);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tfprof_result_render(r, "text", &text, &size, &err), TFPROF_OK);
		assert_int_equal(tfprof_result_render(r, "json", &json, &size, &err), TFPROF_OK);
		assert_int_equal(count(json, "\"parent\":"), n_json);
		assert_int_equal(count(json, "\"max_depth\":null"), n_json == 15);
		assert_int_equal(count(text, " params)\n"), 10);
		tfprof_bytes_free(json);
		tfprof_bytes_free(text);
	}
	assert_int_equal(tfprof_result_get_n_rows(r), n_rows);
	assert_int_equal(tfprof_result_get_column(r, "depth", &column, &err), TFPROF_OK);
	assert_int_equal(column.n_rows, n_rows);
	assert_int_equal(tfprof_result_get_node_rows(r, &node_rows, &size, &err), TFPROF_OK);
	assert_int_equal(size, DEEPEST);
	assert_int_equal(node_rows[DEEPEST - 1], n_rows == 15 ? 14 : -1);
	tfprof_result_free(r);
	tfprof_options_free(o);
	tfprof_profile_free(p);
}

static void test_tables_hold_every_row(void **state)
{
	assert_rows("select=params output=none", 15, 15);
	assert_rows("select=params output=json", 15, 15);
	assert_rows("select=params", 15, 15);
	assert_rows("select=params output=none max_depth=10", 10, 10);
}

/* ---- explanations ------------------------------------------------------------------- */

static void test_doc_can_be_omitted(void **state)
{
	static const char *const options[] = {"doc=true", "doc=false"};

	for (int i = 0; i < 2; i++) {
		tfprof_options *o = tiny_options(options[i]);
		tfprof_result *r = NULL;
		struct tfprof_error err;

		assert_int_equal(run_query(tiny, TFPROF_SCOPE, o, NULL, &r, &err), TFPROF_OK);
		assert_int_equal(count(tfprof_result_get_text(r, NULL), "Doc:\n"), !i);
		assert_int_equal(count(tfprof_result_get_text(r, NULL), "scope: The nodes"), !i);
		assert_int_equal(count(tfprof_result_get_text(r, NULL), "\nProfile:\nnode name | "),
			1);
		tfprof_result_free(r);
		tfprof_options_free(o);
	}
}

/* ---- columns ------------------------------------------------------------------------ */

static bool has_text(tfprof_profile *p, enum tfprof_view view, const char *options,
	const char *format, const char *what)
{
	tfprof_options *o = tiny_options(options);
	tfprof_result *r = NULL;
	struct tfprof_error err;
	void *bytes = NULL;
	size_t size = 0;
	bool has;

	if (tfprof_ask(p, tfprof_view_get_name(view), o, NULL, &r, &err) != TFPROF_OK ||
		tfprof_result_render(r, format, &bytes, &size, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	has = memmem(bytes, size, what, strlen(what)) != NULL;
	tfprof_bytes_free(bytes);
	tfprof_result_free(r);
	tfprof_options_free(o);
	return has;
}

/* What never ran has parameters only. */
static void test_without_a_run_parameters_are_selected(void **state)
{
	tfprof_profile *p = deep_profile();

	assert_true(has_text(p, TFPROF_SCOPE, "", "text", "\n_TFProfRoot (--/0 params)\n"));
	assert_true(has_text(p, TFPROF_GRAPH, "", "text", "\nnode name | # parameters\n"));
	assert_true(has_text(p, TFPROF_OP, "", "text", "\nnode name | # parameters\n"));
	assert_true(has_text(p, TFPROF_OP, "", "json", "\"select\":[\"params\"]"));
	assert_true(has_text(p, TFPROF_OP, "", "json", "\"order_by\":\"params\""));
	assert_true(has_text(p, TFPROF_SCOPE, "select=micros", "text", "\n_TFProfRoot (--/0us)\n"));
	assert_true(has_text(p, TFPROF_SCOPE, "", "csv", ",parameters,total_parameters,"));
	tfprof_profile_free(p);
	assert_true(has_text(tiny, TFPROF_SCOPE, "", "json", "\"select\":[\"micros\"]"));
}

static void put_device_run(struct buf *b, const char *device, const char *node, int64_t micros)
{
	struct nested at = open_device(b, device);

	if (node)
		put_run(b, node, micros, 0);
	close_nested(b, at);
}

/* c/z on a GPU for 7us, launched in 2us; its stream may be missing or idle. */
static tfprof_profile *gpu_profile(bool has_stream, bool is_busy)
{
	tfprof_profile *p = tiny_profile();
	struct buf step = {0};
	struct tfprof_input in;
	struct tfprof_error err;

	put_device_run(&step, "/job:w/replica:0/task:0/device:GPU:0", "c/z", 2);
	if (has_stream)
		put_device_run(&step, "/job:w/replica:0/task:0/device:GPU:0/stream:all",
			is_busy ? "c/z" : NULL, 7);
	in = tfprof_input_bytes(step.at, step.n);
	if (tfprof_profile_add(p, "run_meta", &in, 2, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	buf_clear(&step);
	return p;
}

#define TIME_HEADER "\nnode name | total execution time\n"
#define TIMES_HEADER \
	"\nnode name | total execution time | accelerator execution time | cpu execution time\n"

/* On CPUs alone, all time is CPU time. */
static void test_time_is_divided_if_there_is_an_accelerator(void **state)
{
	static const enum tfprof_view views[] = {TFPROF_SCOPE, TFPROF_GRAPH, TFPROF_OP,
		TFPROF_CODE};

	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		assert_true(has_text(tiny, views[i], "", "text", TIME_HEADER));
	assert_true(has_text(tiny, TFPROF_CODE, "source_lines=false", "text",
		"\n  m.py:7:main (103us/144us)\n"));
	for (int kind = 0; kind < 3; kind++) {
		tfprof_profile *p = gpu_profile(kind > 0, kind > 1);

		for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
			assert_true(has_text(p, views[i], "", "text", TIMES_HEADER));
		tfprof_profile_free(p);
	}
}

static void test_columns_named_are_printed(void **state)
{
	assert_true(has_text(tiny, TFPROF_OP, "select=micros,accelerator_micros", "text",
		"\nnode name | total execution time | accelerator execution time\n"));
	assert_true(has_text(tiny, TFPROF_OP, "select=micros,accelerator_micros,cpu_micros", "text",
		TIMES_HEADER));
	assert_true(has_text(tiny, TFPROF_OP, "select=accelerator_micros", "text",
		"\nnode name | accelerator execution time\n"));
}

static void test_what_is_not_printed_is_not_explained(void **state)
{
	assert_true(has_text(tiny, TFPROF_OP, "", "text", "\ntotal execution time: Sum"));
	assert_false(has_text(tiny, TFPROF_OP, "", "text", "\ncpu execution time: "));
	assert_true(has_text(tiny, TFPROF_OP, "select=micros,cpu_micros", "text",
		"\ncpu execution time: "));
}

static void test_tables_have_all_columns(void **state)
{
	assert_true(has_text(tiny, TFPROF_OP, "select=micros", "csv", "accelerator_exec_micros"));
	assert_true(has_text(tiny, TFPROF_OP, "select=micros", "json",
		"\"accelerator_exec_micros\":0"));
}

/* ---- scopes ------------------------------------------------------------------------- */

static void assert_scopes(const char *options, const char *format, bool has_scope, size_t n_rows)
{
	tfprof_options *o = tiny_options(options);
	tfprof_result *r = NULL;
	struct tfprof_error err;
	void *bytes;
	size_t size;

	assert_int_equal(tfprof_ask(tiny, "scope", o, NULL, &r, &err), TFPROF_OK);
	assert_int_equal(tfprof_result_get_n_rows(r), n_rows);
	for (int i = 0; i < 2; i++) {
		struct tfprof_column names;

		assert_int_equal(tfprof_result_render(r, format, &bytes, &size, &err), TFPROF_OK);
		assert_int_equal(memmem(bytes, size, "a/x", 3) != NULL, 1);
		assert_int_equal(memmem(bytes, size, "  a (--/", 8) ||
				memmem(bytes, size, "\"name\":\"a\"", 10),
			has_scope);
		tfprof_bytes_free(bytes);
		assert_int_equal(tfprof_result_get_column(r, "name", &names, &err), TFPROF_OK);
		assert_int_equal(names.n_rows, n_rows);
	}
	tfprof_result_free(r);
	tfprof_options_free(o);
}

/* Reports omit scopes that are not accounted, tables have them, whatever comes first: root, a,
 * a/x, b, d and d/m. */
static void test_tables_have_all_scopes(void **state)
{
	assert_scopes("account_type_regexes=Mul", "text", false, 6);
	assert_scopes("account_type_regexes=Mul output=none", "text", false, 6);
	assert_scopes("account_type_regexes=Mul", "json", true, 6);
	assert_scopes("account_type_regexes=Mul all_scopes=true", "text", true, 6);
	assert_scopes("account_type_regexes=Mul all_scopes=false", "json", false, 4);
	assert_scopes("account_type_regexes=Mul max_depth=3", "text", false, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ops_by_the_first_number_as_typed),
		cmocka_unit_test(test_trees_by_name),
		cmocka_unit_test(test_a_message_leaves_nothing_open),
		cmocka_unit_test(test_a_message_compares_cumulative_times_of_ops),
		cmocka_unit_test(test_a_message_lists_all_scopes_and_columns),
		cmocka_unit_test(test_a_cut_report_says_so),
		cmocka_unit_test(test_the_rest_is_counted_exactly),
		cmocka_unit_test(test_a_given_depth_is_not_explained),
		cmocka_unit_test(test_tables_hold_every_row),
		cmocka_unit_test(test_doc_can_be_omitted),
		cmocka_unit_test(test_without_a_run_parameters_are_selected),
		cmocka_unit_test(test_time_is_divided_if_there_is_an_accelerator),
		cmocka_unit_test(test_columns_named_are_printed),
		cmocka_unit_test(test_what_is_not_printed_is_not_explained),
		cmocka_unit_test(test_tables_have_all_columns),
		cmocka_unit_test(test_tables_have_all_scopes),
	};

	return cmocka_run_group_tests(tests, make_tiny, free_tiny);
}
