/* Graph view: a depth-first walk along data flow from the nodes that are no node's
 * input, visiting each node once. The walk does not depend on the query, so the
 * spanning forest is built once. */
#include "base/parallel.h"
#include "view/tree.h"

/* The walk's position in a node's inputs. */
struct visit {
	uint32_t view;      /* the view node */
	uint32_t edge, end; /* edges not yet followed */
};

struct walk {
	const struct model *model;
	struct tree *tree;
	uint32_t *input; /* by edge: its source node, NONE if unknown */
	size_t parts;
	bool *is_input; /* by node, once per part of the edges */
	bool *visited;  /* by node; reuses is_input of the first part */
	VEC(struct visit) stack;
};

static bool enter(struct walk *w, uint32_t node, uint32_t parent)
{
	const struct nodes *nodes = &w->model->nodes;
	uint32_t v = w->tree->n++;

	w->visited[node] = true;
	w->tree->node[v] = node;
	w->tree->parent[v] = parent;
	return vec_push(&w->stack,
		((struct visit){v, nodes->first_edge[node],
			nodes->first_edge[node] + nodes->n_edges[node]}));
}

static bool walk_from(struct walk *w, uint32_t root)
{
	if (!enter(w, root, 0))
		return false;
	while (w->stack.n) {
		struct visit *top = &w->stack.at[w->stack.n - 1];
		uint32_t input;

		if (top->edge == top->end) {
			w->stack.n--;
			continue;
		}
		input = w->input[top->edge++];
		if (input != NONE && !w->visited[input] && !enter(w, input, top->view))
			return false;
	}
	return true;
}

/* Marks the nodes that are inputs in a part of the edges; self-loops count. */
static void find_inputs(void *context, size_t part)
{
	const struct walk *w = context;
	const struct model *m = w->model;
	bool *is_input = w->is_input + part * m->nodes.n;
	size_t begin = parallel_begin(m->edges.n, w->parts, part);
	size_t end = parallel_begin(m->edges.n, w->parts, part + 1);

	memset(is_input, 0, m->nodes.n * sizeof(*is_input));
	for (size_t i = begin; i < end; i++) {
		uint32_t input = model_node_of(m, m->edges.at[i].source);

		mem_prepare_ahead(w->input, sizeof(*w->input), i, begin, end);
		w->input[i] = input;
		if (input != NONE)
			is_input[input] = true;
	}
}

static bool is_root(const struct walk *w, size_t node)
{
	bool is_input = false;

	for (size_t part = 0; part < w->parts; part++)
		is_input |= w->is_input[part * w->model->nodes.n + node];
	return !is_input;
}

/* The nodes that are not an input, in byte order of their names. */
static uint32_t *find_roots(struct walk *w, struct arena *scratch, size_t *n)
{
	enum { MIN_PART = 16384 };
	const struct model *m = w->model;
	uint32_t *roots = arena_array(scratch, m->nodes.n, sizeof(*roots));

	*n = 0;
	w->parts = parallel_parts(m->edges.n, MIN_PART);
	w->is_input = arena_array(scratch, w->parts * m->nodes.n, sizeof(*w->is_input));
	w->input = arena_array(scratch, m->edges.n, sizeof(*w->input));
	if (!w->is_input || !roots || !w->input)
		return NULL;
	parallel_run(w->parts, find_inputs, w);
	for (size_t node = 0; node < m->nodes.n; node++)
		if (is_root(w, node))
			roots[(*n)++] = (uint32_t)node;
	return sort_nodes_by_name(m, roots, *n) ? roots : NULL;
}

enum tfprof_status graph_build(struct tree *t, const struct model *m, unsigned flags,
	struct tfprof_error *err)
{
	struct walk w = {.model = m, .tree = t};
	struct arena scratch = {0};
	size_t n = m->nodes.n, n_roots;
	uint32_t *roots = find_roots(&w, &scratch, &n_roots);
	bool ok;

	t->node = mem_array(n + 1, sizeof(*t->node));
	t->parent = mem_array(n + 1, sizeof(*t->parent));
	ok = roots && t->node && t->parent;
	if (ok) {
		w.visited = memset(w.is_input, 0, n * sizeof(*w.visited));
		t->node[0] = t->parent[0] = NONE;
		t->n = 1;
		t->model = m;
	}
	for (size_t i = 0; ok && i < n_roots; i++)
		ok = walk_from(&w, roots[i]);
	vec_clear(&w.stack);
	arena_clear(&scratch);
	if (ok)
		return TFPROF_OK;
	tree_clear(t);
	return error_no_memory(err);
}
