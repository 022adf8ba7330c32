/* Scope view: the tree of names. Every prefix before a '/' is a scope; a scope that
 * is no graph node is an empty parent.
 *
 *     scopes     the distinct prefixes; each name is looked up once, without its
 *                last component, however deep it is
 *     children   of each scope: nodes and scopes, in byte order of their last
 *                components, so a node comes right before the scope of its name
 *     size       how many view nodes are below a scope
 *     at         its place in the tree: behind its parent and what comes before it
 */
#include "base/prefetch.h"
#include "base/sort.h"
#include "view/tree.h"

struct scope {
	struct span name;
	uint32_t parent;               /* scope; that of 0, the root, is 0 */
};

struct builder {
	const struct model *model;
	struct arena arena;
	VEC(struct scope) scopes;
	struct hash_index index;
	VEC(struct missing {           /* prefixes that are to be scopes */
		size_t length;
		uint64_t hash;
	}) missing;
	uint32_t n_nodes;
	uint32_t *scope_of;            /* by node */
	/* A child is a node, or n_nodes + scope: child[first[s] … first[s + 1]] */
	uint32_t *first, *child;
	VEC(struct span) component;    /* by child, the last one of its name */
	char *texts, *end;             /* those of nodes, side by side, for sorting */
	uint32_t *size, *at;           /* by scope */
	bool *is_node;                 /* by scope: a node has its name */
};

/* ---- scopes ------------------------------------------------------------------ */

struct scope_probe {
	const struct builder *builder;
	struct span name;
};

static bool same_scope(const void *context, uint32_t id)
{
	const struct scope_probe *p = context;

	return span_equal(p->builder->scopes.at[id].name, p->name);
}

/* The length of what is before the last '/'; SIZE_MAX if there is none. */
static size_t prefix_length(struct span name)
{
	const char *slash = name.n ? memrchr(name.at, '/', name.n) : NULL;

	return slash ? (size_t)(slash - name.at) : SIZE_MAX;
}

static struct span last_component(struct span name, size_t prefix)
{
	if (prefix == SIZE_MAX)
		return name;
	return (struct span){name.at + prefix + 1, name.n - prefix - 1};
}

static bool add_scope(struct builder *b, struct span name, uint64_t hash, uint32_t parent)
{
	uint32_t id = (uint32_t)b->scopes.n;

	return b->scopes.n < NONE - 1 && hash_add(&b->index, hash, id) &&
		vec_push(&b->scopes, ((struct scope){name, parent}));
}

/* The scope of the first `length` bytes of a name, made with those above it if
 * need be; NONE when memory is out. */
static uint32_t find_scope(struct builder *b, struct span name, size_t length)
{
	uint32_t scope = 0;

	b->missing.n = 0;
	while (length != SIZE_MAX) {
		struct scope_probe probe = {b, {name.at, length}};
		uint64_t hash = hash_bytes(name.at, length);

		scope = hash_find(&b->index, hash, same_scope, &probe);
		if (scope != NONE)
			break;
		scope = 0;
		if (!vec_push(&b->missing, ((struct missing){length, hash})))
			return NONE;
		length = prefix_length(probe.name);
	}
	while (b->missing.n) {
		struct missing m = b->missing.at[--b->missing.n];

		if (!add_scope(b, (struct span){name.at, m.length}, m.hash, scope))
			return NONE;
		scope = (uint32_t)b->scopes.n - 1;
	}
	return scope;
}

static void keep_component(struct builder *b, uint32_t node, struct span component)
{
	if (component.n)
		memcpy(b->end, component.at, component.n);
	b->component.at[node] = (struct span){b->end, component.n};
	b->end += component.n;
}

/* Names are all over the input: ask for those to come. */
PREFETCHES prefetch_name(const struct builder *b, uint32_t node)
{
	enum { AHEAD = 12 };
	struct span name;

	if (b->n_nodes - node <= AHEAD)
		return;
	name = model_name(b->model, node + AHEAD);
	prefetch_bytes(name.at, name.n);
}

/* Nodes made one after the other are often in the same scope. */
static bool find_scopes(struct builder *b)
{
	struct span last = {0};
	uint32_t scope = 0;

	if (!vec_push(&b->scopes, ((struct scope){SPAN(ROOT_NAME), 0})))
		return false;
	for (uint32_t node = 0; node < b->n_nodes; node++) {
		struct span name = model_name(b->model, node), prefix = name;

		prefetch_name(b, node);
		prefix.n = prefix_length(name);
		if (prefix.n == SIZE_MAX) {
			b->scope_of[node] = 0;
			keep_component(b, node, name);
			continue;
		}
		if (!last.at || !span_equal(prefix, last)) {
			scope = find_scope(b, name, prefix.n);
			last = prefix;
		}
		if (scope == NONE)
			return false;
		b->scope_of[node] = scope;
		keep_component(b, node, last_component(name, prefix.n));
	}
	return true;
}

