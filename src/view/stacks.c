/* Nodes are looked at in the order they have in memory, in parts, at the same
 * time:
 *
 *     survey    each node's own stack, and of which node it is the gradient
 *     join      stacks are numbered through, as they come in memory
 *     place     each gradient finds its forward node, and that one's stack
 */
#include "view/stacks.h"

#include "base/parallel.h"
#include "base/prefetch.h"
#include "base/sort.h"
#include "view/tree.h"

/* A list of stacks, each once. */
struct stack_list {
	VEC(struct stack) at;
	struct hash_index index;
};

/* What a part of the nodes brings. */
struct part {
	struct stack_list stacks; /* those of part 0 become all */
	struct span *gradients;   /* least forward name, by stack of all parts; NULL: none */
	VEC(struct span) lost;    /* forward names of gradients that find no stack */
	bool failed;              /* memory is out */
};

struct finder {
	const struct model *model;
	struct stacks *found;
	struct part part[PARALLEL_MAX];
	size_t parts;
	uint32_t *stack_of; /* by node: its own stack, NONE if it has none */
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

/* The stack of these bytes, added if it is new; NONE when memory is out. */
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

static void note_least(struct span *least, struct span name)
{
	if (name.at && (!least->at || span_compare(name, *least) < 0))
		*least = name;
}

/* ---- gradients --------------------------------------------------------- */

/* If the end comes before the start, the original's length is negative and,
 * unsigned, huge: the name is then the rest. */
bool code_forward_name(struct span name, struct span *forward)
{
	struct span head = SPAN("gradients/"), tail = SPAN("_grad/");
	size_t start = span_find(name, head), end;

	if (start == name.n)
		return false;
	end = span_find(name, tail);
	if (end == name.n)
		return false;
	start += head.n;
	if (end == start)
		return false;
	if (end < start)
		end = name.n;
	*forward = (struct span){name.at + start, end - start};
	return true;
}

/* How many forward nodes the lost gradients belong to. */
static bool count_lost(struct finder *f)
{
	VEC(struct span) lost = {0};
	uint32_t *order = NULL;
	bool fine = true;

	for (size_t i = 0; fine && i < f->parts; i++)
		for (size_t k = 0; fine && k < f->part[i].lost.n; k++)
			fine = vec_push(&lost, f->part[i].lost.at[k]);
	if (fine)
		order = mem_array(lost.n, sizeof(*order));
	fine = order && sort_texts(lost.at, order, lost.n);
	for (size_t i = 0; fine && i < lost.n; i++)
		f->found->n_lost += !i || !span_equal(lost.at[order[i - 1]], lost.at[order[i]]);
	mem_free(order);
	vec_clear(&lost);
	return fine;
}

/* ---- parts --------------------------------------------------------------- */

static size_t begin_of(const struct finder *f, size_t part)
{
	return parallel_begin(f->model->nodes.n, f->parts, part);
}

/* Empty if the node has none. */
static struct span stack_of(const struct model *m, uint32_t node)
{
	return m->nodes.flags[node] & NODE_HAS_TRACE ? model_trace(m, node) : (struct span){0};
}

/* Stacks and names are all over the input. Otherwise code_first takes 55 % longer. */
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

/* Stacks are numbered within the part. */
static void survey_part(void *context, size_t i)
{
	struct finder *f = context;
	struct part *part = &f->part[i];
	const struct model *m = f->model;
	uint32_t begin = (uint32_t)begin_of(f, i), end = (uint32_t)begin_of(f, i + 1);
	struct span *forward = f->found->forward;

	for (uint32_t node = begin; node < end && !part->failed; node++) {
		struct span name = model_name(m, node), bytes = stack_of(m, node);
		uint32_t stack;

		prefetch_stack(m, node);
		f->stack_of[node] = NONE;
		forward[node] = (struct span){0};
		if (!bytes.n)
			continue;
		stack = find_stack(&part->stacks, bytes);
		if (stack == NONE)
			part->failed = true;
		else if (!code_forward_name(name, &forward[node]))
			note_least(&part->stacks.at.at[stack].name[false], name);
		f->stack_of[node] = stack;
	}
}

/* Adds to the stacks of part 0 those that no part before this one has. */
static bool join_part(struct finder *f, size_t i)
{
	struct stack_list *all = &f->part[0].stacks, *own = &f->part[i].stacks;
	uint32_t *number = mem_array(own->at.n, sizeof(*number));
	bool fine = number;

	for (size_t k = 0; fine && k < own->at.n; k++) {
		number[k] = find_stack(all, own->at.at[k].bytes);
		fine = number[k] != NONE;
		if (fine)
			note_least(&all->at.at[number[k]].name[false], own->at.at[k].name[false]);
	}
	for (size_t node = begin_of(f, i); fine && node < begin_of(f, i + 1); node++)
		if (f->stack_of[node] != NONE)
			f->stack_of[node] = number[f->stack_of[node]];
	stack_list_clear(own);
	mem_free(number);
	return fine;
}

/* The stack of a gradient's forward node, which knows its name. */
static bool note_gradient(struct finder *f, struct part *part, uint32_t stack, struct span forward)
{
	if (stack == NONE)
		return vec_push(&part->lost, forward);
	if (!part->gradients)
		part->gradients = mem_zero_array(f->part[0].stacks.at.n, sizeof(*part->gradients));
	if (part->gradients)
		note_least(&part->gradients[stack], forward);
	return part->gradients;
}

/* A gradient is shown with the stack of its forward node. */
static void place_part(void *context, size_t i)
{
	struct finder *f = context;
	struct part *part = &f->part[i];
	uint32_t node = (uint32_t)begin_of(f, i), end = (uint32_t)begin_of(f, i + 1);

	for (; node < end && !part->failed; node++) {
		struct span name = f->found->forward[node];
		uint32_t forward;

		f->found->shown_with[node] = f->stack_of[node];
		if (!stacks_is_gradient(f->found, node))
			continue;
		forward = model_find_node(f->model, name);
		f->found->shown_with[node] =
			forward == NONE || stacks_is_gradient(f->found, forward)
			? NONE
			: f->stack_of[forward];
		part->failed = !note_gradient(f, part, f->found->shown_with[node], name);
	}
}

static bool place_all(struct finder *f)
{
	struct stack_list *all = &f->part[0].stacks;
	bool fine = true;

	parallel_run(f->parts, survey_part, f);
	for (size_t i = 0; i < f->parts; i++)
		fine &= !f->part[i].failed;
	for (size_t i = 1; fine && i < f->parts; i++)
		fine = join_part(f, i);
	if (!fine)
		return false;
	hash_clear(&all->index);
	parallel_run(f->parts, place_part, f);
	for (size_t i = 0; i < f->parts; i++) {
		const struct part *part = &f->part[i];

		fine &= !part->failed;
		for (size_t k = 0; part->gradients && k < all->at.n; k++)
			note_least(&all->at.at[k].name[true], part->gradients[k]);
	}
	return fine && count_lost(f);
}

static void part_clear(struct part *part)
{
	stack_list_clear(&part->stacks);
	mem_free(part->gradients);
	vec_clear(&part->lost);
}

bool stacks_find(struct stacks *s, const struct model *m, struct arena *arena)
{
	enum { LEAST_PART = 16384 };
	size_t n = m->nodes.n;
	struct finder f = {.model = m, .found = s, .parts = parallel_parts(n, LEAST_PART)};
	bool fine;

	*s = (struct stacks){.shown_with = arena_array(arena, n, sizeof(*s->shown_with)),
		.forward = arena_array(arena, n, sizeof(*s->forward))};
	f.stack_of = arena_array(arena, n, sizeof(*f.stack_of));
	fine = s->shown_with && s->forward && f.stack_of && place_all(&f);
	if (fine)
		vec_take(&s->at, &f.part[0].stacks.at);
	for (size_t i = 0; i < f.parts; i++)
		part_clear(&f.part[i]);
	return fine;
}

void stacks_clear(struct stacks *s)
{
	vec_clear(&s->at);
}
