/* Graph view: from the nodes that are no one's input along data flow, each
 * node once, first come, depth first. The walk does not depend on the query,
 * so the picture is a spanning forest that is built once. */
#include "view/tree.h"

/* Where the walk stands in a node's inputs. */
struct visit {
	uint32_t view;         /* the view node */
	uint32_t edge, end;    /* its edges still to go */
};

struct walk {
	const struct model *model;
	struct tree *tree;
	uint32_t *input;       /* by edge: the node it comes from, NONE if unknown */
	bool *visited;
	VEC(struct visit) stack;
};

static bool enter(struct walk *w, uint32_t node, uint32_t parent)
{
	const struct nodes *nodes = &w->model->nodes;
	uint32_t v = w->tree->n++;

	w->visited[node] = true;
	w->tree->node[v] = node;
	w->tree->parent[v] = parent;
	return vec_push(&w->stack, ((struct visit){v, nodes->first_edge[node],
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

/* Marks what is someone's input. An input of itself counts. */
static void find_inputs(struct walk *w, bool *is_input)
{
	const struct model *m = w->model;

	for (size_t i = 0; i < m->edges.n; i++) {
		uint32_t input = w->input[i] = model_node_of(m, m->edges.at[i].source);

		if (input != NONE)
			is_input[input] = true;
	}
}

/* The nodes that are no one's input, in byte order of their names. */
static uint32_t *find_roots(struct walk *w, struct arena *scratch, size_t *n)
{
	const struct model *m = w->model;
	bool *is_input = arena_zero(scratch, m->nodes.n, sizeof(*is_input));
	uint32_t *roots = arena_array(scratch, m->nodes.n, sizeof(*roots));

	*n = 0;
	w->input = arena_array(scratch, m->edges.n, sizeof(*w->input));
	if (!is_input || !roots || !w->input)
		return NULL;
	find_inputs(w, is_input);
	for (size_t node = 0; node < m->nodes.n; node++)
		if (!is_input[node])
			roots[(*n)++] = (uint32_t)node;
	return sort_nodes_by_name(m, roots, *n) ? roots : NULL;
}

enum tfprof_status graph_build(struct tree *t, const struct model *m, struct tfprof_error *err)
{
	struct walk w = {.model = m, .tree = t};
	struct arena scratch = {0};
	size_t n = m->nodes.n, n_roots;
	uint32_t *roots = find_roots(&w, &scratch, &n_roots);
	bool fine;

	w.visited = arena_zero(&scratch, n, sizeof(*w.visited));
	t->node = mem_array(n + 1, sizeof(*t->node));
	t->parent = mem_array(n + 1, sizeof(*t->parent));
	fine = roots && w.visited && t->node && t->parent;
	if (fine) {
		t->node[0] = t->parent[0] = NONE;
		t->n = 1;
		t->model = m;
	}
	for (size_t i = 0; fine && i < n_roots; i++)
		fine = walk_from(&w, roots[i]);
	vec_clear(&w.stack);
	arena_clear(&scratch);
	if (fine)
		return TFPROF_OK;
	tree_clear(t);
	return error_no_memory(err);
}
