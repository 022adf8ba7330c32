/* Graph view: a depth-first walk along data flow from the nodes that are no node's
 * input, visiting each node once. The walk does not depend on the query, so the
 * spanning forest is built once. */
#include "base/parallel.h"
#include "load/node_inputs.h"
#include "view/tree.h"

/* The walk's position in a node's inputs. */
struct visit {
	uint32_t view;       /* the view node */
	uint32_t input, end; /* its inputs not followed yet */
};

struct walk {
	const struct model *model;
	struct tree *tree;
	struct node_inputs inputs;
	size_t parts;
	bool *is_input; /* by node, once for each part of the inputs */
	bool *visited;  /* by node; reuses the first part of is_input */
	VEC(struct visit) stack;
};

static bool enter(struct walk *w, uint32_t node, uint32_t parent)
{
	const uint32_t *first = w->inputs.first + node;
	uint32_t v = w->tree->n++;

	w->visited[node] = true;
	w->tree->node[v] = node;
	w->tree->parent[v] = parent;
	return vec_push(&w->stack, ((struct visit){v, first[0], first[1]}));
}

static bool walk_from(struct walk *w, uint32_t root)
{
	if (!enter(w, root, 0))
		return false;
	while (w->stack.n && tree_goes_on(w->tree)) {
		struct visit *top = &w->stack.at[w->stack.n - 1];
		uint32_t input;

		if (top->input == top->end) {
			w->stack.n--;
			continue;
		}
		input = w->inputs.source[top->input++];
		if (input != NONE && !w->visited[input] && !enter(w, input, top->view))
			return false;
	}
	return true;
}

/* Marks the nodes that a part of the inputs refers to. A node that is only its own input counts. */
static void mark_inputs(void *context, size_t part)
{
	const struct walk *w = context;
	size_t n = w->model->nodes.n;
	bool *is_input = w->is_input + part * n;
	size_t begin = parallel_begin(w->inputs.n, w->parts, part);
	size_t end = parallel_begin(w->inputs.n, w->parts, part + 1);

	memset(is_input, 0, n * sizeof(*is_input));
	for (size_t i = begin; i < end; i++)
		if (w->inputs.source[i] != NONE)
			is_input[w->inputs.source[i]] = true;
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
	w->parts = parallel_parts(w->inputs.n, MIN_PART);
	w->is_input = arena_array(scratch, w->parts * m->nodes.n, sizeof(*w->is_input));
	if (!w->is_input || !roots)
		return NULL;
	parallel_run(w->parts, mark_inputs, w);
	for (size_t node = 0; node < m->nodes.n; node++)
		if (is_root(w, node))
			roots[(*n)++] = (uint32_t)node;
	return sort_nodes_by_name(m, roots, *n) ? roots : NULL;
}

static bool build(struct walk *w, struct tree *t, struct arena *scratch)
{
	const struct model *m = w->model;
	size_t n = m->nodes.n, n_roots;
	uint32_t *roots = find_roots(w, scratch, &n_roots);
	bool ok;

	t->node = mem_array(n + 1, sizeof(*t->node));
	t->parent = mem_array(n + 1, sizeof(*t->parent));
	ok = roots && t->node && t->parent;
	if (ok) {
		w->visited = memset(w->is_input, 0, n * sizeof(*w->visited));
		t->node[0] = t->parent[0] = NONE;
		t->n = 1;
		t->model = m;
	}
	for (size_t i = 0; ok && i < n_roots; i++)
		ok = walk_from(w, roots[i]) && tree_goes_on(t);
	vec_clear(&w->stack);
	return ok;
}

enum tfprof_status graph_build(struct tree *t, const struct model *m, unsigned flags,
	struct tfprof_error *err)
{
	struct walk w = {.model = m, .tree = t};
	struct arena scratch = {0};
	enum tfprof_status status = node_inputs_read(&w.inputs, m, &scratch, err);

	if (status == TFPROF_OK && !build(&w, t, &scratch)) {
		tree_clear(t);
		status = error_no_memory(err);
	}
	arena_clear(&scratch);
	return status;
}
