/* Nodes are read in memory order, in parallel:
 *
 *     survey    each node's own stack and, if it is a gradient, its forward name
 *     join      stacks are numbered across parts, in memory order
 *     scopes    gradients whose forward node is not there (Einsum is a scope of several, and what
 *               nobody needs is removed) get the frames that all nodes of its scope share
 *     place     each gradient finds its forward node and that node's stack
 */
#include "view/stacks.h"

#include "base/parallel.h"
#include "base/prefetch.h"
#include "base/sort.h"
#include "model/gradient.h"
#include "view/tree.h"

/* A list of distinct stacks. */
struct stack_list {
	VEC(struct stack) at;
	struct hash_index index;
};

/* What is found in a part of the nodes. */
struct part {
	struct stack_list stacks; /* part 0 ends up with all stacks */
	struct span *gradients;   /* by stack of all parts: smallest forward name; may be NULL */
	VEC(struct span) lost;    /* forward names of gradients that find no stack */
	VEC(uint32_t) nodeless;   /* gradients of tapes whose forward node has no stack */
	struct buf scratch;
	bool failed; /* allocation failed */
};

struct finder {
	const struct model *model;
	struct stacks *found;
	struct part part[PARALLEL_MAX];
	size_t parts;
	uint32_t *stack_of; /* by node: its own stack, NONE if it has none */
	uint32_t *stand_in; /* by gradient: the stack that stands in for that of its forward node,
			       + 1; NULL: none has one */
};

/* ---- lists of stacks -------------------------------------------------------- */

struct stack_probe {
	const struct stack_list *list;
	struct span bytes;
};

static bool same_stack(const void *context, uint32_t id)
{
	const struct stack_probe *p = context;

	return span_equal(p->list->at.at[id].bytes, p->bytes);
}

/* Finds or adds the stack of these bytes; NONE on allocation failure. */
static uint32_t find_stack(struct stack_list *list, struct span bytes)
{
	struct stack_probe probe = {list, bytes};
	uint64_t hash = hash_bytes(bytes.at, bytes.n);
	uint32_t id = hash_find(&list->index, hash, same_stack, &probe);

	if (id != NONE)
		return id;
	id = (uint32_t)list->at.n;
	if (!hash_add(&list->index, hash, id) ||
		!vec_push(&list->at, ((struct stack){.bytes = bytes, .end = {NONE, NONE}})))
		return NONE;
	return id;
}

static void stack_list_clear(struct stack_list *list)
{
	vec_clear(&list->at);
	hash_clear(&list->index);
}

static void note_smallest(struct span *smallest, struct span name)
{
	if (name.at && (!smallest->at || span_compare(name, *smallest) < 0))
		*smallest = name;
}

/* ---- gradients --------------------------------------------------------- */

/* Counts the forward nodes of lost gradients. */
static bool count_lost(struct finder *f)
{
	VEC(struct span) lost = {0};
	uint32_t *order = NULL;
	bool ok = true;

	for (size_t i = 0; ok && i < f->parts; i++)
		for (size_t k = 0; ok && k < f->part[i].lost.n; k++)
			ok = vec_push(&lost, f->part[i].lost.at[k]);
	if (ok)
		order = mem_array(lost.n, sizeof(*order));
	ok = order && sort_texts(lost.at, order, lost.n);
	for (size_t i = 0; ok && i < lost.n; i++)
		f->found->n_lost += !i || !span_equal(lost.at[order[i - 1]], lost.at[order[i]]);
	mem_free(order);
	vec_clear(&lost);
	return ok;
}

/* ---- parts --------------------------------------------------------------- */

static size_t begin_of(const struct finder *f, size_t part)
{
	return parallel_begin(f->model->nodes.n, f->parts, part);
}

/* Empty if the node has no stack. */
static struct span stack_of(const struct model *m, uint32_t node)
{
	return m->nodes.flags[node] & NODE_HAS_TRACE ? model_trace(m, node) : (struct span){0};
}

/* Stacks and names are scattered over the input: without prefetching, code_first takes 55 %
 * longer. */
