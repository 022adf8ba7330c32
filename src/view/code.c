/* Code view: the tree of Python call stacks, outermost frame first.
 *
 * Nodes share few distinct stacks, so a stack is decoded once: equal CodeDef
 * bytes are one stack, and a stack ends at one view node. Gradients hang under
 * a parallel branch made of their forward node's frames.
 *
 *     survey    in parts: each node's stack, and of which node it is the gradient
 *     stacks    the distinct ones; the least name that brings each in
 *     trie      stacks in the order of those names
 *     tree      the trie as arrays, and which nodes end where
 */
#include "base/parallel.h"
#include "base/sort.h"
#include "view/tree.h"

/* The tree while it grows: a trie with children in order of insertion. */
struct trie_node {
	uint32_t parent, first_child, last_child, next_sibling;
	uint32_t label;                /* in the string pool of labels */
	struct frame frame;
	bool is_gradient;
};

/* A distinct call stack, as one of forward nodes and as one of gradients: the
 * least name that brings it in, and the trie node it ends at. */
struct branch {
	struct span name;              /* .at is NULL if nobody is there */
	uint32_t end;
};

struct stack {
	struct span bytes;
	struct branch branch[2];       /* [is_gradient] */
};

typedef VEC(struct stack) stacks_vec;

/* A list of stacks, each once. */
struct stack_list {
	stacks_vec at;
	struct hash_index index;
};

/* What a part of the nodes brings. */
struct part {
	struct stack_list stacks;
	struct branch *gradients;      /* by stack of all parts */
	VEC(struct span) lost;         /* forward names of gradients that find no stack */
	bool failed;                   /* memory is out */
};

struct builder {
	const struct model *model;
	struct tree *tree;
	bool source_lines;
	struct part part[PARALLEL_MAX];
	size_t parts;
	struct stack_list stacks;
	uint32_t *stack_of;            /* by node: its own stack, NONE if it has none; */
	struct span *forward;          /* the name it is the gradient of, .at NULL if of none; */
	uint32_t *shown_with;          /* the stack it is shown with, NONE if with none */
	struct strings labels;
	VEC(struct trie_node) trie;
	struct hash_index children;    /* (parent, label) → trie node */
	frames_vec frames;
	struct buf text;
};

/* ---- labels ------------------------------------------------------------ */

static void put_cut(struct buf *b, struct span text)
{
	if (text.n < 20) {
		buf_span(b, text);
	} else {
		buf_put(b, text.at, 17);
		buf_text(b, "...");
	}
}

static struct span basename_of(struct span path)
{
	const char *slash = path.n ? memrchr(path.at, '/', path.n) : NULL;

	if (!slash)
		return path;
	return (struct span){slash + 1, path.n - (size_t)(slash + 1 - path.at)};
}

void code_put_label(struct buf *b, const struct frame *frame, bool source_lines, bool gradient)
{
	buf_span(b, basename_of(frame->file));
	buf_char(b, ':');
	buf_int(b, frame->line);
	buf_char(b, ':');
	put_cut(b, frame->function);
	if (source_lines) {
		buf_char(b, ':');
		put_cut(b, frame->source.n ? frame->source : SPAN("none"));
	}
	if (gradient)
		buf_text(b, " (gradient)");
}

static uint32_t label_of(struct builder *b, const struct frame *frame, bool gradient)
{
	struct buf *text = &b->text;

	text->n = 0;
	code_put_label(text, frame, b->source_lines, gradient);
	return text->failed ? NONE : strings_add(&b->labels, buf_get(text));
}

/* ---- trie -------------------------------------------------------------- */

struct child_probe {
	const struct builder *builder;
	uint32_t parent, label;
};

static bool same_child(const void *context, uint32_t id)
{
	const struct child_probe *p = context;
	const struct trie_node *node = &p->builder->trie.at[id];

	return node->parent == p->parent && node->label == p->label;
}

