#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Filtering: which nodes are shown, by name, depth and minimums. The numbers are in the
 * table in tiny_profile.h; hiding nodes does not change totals (see test_account.c). */
#include "tiny_profile.h"

#define CPU "select=cpu_micros "
#define CODE "select=cpu_micros source_lines=false "

/* ---- names ----------------------------------------------------------------------- */

/* A regex matches the whole name, and children of hidden parents take their place. */
static void test_show(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "show_name_regexes=a",
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n");
	assert_report(TFPROF_SCOPE, CPU "show_name_regexes=.*/[xm],b",
		"_TFProfRoot (--/159us)\n"
		"  a/x (20us/20us)\n"
		"  b (15us/15us)\n"
		"  d/m (3us/3us)\n");
	assert_report(TFPROF_GRAPH, CPU "show_name_regexes=a/w,b",
		"_TFProfRoot (--/159us)\n"
		"  b (15us/56us)\n"
		"    a/w (1us/1us)\n");
	assert_op_report(CPU "show_name_regexes=.*u.*",
		OP_LINES({"Mul", "38us (87.42%, 23.90%)"}, {"Sum", "100us (63.52%, 62.89%)"}));
	assert_report(TFPROF_CODE, CODE "show_name_regexes=.*:build",
		"_TFProfRoot (--/159us)\n"
		"  m.py:20:build (21us/21us)\n"
		"  m.py:21:build (20us/20us)\n");
}

static void test_show_nothing(void **state)
{
	for (enum tfprof_view view = TFPROF_SCOPE; view <= TFPROF_CODE; view++)
		assert_report(view, CPU "show_name_regexes=",
			view == TFPROF_OP ? "" : "_TFProfRoot (--/159us)\n");
}

static void test_hide(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "hide_name_regexes=a,c.*",
		"_TFProfRoot (--/159us)\n"
		"  a/w (1us/1us)\n"
		"  a/x (20us/20us)\n"
		"  a/y (20us/20us)\n"
		"  b (15us/15us)\n"
		"  d (100us/103us)\n"
		"    d/m (3us/3us)\n");
	assert_op_report(CPU "hide_name_regexes=Mul,Const,Var",
		OP_LINES({"Add", "20us (100.00%, 12.58%)"}, {"Sum", "100us (63.52%, 62.89%)"},
			{"VariableV2", "1us (0.63%, 0.63%)"}));
	assert_report(TFPROF_CODE, CODE "hide_name_regexes=m.py:7:main",
		"_TFProfRoot (--/159us)\n"
		"  m.py:20:build (21us/21us)\n"
		"  m.py:21:build (20us/20us)\n"
		"  m.py:5:main (15us/15us)\n");
}

static void test_hide_overrides_show(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "show_name_regexes=a/. hide_name_regexes=.*x",
		"_TFProfRoot (--/159us)\n"
		"  a/w (1us/1us)\n"
		"  a/y (20us/20us)\n");
}

/* ---- start ------------------------------------------------------------------------- */

/* The root's total still covers everything. A match below a start is not another
 * start. */
static void test_start(void **state)
{
	const char *expected = "_TFProfRoot (--/159us)\n"
			       "  d (100us/103us)\n"
			       "    d/m (3us/3us)\n";

	assert_report(TFPROF_SCOPE, CPU "start_name_regexes=d", expected);
	assert_report(TFPROF_SCOPE, CPU "start_name_regexes=d/m,d", expected);
	assert_report(TFPROF_SCOPE, CPU "start_name_regexes=a/[xy],c/z",
		"_TFProfRoot (--/159us)\n"
		"  a/x (20us/20us)\n"
		"  a/y (20us/20us)\n"
		"  c/z (0us/0us)\n");
	assert_report(TFPROF_GRAPH, CPU "start_name_regexes=a/x",
		"_TFProfRoot (--/159us)\n"
		"  a/x (20us/21us)\n"
		"    a/w (1us/1us)\n");
	assert_report(TFPROF_CODE, CODE "start_name_regexes=m.py:2.*",
		"_TFProfRoot (--/159us)\n"
		"  m.py:20:build (21us/21us)\n"
		"  m.py:21:build (20us/20us)\n");
}

