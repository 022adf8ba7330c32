#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Accounting: which nodes' numbers count, and where they are added up. All sums are
 * computed by hand from the table in tiny_profile.h. */
#include "tiny_profile.h"

#define CPU "select=cpu_micros "

/* ---- scope view ------------------------------------------------------------------- */

static void test_a_scope_has_the_sum_of_its_nodes(void **state)
{
	assert_report(TFPROF_SCOPE, CPU,
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n"
		"    a/w (1us/1us)\n"
		"    a/x (20us/20us)\n"
		"    a/y (20us/20us)\n"
		"  b (15us/15us)\n"
		"  c (0us/0us)\n"
		"    c/z (0us/0us)\n"
		"  d (100us/103us)\n"
		"    d/m (3us/3us)\n");
}

static void test_a_step_has_its_own_numbers(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "step=0 max_depth=2",
		"_TFProfRoot (--/144us)\n"
		"  a (0us/31us)\n"
		"  b (10us/10us)\n"
		"  c (0us/0us)\n"
		"  d (100us/103us)\n");
	assert_report(TFPROF_SCOPE, CPU "step=1 max_depth=2",
		"_TFProfRoot (--/50us)\n"
		"  a (0us/30us)\n"
		"  b (20us/20us)\n"
		"  c (0us/0us)\n"
		"  d (0us/0us)\n");
}

static void test_bytes(void **state)
{
	assert_report(TFPROF_SCOPE, "select=bytes max_depth=2",
		"_TFProfRoot (--/320B)\n"
		"  a (0B/240B)\n"
		"  b (80B/80B)\n"
		"  c (0B/0B)\n"
		"  d (0B/0B)\n");
}

/* A scope above an accounted node stays. It is not accounted itself (--) and not listed, but
 * its own numbers still count: d's 100us. */
static void test_type_regexes_choose_nodes(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "account_type_regexes=Mul",
		"_TFProfRoot (--/138us)\n"
		"  a/x (20us/20us)\n"
		"  b (15us/15us)\n"
		"  d/m (3us/3us)\n");
	assert_report(TFPROF_SCOPE, CPU "account_type_regexes=Mul all_scopes=true",
		"_TFProfRoot (--/138us)\n"
		"  a (--/20us)\n"
		"    a/x (20us/20us)\n"
		"  b (15us/15us)\n"
		"  d (--/103us)\n"
		"    d/m (3us/3us)\n");
}

/* Depths count the scopes that are not listed, and what is cut is what would be listed. */
static void test_depth_counts_scopes_that_are_not_listed(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "account_type_regexes=Mul max_depth=2",
		"_TFProfRoot (--/138us)\n"
		"  b (15us/15us)\n");
	assert_report(TFPROF_SCOPE,
		CPU "account_type_regexes=Mul max_depth=2 account_displayed_op_only=true",
		"_TFProfRoot (--/15us)\n"
		"  b (15us/15us)\n");
}

/* Frames and inputs are not scopes: what is above an accounted frame stays listed. */
static void test_only_scope_view_leaves_scopes_out(void **state)
{
	assert_report(TFPROF_CODE, CPU "account_type_regexes=Add source_lines=false",
		"_TFProfRoot (--/20us)\n"
		"  m.py:7:main (--/20us)\n"
		"    m.py:21:build (20us/20us)\n");
}

static void test_a_device_is_a_type(void **state)
{
	assert_report(TFPROF_SCOPE,
		CPU "account_type_regexes=.*/device:cpu:0 max_depth=2 all_scopes=true",
		"_TFProfRoot (--/159us)\n"
		"  a (--/41us)\n"
		"  b (15us/15us)\n"
		"  d (100us/103us)\n");
}

static void test_no_matching_type_no_numbers(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "account_type_regexes=", "_TFProfRoot (--/0us)\n");
	assert_report(TFPROF_SCOPE, CPU "account_type_regexes=Mu", "_TFProfRoot (--/0us)\n");
}

static void test_parameters(void **state)
{
	assert_report(TFPROF_SCOPE, "select=params account_type_regexes=VariableV2",
		"_TFProfRoot (--/6 params)\n"
		"  a/w (6, 6/6 params)\n");
}