PREFETCHES prefetch_stack(const struct model *m, uint32_t node)
{
	enum { AHEAD = 8, STACK = 256 };
	struct span stack;

	if (m->nodes.n - node <= AHEAD)
		return;
	stack = model_trace(m, node + AHEAD);
	prefetch_bytes(stack.at, stack.n < STACK ? stack.n : STACK);
	model_prefetch_name(m, node + AHEAD);
}

enum kind { KIND_FORWARD, KIND_GRADIENT, KIND_NODELESS };

/* How a node is shown. A gradient of TensorFlow 2 is one only if the stack of its forward node, or
 * of another of the same scope, is known. */
static enum kind kind_of(struct part *part, const struct model *m, uint32_t node, bool has_stack,
	struct gradient *g)
{
	struct gradient other;
	uint32_t forward;

	if (!gradient_parse(model_name(m, node), g))
		return KIND_FORWARD;
	if (g->kind != GRADIENT_OF_TAPE)
		return has_stack ? KIND_GRADIENT : KIND_FORWARD;
	forward = gradient_find_forward(m, g, &part->scratch);
	return forward != NONE && stack_of(m, forward).n &&
			!gradient_parse(model_name(m, forward), &other)
		? KIND_GRADIENT
		: KIND_NODELESS;
}

/* Numbers stacks within the part. */
static void survey_part(void *context, size_t i)
{
	struct finder *f = context;
	struct part *part = &f->part[i];
	const struct model *m = f->model;
	uint32_t begin = (uint32_t)begin_of(f, i), end = (uint32_t)begin_of(f, i + 1);
	struct span *forward = f->found->forward;

	for (uint32_t node = begin; node < end && !part->failed; node++) {
		struct span name = model_name(m, node), bytes = stack_of(m, node);
		struct gradient g;
		uint32_t stack;
		enum kind kind;

		prefetch_stack(m, node);
		f->stack_of[node] = NONE;
		forward[node] = (struct span){0};
		kind = kind_of(part, m, node, bytes.n, &g);
		if (kind == KIND_GRADIENT)
			forward[node] = g.forward;
		if (kind == KIND_NODELESS)
			part->failed = !vec_push(&part->nodeless, node);
		if (!bytes.n)
			continue;
		stack = find_stack(&part->stacks, bytes);
		if (stack == NONE)
			part->failed = true;
		else if (kind == KIND_FORWARD)
			note_smallest(&part->stacks.at.at[stack].name[false], name);
		f->stack_of[node] = stack;
	}
}

/* Adds to part 0 the stacks that no earlier part has. */
static bool join_part(struct finder *f, size_t i)
{
	struct stack_list *all = &f->part[0].stacks, *own = &f->part[i].stacks;
	uint32_t *number = mem_array(own->at.n, sizeof(*number));
	bool ok = number;

	for (size_t k = 0; ok && k < own->at.n; k++) {
		number[k] = find_stack(all, own->at.at[k].bytes);
		ok = number[k] != NONE;
		if (ok)
			note_smallest(&all->at.at[number[k]].name[false],
				own->at.at[k].name[false]);
	}
	for (size_t node = begin_of(f, i); ok && node < begin_of(f, i + 1); node++)
		if (f->stack_of[node] != NONE)
			f->stack_of[node] = number[f->stack_of[node]];
	stack_list_clear(own);
	mem_free(number);
	return ok;
}

/* ---- scopes -------------------------------------------------------------- */

/* Scopes that gradients name, and what the stacks of the forward nodes in each have in common:
 * of those right in it, and of deeper ones. Which of several nodes of a scope a gradient belongs
 * to, its name does not tell; the frames that all of them share are right for each. */
struct scopes {
	struct strings names;
	VEC(struct span) near, deep; /* by scope; .at is NULL: no node */
};

static struct span scope_around(struct span name)
{
	const char *slash = name.n ? memrchr(name.at, '/', name.n) : NULL;

	name.n = slash ? (size_t)(slash - name.at) : 0;
	return name;
}

/* Puts the forward name of a gradient of a tape. */
static struct span forward_of(const struct model *m, uint32_t node, struct buf *b)
{
	struct gradient g;

	b->n = 0;
	if (gradient_parse(model_name(m, node), &g))
		gradient_put_forward(b, &g);
	return buf_get(b);
}

