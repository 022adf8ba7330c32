#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Several inputs: recognized, numbered, ordered, checked; and the profile at a glance. */
#include <stdbool.h>
#include <string.h>

#include <tfprof/tfprof.h>

static const char graph[] = "node { name: 'a' op: 'VariableV2' attr { key: 'shape' value { shape { "
			    "dim { size: 3 } dim { size: 5 } } } } }";
static const char run[] = "step_stats { dev_stats { device: '/cpu:0' node_stats { node_name: 'a' "
			  "all_start_micros: 5 op_end_rel_micros: 7 all_end_rel_micros: 7 } } }";
static const char op_log[] = "log_entries { name: 'a' types: '_trainable_variables' float_ops: 9 }";
static const char profile[] = "nodes { key: 0 value { name: 'a' op: 'b' } }";

static struct tfprof_given give(const char *kind, const char *text, int64_t step)
{
	return (struct tfprof_given){kind, tfprof_input_bytes(text, strlen(text)), step, NULL};
}

static struct tfprof_given any(const char *text)
{
	return give(TFPROF_INPUT_AUTO, text, TFPROF_NEXT_STEP);
}

static void inputs_are_recognized_and_ordered(void **state)
{
	struct tfprof_given given[] = {any(run), any(op_log), give("run_meta", run, 7), any(graph),
		any(run)};
	static const char *const kinds[] = {"graph", "op_log", "run_meta", "run_meta", "run_meta"};
	static const int64_t steps[] = {0, 0, 8, 7, 9};

	assert_int_equal(tfprof_given_arrange(given, 5, NULL), TFPROF_OK);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(given[i].kind, kinds[i]);
		assert_int_equal(given[i].step, steps[i]);
	}
	tfprof_given_release(given, 5);
}

static void refused(struct tfprof_given a, struct tfprof_given b, const char *text)
{
	struct tfprof_given given[] = {a, b};
	struct tfprof_error err;

	assert_int_equal(tfprof_given_arrange(given, 2, &err), TFPROF_ARGUMENT);
	if (!strstr(err.text, text))
		fail_msg("%s: not in: %s", text, err.text);
	tfprof_given_release(given, 2);
}

static void what_does_not_go_together_is_refused(void **state)
{
	refused(any(profile), any(profile), "each is a ProfileProto: only one");
	refused(any(graph), give("graph", graph, 0), "each is a GraphDef: only one");
	refused(any(graph), any(profile), "cannot be combined");
	refused(any(run), any(profile), "cannot be combined");
	refused(any(graph), give("graf", graph, 0), "unknown kind of input 'graf'");
}

static void an_op_log_needs_others(void **state)
{
	struct tfprof_given alone = any(op_log);
	struct tfprof_error err;

	assert_int_equal(tfprof_given_arrange(&alone, 1, &err), TFPROF_ARGUMENT);
	assert_non_null(strstr(err.text, "give a graph or a saved profile with it"));
}

/* ---- at a glance ------------------------------------------------------------------ */

static tfprof_profile *load(const char *const *texts, size_t n)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;

	for (size_t i = 0; i < n; i++) {
		struct tfprof_input in = {"x", texts[i], strlen(texts[i])};

		if (tfprof_profile_add(p, TFPROF_INPUT_AUTO, &in, (int64_t)i, &err) != TFPROF_OK)
			fail_msg("%s", err.text);
	}
	return p;
}

static tfprof_result *ask_overview(tfprof_profile *p)
{
	tfprof_result *r;
	struct tfprof_error err;

	if (tfprof_ask(p, "overview", NULL, NULL, &r, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	return r;
}

static void assert_field(tfprof_result *r, const char *key, int64_t value)
{
	struct tfprof_field field;

	assert_true(tfprof_result_get_field(r, key, &field));
	assert_null(field.text);
	assert_int_equal(field.number, value);
}

/* Whether the overview has a row of this name with this text, or of this kind. */
static bool has_row(tfprof_result *r, const char *name, const char *column, const char *value)
{
	struct tfprof_column names, values;

	assert_int_equal(tfprof_result_get_column(r, "name", &names, NULL), TFPROF_OK);
	assert_int_equal(tfprof_result_get_column(r, column, &values, NULL), TFPROF_OK);
	for (size_t i = 0; i < names.n_rows; i++)
		if (names.offsets[i + 1] - names.offsets[i] == (int64_t)strlen(name) &&
			!memcmp(names.bytes + names.offsets[i], name, strlen(name)) &&
			values.offsets[i + 1] - values.offsets[i] == (int64_t)strlen(value) &&
			!memcmp(values.bytes + values.offsets[i], value, strlen(value)))
			return true;
	return false;
}

/* A variable of 3 x 5 that ran for 7 microseconds. */
static void the_overview_has_totals(void **state)
{
	const char *const all[] = {graph, op_log, run};
	tfprof_profile *p = load(all, 3);
	tfprof_result *r = ask_overview(p);

	assert_field(r, "n_nodes", 1);
	assert_field(r, "parameters", 15);
	assert_field(r, "trainable_parameters", 15);
	assert_field(r, "exec_micros", 7);
	assert_field(r, "cpu_exec_micros", 7);
	assert_field(r, "float_ops", 9);
	assert_true(has_row(r, "x", "kind", "op_log"));
	assert_true(has_row(r, "x", "text", "an OpLogProto"));
	assert_true(has_row(r, "advise", "text", "problems, and what to do about them"));
	tfprof_result_free(r);
	tfprof_profile_free(p);
}

static void the_overview_says_what_is_missing(void **state)
{
	const char *const one[] = {graph};
	tfprof_profile *p = load(one, 1);
	tfprof_result *r = ask_overview(p);
	struct tfprof_field field;

	assert_false(tfprof_result_get_field(r, "trainable_parameters", &field));
	assert_false(tfprof_result_get_field(r, "exec_micros", &field));
	assert_false(tfprof_result_get_field(r, "headline", &field));
	assert_field(r, "parameters", 15);
	assert_true(has_row(r, "values of variables", "text",
		"a checkpoint, as tf.train.Checkpoint writes it"));
	tfprof_result_free(r);
	tfprof_profile_free(p);
}

static void an_empty_profile_has_an_overview(void **state)
{
	tfprof_profile *p = tfprof_profile_new();
	tfprof_result *r = ask_overview(p);

	assert_field(r, "n_nodes", 0);
	tfprof_result_free(r);
	tfprof_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_are_recognized_and_ordered),
		cmocka_unit_test(what_does_not_go_together_is_refused),
		cmocka_unit_test(an_op_log_needs_others),
		cmocka_unit_test(the_overview_has_totals),
		cmocka_unit_test(the_overview_says_what_is_missing),
		cmocka_unit_test(an_empty_profile_has_an_overview),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