/* A node that never runs counts them once. */
static void test_float_ops_count_per_run(void **state)
{
	const char *expected = "_TFProfRoot (--/21 flops)\n"
			       "  a/x (7/7 flops)\n"
			       "  b (5/5 flops)\n"
			       "  c/z (9/9 flops)\n";

	assert_report(TFPROF_SCOPE, "select=float_ops min_float_ops=1", expected);
	assert_report(TFPROF_SCOPE, "select=float_ops min_float_ops=1 step=0",
		"_TFProfRoot (--/26 flops)\n"
		"  a/x (7/7 flops)\n"
		"  b (10/10 flops)\n"
		"  c/z (9/9 flops)\n");
}

/* Runs and definitions; scopes count too. */
static void test_occurrences(void **state)
{
	assert_report(TFPROF_SCOPE, "select=occurrence",
		"_TFProfRoot (--/6|--/9)\n"
		"  a (0/3|1/4)\n"
		"    a/w (1/1|1/1)\n"
		"    a/x (1/1|1/1)\n"
		"    a/y (1/1|1/1)\n"
		"  b (1/1|1/1)\n"
		"  c (0/0|1/2)\n"
		"    c/z (0/0|1/1)\n"
		"  d (1/2|1/2)\n"
		"    d/m (1/1|1/1)\n");
	assert_report(TFPROF_SCOPE, "select=occurrence step=0 show_name_regexes=b",
		"_TFProfRoot (--/7|--/9)\n"
		"  b (2/2|1/1)\n");
}

/* ---- graph view --------------------------------------------------------------------- */

static void test_a_node_has_the_sum_of_its_inputs(void **state)
{
	assert_report(TFPROF_GRAPH, CPU,
		"_TFProfRoot (--/159us)\n"
		"  b (15us/56us)\n"
		"    a/y (20us/41us)\n"
		"      a/x (20us/21us)\n"
		"        a/w (1us/1us)\n"
		"  d (100us/103us)\n"
		"    c/z (0us/0us)\n"
		"    d/m (3us/3us)\n");
}

/* A node that is not accounted is removed, and its inputs move up to its user. */
static void test_inputs_of_removed_nodes_move_up(void **state)
{
	assert_report(TFPROF_GRAPH, CPU "account_type_regexes=Mul",
		"_TFProfRoot (--/38us)\n"
		"  b (15us/35us)\n"
		"    a/x (20us/20us)\n"
		"  d/m (3us/3us)\n");
}

/* ---- op view ------------------------------------------------------------------------- */

/* A total covers the line and all lines below it. */
static void test_totals_of_ops_are_cumulative(void **state)
{
	assert_op_report(CPU,
		OP_LINES({"Add", "20us (100.00%, 12.58%)"}, {"Const", "0us (87.42%, 0.00%)"},
			{"Mul", "38us (87.42%, 23.90%)"}, {"Sum", "100us (63.52%, 62.89%)"},
			{"VariableV2", "1us (0.63%, 0.63%)"}));
}

static void test_accounted_ops(void **state)
{
	assert_op_report(CPU "account_type_regexes=Mul,Add",
		OP_LINES({"Add", "20us (100.00%, 34.48%)"}, {"Mul", "38us (65.52%, 65.52%)"}));
	/* c/z never ran */
	assert_op_report(CPU "account_type_regexes=.*cpu:0",
		OP_LINES({"Add", "20us (100.00%, 12.58%)"}, {"Mul", "38us (87.42%, 23.90%)"},
			{"Sum", "100us (63.52%, 62.89%)"}, {"VariableV2", "1us (0.63%, 0.63%)"}));
}

/* Times count once per matching regex, runs and nodes once. */
static void test_a_node_counts_per_matching_regex(void **state)
{
	assert_op_report(CPU "account_type_regexes=Mul,M.*,Sum",
		OP_LINES({"Mul", "76us (100.00%, 43.18%)"}, {"Sum", "100us (56.82%, 56.82%)"}));
	assert_report(TFPROF_OP, "select=occurrence account_type_regexes=Mul,M.*,Sum",
		"Mul                             3|3\n"
		"Sum                             1|1\n");
}

