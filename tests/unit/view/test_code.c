#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Code view: the tree of call stacks, gradients beside their forward nodes, and the
 * labels of frames. */
#include "trees.h"

/* ---- small models -------------------------------------------------------------- */

enum { NONE_TEXT, PATH, MAIN, BUILD, SOURCE };

static void put_texts(struct buf *log)
{
	static const char *const texts[] = {"none", "/home/me/model.py", "main", "build",
		"x = f(y)"};

	for (int id = 0; id < 5; id++)
		put_string(log, OP_LOG_ID_TO_STRING, id, texts[id]);
}

/* The lines of the stack's frames, outermost first, ending in 0. The outermost is in
 * main(), all others are in build(). */
static void put_stack(struct buf *log, const char *node, const int *lines)
{
	struct nested stack = open_stack(log, node);

	for (int i = 0; lines[i]; i++)
		put_frame(log, lines[i], PATH, i ? BUILD : MAIN, SOURCE);
	close_nested(log, stack);
}

#define LINES(...) ((const int[]){__VA_ARGS__, 0})

struct stacks_of {
	const char *node;
	const int *lines; /* NULL: no stack */
};

static void make_model(struct model *m, const struct stacks_of *nodes)
{
	struct buf graph = {0}, log = {0};

	for (; nodes->node; nodes++) {
		put_graph_node(&graph, nodes->node, "Op", "");
		if (nodes->lines)
			put_stack(&log, nodes->node, nodes->lines);
	}
	put_texts(&log);
	start_model(m);
	add_graph(m, &graph);
	add_op_log(m, &log);
}

static void assert_code(const struct stacks_of *nodes, const char *expected, size_t n_lost)
{
	struct model m;
	struct tree t = {0};
	struct tfprof_error err;

	make_model(&m, nodes);
	assert_int_equal(code_build(&t, &m, 0, &err), TFPROF_OK);
	assert_int_equal(t.n_lost_gradients, n_lost);
	assert_tree(&m, &t, expected);
	model_clear(&m);
}

/* ---- stacks ----------------------------------------------------------------------- */

static void test_equal_frames_are_one(void **state)
{
	const struct stacks_of nodes[] = {
		{"a", LINES(7, 20)},
		{"b", LINES(7, 20)},
		{"c", LINES(7, 21)},
		{"d", LINES(8, 20)},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:7:main\n"
		"    model.py:20:build: a b\n"
		"    model.py:21:build: c\n"
		"  model.py:8:main\n"
		"    model.py:20:build: d\n",
		0);
}

static void test_a_stack_can_be_a_prefix_of_others(void **state)
{
	const struct stacks_of nodes[] = {
		{"a", LINES(7, 20, 30)},
		{"b", LINES(7)},
		{"c", LINES(7, 20)},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:7:main: b\n"
		"    model.py:20:build: c\n"
		"      model.py:30:build: a\n",
		0);
}

/* A repeated line is a frame below itself. */
static void test_recursion(void **state)
{
	const struct stacks_of nodes[] = {{"a", LINES(7, 20, 20, 20)}, {"b", LINES(7, 20, 20)},
		{0}};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:7:main\n"
		"    model.py:20:build\n"
		"      model.py:20:build: b\n"
		"        model.py:20:build: a\n",
		0);
}

/* Frames are in the byte order of their first node's name, not of lines or of the
 * file. */
static void test_frames_are_ordered_by_node_name(void **state)
{
	const struct stacks_of nodes[] = {
		{"c", LINES(7, 20)},
		{"b", LINES(7, 21)},
		{"a", LINES(7, 22)},
		{"B", LINES(9)},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:9:main: B\n"
		"  model.py:7:main\n"
		"    model.py:22:build: a\n"
		"    model.py:21:build: b\n"
		"    model.py:20:build: c\n",
		0);
}

static void test_nodes_without_a_stack_are_left_out(void **state)
{
	const struct stacks_of nodes[] = {{"a", NULL}, {"b", LINES(7)}, {"c", (const int[]){0}},
		{0}};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:7:main: b\n",
		0);
}

/* ---- gradients --------------------------------------------------------------------- */

