/* Scope view: the tree of names. A scope without a graph node is an empty parent.
 *
 *     scopes     found in parallel (see scope_list.h), then joined
 *     children   of each scope: nodes and scopes, in byte order of their last
 *                components, so a node comes right before the scope of its name
 *     size       number of view nodes below a scope
 *     at         index of a scope in the tree: after its parent and earlier siblings
 */
#include "base/parallel.h"
#include "base/prefetch.h"
#include "base/sort.h"
#include "model/gradient.h"
#include "view/scope_list.h"
#include "view/tree.h"

struct part {
	struct scope_list scopes; /* of its nodes; part 0 ends up with all scopes */
	uint32_t *number;         /* by scope: its number among all; unused in part 0 */
	bool failed;              /* allocation failed */
};

struct builder {
	const struct model *model;
	struct tree *tree;
	struct arena arena;
	struct part part[PARALLEL_MAX];
	size_t parts;
	struct scope *scopes;
	uint32_t n_scopes, n_nodes;
	uint32_t *scope_of; /* by node; reused as the tree's parents */
	/* A child is a node, or n_nodes + scope: child[first[s] … first[s + 1]] */
	uint32_t *first, *child;
	struct span *path;      /* by node: where it goes, if gradients are folded; or NULL */
	struct span *component; /* by child: the last component of its name; reused
				   as the tree's labels */
	uint32_t *size, *at;    /* by scope */
	bool *is_node;          /* by scope: whether a node has its name */
};

/* ---- folded gradients ------------------------------------------------------------ */

static bool fold_gradients(struct builder *b)
{
	struct buf text = {0};
	struct gradient g;

	b->path = arena_array(&b->arena, b->n_nodes, sizeof(*b->path));
	for (uint32_t node = 0; b->path && node < b->n_nodes; node++) {
		struct span name = model_name(b->model, node);

		b->path[node] = name;
		if (!gradient_parse(name, &g))
			continue;
		text.n = 0;
		gradient_put_folded(&text, name, &g);
		b->path[node] = text.failed ? (struct span){0}
					    : arena_copy(&b->tree->arena, buf_get(&text));
		if (!b->path[node].at)
			b->path = NULL;
	}
	buf_clear(&text);
	return b->path;
}

static struct span path_of(const struct builder *b, uint32_t node)
{
	return b->path ? b->path[node] : model_name(b->model, node);
}

/* ---- parts --------------------------------------------------------------------- */

static uint32_t begin_of(const struct builder *b, size_t part)
{
	return (uint32_t)parallel_begin(b->n_nodes, b->parts, part);
}

/* Names are scattered over the input: without prefetching, scope_first takes 13 % longer. */
PREFETCHES prefetch_name(const struct builder *b, uint32_t node)
{
	enum { AHEAD = 12 };

	if (b->n_nodes - node > AHEAD)
		model_prefetch_name(b->model, node + AHEAD);
}

static struct span last_component(struct span name, size_t prefix)
{
	if (prefix == SIZE_MAX)
		return name;
	return (struct span){name.at + prefix + 1, name.n - prefix - 1};
}

/* Neighbors are often in the same scope: looking it up each time, scope_first takes 5 %
 * longer. */
static void survey_part(void *context, size_t i)
{
	struct builder *b = context;
	struct part *part = &b->part[i];
	uint32_t node = begin_of(b, i), end = begin_of(b, i + 1);
	bool ok = scope_list_init(&part->scopes, SPAN(ROOT_NAME));
	struct span last = {0};
	uint32_t scope = 0;

	for (; ok && node < end && tree_goes_on(b->tree); node++) {
		struct span name = path_of(b, node), prefix = name;

		prefetch_name(b, node);
		prefix.n = scope_prefix_length(name);
		if (prefix.n == SIZE_MAX) {
			scope = 0;
			last.at = NULL;
		} else if (!last.at || !span_equal(prefix, last)) {
			scope = scope_list_make(&part->scopes, prefix);
			last = prefix;
		}
		ok = scope != NONE;
		b->scope_of[node] = scope;
		b->component[node] = last_component(name, prefix.n);
	}
	part->failed = !ok;
}

/* Numbers the scopes that an earlier part also has. Scopes below one it lacks are not
 * looked up: parts share little, since nodes come in creation order. */
