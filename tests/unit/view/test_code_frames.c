#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Code view builds the same tree as a naive version that inserts stacks one by one in
 * name order: the same labels in the same order, each with its first frame. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "load/load.h"
#include "model/gradient.h"
#include "view/tree.h"

#include "parts.h"

enum { NODES = 40, MOST_FRAMES = 4, FILES = 4, FUNCTIONS = 3, MAX_TREE = 1000 };

/* Two of them have the same last component. */
static const char *const files[FILES] = {"/x/m.py", "/y/m.py", "/x/n.py", "m.py"};
static const char *const functions[FUNCTIONS] = {"f", "a_function_with_a_long_name",
	"a_function_with_a_longer_name"};

static uint64_t seed;

static unsigned draw(unsigned limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % limit;
}

struct place {
	unsigned file, function, line;
};

static struct node {
	char name[40];
	struct place stack[MOST_FRAMES];
	unsigned n_frames;
	bool has_stack;
} nodes[NODES];

/* Nodes are in random order. Some are gradients of earlier nodes or of none. */
static void draw_nodes(void)
{
	for (unsigned i = 0; i < NODES; i++) {
		struct node *node = &nodes[i];

		if (draw(3))
			snprintf(node->name, sizeof(node->name), "n%u_%u", draw(90), i);
		else if (i && draw(5))
			snprintf(node->name, sizeof(node->name), "gradients/%.12s_grad/%u",
				nodes[draw(i)].name, i);
		else
			snprintf(node->name, sizeof(node->name), "gradients/none_grad/%u", i);
		node->has_stack = draw(8);
		node->n_frames = draw(MOST_FRAMES + 1);
		for (unsigned k = 0; k < node->n_frames; k++)
			node->stack[k] = (struct place){draw(FILES), draw(FUNCTIONS), 1 + draw(2)};
	}
}

static void make_model(struct model *m)
{
	struct buf graph = {0}, log = {0}, notes = {0};
	struct tfprof_input input;
	struct tfprof_error err;

	for (unsigned i = 0; i < NODES; i++) {
		buf_printf(&graph, "node { name: '%s' op: 'Op' } ", nodes[i].name);
		if (!nodes[i].has_stack)
			continue;
		buf_printf(&log, "log_entries { name: '%s' code_def { ", nodes[i].name);
		for (unsigned k = 0; k < nodes[i].n_frames; k++)
			buf_printf(&log, "traces { lineno: %u file_id: %u function_id: %u } ",
				nodes[i].stack[k].line, nodes[i].stack[k].file,
				FILES + nodes[i].stack[k].function);
		buf_text(&log, "} } ");
	}
	for (unsigned i = 0; i < FILES; i++)
		buf_printf(&log, "id_to_string { key: %u value: '%s' } ", i, files[i]);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		buf_printf(&log, "id_to_string { key: %u value: '%s' } ", FILES + i, functions[i]);
	assert_true(model_init(m));
	input = tfprof_input_bytes(graph.at, graph.n);
	if (load_input(m, INPUT_GRAPH, &input, 0, &notes, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	input = tfprof_input_bytes(log.at, log.n);
	if (load_input(m, INPUT_OP_LOG, &input, 0, &notes, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	buf_clear(&graph);
	buf_clear(&log);
	buf_clear(&notes);
}

/* ---- the naive version -------------------------------------------------------- */

static struct naive {
	char label[100];
	struct place place;
	int parent, children[NODES * 2], n_children;
} naive[MAX_TREE];
static int n_naive;

static int naive_child(int parent, struct place place, bool gradient)
{
	struct frame frame = {.file = span_of(files[place.file]),
		.function = span_of(functions[place.function]),
		.line = (int32_t)place.line};
	struct buf label = {0};
	struct naive *at = &naive[parent];
	int child;

	code_put_label(&label, &frame, false, gradient);
	for (int i = 0; i < at->n_children; i++)
		if (strcmp(naive[at->children[i]].label, label.at) == 0) {
			buf_clear(&label);
			return at->children[i];
		}
	child = n_naive++;
	naive[child] = (struct naive){.place = place, .parent = parent};
	strcpy(naive[child].label, label.at);
	at->children[at->n_children++] = child;
	buf_clear(&label);
	return child;
}

struct insertion {
	char name[40];
	const struct node *node;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct insertion *)a)->name, ((const struct insertion *)b)->name);
}

static const struct node *find(struct span name)
{
	for (unsigned i = 0; i < NODES; i++)
		if (span_equal(name, span_of(nodes[i].name)))
			return &nodes[i];
	return NULL;
}

static void build_naive(void)
{
	naive[0] = (struct naive){.parent = -1};
	n_naive = 1;
	for (int gradient = 0; gradient < 2; gradient++) {
		struct insertion all[NODES];
		size_t n = 0;

		for (unsigned i = 0; i < NODES; i++) {
			const struct node *node = &nodes[i];
			struct gradient g, other;
			bool is_gradient = gradient_parse(span_of(node->name), &g);

			/* A node without a stack is ignored. */
			if (!node->has_stack || !node->n_frames || is_gradient != gradient)
				continue;
			if (is_gradient) {
				node = find(g.forward);
				if (!node || !node->has_stack || !node->n_frames ||
					gradient_parse(span_of(node->name), &other))
					continue;
			}
			all[n].node = node;
			strcpy(all[n++].name, node->name);
		}
		qsort(all, n, sizeof(*all), by_name);
		for (size_t i = 0; i < n; i++)
			for (unsigned k = 0, at = 0; k < all[i].node->n_frames; k++)
				at = (unsigned)naive_child((int)at, all[i].node->stack[k],
					gradient);
	}
}

static void compare(const struct tree *t, uint32_t *v, int at, uint32_t parent)
{
	uint32_t self = (*v)++;

	assert_true(self < t->n);
	assert_int_equal(t->parent[self], parent);
	if (at) {
		assert_true(span_equal(tree_label(t, self), span_of(naive[at].label)));
		assert_true(
			span_equal(tree_frame(t, self).file, span_of(files[naive[at].place.file])));
		assert_true(span_equal(tree_frame(t, self).function,
			span_of(functions[naive[at].place.function])));
		assert_int_equal(t->is_gradient[self],
			strstr(naive[at].label, " (gradient)") != NULL);
	}
	for (int i = 0; i < naive[at].n_children; i++)
		compare(t, v, naive[at].children[i], self);
}

static void test_same_tree_as_the_naive_version(void **state)
{
	for (int round = 0; round < 300; round++) {
		struct tfprof_error err;
		struct tree tree = {0};
		struct model m;
		uint32_t v = 0;

		use_parts(1 + (size_t)round % 3);
		draw_nodes();
		make_model(&m);
		build_naive();
		if (code_build(&tree, &m, TREE_BY_LABEL, &err) != TFPROF_OK)
			fail_msg("%s", err.text);
		assert_int_equal(tree.n, n_naive);
		compare(&tree, &v, 0, NONE);
		tree_clear(&tree);
		model_clear(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_tree_as_the_naive_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