/* ---- code view ------------------------------------------------------------------------ */

static void test_a_frame_has_the_sum_of_its_callees(void **state)
{
	assert_report(TFPROF_CODE, CPU "source_lines=false",
		"_TFProfRoot (--/159us)\n"
		"  m.py:5:main (15us/15us)\n"
		"  m.py:7:main (103us/144us)\n"
		"    m.py:20:build (21us/21us)\n"
		"    m.py:21:build (20us/20us)\n");
}

static void test_accounted_frames(void **state)
{
	assert_report(TFPROF_CODE, CPU "source_lines=false account_type_regexes=Mul",
		"_TFProfRoot (--/38us)\n"
		"  m.py:5:main (15us/15us)\n"
		"  m.py:7:main (3us/23us)\n"
		"    m.py:20:build (20us/20us)\n");
	/* a frame above an accounted one */
	assert_report(TFPROF_CODE, CPU "source_lines=false account_type_regexes=Add,A.*",
		"_TFProfRoot (--/40us)\n"
		"  m.py:7:main (--/40us)\n"
		"    m.py:21:build (40us/40us)\n");
}

/* ---- displayed nodes only -------------------------------------------------------------- */

static void test_hidden_nodes_count(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "hide_name_regexes=a/y,d max_depth=3",
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n"
		"    a/w (1us/1us)\n"
		"    a/x (20us/20us)\n"
		"  b (15us/15us)\n"
		"  c (0us/0us)\n"
		"    c/z (0us/0us)\n"
		"  d/m (3us/3us)\n");
}

static void test_hidden_nodes_do_not_count_on_request(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "hide_name_regexes=a/y,d account_displayed_op_only=true",
		"_TFProfRoot (--/39us)\n"
		"  a (0us/21us)\n"
		"    a/w (1us/1us)\n"
		"    a/x (20us/20us)\n"
		"  b (15us/15us)\n"
		"  c (0us/0us)\n"
		"    c/z (0us/0us)\n"
		"  d/m (3us/3us)\n");
	assert_report(TFPROF_GRAPH, CPU "hide_name_regexes=a/x,d account_displayed_op_only=true",
		"_TFProfRoot (--/39us)\n"
		"  b (15us/36us)\n"
		"    a/y (20us/21us)\n"
		"      a/w (1us/1us)\n"
		"  c/z (0us/0us)\n"
		"  d/m (3us/3us)\n");
}

static void test_hidden_ops_do_not_count_on_request(void **state)
{
	assert_op_report(CPU "hide_name_regexes=Sum account_displayed_op_only=true",
		OP_LINES({"Add", "20us (100.00%, 33.90%)"}, {"Const", "0us (66.10%, 0.00%)"},
			{"Mul", "38us (66.10%, 64.41%)"}, {"VariableV2", "1us (1.69%, 1.69%)"}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_scope_has_the_sum_of_its_nodes),
		cmocka_unit_test(test_a_step_has_its_own_numbers),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_type_regexes_choose_nodes),
		cmocka_unit_test(test_depth_counts_scopes_that_are_not_listed),
		cmocka_unit_test(test_only_scope_view_leaves_scopes_out),
		cmocka_unit_test(test_a_device_is_a_type),
		cmocka_unit_test(test_no_matching_type_no_numbers),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_float_ops_count_per_run),
		cmocka_unit_test(test_occurrences),
		cmocka_unit_test(test_a_node_has_the_sum_of_its_inputs),
		cmocka_unit_test(test_inputs_of_removed_nodes_move_up),
		cmocka_unit_test(test_totals_of_ops_are_cumulative),
		cmocka_unit_test(test_accounted_ops),
		cmocka_unit_test(test_a_node_counts_per_matching_regex),
		cmocka_unit_test(test_a_frame_has_the_sum_of_its_callees),
		cmocka_unit_test(test_accounted_frames),
		cmocka_unit_test(test_hidden_nodes_count),
		cmocka_unit_test(test_hidden_nodes_do_not_count_on_request),
		cmocka_unit_test(test_hidden_ops_do_not_count_on_request),
	};

	return cmocka_run_group_tests(tests, make_tiny, free_tiny);
}
