/* Small models for tests of views, and views as text to compare:
 *
 *     _TFProfRoot
 *       a -              no graph node has this name: an empty parent
 *         a/x
 *       f.py:7:main: b c op and code view: the graph nodes that belong here
 */
#ifndef TFPROF_TESTS_TREES_H
#define TFPROF_TESTS_TREES_H

#include "load/load.h"
#include "view/tree.h"

#include "messages.h"

static inline void start_model(struct model *m)
{
	assert_true(model_init(m));
}

/* Both take what was written and clear it. */
static inline void add_graph(struct model *m, struct buf *graph)
{
	struct tfprof_input in = tfprof_input_bytes(graph->at, graph->n);
	struct buf notes = {0};
	struct tfprof_error err;

	assert_false(graph->failed);
	if (load_input(m, INPUT_GRAPH, &in, 0, &notes, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	buf_clear(graph);
	buf_clear(&notes);
}

static inline void add_op_log(struct model *m, struct buf *log)
{
	struct tfprof_input in = tfprof_input_bytes(log->at, log->n);
	struct buf notes = {0};
	struct tfprof_error err;

	assert_false(log->failed);
	if (load_input(m, INPUT_OP_LOG, &in, 0, &notes, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	buf_clear(log);
	buf_clear(&notes);
}

static inline void put_graph_nodes_of(struct buf *b, const struct model *m, const struct tree *t,
	uint32_t v)
{
	if (t->first_node[v] < t->first_node[v + 1])
		buf_char(b, ':');
	for (uint32_t i = t->first_node[v]; i < t->first_node[v + 1]; i++) {
		buf_char(b, ' ');
		buf_span(b, model_name(m, t->nodes[i]));
	}
}

static inline struct buf tree_text(const struct model *m, const struct tree *t)
{
	struct buf b = {0};
	size_t depth[100] = {0};

	assert_true(t->n <= 100);
	for (uint32_t v = 0; v < t->n; v++) {
		if (v) {
			assert_true(t->parent[v] < v);
			depth[v] = depth[t->parent[v]] + 1;
		}
		buf_fill(&b, ' ', 2 * depth[v]);
		buf_span(&b, tree_label(t, v));
		if (t->first_node)
			put_graph_nodes_of(&b, m, t, v);
		else if (v && t->node[v] == NONE)
			buf_text(&b, " -");
		buf_char(&b, '\n');
	}
	assert_false(b.failed);
	return b;
}

static inline void assert_tree(const struct model *m, struct tree *t, const char *expected)
{
	struct buf text = tree_text(m, t);

	assert_string_equal(text.at, expected);
	buf_clear(&text);
	tree_clear(t);
}

#endif