/* In op view, all rows from there on. */
static void test_start_of_a_list(void **state)
{
	assert_op_report(CPU "start_name_regexes=Mul",
		OP_LINES({"Mul", "38us (87.42%, 23.90%)"}, {"Sum", "100us (63.52%, 62.89%)"},
			{"VariableV2", "1us (0.63%, 0.63%)"}));
}

static void test_no_matching_start(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "start_name_regexes=", "_TFProfRoot (--/159us)\n");
	assert_report(TFPROF_GRAPH, CPU "start_name_regexes=x", "_TFProfRoot (--/159us)\n");
	assert_op_report(CPU "start_name_regexes= max_depth=0",
		OP_LINES({"Add", "20us (100.00%, 12.58%)"}));
}

/* ---- trim ---------------------------------------------------------------------------- */

static void test_trim(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "trim_name_regexes=a,b,c",
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n"
		"  b (15us/15us)\n"
		"  c (0us/0us)\n"
		"  d (100us/103us)\n"
		"    d/m (3us/3us)\n");
	assert_report(TFPROF_GRAPH, CPU "trim_name_regexes=a/y,d",
		"_TFProfRoot (--/159us)\n"
		"  b (15us/56us)\n"
		"    a/y (20us/41us)\n"
		"  d (100us/103us)\n");
}

/* A hidden, trimmed node leaves nothing in its place. */
static void test_trim_hidden_nodes(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "trim_name_regexes=a hide_name_regexes=a,c.*",
		"_TFProfRoot (--/159us)\n"
		"  b (15us/15us)\n"
		"  d (100us/103us)\n"
		"    d/m (3us/3us)\n");
}

/* In op view, the list ends before it; in code view, the frame itself is hidden too. */
static void test_trim_ops_and_frames(void **state)
{
	assert_op_report(CPU "trim_name_regexes=Mul",
		OP_LINES({"Add", "20us (100.00%, 12.58%)"}, {"Const", "0us (87.42%, 0.00%)"}));
	assert_report(TFPROF_CODE, CODE "trim_name_regexes=m.py:7:main",
		"_TFProfRoot (--/159us)\n"
		"  m.py:5:main (15us/15us)\n");
}

/* ---- depth ----------------------------------------------------------------------------- */

/* The root has depth 1. */
static void test_depth(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "max_depth=1", "_TFProfRoot (--/159us)\n");
	assert_report(TFPROF_GRAPH, CPU "max_depth=3",
		"_TFProfRoot (--/159us)\n"
		"  b (15us/56us)\n"
		"    a/y (20us/41us)\n"
		"  d (100us/103us)\n"
		"    c/z (0us/0us)\n"
		"    d/m (3us/3us)\n");
	assert_report(TFPROF_CODE, CODE "max_depth=2",
		"_TFProfRoot (--/159us)\n"
		"  m.py:5:main (15us/15us)\n"
		"  m.py:7:main (103us/144us)\n");
}

/* Hidden nodes count as levels. */
static void test_depth_counts_hidden_nodes(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "max_depth=2 hide_name_regexes=a",
		"_TFProfRoot (--/159us)\n"
		"  b (15us/15us)\n"
		"  c (0us/0us)\n"
		"  d (100us/103us)\n");
}

/* The first op has depth 0; hidden ops count. */
static void test_depth_of_ops(void **state)
{
	assert_op_report(CPU "max_depth=1",
		OP_LINES({"Add", "20us (100.00%, 12.58%)"}, {"Const", "0us (87.42%, 0.00%)"}));
	assert_op_report(CPU "max_depth=2 hide_name_regexes=Const",
		OP_LINES({"Add", "20us (100.00%, 12.58%)"}, {"Mul", "38us (87.42%, 23.90%)"}));
}

/* ---- minimums ---------------------------------------------------------------------------- */