/* Its own stack does not matter. */
static void test_a_gradient_takes_the_stack_of_its_forward_node(void **state)
{
	const struct stacks_of nodes[] = {
		{"conv", LINES(7, 20)},
		{"gradients/conv_grad/dx", LINES(8, 99)},
		{"gradients/conv_grad/dw", LINES(8)},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:7:main\n"
		"    model.py:20:build: conv\n"
		"  model.py:7:main (gradient)\n"
		"    model.py:20:build (gradient): gradients/conv_grad/dx gradients/conv_grad/dw\n",
		0);
}

/* Einsum is a scope of several nodes, and Pow's forward node is not there: others of the scope
 * stand in, near ones first. What belongs to no scope stays with the tape. */
static void test_a_gradient_of_a_scope_takes_the_stack_of_a_node_in_it(void **state)
{
	const struct stacks_of nodes[] = {
		{"m/far/x", LINES(7, 30)},
		{"m/layer/einsum/deep/y", LINES(7, 21)},
		{"m/layer/einsum/Einsum", LINES(7, 20)},
		{"m/norm/Mul", LINES(7, 22)},
		{"gradient_tape/m/layer/einsum/Einsum_1", LINES(8)},
		{"gradient_tape/m/norm/Pow/mul", LINES(8)},
		{"gradient_tape/m/gone/Pow/mul", LINES(8)},
		{"gradient_tape/Reshape", LINES(8)},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:8:main: gradient_tape/m/gone/Pow/mul gradient_tape/Reshape\n"
		"  model.py:7:main\n"
		"    model.py:30:build: m/far/x\n"
		"    model.py:20:build: m/layer/einsum/Einsum\n"
		"    model.py:21:build: m/layer/einsum/deep/y\n"
		"    model.py:22:build: m/norm/Mul\n"
		"  model.py:7:main (gradient)\n"
		"    model.py:20:build (gradient): gradient_tape/m/layer/einsum/Einsum_1\n"
		"    model.py:22:build (gradient): gradient_tape/m/norm/Pow/mul\n",
		0);
}

/* The gradient of Cos is named by what it computes: nothing tells which line of the layer it
 * belongs to. Where lines share no frame, it stays with the tape. */
static void test_a_gradient_of_a_scope_of_several_lines_takes_the_frames_they_share(void **state)
{
	const struct stacks_of nodes[] = {
		{"m/layer/Cos", LINES(7, 20)},
		{"m/layer/MatMul", LINES(7, 21)},
		{"m/other/Tanh", LINES(5, 20)},
		{"m/other/Exp", LINES(6, 20)},
		{"gradient_tape/m/layer/Sin", LINES(8)},
		{"gradient_tape/m/other/TanhGrad", LINES(8)},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:8:main: gradient_tape/m/other/TanhGrad\n"
		"  model.py:7:main\n"
		"    model.py:20:build: m/layer/Cos\n"
		"    model.py:21:build: m/layer/MatMul\n"
		"  model.py:6:main\n"
		"    model.py:20:build: m/other/Exp\n"
		"  model.py:5:main\n"
		"    model.py:20:build: m/other/Tanh\n"
		"  model.py:7:main (gradient): gradient_tape/m/layer/Sin\n",
		0);
}

/* After all forward nodes. */
static void test_gradients_are_ordered_by_forward_name(void **state)
{
	const struct stacks_of nodes[] = {
		{"gradients/z_grad/1", LINES(8)},
		{"gradients/a/b_grad/9", LINES(8)},
		{"z", LINES(7, 20)},
		{"a/b", LINES(7, 21)},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:7:main\n"
		"    model.py:21:build: a/b\n"
		"    model.py:20:build: z\n"
		"  model.py:7:main (gradient)\n"
		"    model.py:21:build (gradient): gradients/a/b_grad/9\n"
		"    model.py:20:build (gradient): gradients/z_grad/1\n",
		0);
}

/* Each forward name counts once, however many gradients it has. */
static void test_gradients_without_a_forward_stack_are_lost(void **state)
{
	const struct stacks_of nodes[] = {
		{"a", LINES(7)},
		{"bare", NULL},
		{"gradients/bare_grad/1", LINES(8)},
		{"gradients/bare_grad/2", LINES(8)},
		{"gradients/gone_grad/1", LINES(8)},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:7:main: a\n",
		2);
}

