#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Scope view: which scopes names make, and in which order. test_scope_parts.c checks
 * that scopes found in parallel are the same. */
#include "trees.h"

static void assert_scopes(const char *const *names, const char *expected)
{
	struct model m;
	struct tree t = {0};
	struct tfprof_error err;
	struct buf graph = {0};

	start_model(&m);
	for (; *names; names++)
		put_graph_node(&graph, *names, "Op", "");
	add_graph(&m, &graph);
	assert_int_equal(scope_build(&t, &m, 0, &err), TFPROF_OK);
	assert_tree(&m, &t, expected);
	model_clear(&m);
}

static void test_an_empty_graph_is_a_root(void **state)
{
	assert_scopes((const char *const[]){NULL}, "_TFProfRoot\n");
}

static void test_names_without_a_scope_are_below_the_root(void **state)
{
	assert_scopes((const char *const[]){"b", "a", "c", NULL},
		"_TFProfRoot\n"
		"  a\n"
		"  b\n"
		"  c\n");
}

static void test_a_scope_without_a_node_is_an_empty_parent(void **state)
{
	assert_scopes((const char *const[]){"a/b/c", "a/b/d", "e/f", NULL},
		"_TFProfRoot\n"
		"  a -\n"
		"    a/b -\n"
		"      a/b/c\n"
		"      a/b/d\n"
		"  e -\n"
		"    e/f\n");
}

/* The node may come before, between or after the nodes in its scope. */
static void test_a_node_can_be_a_scope(void **state)
{
	const char *expected = "_TFProfRoot\n"
			       "  a\n"
			       "    a/b\n"
			       "      a/b/c\n"
			       "    a/d\n";

	assert_scopes((const char *const[]){"a", "a/b", "a/b/c", "a/d", NULL}, expected);
	assert_scopes((const char *const[]){"a/b/c", "a", "a/d", "a/b", NULL}, expected);
	assert_scopes((const char *const[]){"a/d", "a/b/c", "a/b", "a", NULL}, expected);
}

/* `-` and `.` sort before `/`, letters after it, capitals before small letters. The
 * nodes of a scope still come right after it. */
static void test_siblings_are_in_byte_order(void **state)
{
	assert_scopes((const char *const[]){"ab", "a/b", "a-b", "a", "B", "a.b", "\xc3\xa4", NULL},
		"_TFProfRoot\n"
		"  B\n"
		"  a\n"
		"    a/b\n"
		"  a-b\n"
		"  a.b\n"
		"  ab\n"
		"  \xc3\xa4\n");
}

static void test_empty_components_are_components(void **state)
{
	assert_scopes((const char *const[]){"a//b", "c/", NULL},
		"_TFProfRoot\n"
		"  a -\n"
		"    a/ -\n"
		"      a//b\n"
		"  c -\n"
		"    c/\n");
}

static void test_a_shared_prefix_without_a_slash_is_not_a_scope(void **state)
{
	assert_scopes((const char *const[]){"conv", "conv1/w", "con/w", NULL},
		"_TFProfRoot\n"
		"  con -\n"
		"    con/w\n"
		"  conv\n"
		"  conv1 -\n"
		"    conv1/w\n");
}

/* The scopes of a growing model. */
static void test_nodes_loaded_later(void **state)
{
	struct model m;
	struct tree t = {0};
	struct tfprof_error err;
	struct buf graph = {0};

	start_model(&m);
	put_graph_node(&graph, "a/x", "Op", "");
	add_graph(&m, &graph);
	assert_int_equal(scope_build(&t, &m, 0, &err), TFPROF_OK);
	assert_tree(&m, &t,
		"_TFProfRoot\n"
		"  a -\n"
		"    a/x\n");
	put_graph_node(&graph, "a/b/y", "Op", "");
	put_graph_node(&graph, "a", "Op", "");
	add_graph(&m, &graph);
	assert_int_equal(scope_build(&t, &m, 0, &err), TFPROF_OK);
	assert_tree(&m, &t,
		"_TFProfRoot\n"
		"  a\n"
		"    a/b -\n"
		"      a/b/y\n"
		"    a/x\n");
	model_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_graph_is_a_root),
		cmocka_unit_test(test_names_without_a_scope_are_below_the_root),
		cmocka_unit_test(test_a_scope_without_a_node_is_an_empty_parent),
		cmocka_unit_test(test_a_node_can_be_a_scope),
		cmocka_unit_test(test_siblings_are_in_byte_order),
		cmocka_unit_test(test_empty_components_are_components),
		cmocka_unit_test(test_a_shared_prefix_without_a_slash_is_not_a_scope),
		cmocka_unit_test(test_nodes_loaded_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