/* Times and memory, subtrees included. */
static void test_minimums_of_totals(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "min_cpu_micros=20",
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n"
		"    a/x (20us/20us)\n"
		"    a/y (20us/20us)\n"
		"  d (100us/103us)\n");
	assert_report(TFPROF_SCOPE, "select=bytes min_bytes=80",
		"_TFProfRoot (--/320B)\n"
		"  a (0B/240B)\n"
		"    a/x (200B/200B)\n"
		"  b (80B/80B)\n");
	assert_report(TFPROF_GRAPH, CPU "min_micros=21",
		"_TFProfRoot (--/159us)\n"
		"  b (15us/56us)\n"
		"    a/y (20us/41us)\n"
		"      a/x (20us/21us)\n"
		"  d (100us/103us)\n");
	assert_report(TFPROF_CODE, CODE "min_cpu_micros=21",
		"_TFProfRoot (--/159us)\n"
		"  m.py:7:main (103us/144us)\n"
		"    m.py:20:build (21us/21us)\n");
}

/* In op view, a total covers the rest of the list: a row is compared by itself. */
static void test_minimums_of_ops(void **state)
{
	assert_op_report(CPU "min_cpu_micros=38",
		OP_LINES({"Mul", "38us (87.42%, 23.90%)"}, {"Sum", "100us (63.52%, 62.89%)"}));
	assert_op_report(CPU "min_cpu_micros=101", OP_LINES({0}));
	assert_op_report(CPU "min_params=6", OP_LINES({"VariableV2", "1us (0.63%, 0.63%)"}));
	assert_op_report(CPU "min_params=7", OP_LINES({0}));
	assert_op_report(CPU "min_occurrence=2", OP_LINES({"Mul", "38us (87.42%, 23.90%)"}));
}

static void test_both_kinds_of_minimums_of_ops(void **state)
{
	assert_op_report(CPU "min_own_cpu_micros=38",
		OP_LINES({"Mul", "38us (87.42%, 23.90%)"}, {"Sum", "100us (63.52%, 62.89%)"}));
	assert_op_report(CPU "min_own_float_ops=12", OP_LINES({"Mul", "38us (87.42%, 23.90%)"}));
	assert_op_report(CPU "min_total_float_ops=13",
		OP_LINES({"Add", "20us (100.00%, 12.58%)"}, {"Const", "0us (87.42%, 0.00%)"}));
	/* Runs, not nodes: those of Mul are 1 of a/x, 1 of b and 1 of d/m. */
	assert_op_report(CPU "min_own_occurrence=3", OP_LINES({"Mul", "38us (87.42%, 23.90%)"}));
	assert_op_report(CPU "min_own_occurrence=4", OP_LINES({0}));
	assert_op_report(CPU "min_total_occurrence=5",
		OP_LINES({"Add", "20us (100.00%, 12.58%)"}, {"Const", "0us (87.42%, 0.00%)"},
			{"Mul", "38us (87.42%, 23.90%)"}));
}

static void test_both_kinds_of_minimums_of_scopes(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "min_own_cpu_micros=20",
		"_TFProfRoot (--/159us)\n"
		"  a/x (20us/20us)\n"
		"  a/y (20us/20us)\n"
		"  d (100us/103us)\n");
	assert_report(TFPROF_SCOPE, CPU "min_own_micros=101", "_TFProfRoot (--/159us)\n");
	assert_report(TFPROF_SCOPE, "select=bytes min_own_bytes=80",
		"_TFProfRoot (--/320B)\n"
		"  a/x (200B/200B)\n"
		"  b (80B/80B)\n");
	assert_report(TFPROF_SCOPE, "select=params min_total_params=6",
		"_TFProfRoot (--/6 params)\n"
		"  a (0/6 params)\n"
		"    a/w (6, 6/6 params)\n");
	assert_report(TFPROF_SCOPE, "select=params min_own_params=6",
		"_TFProfRoot (--/6 params)\n"
		"  a/w (6, 6/6 params)\n");
	assert_report(TFPROF_SCOPE, CPU "min_total_occurrence=2",
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n"
		"  d (100us/103us)\n");
}