/* The scope and those around it, but not the outermost: that is the whole model. */
static bool add_scopes(struct scopes *s, struct span name)
{
	for (bool is_first = true; name.n; name = scope_around(name), is_first = false) {
		size_t n = s->names.text.n;
		uint32_t id;

		if (!is_first && !scope_around(name).n)
			return true;
		id = strings_add(&s->names, name);
		if (id == NONE)
			return false;
		while (s->near.n <= id)
			if (!vec_push(&s->near, (struct span){0}) ||
				!vec_push(&s->deep, (struct span){0}))
				return false;
		/* If it is known, so are those around it. */
		if (s->names.text.n == n)
			return true;
	}
	return true;
}

/* The outer frames that two stacks share. */
static struct span common_frames(struct span a, struct span b)
{
	struct wire_reader x = wire_reader(a), y = wire_reader(b);
	struct wire_field f, g;
	size_t n = 0;

	if (span_equal(a, b))
		return a;
	while (wire_next(&x, &f) && wire_next(&y, &g) && f.tag == WIRE_LEN(CODE_DEF_TRACES) &&
		g.tag == f.tag && span_equal(f.bytes, g.bytes))
		n = (size_t)(f.bytes.at + f.bytes.n - a.at);
	return (struct span){a.at, n};
}

static void add_node(struct scopes *s, const struct model *m, uint32_t node)
{
	struct span own = model_name(m, node), scope = scope_around(own), stack = stack_of(m, node);
	struct gradient g;

	if (!stack.n || gradient_parse(own, &g))
		return;
	for (bool is_near = true; scope.n; scope = scope_around(scope), is_near = false) {
		uint32_t id = strings_find(&s->names, scope);
		struct span *found = id == NONE ? NULL
			: is_near               ? &s->near.at[id]
						: &s->deep.at[id];

		if (found)
			*found = found->at ? common_frames(*found, stack) : stack;
	}
}

/* What the innermost scope around a forward name that has nodes has in common; may be empty. */
static struct span find_near(const struct scopes *s, struct span name)
{
	for (; name.n; name = scope_around(name)) {
		uint32_t id = strings_find(&s->names, name);

		if (id != NONE && s->near.at[id].at)
			return s->near.at[id];
		if (id != NONE && s->deep.at[id].at)
			return s->deep.at[id];
	}
	return (struct span){0};
}

/* Places the gradients of a part, or shows them with their own stacks. False on allocation
 * failure. */
static bool place_nodeless(struct finder *f, struct part *part, const struct scopes *s)
{
	struct stack_list *all = &f->part[0].stacks;

	for (size_t i = 0; i < part->nodeless.n; i++) {
		uint32_t node = part->nodeless.at[i], stack = f->stack_of[node];
		struct span near = find_near(s, forward_of(f->model, node, &part->scratch));
		struct gradient g;

		if (near.n && gradient_parse(model_name(f->model, node), &g)) {
			uint32_t forward = find_stack(all, near);

			if (forward == NONE)
				return false;
			f->stand_in[node] = forward + 1;
			f->found->forward[node] = g.forward;
		} else if (stack != NONE) {
			note_smallest(&all->at.at[stack].name[false], model_name(f->model, node));
		}
	}
	return !part->scratch.failed;
}

static bool find_stand_ins(struct finder *f, struct arena *arena)
{
	const struct model *m = f->model;
	struct scopes s = {0};
	size_t n_nodeless = 0;
	bool ok;

	for (size_t i = 0; i < f->parts; i++)
		n_nodeless += f->part[i].nodeless.n;
	if (!n_nodeless)
		return true;
	f->stand_in = arena_zero(arena, m->nodes.n, sizeof(*f->stand_in));
	ok = f->stand_in && strings_init(&s.names);
	for (size_t i = 0; ok && i < f->parts; i++)
		for (size_t k = 0; ok && k < f->part[i].nodeless.n; k++)
			ok = add_scopes(&s,
				forward_of(m, f->part[i].nodeless.at[k], &f->part[i].scratch));
	for (uint32_t node = 0; ok && node < m->nodes.n; node++)
		add_node(&s, m, node);
	for (size_t i = 0; ok && i < f->parts; i++)
		ok = place_nodeless(f, &f->part[i], &s);
	strings_clear(&s.names);
	vec_clear(&s.near);
	vec_clear(&s.deep);
	return ok;
}

