#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Scope view by itself: which scopes names make, and in which order. Expected trees
 * are what the names say. That parts find the same is tested in test_scope_parts.c. */
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

static void test_nothing_is_a_root(void **state)
{
	assert_scopes((const char *const[]){NULL}, "_TFProfRoot\n");
}

static void test_names_without_a_scope_hang_under_the_root(void **state)
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

/* It comes before, between or after those in it. */
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

/* As bytes: `-` and `.` are less than `/`, letters are more, capitals are less than
 * small letters. What is in a scope comes right behind it nevertheless. */
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

static void test_a_prefix_of_letters_is_no_scope(void **state)
{
	assert_scopes((const char *const[]){"conv", "conv1/w", "con/w", NULL},
		"_TFProfRoot\n"
		"  con -\n"
		"    con/w\n"
		"  conv\n"
		"  conv1 -\n"
		"    conv1/w\n");
}

/* The scopes of a model that grows. */
static void test_nodes_that_come_later(void **state)
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
		cmocka_unit_test(test_nothing_is_a_root),
		cmocka_unit_test(test_names_without_a_scope_hang_under_the_root),
		cmocka_unit_test(test_a_scope_without_a_node_is_an_empty_parent),
		cmocka_unit_test(test_a_node_can_be_a_scope),
		cmocka_unit_test(test_siblings_are_in_byte_order),
		cmocka_unit_test(test_empty_components_are_components),
		cmocka_unit_test(test_a_prefix_of_letters_is_no_scope),
		cmocka_unit_test(test_nodes_that_come_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
