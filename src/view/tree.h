/* A view as a tree in arrays, parents before children (preorder), so that a
 * loop forwards walks down and a loop backwards adds up. Index 0 is the root.
 *
 *     v → parent[v] < v, label(v)
 *         scope, graph: node[v], the graph node or NONE
 *         op, code:     nodes[first_node[v] … first_node[v + 1]], the graph
 *                       nodes of this op, or that end at this frame
 *
 * A tree depends only on the model, not on a query: it is built once per
 * generation and read by any number of queries. */
#ifndef TFPROF_VIEW_TREE_H
#define TFPROF_VIEW_TREE_H

#include "model/model.h"
#include "model/trace.h"

#define ROOT_NAME "_TFProfRoot"

struct tree {
	uint32_t n;
	uint32_t *parent;
	uint32_t *node;
	struct span *label;           /* of the model's texts, or the arena's; graph view
					 has none: there they are the names of nodes */
	const struct model *model;    /* graph and code view */
	struct arena arena;           /* most of what follows: */
	uint32_t *first_node, *nodes; /* op and code view */
	uint32_t *frame;              /* code view: the first frame of each label */
	bool *is_gradient;            /* code view */
	struct frame_ids *frames;     /* code view: the distinct ones */
	size_t n_lost_gradients;      /* forward nodes whose stack is missing */
};

void tree_clear(struct tree *t);

/* Where the label of a view node that is not the root is noted. */
static inline const struct span *tree_label_at(const struct tree *t, uint32_t v)
{
	return t->label ? &t->label[v]
			: &t->model->strings.text.at[t->model->nodes.name[t->node[v]]];
}

static inline struct span tree_label(const struct tree *t, uint32_t v)
{
	return v ? *tree_label_at(t, v) : SPAN(ROOT_NAME);
}

/* The frame of a node of code view; the root has none. */
static inline struct frame tree_frame(const struct tree *t, uint32_t v)
{
	return v ? trace_frame(t->model, &t->frames[t->frame[v]]) : (struct frame){0};
}

/* How code view is to be. */
enum tree_flags {
	TREE_SOURCE_LINES = 1, /* labels end in the text of the line */
	TREE_BY_LABEL = 2,     /* lines with one label are one, whatever their paths */
};

/* Each view has a builder of its name, which fills an empty tree. */
typedef enum tfprof_status tree_builder(struct tree *t, const struct model *m, unsigned flags,
	struct tfprof_error *err);
#define X(id, name, doc) tree_builder name##_build;
TFPROF_VIEW_LIST(X)
#undef X

/* The label of a frame, as code view has it. */
void code_put_label(struct buf *b, const struct frame *frame, bool source_lines, bool gradient);
/* The name of the node a gradient belongs to: what stands between the first
 * "gradients/" and the first "_grad/". False if the name is no gradient's. */
bool code_forward_name(struct span name, struct span *forward);

/* Puts nodes in byte order of their names; false when memory is out. */
bool sort_nodes_by_name(const struct model *m, uint32_t *nodes, size_t n);

#endif