/* ---- placing ------------------------------------------------------------- */

/* Notes a gradient under the stack of its forward node. */
static bool note_gradient(struct finder *f, struct part *part, uint32_t stack, struct span forward)
{
	if (stack == NONE)
		return vec_push(&part->lost, forward);
	if (!part->gradients)
		part->gradients = mem_zero_array(f->part[0].stacks.at.n, sizeof(*part->gradients));
	if (part->gradients)
		note_smallest(&part->gradients[stack], forward);
	return part->gradients;
}

/* The stack of its forward node, which the gradient may have kept. */
static uint32_t stack_of_forward(struct finder *f, struct part *part, uint32_t node)
{
	struct gradient g;
	uint32_t forward;

	if (!gradient_parse(model_name(f->model, node), &g))
		return NONE;
	if (g.kind == GRADIENT_TRANSPOSED)
		return f->stack_of[node];
	if (f->stand_in && f->stand_in[node])
		return f->stand_in[node] - 1;
	forward = gradient_find_forward(f->model, &g, &part->scratch);
	if (forward == NONE && gradient_has_forward_stack(&g))
		return f->stack_of[node];
	if (forward == NONE || stacks_is_gradient(f->found, forward))
		return NONE;
	return f->stack_of[forward];
}

/* A gradient is shown with the stack of its forward node. */
static void place_part(void *context, size_t i)
{
	struct finder *f = context;
	struct part *part = &f->part[i];
	uint32_t node = (uint32_t)begin_of(f, i), end = (uint32_t)begin_of(f, i + 1);

	for (; node < end && !part->failed; node++) {
		struct span name = f->found->forward[node];

		f->found->shown_with[node] = f->stack_of[node];
		if (!stacks_is_gradient(f->found, node))
			continue;
		f->found->shown_with[node] = stack_of_forward(f, part, node);
		part->failed = !note_gradient(f, part, f->found->shown_with[node], name);
	}
}

static bool place_all(struct finder *f, struct arena *arena)
{
	struct stack_list *all = &f->part[0].stacks;
	bool ok = true;

	parallel_run(f->parts, survey_part, f);
	for (size_t i = 0; i < f->parts; i++)
		ok &= !f->part[i].failed;
	for (size_t i = 1; ok && i < f->parts; i++)
		ok = join_part(f, i);
	if (!ok || !find_stand_ins(f, arena))
		return false;
	hash_clear(&all->index);
	parallel_run(f->parts, place_part, f);
	for (size_t i = 0; i < f->parts; i++) {
		const struct part *part = &f->part[i];

		ok &= !part->failed;
		for (size_t k = 0; part->gradients && k < all->at.n; k++)
			note_smallest(&all->at.at[k].name[true], part->gradients[k]);
	}
	return ok && count_lost(f);
}

static void part_clear(struct part *part)
{
	stack_list_clear(&part->stacks);
	mem_free(part->gradients);
	vec_clear(&part->lost);
	vec_clear(&part->nodeless);
	buf_clear(&part->scratch);
}

bool stacks_find(struct stacks *s, const struct model *m, struct arena *arena)
{
	enum { MIN_PART = 16384 };
	size_t n = m->nodes.n;
	struct finder f = {.model = m, .found = s, .parts = parallel_parts(n, MIN_PART)};
	bool ok;

	*s = (struct stacks){.shown_with = arena_array(arena, n, sizeof(*s->shown_with)),
		.forward = arena_array(arena, n, sizeof(*s->forward))};
	f.stack_of = arena_array(arena, n, sizeof(*f.stack_of));
	ok = s->shown_with && s->forward && f.stack_of && place_all(&f, arena);
	if (ok)
		vec_take(&s->at, &f.part[0].stacks.at);
	for (size_t i = 0; i < f.parts; i++)
		part_clear(&f.part[i]);
	return ok;
}

void stacks_clear(struct stacks *s)
{
	vec_clear(&s->at);
}
