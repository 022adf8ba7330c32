/* Op view: a tree of one level. The root has one child per op, in byte order of
 * their names, with that op's graph nodes in model order. An op is the type in the
 * graph, or what ran, or a kind of work. */
#include "base/sort.h"
#include "hlo/node_kind.h"
#include "model/executed.h"
#include "view/tree.h"

/* State while building the tree. */
struct build {
	struct tree *tree;
	const struct model *model;
	unsigned flags;  /* enum tree_flags */
	uint32_t *count; /* by string: nodes of this op, then the view node */
	uint32_t *found; /* distinct ops */
	uint32_t n_found;
	uint32_t *order; /* of names */
	struct span *names;
	struct arena scratch;
};

static uint32_t op_of(const struct build *b, uint32_t node)
{
	if (b->flags & TREE_BY_KIND)
		return node_get_kind(b->model, node);
	if (b->flags & TREE_BY_OP)
		return b->model->nodes.op[node];
	return b->flags & TREE_EXECUTED ? model_executed(b->model, node) : model_op(b->model, node);
}

static bool find_ops(struct build *b)
{
	const struct nodes *nodes = &b->model->nodes;

	b->count =
		arena_zero(&b->scratch, b->model->strings.text.n + N_HLO_KINDS, sizeof(*b->count));
	b->found = arena_array(&b->scratch, nodes->n, sizeof(*b->found));
	if (!b->count || !b->found)
		return false;
	for (size_t i = 0; i < nodes->n && tree_goes_on(b->tree); i++) {
		uint32_t op = op_of(b, (uint32_t)i);

		if (b->count[op]++ == 0)
			b->found[b->n_found++] = op;
	}
	b->names = arena_array(&b->scratch, b->n_found, sizeof(*b->names));
	b->order = arena_array(&b->scratch, b->n_found, sizeof(*b->order));
	if (!b->names || !b->order)
		return false;
	for (uint32_t i = 0; i < b->n_found; i++)
		b->names[i] = b->flags & TREE_BY_KIND ? span_of(hlo_kind_texts[b->found[i]])
						      : model_text(b->model, b->found[i]);
	return sort_texts(b->names, b->order, b->n_found);
}

static bool allocate(struct build *b)
{
	struct tree *t = b->tree;
	size_t n = (size_t)b->n_found + 1;

	t->parent = mem_array(n, sizeof(*t->parent));
	t->label = mem_array(n, sizeof(*t->label));
	t->first_node = arena_zero(&t->arena, n + 2, sizeof(*t->first_node));
	t->nodes = arena_array(&t->arena, b->model->nodes.n, sizeof(*t->nodes));
	t->n = (uint32_t)n;
	return t->parent && t->label && t->first_node && t->nodes;
}

/* `fill` is shifted by one, so filling leaves first_node right. */
static void fill(struct build *b)
{
	struct tree *t = b->tree;
	const struct nodes *nodes = &b->model->nodes;
	uint32_t *fill = t->first_node + 1;

	t->parent[0] = NONE;
	t->label[0] = SPAN(ROOT_NAME);
	for (uint32_t v = 1; v < t->n; v++) {
		uint32_t op = b->found[b->order[v - 1]];

		t->parent[v] = 0;
		t->label[v] = b->names[b->order[v - 1]];
		fill[v + 1] = fill[v] + b->count[op];
		b->count[op] = v;
	}
	for (size_t i = 0; i < nodes->n; i++)
		t->nodes[fill[b->count[op_of(b, (uint32_t)i)]]++] = (uint32_t)i;
}

enum tfprof_status op_build(struct tree *t, const struct model *m, unsigned flags,
	struct tfprof_error *err)
{
	struct build b = {.tree = t,
		.model = m,
		.flags = m->has_executed || flags & TREE_BY_KIND ? flags : TREE_BY_OP};
	bool ok = find_ops(&b) && tree_goes_on(t) && allocate(&b);

	if (ok)
		fill(&b);
	arena_clear(&b.scratch);
	if (ok)
		return TFPROF_OK;
	tree_clear(t);
	return error_no_memory(err);
}