static bool find_shared(struct builder *b, size_t i, size_t earlier)
{
	const struct part *part = &b->part[i], *other = &b->part[earlier];
	size_t n = part->scopes.at.n;
	uint32_t *there = mem_array(n, sizeof(*there)); /* by scope: the same in the other part */

	if (!there)
		return false;
	there[0] = 0;
	for (size_t s = 1; s < n; s++) {
		struct scope scope = part->scopes.at.at[s];

		scope.parent = there[scope.parent];
		there[s] = scope.parent == NONE ? NONE : scope_list_find(&other->scopes, &scope);
		if (there[s] != NONE)
			part->number[s] = earlier ? other->number[there[s]] : there[s];
	}
	mem_free(there);
	return true;
}

/* Adds to part 0 the scopes that no earlier part has. */
static bool join_part(struct builder *b, size_t i)
{
	struct part *all = &b->part[0], *part = &b->part[i];
	size_t n = part->scopes.at.n;
	uint32_t *number = part->number = arena_array(&b->arena, n, sizeof(*number));

	if (!number || all->scopes.at.n + n >= NONE || !vec_reserve(&all->scopes.at, n))
		return false;
	memset(number, 0xff, n * sizeof(*number));
	number[0] = 0;
	for (size_t earlier = 0; earlier < i; earlier++)
		if (!find_shared(b, i, earlier))
			return false;
	for (size_t s = 1; s < n; s++) {
		struct scope scope = part->scopes.at.at[s];

		if (number[s] != NONE)
			continue;
		scope.parent = number[scope.parent];
		number[s] = (uint32_t)all->scopes.at.n;
		all->scopes.at.at[all->scopes.at.n++] = scope;
	}
	for (uint32_t node = begin_of(b, i); node < begin_of(b, i + 1); node++)
		b->scope_of[node] = number[b->scope_of[node]];
	return true;
}

static bool find_scopes(struct builder *b)
{
	enum { MIN_PART = 16384 };
	bool ok;

	b->parts = parallel_parts(b->n_nodes, MIN_PART);
	b->scope_of = mem_array(b->n_nodes, sizeof(*b->scope_of));
	b->component = mem_array(b->n_nodes, sizeof(*b->component));
	if (!b->scope_of || !b->component)
		return false;
	parallel_run(b->parts, survey_part, b);
	ok = tree_goes_on(b->tree);
	for (size_t i = 0; i < b->parts; i++)
		ok &= !b->part[i].failed;
	for (size_t i = 1; ok && i < b->parts; i++)
		ok = join_part(b, i);
	b->scopes = b->part[0].scopes.at.at;
	b->n_scopes = (uint32_t)b->part[0].scopes.at.n;
	return ok;
}

/* ---- children ------------------------------------------------------------------ */

/* Makes room for n view nodes. */
static bool grow(struct builder *b, size_t n)
{
	struct span *component = mem_resize(b->component, n * sizeof(*component));
	uint32_t *scope_of = mem_resize(b->scope_of, n * sizeof(*scope_of));

	b->component = component ? component : b->component;
	b->scope_of = scope_of ? scope_of : b->scope_of;
	return component && scope_of;
}

static bool collect_children(struct builder *b)
{
	uint32_t n_scopes = b->n_scopes, *fill;
	size_t n = (size_t)b->n_nodes + n_scopes;

	if (n >= NONE)
		return false;
	b->first = arena_zero(&b->arena, (size_t)n_scopes + 2, sizeof(*b->first));
	b->child = arena_array(&b->arena, n, sizeof(*b->child));
	b->size = arena_zero(&b->arena, n_scopes, sizeof(*b->size));
	b->at = arena_zero(&b->arena, n_scopes, sizeof(*b->at));
	b->is_node = arena_zero(&b->arena, n_scopes, sizeof(*b->is_node));
	if (!b->first || !b->child || !b->size || !b->at || !b->is_node || !grow(b, n))
		return false;
	fill = b->first + 1;
	for (uint32_t node = 0; node < b->n_nodes; node++)
		fill[b->scope_of[node] + 1]++;
	for (uint32_t s = 1; s < n_scopes; s++)
		fill[b->scopes[s].parent + 1]++;
	for (uint32_t s = 1; s <= n_scopes; s++)
		fill[s] += fill[s - 1];
	for (uint32_t node = 0; node < b->n_nodes; node++)
		b->child[fill[b->scope_of[node]]++] = node;
	/* Among equal components, the scope comes last. */
	for (uint32_t s = 0; s < n_scopes; s++) {
		const struct scope *scope = &b->scopes[s];

		b->component[b->n_nodes + s] = scope_last_component(scope);
		if (s)
			b->child[fill[b->scopes[s].parent]++] = b->n_nodes + s;
	}
	return sort_text_groups(b->component, b->child, b->first, n_scopes);
}

