/* Scope view: the tree of names. Every prefix before a '/' is a view node; a
 * prefix that is no graph node is an empty parent.
 *
 * Sorted with '/' before every other byte, names come in preorder: what a name
 * shares with the one before it are the scopes that stay open. */
#include "base/prefetch.h"
#include "base/sort.h"
#include "view/tree.h"

struct builder {
	VEC(uint32_t) parent, node;
	VEC(struct span) label;
	VEC(uint32_t) open;            /* view nodes from the root down to the last one */
};

static bool add(struct builder *b, struct span label, uint32_t node)
{
	uint32_t v = (uint32_t)b->label.n;
	uint32_t parent = b->open.n ? b->open.at[b->open.n - 1] : NONE;

	return b->label.n < NONE && vec_push(&b->parent, parent) && vec_push(&b->node, node) &&
		vec_push(&b->label, label) && vec_push(&b->open, v);
}

static size_t shared_bytes(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n, i = 0;
	uint64_t x, y;

	for (; n - i >= 8; i += 8) {
		memcpy(&x, a.at + i, 8);
		memcpy(&y, b.at + i, 8);
		if (x != y)
			return i + (size_t)__builtin_ctzll(x ^ y) / 8;
	}
	while (i < n && a.at[i] == b.at[i])
		i++;
	return i;
}

static bool add_name(struct builder *b, struct span name, struct span previous, uint32_t node)
{
	size_t shared = shared_bytes(name, previous), from = 0;

	/* Close what is not a scope around this name; the root stays. */
	while (b->open.n > 1) {
		size_t length = b->label.at[b->open.at[b->open.n - 1]].n;

		if (length <= shared && length < name.n && name.at[length] == '/')
			break;
		b->open.n--;
	}
	if (b->open.n > 1)
		from = b->label.at[b->open.at[b->open.n - 1]].n + 1;
	for (size_t i = from; i < name.n; i++)
		if (name.at[i] == '/' && !add(b, (struct span){name.at, i}, NONE))
			return false;
	return add(b, name, node);
}

/* In sorted order names are all over memory: ask for those to come. */
PREFETCHES prefetch_name(const struct span *names, const uint32_t *order, size_t i, size_t n)
{
	enum { AHEAD = 12 };

	if (n - i <= 2 * AHEAD)
		return;
	__builtin_prefetch(&names[order[i + 2 * AHEAD]]);
	__builtin_prefetch(names[order[i + AHEAD]].at);
	__builtin_prefetch(names[order[i + AHEAD]].at + 64);
}

static bool build(struct builder *b, const struct model *m)
{
	size_t n = m->nodes.n;
	struct span *names = mem_array(n, sizeof(*names)), previous = {"", 0};
	uint32_t *order = mem_array(n, sizeof(*order));
	bool fine = names && order;

	for (size_t i = 0; fine && i < n; i++)
		names[i] = model_name(m, (uint32_t)i);
	fine = fine && sort_texts(names, order, n, SORT_PATHS) && add(b, SPAN(ROOT_NAME), NONE);
	for (size_t i = 0; fine && i < n; i++) {
		prefetch_name(names, order, i, n);
		fine = add_name(b, names[order[i]], previous, order[i]);
		previous = names[order[i]];
	}
	mem_free(names);
	mem_free(order);
	return fine;
}

enum tfprof_status scope_build(struct tree *t, const struct model *m, struct tfprof_error *err)
{
	struct builder b = {0};
	bool fine = build(&b, m);

	t->n = (uint32_t)b.label.n;
	t->parent = b.parent.at;
	t->node = b.node.at;
	t->label = b.label.at;
	vec_clear(&b.open);
	if (fine)
		return TFPROF_OK;
	tree_clear(t);
	return error_no_memory(err);
}