/* Room for components: as much as names need, of which little is touched. */
static bool reserve(struct builder *b)
{
	size_t total = 0;

	for (uint32_t node = 0; node < b->n_nodes; node++)
		total += model_name(b->model, node).n;
	b->texts = b->end = mem_alloc(total);
	b->scope_of = arena_array(&b->arena, b->n_nodes, sizeof(*b->scope_of));
	if (!b->texts || !b->scope_of || !vec_reserve(&b->component, b->n_nodes))
		return false;
	b->component.n = b->n_nodes;
	return true;
}

/* ---- children ------------------------------------------------------------------ */

static bool collect_children(struct builder *b)
{
	uint32_t n_scopes = (uint32_t)b->scopes.n, *fill;
	size_t n = (size_t)b->n_nodes + n_scopes;

	if (n >= NONE)
		return false;
	b->first = arena_zero(&b->arena, (size_t)n_scopes + 2, sizeof(*b->first));
	b->child = arena_array(&b->arena, n, sizeof(*b->child));
	b->size = arena_zero(&b->arena, n_scopes, sizeof(*b->size));
	b->at = arena_zero(&b->arena, n_scopes, sizeof(*b->at));
	b->is_node = arena_zero(&b->arena, n_scopes, sizeof(*b->is_node));
	if (!b->first || !b->child || !b->size || !b->at || !b->is_node ||
		!vec_reserve(&b->component, n_scopes))
		return false;
	fill = b->first + 1;
	for (uint32_t node = 0; node < b->n_nodes; node++)
		fill[b->scope_of[node] + 1]++;
	for (uint32_t s = 1; s < n_scopes; s++)
		fill[b->scopes.at[s].parent + 1]++;
	for (uint32_t s = 1; s <= n_scopes; s++)
		fill[s] += fill[s - 1];
	for (uint32_t node = 0; node < b->n_nodes; node++)
		b->child[fill[b->scope_of[node]]++] = node;
	/* Of equal components the scope is the last. */
	for (uint32_t s = 0; s < n_scopes; s++) {
		struct span name = b->scopes.at[s].name;

		b->component.at[b->n_nodes + s] = last_component(name, prefix_length(name));
		if (s)
			b->child[fill[b->scopes.at[s].parent]++] = b->n_nodes + s;
	}
	return sort_text_groups(b->component.at, b->child, b->first, n_scopes);
}

/* ---- the tree ------------------------------------------------------------------ */

/* Parents have lower numbers than their children. */
static void add_up_sizes(struct builder *b)
{
	for (uint32_t s = 0; s < b->scopes.n; s++)
		for (uint32_t i = b->first[s]; i < b->first[s + 1]; i++) {
			uint32_t child = b->child[i];

			if (child < b->n_nodes)
				b->size[s]++;
			else
				b->is_node[child - b->n_nodes] = i > b->first[s] &&
					b->child[i - 1] < b->n_nodes &&
					span_equal(b->component.at[b->child[i - 1]],
						b->component.at[child]);
		}
	for (uint32_t s = (uint32_t)b->scopes.n - 1; s > 0; s--)
		b->size[b->scopes.at[s].parent] += b->size[s] + !b->is_node[s];
}

static void put(struct tree *t, uint32_t v, uint32_t parent, uint32_t node, struct span label)
{
	t->parent[v] = parent;
	t->node[v] = node;
	t->label[v] = label;
}

static bool lay_out(struct builder *b, struct tree *t)
{
	size_t n = (size_t)b->size[0] + 1;

	t->parent = mem_array(n, sizeof(*t->parent));
	t->node = mem_array(n, sizeof(*t->node));
	t->label = mem_array(n, sizeof(*t->label));
	if (!t->parent || !t->node || !t->label)
		return false;
	t->n = (uint32_t)n;
	put(t, 0, NONE, NONE, SPAN(ROOT_NAME));
	for (uint32_t s = 0; s < b->scopes.n; s++) {
		uint32_t v = b->at[s] + 1;

		for (uint32_t i = b->first[s]; i < b->first[s + 1]; i++) {
			uint32_t child = b->child[i], scope = child - b->n_nodes;

			if (child < b->n_nodes) {
				put(t, v++, b->at[s], child, model_name(b->model, child));
				continue;
			}
			if (!b->is_node[scope])
				put(t, v++, b->at[s], NONE, b->scopes.at[scope].name);
			b->at[scope] = v - 1;
			v += b->size[scope];
		}
	}
	return true;
}

enum tfprof_status scope_build(struct tree *t, const struct model *m, struct tfprof_error *err)
{
	struct builder b = {.model = m, .n_nodes = (uint32_t)m->nodes.n};
	bool fine;

	fine = reserve(&b) && find_scopes(&b) && collect_children(&b);
	if (fine) {
		add_up_sizes(&b);
		fine = lay_out(&b, t);
	}
	vec_clear(&b.scopes);
	hash_clear(&b.index);
	vec_clear(&b.missing);
	vec_clear(&b.component);
	mem_free(b.texts);
	arena_clear(&b.arena);
	if (fine)
		return TFPROF_OK;
	tree_clear(t);
	return error_no_memory(err);
}
