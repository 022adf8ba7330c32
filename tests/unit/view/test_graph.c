#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Graph view: a node's inputs are below it, and every node appears once, where a walk
 * from the outputs first reaches it. Expected trees are written by hand. */
#include <stdio.h>

#include "trees.h"

/* A node is "name" or "name: input input". */
static void put_nodes(struct buf *graph, const char *const *nodes)
{
	for (; *nodes; nodes++) {
		const char *colon = strstr(*nodes, ": ");
		char name[40];

		snprintf(name, sizeof(name), "%.*s",
			(int)(colon ? (size_t)(colon - *nodes) : strlen(*nodes)), *nodes);
		put_graph_node(graph, name, "Op", colon ? colon + 2 : "");
	}
}

static void assert_view(const struct model *m, const char *expected)
{
	struct tree t = {0};
	struct tfprof_error err;

	assert_int_equal(graph_build(&t, m, 0, &err), TFPROF_OK);
	assert_tree(m, &t, expected);
}

static void assert_graph(const char *const *nodes, const char *expected)
{
	struct buf graph = {0};
	struct model m;

	start_model(&m);
	put_nodes(&graph, nodes);
	add_graph(&m, &graph);
	assert_view(&m, expected);
	model_clear(&m);
}

static void test_an_empty_graph_is_a_root(void **state)
{
	assert_graph((const char *const[]){NULL}, "_TFProfRoot\n");
}

static void test_inputs_are_below(void **state)
{
	assert_graph((const char *const[]){"a", "b: a", "c: b", NULL},
		"_TFProfRoot\n"
		"  c\n"
		"    b\n"
		"      a\n");
}

/* Not by name or in file order. */
static void test_inputs_are_ordered_by_position(void **state)
{
	assert_graph((const char *const[]){"a", "b", "c", "sum: c a b", NULL},
		"_TFProfRoot\n"
		"  sum\n"
		"    c\n"
		"    a\n"
		"    b\n");
}

static void test_outputs_are_ordered_by_name(void **state)
{
	assert_graph((const char *const[]){"z: x", "y", "x", "B", NULL},
		"_TFProfRoot\n"
		"  B\n"
		"  y\n"
		"  z\n"
		"    x\n");
}

/* Depth first: `a` is reached through `left` before `right` is walked. */
static void test_a_shared_input_is_below_its_first_user(void **state)
{
	assert_graph((const char *const[]){"a", "right: a", "left: a", "out: left right", NULL},
		"_TFProfRoot\n"
		"  out\n"
		"    left\n"
		"      a\n"
		"    right\n");
}

static void test_an_input_of_two_outputs_is_below_the_first(void **state)
{
	assert_graph((const char *const[]){"z: shared", "y: shared", "shared: deep", "deep", NULL},
		"_TFProfRoot\n"
		"  y\n"
		"    shared\n"
		"      deep\n"
		"  z\n");
}

/* The direct input comes second, when the longer path has already reached it. */
static void test_the_first_path_counts_not_the_shortest(void **state)
{
	assert_graph((const char *const[]){"a", "b: a", "c: b a", NULL},
		"_TFProfRoot\n"
		"  c\n"
		"    b\n"
		"      a\n");
}

static void test_a_repeated_input_appears_once(void **state)
{
	assert_graph((const char *const[]){"x", "square: x x", NULL},
		"_TFProfRoot\n"
		"  square\n"
		"    x\n");
}

static void test_control_inputs_and_other_outputs(void **state)
{
	assert_graph((const char *const[]){"init", "split", "use: split:1 ^init", NULL},
		"_TFProfRoot\n"
		"  use\n"
		"    split\n"
		"    init\n");
}

static void test_missing_inputs_are_left_out(void **state)
{
	assert_graph((const char *const[]){"use: gone x ^gone:2", "x: nowhere", NULL},
		"_TFProfRoot\n"
		"  use\n"
		"    x\n");
}

static void test_a_missing_input_can_be_loaded_later(void **state)
{
	struct buf graph = {0};
	struct model m;

	start_model(&m);
	put_nodes(&graph, (const char *const[]){"use: late x", "x", NULL});
	add_graph(&m, &graph);
	assert_view(&m,
		"_TFProfRoot\n"
		"  use\n"
		"    x\n");
	put_nodes(&graph, (const char *const[]){"late", NULL});
	add_graph(&m, &graph);
	assert_view(&m,
		"_TFProfRoot\n"
		"  use\n"
		"    late\n"
		"    x\n");
	model_clear(&m);
}

/* As in while loops. */
static void test_a_cycle_is_walked_once(void **state)
{
	assert_graph((const char *const[]){"exit: switch", "switch: merge", "merge: enter next",
			     "next: body", "body: switch", "enter", NULL},
		"_TFProfRoot\n"
		"  exit\n"
		"    switch\n"
		"      merge\n"
		"        enter\n"
		"        next\n"
		"          body\n");
}

/* No walk from an output reaches them. */
static void test_cycles_without_an_output_are_left_out(void **state)
{
	assert_graph((const char *const[]){"a: b", "b: a", "self: self x", "x", "other", NULL},
		"_TFProfRoot\n"
		"  other\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_graph_is_a_root),
		cmocka_unit_test(test_inputs_are_below),
		cmocka_unit_test(test_inputs_are_ordered_by_position),
		cmocka_unit_test(test_outputs_are_ordered_by_name),
		cmocka_unit_test(test_a_shared_input_is_below_its_first_user),
		cmocka_unit_test(test_an_input_of_two_outputs_is_below_the_first),
		cmocka_unit_test(test_the_first_path_counts_not_the_shortest),
		cmocka_unit_test(test_a_repeated_input_appears_once),
		cmocka_unit_test(test_control_inputs_and_other_outputs),
		cmocka_unit_test(test_missing_inputs_are_left_out),
		cmocka_unit_test(test_a_missing_input_can_be_loaded_later),
		cmocka_unit_test(test_a_cycle_is_walked_once),
		cmocka_unit_test(test_cycles_without_an_output_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