/* The child of this label, made if there is none; NONE when memory is out. */
static uint32_t child_of(struct builder *b, uint32_t parent, const struct frame *frame,
	bool gradient)
{
	struct child_probe probe = {b, parent, label_of(b, frame, gradient)};
	uint64_t hash = hash_mix(parent + 1, probe.label);
	uint32_t id;

	if (probe.label == NONE)
		return NONE;
	id = hash_find(&b->children, hash, same_child, &probe);
	if (id != NONE)
		return id;
	id = (uint32_t)b->trie.n;
	if (b->trie.n >= NONE - 1 || !hash_add(&b->children, hash, id) ||
		!vec_push(&b->trie, ((struct trie_node){parent, NONE, NONE, NONE, probe.label, *frame,
					    gradient})))
		return NONE;
	if (b->trie.at[parent].first_child == NONE)
		b->trie.at[parent].first_child = id;
	else
		b->trie.at[b->trie.at[parent].last_child].next_sibling = id;
	b->trie.at[parent].last_child = id;
	return id;
}

/* ---- stacks ------------------------------------------------------------ */

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
		!vec_push(&list->at, ((struct stack){bytes, {{.end = NONE}, {.end = NONE}}})))
		return NONE;
	return id;
}

static void stack_list_clear(struct stack_list *list)
{
	vec_clear(&list->at);
	hash_clear(&list->index);
}

static void bring_in(struct branch *branch, struct span name)
{
	if (name.at && (!branch->name.at || span_compare(name, branch->name) < 0))
		branch->name = name;
}

/* Puts a call stack into the trie. */
static enum tfprof_status add_stack(struct builder *b, struct stack *stack, bool gradient,
	struct tfprof_error *err)
{
	enum tfprof_status status = trace_read(b->model, stack->bytes, &b->frames, err);
	uint32_t at = 0;

	for (size_t i = 0; status == TFPROF_OK && i < b->frames.n; i++) {
		at = child_of(b, at, &b->frames.at[i], gradient);
		if (at == NONE)
			status = error_no_memory(err);
	}
	stack->branch[gradient].end = at;
	return status;
}

/* Those of forward nodes, or of gradients, in the order of their names. */
static enum tfprof_status add_stacks(struct builder *b, bool gradient, struct tfprof_error *err)
{
	size_t n = 0;
	struct span *names = mem_array(b->stacks.at.n, sizeof(*names));
	uint32_t *order = mem_array(b->stacks.at.n, sizeof(*order));
	uint32_t *stacks = mem_array(b->stacks.at.n, sizeof(*stacks));
	enum tfprof_status status = TFPROF_OK;

	if (!names || !order || !stacks)
		status = error_no_memory(err);
	for (uint32_t i = 0; status == TFPROF_OK && i < b->stacks.at.n; i++)
		if (b->stacks.at.at[i].branch[gradient].name.at) {
			stacks[n] = i;
			names[n++] = b->stacks.at.at[i].branch[gradient].name;
		}
	if (status == TFPROF_OK && !sort_texts(names, order, n, SORT_BYTES))
		status = error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		status = add_stack(b, &b->stacks.at.at[stacks[order[i]]], gradient, err);
	mem_free(names);
	mem_free(order);
	mem_free(stacks);
	return status;
}

/* ---- gradients --------------------------------------------------------- */

/* If the end comes before the start, the original's length is negative and,
 * unsigned, huge: the name is then the rest. */
bool code_forward_name(struct span name, struct span *forward)
{
	struct span head = SPAN("gradients/"), tail = SPAN("_grad/");
	size_t start = span_find(name, head), end = span_find(name, tail);

	if (start == name.n || end == name.n)
		return false;
	start += head.n;
	if (end == start)
		return false;
	if (end < start)
		end = name.n;
	*forward = (struct span){name.at + start, end - start};
	return true;
}

static bool is_gradient(const struct builder *b, uint32_t node)
{
	return b->forward[node].at != NULL;
}

/* How many forward nodes the lost gradients belong to. */
static bool count_lost(struct builder *b)
{
	VEC(struct span) lost = {0};
	uint32_t *order = NULL;
	bool fine = true;

	for (size_t i = 0; fine && i < b->parts; i++)
		for (size_t k = 0; fine && k < b->part[i].lost.n; k++)
			fine = vec_push(&lost, b->part[i].lost.at[k]);
	if (fine)
		order = mem_array(lost.n, sizeof(*order));
	fine = order && sort_texts(lost.at, order, lost.n, SORT_BYTES);
	for (size_t i = 0; fine && i < lost.n; i++)
		b->tree->n_lost_gradients +=
			!i || !span_equal(lost.at[order[i - 1]], lost.at[order[i]]);
	mem_free(order);
	vec_clear(&lost);
	return fine;
}