static void test_own_minimums_of_inputs(void **state)
{
	assert_report(TFPROF_GRAPH, CPU "min_own_micros=20",
		"_TFProfRoot (--/159us)\n"
		"  a/y (20us/41us)\n"
		"    a/x (20us/21us)\n"
		"  d (100us/103us)\n");
	assert_report(TFPROF_GRAPH, "select=float_ops min_total_float_ops=8",
		"_TFProfRoot (--/21 flops)\n"
		"  b (5/12 flops)\n"
		"  d (0/9 flops)\n"
		"    c/z (9/9 flops)\n");
}

static void test_own_minimums_of_frames(void **state)
{
	assert_report(TFPROF_CODE, CODE "min_own_cpu_micros=22",
		"_TFProfRoot (--/159us)\n"
		"  m.py:7:main (103us/144us)\n");
	assert_report(TFPROF_CODE, "select=params source_lines=false min_own_params=6",
		"_TFProfRoot (--/6 params)\n"
		"  m.py:20:build (6/6 params)\n");
	assert_report(TFPROF_CODE, CODE "min_own_occurrence=2",
		"_TFProfRoot (--/159us)\n"
		"  m.py:7:main (103us/144us)\n"
		"    m.py:20:build (21us/21us)\n");
}

/* Scope and graph view compare a node's own parameters, float operations and runs. */
static void test_minimums_of_own_numbers(void **state)
{
	assert_report(TFPROF_SCOPE, "select=params min_params=6",
		"_TFProfRoot (--/6 params)\n"
		"  a/w (6, 6/6 params)\n");
	assert_report(TFPROF_GRAPH, "select=float_ops min_float_ops=7",
		"_TFProfRoot (--/21 flops)\n"
		"  a/x (7/7 flops)\n"
		"  c/z (9/9 flops)\n");
	assert_report(TFPROF_SCOPE, CPU "min_occurrence=2 step=0",
		"_TFProfRoot (--/144us)\n"
		"  b (10us/10us)\n");
}

/* Code view compares totals, and ignores occurrence. */
static void test_minimums_of_frames(void **state)
{
	assert_report(TFPROF_CODE, "select=params source_lines=false min_params=6",
		"_TFProfRoot (--/6 params)\n"
		"  m.py:7:main (0/6 params)\n"
		"    m.py:20:build (6/6 params)\n");
	assert_report(TFPROF_CODE, CODE "min_occurrence=100 max_depth=2",
		"_TFProfRoot (--/159us)\n"
		"  m.py:5:main (15us/15us)\n"
		"  m.py:7:main (103us/144us)\n");
}

/* All must be reached, including those of numbers not shown. */
static void test_several_minimums(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "min_cpu_micros=20 min_bytes=41",
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n"
		"    a/x (20us/20us)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_show),
		cmocka_unit_test(test_show_nothing),
		cmocka_unit_test(test_hide),
		cmocka_unit_test(test_hide_overrides_show),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_start_of_a_list),
		cmocka_unit_test(test_no_matching_start),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_trim_hidden_nodes),
		cmocka_unit_test(test_trim_ops_and_frames),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_depth_counts_hidden_nodes),
		cmocka_unit_test(test_depth_of_ops),
		cmocka_unit_test(test_minimums_of_totals),
		cmocka_unit_test(test_minimums_of_ops),
		cmocka_unit_test(test_both_kinds_of_minimums_of_ops),
		cmocka_unit_test(test_both_kinds_of_minimums_of_scopes),
		cmocka_unit_test(test_own_minimums_of_inputs),
		cmocka_unit_test(test_own_minimums_of_frames),
		cmocka_unit_test(test_minimums_of_own_numbers),
		cmocka_unit_test(test_minimums_of_frames),
		cmocka_unit_test(test_several_minimums),
	};

	return cmocka_run_group_tests(tests, make_tiny, free_tiny);
}
