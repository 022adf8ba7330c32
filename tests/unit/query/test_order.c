#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Ordering: siblings by name, or by descending totals, with ties in their previous
 * order. The numbers are in the table in tiny_profile.h. */
#include "tiny_profile.h"

#define CPU "select=cpu_micros "

static void test_by_name_by_default(void **state)
{
	const char *expected = "_TFProfRoot (--/159us)\n"
			       "  a (0us/41us)\n"
			       "  b (15us/15us)\n"
			       "  c (0us/0us)\n"
			       "  d (100us/103us)\n";

	assert_report(TFPROF_SCOPE, CPU "max_depth=2", expected);
	assert_report(TFPROF_SCOPE, CPU "max_depth=2 order_by=name", expected);
}

/* d and a are ordered by their subtrees; a/x and a/y tie and keep their order. */
static void test_by_total_descending(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "order_by=cpu_micros",
		"_TFProfRoot (--/159us)\n"
		"  d (100us/103us)\n"
		"    d/m (3us/3us)\n"
		"  a (0us/41us)\n"
		"    a/x (20us/20us)\n"
		"    a/y (20us/20us)\n"
		"    a/w (1us/1us)\n"
		"  b (15us/15us)\n"
		"  c (0us/0us)\n"
		"    c/z (0us/0us)\n");
}

/* Not by the number shown. */
static void test_by_a_number_that_is_not_selected(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "order_by=bytes max_depth=2",
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n"
		"  b (15us/15us)\n"
		"  c (0us/0us)\n"
		"  d (100us/103us)\n");
	assert_report(TFPROF_SCOPE, "select=bytes order_by=micros max_depth=2",
		"_TFProfRoot (--/320B)\n"
		"  d (0B/0B)\n"
		"  a (0B/240B)\n"
		"  b (80B/80B)\n"
		"  c (0B/0B)\n");
}

static void test_by_params_and_float_ops(void **state)
{
	assert_report(TFPROF_SCOPE, "select=params order_by=params start_name_regexes=a",
		"_TFProfRoot (--/6 params)\n"
		"  a (0/6 params)\n"
		"    a/w (6, 6/6 params)\n"
		"    a/x (0/0 params)\n"
		"    a/y (0/0 params)\n");
	assert_report(TFPROF_SCOPE, "select=float_ops order_by=float_ops max_depth=2",
		"_TFProfRoot (--/21 flops)\n"
		"  c (0/9 flops)\n"
		"  a (0/7 flops)\n"
		"  b (5/5 flops)\n"
		"  d (0/0 flops)\n");
}

static void test_by_the_numbers_of_the_step(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "order_by=cpu_micros max_depth=2 step=1",
		"_TFProfRoot (--/50us)\n"
		"  a (0us/30us)\n"
		"  b (20us/20us)\n"
		"  c (0us/0us)\n"
		"  d (0us/0us)\n");
}

/* Only accounted nodes determine the order: without Sum, little is left of d. */
static void test_by_accounted_numbers(void **state)
{
	assert_report(TFPROF_GRAPH, CPU "order_by=cpu_micros max_depth=2",
		"_TFProfRoot (--/159us)\n"
		"  d (100us/103us)\n"
		"  b (15us/56us)\n");
	assert_report(TFPROF_GRAPH, CPU "order_by=cpu_micros max_depth=2 account_type_regexes=Mul",
		"_TFProfRoot (--/38us)\n"
		"  b (15us/35us)\n"
		"  d/m (3us/3us)\n");
}

/* Nodes that take the place of a hidden one are siblings of its siblings. */
static void test_nodes_that_move_up_are_sorted(void **state)
{
	assert_report(TFPROF_SCOPE, CPU "order_by=cpu_micros hide_name_regexes=a,d",
		"_TFProfRoot (--/159us)\n"
		"  a/x (20us/20us)\n"
		"  a/y (20us/20us)\n"
		"  b (15us/15us)\n"
		"  d/m (3us/3us)\n"
		"  a/w (1us/1us)\n"
		"  c (0us/0us)\n"
		"    c/z (0us/0us)\n");
}

/* The inputs of d are d/m, c/z. */
static void test_inputs(void **state)
{
	assert_report(TFPROF_GRAPH, CPU "start_name_regexes=d",
		"_TFProfRoot (--/159us)\n"
		"  d (100us/103us)\n"
		"    c/z (0us/0us)\n"
		"    d/m (3us/3us)\n");
	assert_report(TFPROF_GRAPH, CPU "start_name_regexes=d order_by=cpu_micros",
		"_TFProfRoot (--/159us)\n"
		"  d (100us/103us)\n"
		"    d/m (3us/3us)\n"
		"    c/z (0us/0us)\n");
}

/* By own numbers; totals follow the order. */
static void test_ops(void **state)
{
	assert_op_report(CPU "order_by=cpu_micros",
		OP_LINES({"Sum", "100us (100.00%, 62.89%)"}, {"Mul", "38us (37.11%, 23.90%)"},
			{"Add", "20us (13.21%, 12.58%)"}, {"VariableV2", "1us (0.63%, 0.63%)"},
			{"Const", "0us (0.00%, 0.00%)"}));
}

/* Occurrence is the number of nodes, which only ops and frames have. */
static void test_by_occurrence(void **state)
{
	assert_op_report(CPU "order_by=occurrence",
		OP_LINES({"Mul", "38us (100.00%, 23.90%)"}, {"Add", "20us (76.10%, 12.58%)"},
			{"Const", "0us (63.52%, 0.00%)"}, {"Sum", "100us (63.52%, 62.89%)"},
			{"VariableV2", "1us (0.63%, 0.63%)"}));
	assert_report(TFPROF_CODE, CPU "order_by=occurrence source_lines=false max_depth=2",
		"_TFProfRoot (--/159us)\n"
		"  m.py:7:main (103us/144us)\n"
		"  m.py:5:main (15us/15us)\n");
	assert_report(TFPROF_SCOPE, CPU "order_by=occurrence max_depth=2",
		"_TFProfRoot (--/159us)\n"
		"  a (0us/41us)\n"
		"  b (15us/15us)\n"
		"  c (0us/0us)\n"
		"  d (100us/103us)\n");
}

/* By label, or by totals. */
static void test_frames(void **state)
{
	assert_report(TFPROF_CODE, CPU "source_lines=false max_depth=2",
		"_TFProfRoot (--/159us)\n"
		"  m.py:5:main (15us/15us)\n"
		"  m.py:7:main (103us/144us)\n");
	assert_report(TFPROF_CODE, CPU "order_by=cpu_micros source_lines=false max_depth=2",
		"_TFProfRoot (--/159us)\n"
		"  m.py:7:main (103us/144us)\n"
		"  m.py:5:main (15us/15us)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_name_by_default),
		cmocka_unit_test(test_by_total_descending),
		cmocka_unit_test(test_by_a_number_that_is_not_selected),
		cmocka_unit_test(test_by_params_and_float_ops),
		cmocka_unit_test(test_by_the_numbers_of_the_step),
		cmocka_unit_test(test_by_accounted_numbers),
		cmocka_unit_test(test_nodes_that_move_up_are_sorted),
		cmocka_unit_test(test_inputs),
		cmocka_unit_test(test_ops),
		cmocka_unit_test(test_by_occurrence),
		cmocka_unit_test(test_frames),
	};

	return cmocka_run_group_tests(tests, make_tiny, free_tiny);
}