/* ---- parts --------------------------------------------------------------- */

static size_t begin_of(const struct builder *b, size_t part)
{
	return parallel_begin(b->model->nodes.n, b->parts, part);
}

static bool has_stack(const struct model *m, uint32_t node)
{
	return (m->nodes.flags[node] & NODE_HAS_TRACE) && m->nodes.trace[node].n;
}

/* Stacks are numbered within the part. */
static void survey_part(void *context, size_t i)
{
	struct builder *b = context;
	struct part *part = &b->part[i];
	const struct model *m = b->model;
	uint32_t node = (uint32_t)begin_of(b, i), end = (uint32_t)begin_of(b, i + 1);

	for (; node < end && !part->failed; node++) {
		struct span name = model_name(m, node);
		uint32_t stack;

		b->stack_of[node] = NONE;
		b->forward[node] = (struct span){0};
		if (!has_stack(m, node))
			continue;
		stack = find_stack(&part->stacks, m->nodes.trace[node]);
		if (stack == NONE)
			part->failed = true;
		else if (!code_forward_name(name, &b->forward[node]))
			bring_in(&part->stacks.at.at[stack].branch[false], name);
		b->stack_of[node] = stack;
	}
}

/* Numbers the stacks of all parts. */
static bool join_part(struct builder *b, size_t i)
{
	struct stack_list *own = &b->part[i].stacks;
	uint32_t *number = mem_array(own->at.n, sizeof(*number));
	bool fine = number;

	for (size_t k = 0; fine && k < own->at.n; k++) {
		number[k] = find_stack(&b->stacks, own->at.at[k].bytes);
		fine = number[k] != NONE;
		if (fine)
			bring_in(&b->stacks.at.at[number[k]].branch[false],
				own->at.at[k].branch[false].name);
	}
	for (size_t node = begin_of(b, i); fine && node < begin_of(b, i + 1); node++)
		if (b->stack_of[node] != NONE)
			b->stack_of[node] = number[b->stack_of[node]];
	mem_free(number);
	return fine;
}

/* A gradient is shown with the stack of its forward node. */
static void place_part(void *context, size_t i)
{
	struct builder *b = context;
	struct part *part = &b->part[i];
	uint32_t node = (uint32_t)begin_of(b, i), end = (uint32_t)begin_of(b, i + 1);

	part->gradients = mem_zero(b->stacks.at.n * sizeof(*part->gradients));
	part->failed = !part->gradients;
	for (; node < end && !part->failed; node++) {
		struct span name = b->forward[node];
		uint32_t forward;

		b->shown_with[node] = b->stack_of[node];
		if (!is_gradient(b, node))
			continue;
		forward = model_find_node(b->model, name);
		b->shown_with[node] = forward == NONE || is_gradient(b, forward)
			? NONE : b->stack_of[forward];
		if (b->shown_with[node] != NONE)
			bring_in(&part->gradients[b->shown_with[node]], name);
		else
			part->failed = !vec_push(&part->lost, name);
	}
}

static bool place_all(struct builder *b)
{
	bool fine = true;

	parallel_run(b->parts, survey_part, b);
	for (size_t i = 0; fine && i < b->parts; i++)
		fine = !b->part[i].failed && join_part(b, i);
	if (!fine)
		return false;
	parallel_run(b->parts, place_part, b);
	for (size_t i = 0; fine && i < b->parts; i++) {
		fine = !b->part[i].failed;
		for (size_t k = 0; fine && k < b->stacks.at.n; k++)
			bring_in(&b->stacks.at.at[k].branch[true], b->part[i].gradients[k].name);
	}
	return fine && count_lost(b);
}

static void part_clear(struct part *part)
{
	stack_list_clear(&part->stacks);
	mem_free(part->gradients);
	vec_clear(&part->lost);
}

/* ---- into arrays ------------------------------------------------------- */

/* The trie node a graph node ends at; 0, the root, if it has no stack or an
 * empty one. */
static uint32_t end_of(const struct builder *b, uint32_t node)
{
	uint32_t stack = b->shown_with[node];

	return stack == NONE ? 0 : b->stacks.at.at[stack].branch[is_gradient(b, node)].end;
}