static void test_a_gradient_without_a_stack_is_ignored(void **state)
{
	const struct stacks_of nodes[] = {
		{"a", LINES(7)},
		{"gradients/a_grad/1", NULL},
		{"gradients/gone_grad/1", NULL},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:7:main: a\n",
		0);
}

static void test_an_incomplete_gradient_name_is_an_ordinary_name(void **state)
{
	const struct stacks_of nodes[] = {
		{"a", LINES(7)},
		{"a_grad/1", LINES(8)},
		{"gradients/_grad/z", LINES(9)},
		{"gradients/a", LINES(10)},
		{0},
	};

	assert_code(nodes,
		"_TFProfRoot\n"
		"  model.py:7:main: a\n"
		"  model.py:8:main: a_grad/1\n"
		"  model.py:9:main: gradients/_grad/z\n"
		"  model.py:10:main: gradients/a\n",
		0);
}

/* ---- labels ------------------------------------------------------------------------ */

static void test_source_text_in_labels(void **state)
{
	const struct stacks_of nodes[] = {
		{"a", LINES(7, 20)},
		{"gradients/a_grad/1", LINES(8)},
		{0},
	};
	struct model m;
	struct tree t = {0};
	struct tfprof_error err;

	make_model(&m, nodes);
	assert_int_equal(code_build(&t, &m, TREE_SOURCE_LINES, &err), TFPROF_OK);
	assert_tree(&m, &t,
		"_TFProfRoot\n"
		"  model.py:7:main:x = f(y)\n"
		"    model.py:20:build:x = f(y): a\n"
		"  model.py:7:main:x = f(y) (gradient)\n"
		"    model.py:20:build:x = f(y) (gradient): gradients/a_grad/1\n");
	model_clear(&m);
}

static void assert_label(const struct frame *frame, unsigned flags, bool gradient,
	const char *expected)
{
	struct buf b = {0};

	code_put_label(&b, frame, flags, gradient);
	assert_string_equal(b.at, expected);
	buf_clear(&b);
}

/* A function or source text of 20 bytes or more is cut to 17 and "...". */
static void test_labels_are_truncated(void **state)
{
	struct frame frame = {
		.file = SPAN("/a/long/path/of_a_file_with_a_long_name.py"),
		.function = SPAN("nineteen_bytes_long"),
		.source = SPAN("twenty bytes of text"),
		.line = 12345,
	};

	assert_label(&frame, 0, false, "of_a_file_with_a_long_name.py:12345:nineteen_bytes_long");
	assert_label(&frame, TREE_SOURCE_LINES, true,
		"of_a_file_with_a_long_name.py:12345:nineteen_bytes_long:twenty bytes of t... "
		"(gradient)");
	assert_label(&frame, TREE_SOURCE_LINES | TREE_WIDE, false,
		"of_a_file_with_a_long_name.py:12345:nineteen_bytes_long:twenty bytes of text");
	frame.function = SPAN("twenty_bytes_long_it");
	frame.source = SPAN("");
	frame.file = SPAN("here.py");
	assert_label(&frame, TREE_SOURCE_LINES, false, "here.py:12345:twenty_bytes_long...:none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_frames_are_one),
		cmocka_unit_test(test_a_stack_can_be_a_prefix_of_others),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_frames_are_ordered_by_node_name),
		cmocka_unit_test(test_nodes_without_a_stack_are_left_out),
		cmocka_unit_test(test_a_gradient_takes_the_stack_of_its_forward_node),
		cmocka_unit_test(test_a_gradient_of_a_scope_takes_the_stack_of_a_node_in_it),
		cmocka_unit_test(
			test_a_gradient_of_a_scope_of_several_lines_takes_the_frames_they_share),
		cmocka_unit_test(test_gradients_are_ordered_by_forward_name),
		cmocka_unit_test(test_gradients_without_a_forward_stack_are_lost),
		cmocka_unit_test(test_a_gradient_without_a_stack_is_ignored),
		cmocka_unit_test(test_an_incomplete_gradient_name_is_an_ordinary_name),
		cmocka_unit_test(test_source_text_in_labels),
		cmocka_unit_test(test_labels_are_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
