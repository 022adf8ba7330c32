#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Op view: one level, one line per op, with all of its nodes. */
#include "trees.h"

/* Takes the graph. */
static void assert_ops(struct buf *graph, const char *expected)
{
	struct model m;
	struct tree t = {0};
	struct tfprof_error err;

	start_model(&m);
	add_graph(&m, graph);
	assert_int_equal(op_build(&t, &m, 0, &err), TFPROF_OK);
	assert_tree(&m, &t, expected);
	model_clear(&m);
}

static void test_an_empty_graph_is_a_root(void **state)
{
	assert_ops(&(struct buf){0}, "_TFProfRoot\n");
}

static void test_ops_are_in_byte_order_with_their_nodes(void **state)
{
	struct buf graph = {0};

	put_graph_node(&graph, "z", "MatMul", "");
	put_graph_node(&graph, "a/b", "Add", "z");
	put_graph_node(&graph, "y", "MatMul", "a/b");
	put_graph_node(&graph, "x", "add", "");
	put_graph_node(&graph, "w", "AddN", "");
	assert_ops(&graph,
		"_TFProfRoot\n"
		"  Add: a/b\n"
		"  AddN: w\n"
		"  MatMul: z y\n"
		"  add: x\n");
}

/* A repeated name is the same node, whatever its op. */
static void test_the_first_definition_counts(void **state)
{
	struct buf graph = {0};

	put_graph_node(&graph, "a", "Add", "");
	put_graph_node(&graph, "a", "Mul", "");
	put_graph_node(&graph, "b", "Add", "");
	assert_ops(&graph,
		"_TFProfRoot\n"
		"  Add: a b\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_graph_is_a_root),
		cmocka_unit_test(test_ops_are_in_byte_order_with_their_nodes),
		cmocka_unit_test(test_the_first_definition_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