/* Numbers the trie in preorder and lays it out as a tree. */
static bool lay_out(struct builder *b, uint32_t *number)
{
	struct tree *t = b->tree;
	size_t n = b->trie.n;
	uint32_t at = 0, *fill;

	t->parent = arena_array(&t->arena, n, sizeof(*t->parent));
	t->label = arena_array(&t->arena, n, sizeof(*t->label));
	t->frames = arena_array(&t->arena, n, sizeof(*t->frames));
	t->is_gradient = arena_array(&t->arena, n, sizeof(*t->is_gradient));
	t->first_node = arena_zero(&t->arena, n + 2, sizeof(*t->first_node));
	t->nodes = arena_array(&t->arena, b->model->nodes.n, sizeof(*t->nodes));
	if (!t->parent || !t->label || !t->frames || !t->is_gradient || !t->first_node || !t->nodes)
		return false;
	while (at != NONE) {
		const struct trie_node *node = &b->trie.at[at];
		uint32_t v = t->n++;

		number[at] = v;
		t->parent[v] = at ? number[node->parent] : NONE;
		t->frames[v] = node->frame;
		t->is_gradient[v] = node->is_gradient;
		t->label[v] = at ? arena_copy(&t->arena, strings_get(&b->labels, node->label))
				 : SPAN(ROOT_NAME);
		if (!t->label[v].at)
			return false;
		if (node->first_child != NONE) {
			at = node->first_child;
			continue;
		}
		while (at != NONE && b->trie.at[at].next_sibling == NONE)
			at = b->trie.at[at].parent;
		if (at != NONE)
			at = b->trie.at[at].next_sibling;
	}
	/* Counting sort of the graph nodes by where they end; shifted by one so
	 * that filling leaves the offsets right. */
	fill = t->first_node + 1;
	for (uint32_t node = 0; node < b->model->nodes.n; node++)
		if (end_of(b, node))
			fill[number[end_of(b, node)] + 1]++;
	for (size_t v = 1; v <= n; v++)
		fill[v] += fill[v - 1];
	for (uint32_t node = 0; node < b->model->nodes.n; node++)
		if (end_of(b, node))
			t->nodes[fill[number[end_of(b, node)]]++] = node;
	return true;
}

static enum tfprof_status build(struct builder *b, struct arena *scratch, struct tfprof_error *err)
{
	enum { LEAST_PART = 16384 };
	size_t n = b->model->nodes.n;
	enum tfprof_status status;
	uint32_t *number;

	b->parts = parallel_parts(n, LEAST_PART);
	b->forward = arena_array(scratch, n, sizeof(*b->forward));
	b->stack_of = arena_array(scratch, n, sizeof(*b->stack_of));
	b->shown_with = arena_array(scratch, n, sizeof(*b->shown_with));
	if (!b->forward || !b->stack_of || !b->shown_with || !strings_init(&b->labels) ||
		!vec_push(&b->trie, ((struct trie_node){NONE, NONE, NONE, NONE, 0, .is_gradient = false})))
		return error_no_memory(err);
	if (!place_all(b))
		return error_no_memory(err);
	status = add_stacks(b, false, err);
	if (status == TFPROF_OK)
		status = add_stacks(b, true, err);
	if (status != TFPROF_OK)
		return status;
	number = arena_array(scratch, b->trie.n, sizeof(*number));
	return number && lay_out(b, number) ? TFPROF_OK : error_no_memory(err);
}

enum tfprof_status code_build(struct tree *t, const struct model *m, bool source_lines,
	struct tfprof_error *err)
{
	struct builder b = {.model = m, .tree = t, .source_lines = source_lines};
	struct arena scratch = {0};
	enum tfprof_status status = build(&b, &scratch, err);

	arena_clear(&scratch);
	strings_clear(&b.labels);
	vec_clear(&b.trie);
	hash_clear(&b.children);
	stack_list_clear(&b.stacks);
	for (size_t i = 0; i < b.parts; i++)
		part_clear(&b.part[i]);
	vec_clear(&b.frames);
	buf_clear(&b.text);
	if (status != TFPROF_OK)
		tree_clear(t);
	return status;
}
