/* A view as a tree in arrays, in preorder: a forward loop walks down, a backward
 * loop adds up. Index 0 is the root.
 *
 *     v → parent[v] < v, label(v)
 *         and either, as in scope and graph view,
 *             node[v], the graph node or NONE
 *         or, as in op and code view,
 *             nodes[first_node[v] … first_node[v + 1]], a group of graph nodes:
 *             those of this op, or whose stack ends at this frame
 *
 * A tree depends only on the model, not on a query: it is built once per
 * generation and shared by all queries. */
#ifndef TFPROF_VIEW_TREE_H
#define TFPROF_VIEW_TREE_H

#include "base/cancel.h"
#include "model/model.h"
#include "model/trace.h"

#define ROOT_NAME "_TFProfRoot"

struct tree {
	uint32_t n; /* 0: not built */
	uint32_t *parent;
	uint32_t *node;
	struct span *label;           /* text of the model or the arena; NULL in graph
					 view, where labels are node names */
	const struct model *model;    /* graph and code view */
	struct arena arena;           /* owns most of what follows */
	uint32_t *first_node, *nodes; /* op and code view */
	uint32_t *frame;              /* code view: the first frame of each label */
	bool *is_gradient;            /* code view */
	struct frame *frames;         /* code view: distinct frames */
	size_t n_lost_gradients;      /* forward nodes whose stack is missing */
	const volatile int *cancel;   /* while it is built: non-zero stops that */
};

void tree_clear(struct tree *t);

/* Builders poll this, and stop as on allocation failure. */
static inline bool tree_goes_on(const struct tree *t)
{
	return !is_cancelled(t->cancel);
}

/* Children follow right after their parent. */
static inline bool tree_has_children(const struct tree *t, uint32_t v)
{
	return v + 1 < t->n && t->parent[v + 1] == v;
}

/* Where the label of a view node other than the root is stored. */
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
	return v ? t->frames[t->frame[v]] : (struct frame){0};
}

/* Options of views. */
enum tree_flags {
	TREE_FOLD_GRADIENTS = 1, /* scope: gradients under their forward scope */
	TREE_SOURCE_LINES = 1,   /* code: labels end with the source line */
	TREE_BY_LABEL = 2,       /* code: merge lines with equal labels, whatever their paths */
	TREE_ONLY_MY_CODE = 4,   /* code: without frames of libraries */
	TREE_FOLD_LINES = 8,     /* code: gradients under their forward line */
	TREE_WIDE = 16,          /* code: labels are not cut */
	TREE_EXECUTED = 1,       /* op: by what nodes ran as */
	TREE_BY_OP = 2,          /* op: by the op alone, as in TensorFlow's profiler */
	TREE_BY_KIND = 4,        /* op: by what the time is spent on */
	TREE_FLAGS = 32,         /* number of combinations */
};

#define X(id, ...) +1
enum { N_VIEWS = 0 TFPROF_VIEW_LIST(X) };
#undef X

/* Each view has a builder, NAME_build, which fills an empty tree or leaves it empty. */
typedef enum tfprof_status tree_builder(struct tree *t, const struct model *m, unsigned flags,
	struct tfprof_error *err);
#define X(id, name, ...) tree_builder name##_build;
TFPROF_VIEW_LIST(X)
#undef X

/* Appends the label of a frame in code view; flags: TREE_SOURCE_LINES, TREE_WIDE. */
void code_put_label(struct buf *b, const struct frame *frame, unsigned flags, bool gradient);

/* Sorts nodes in byte order of their names; false on allocation failure. */
bool sort_nodes_by_name(const struct model *m, uint32_t *nodes, size_t n);

#endif