/* ---- the tree ------------------------------------------------------------------ */

/* Parents have lower numbers than their children. */
static void add_up_sizes(struct builder *b)
{
	for (uint32_t s = 0; s < b->n_scopes; s++)
		for (uint32_t i = b->first[s]; i < b->first[s + 1]; i++) {
			uint32_t child = b->child[i];

			if (child < b->n_nodes)
				b->size[s]++;
			else
				b->is_node[child - b->n_nodes] = i > b->first[s] &&
					b->child[i - 1] < b->n_nodes &&
					span_equal(b->component[b->child[i - 1]],
						b->component[child]);
		}
	for (uint32_t s = b->n_scopes - 1; s > 0; s--)
		b->size[b->scopes[s].parent] += b->size[s] + !b->is_node[s];
}

static void put(struct tree *t, uint32_t v, uint32_t parent, uint32_t node, struct span label)
{
	t->parent[v] = parent;
	t->node[v] = node;
	t->label[v] = label;
}

/* Parents come before their children. */
static void place_scopes(struct builder *b)
{
	for (uint32_t s = 0; s < b->n_scopes; s++) {
		uint32_t v = b->at[s] + 1;

		for (uint32_t i = b->first[s]; i < b->first[s + 1]; i++) {
			uint32_t scope = b->child[i] - b->n_nodes;

			if (b->child[i] < b->n_nodes) {
				v++;
				continue;
			}
			b->at[scope] = b->is_node[scope] ? v - 1 : v;
			v = b->at[scope] + 1 + b->size[scope];
		}
	}
}

/* The first scope whose children begin at index i or later. */
static uint32_t scope_from(const struct builder *b, size_t i)
{
	uint32_t low = 0;

	sort_search(low, b->n_scopes, scope, b->first[scope] < i);
	return low;
}

/* Fills in the children of some scopes, about as many in each part. */
static void fill_part(void *context, size_t part)
{
	const struct builder *b = context;
	size_t n = b->first[b->n_scopes];
	uint32_t s = scope_from(b, parallel_begin(n, b->parts, part));
	uint32_t end = scope_from(b, parallel_begin(n, b->parts, part + 1));

	for (; s < end; s++) {
		uint32_t v = b->at[s] + 1;

		for (uint32_t i = b->first[s]; i < b->first[s + 1]; i++) {
			uint32_t child = b->child[i], scope = child - b->n_nodes;

			if (child < b->n_nodes) {
				put(b->tree, v++, b->at[s], child, model_name(b->model, child));
				continue;
			}
			if (!b->is_node[scope])
				put(b->tree, v, b->at[s], NONE, b->scopes[scope].name);
			v = b->at[scope] + 1 + b->size[scope];
		}
	}
}

static bool lay_out(struct builder *b)
{
	struct tree *t = b->tree;
	size_t n = (size_t)b->size[0] + 1;

	t->node = mem_array(n, sizeof(*t->node));
	if (!t->node)
		return false;
	t->n = (uint32_t)n;
	t->parent = b->scope_of;
	t->label = b->component;
	b->scope_of = NULL;
	b->component = NULL;
	put(t, 0, NONE, NONE, SPAN(ROOT_NAME));
	place_scopes(b);
	parallel_run(b->parts, fill_part, b);
	return true;
}

enum tfprof_status scope_build(struct tree *t, const struct model *m, unsigned flags,
	struct tfprof_error *err)
{
	struct builder b = {.model = m, .tree = t, .n_nodes = (uint32_t)m->nodes.n};
	bool ok;

	ok = (!(flags & TREE_FOLD_GRADIENTS) || !b.n_nodes || fold_gradients(&b)) &&
		find_scopes(&b) && collect_children(&b) && tree_goes_on(t);
	if (ok) {
		add_up_sizes(&b);
		ok = lay_out(&b);
	}
	for (size_t i = 0; i < PARALLEL_MAX; i++)
		scope_list_clear(&b.part[i].scopes);
	mem_free(b.scope_of);
	mem_free(b.component);
	arena_clear(&b.arena);
	if (ok)
		return TFPROF_OK;
	tree_clear(t);
	return error_no_memory(err);
}
