/* Code view: the tree of Python call stacks, outermost frame first.
 *
 * Stacks with equal CodeDef bytes are one stack, and equal frames are one frame: each
 * is decoded once. When nodes hardly share stacks, there is one of each per node, so
 * the structures are small. Gradients hang under a parallel branch made of their
 * forward node's frames or, if they are folded, under these frames themselves.
 *
 *     stacks    distinct stacks, each with the smallest name that has it
 *     frames    distinct frames and their labels
 *     trie      stacks in memory order, where neighbors share their outer frames;
 *               frames of the same line are one child
 *     number    preorder number of each trie node; children are ordered by the
 *               smallest name below them
 *     tree      the trie as arrays, and which graph nodes end where
 *
 * What a trace has and no line made is under rows of its own, after all others (lineless.h).
 */
#include "base/sort.h"
#include "base/utf8.h"
#include "view/lineless.h"
#include "view/stacks.h"
#include "view/tree.h"

/* A forward or gradient frame. */
struct known_frame {
	const char *bytes, *label; /* the label is in the tree's arena */
	uint32_t n_bytes, n_label;
	uint32_t label_hash;
	bool is_gradient;
};

struct trie_node {
	uint32_t parent;
	uint32_t frame : 31, merged : 1; /* merged: other frames have the same line */
};

struct builder {
	const struct model *model;
	struct tree *tree;
	unsigned flags; /* enum tree_flags */
	struct stacks stacks;
	VEC(struct known_frame) known;
	VEC(struct frame) frames; /* decoded, parallel to known */
	struct hash_index frame_index;
	VEC(struct trie_node) trie;
	struct hash_index children; /* (parent, line) → trie node */
	/* the stack being added, the previous one, and the trie nodes of its frames: */
	spans_vec split, previous;
	VEC(uint32_t) path;
	uint32_t *number, *size;       /* by trie node */
	uint32_t lineless[N_LINELESS]; /* trie nodes; 0: none is needed */
	struct buf text;
};

/* ---- labels ------------------------------------------------------------ */

/* Truncates long text to 17 bytes, but never within a character. */
static void put_truncated(struct buf *b, struct span text, unsigned flags)
{
	if (text.n < 20 || flags & TREE_WIDE) {
		buf_span(b, text);
	} else {
		buf_put(b, text.at, utf8_cut(text, 17));
		buf_text(b, "...");
	}
}

void code_put_label(struct buf *b, const struct frame *frame, unsigned flags, bool gradient)
{
	buf_span(b, span_after_last(frame->file, '/'));
	buf_char(b, ':');
	buf_int(b, frame->line);
	buf_char(b, ':');
	put_truncated(b, frame->function, flags);
	if (flags & TREE_SOURCE_LINES) {
		buf_char(b, ':');
		put_truncated(b, frame->source.n ? frame->source : SPAN("none"), flags);
	}
	if (gradient)
		buf_text(b, " (gradient)");
}

static bool make_label(struct builder *b, struct known_frame *known, const struct frame *frame)
{
	struct span label;

	b->text.n = 0;
	code_put_label(&b->text, frame, b->flags, known->is_gradient);
	label = b->text.failed ? (struct span){0} : arena_copy(&b->tree->arena, buf_get(&b->text));
	known->label = label.at;
	known->n_label = (uint32_t)label.n;
	known->label_hash = strings_short_hash(label);
	return label.at && label.n <= UINT32_MAX;
}

static struct span label_of(const struct builder *b, uint32_t frame)
{
	return (struct span){b->known.at[frame].label, b->known.at[frame].n_label};
}

/* ---- frames ------------------------------------------------------------ */

struct frame_probe {
	const struct builder *builder;
	struct span bytes;
	bool is_gradient;
};

static bool same_frame(const void *context, uint32_t id)
{
	const struct frame_probe *p = context;
	const struct known_frame *known = &p->builder->known.at[id];

	return known->is_gradient == p->is_gradient &&
		span_equal((struct span){known->bytes, known->n_bytes}, p->bytes);
}

static enum tfprof_status find_frame(struct builder *b, struct span bytes, bool gradient,
	uint32_t *id, struct tfprof_error *err)
{
	struct frame_probe probe = {b, bytes, gradient};
	uint64_t hash = hash_bytes(bytes.at, bytes.n) + gradient * UINT64_C(0x9e3779b97f4a7c15);
	struct known_frame fresh = {.bytes = bytes.at,
		.n_bytes = (uint32_t)bytes.n,
		.is_gradient = gradient};
	struct frame frame;
	enum tfprof_status status;

	*id = hash_find(&b->frame_index, hash, same_frame, &probe);
	if (*id != NONE)
		return TFPROF_OK;
	status = trace_read_frame(b->model, bytes, &frame, err);
	if (status != TFPROF_OK)
		return status;
	*id = (uint32_t)b->known.n;
	if (b->known.n >= INT32_MAX || bytes.n > UINT32_MAX || !make_label(b, &fresh, &frame) ||
		!hash_add(&b->frame_index, hash, *id) || !vec_push(&b->known, fresh) ||
		!vec_push(&b->frames, frame))
		return error_no_memory(err);
	return TFPROF_OK;
}

/* ---- trie -------------------------------------------------------------- */

struct child_probe {
	const struct builder *builder;
	uint32_t parent, frame;
};

/* Whether frames with equal labels are the same line of code: same full path, line and
 * function or, as in TensorFlow's profiler, the label alone. */
static bool same_line(const struct builder *b, uint32_t a, uint32_t other)
{
	const struct frame *x = &b->frames.at[a], *y = &b->frames.at[other];

	return b->flags & TREE_BY_LABEL ||
		(x->line == y->line && span_equal(x->file, y->file) &&
			span_equal(x->function, y->function));
}

static bool same_child(const void *context, uint32_t id)
{
	const struct child_probe *p = context;
	const struct builder *b = p->builder;
	const struct trie_node *node = &b->trie.at[id];

	return node->parent == p->parent &&
		(node->frame == p->frame ||
			(span_equal(label_of(b, node->frame), label_of(b, p->frame)) &&
				same_line(b, node->frame, p->frame)));
}

/* Finds or adds the child for this frame's line; NONE on allocation failure. */
static uint32_t child_of(struct builder *b, uint32_t parent, uint32_t frame)
{
	struct child_probe probe = {b, parent, frame};
	uint64_t hash = hash_mix(1, (uint64_t)parent << 32 | b->known.at[frame].label_hash);
	uint32_t id = hash_find(&b->children, hash, same_child, &probe);

	if (id != NONE) {
		b->trie.at[id].merged |= b->trie.at[id].frame != frame;
		return id;
	}
	id = (uint32_t)b->trie.n;
	if (b->trie.n >= NONE - 1 || !hash_add(&b->children, hash, id) ||
		!vec_push(&b->trie, ((struct trie_node){parent, frame & INT32_MAX, false})))
		return NONE;
	return id;
}

/* ---- stacks ------------------------------------------------------------ */

/* How many outer frames the stack shares with the previous one. */
static size_t shared_frames(const struct builder *b)
{
	size_t i = 0;

	while (i < b->path.n && i < b->split.n && span_equal(b->split.at[i], b->previous.at[i]))
		i++;
	return i;
}

/* Removes frames of libraries, unless there are no others. */
static enum tfprof_status keep_my_frames(struct builder *b, struct tfprof_error *err)
{
	spans_vec *split = &b->split;
	size_t n = 0;

	for (size_t i = 0; i < split->n; i++) {
		struct frame frame;
		enum tfprof_status status = trace_read_frame(b->model, split->at[i], &frame, err);

		if (status != TFPROF_OK)
			return status;
		if (!frame_is_library(frame.file))
			split->at[n++] = split->at[i];
	}
	if (n)
		split->n = n;
	return TFPROF_OK;
}

static enum tfprof_status split_stack(struct builder *b, const struct stack *stack,
	struct tfprof_error *err)
{
	enum tfprof_status status = trace_split(stack->bytes, &b->split, err);

	if (status == TFPROF_OK && b->flags & TREE_ONLY_MY_CODE)
		status = keep_my_frames(b, err);
	return status;
}

/* Adds a call stack to the trie. */
static enum tfprof_status add_stack(struct builder *b, struct stack *stack, bool gradient,
	struct tfprof_error *err)
{
	enum tfprof_status status = split_stack(b, stack, err);
	spans_vec split = b->split;
	uint32_t frame, at;

	b->path.n = shared_frames(b);
	at = b->path.n ? b->path.at[b->path.n - 1] : 0;
	for (size_t i = b->path.n; status == TFPROF_OK && i < split.n; i++) {
		status = find_frame(b, split.at[i], gradient && !(b->flags & TREE_FOLD_LINES),
			&frame, err);
		if (status == TFPROF_OK)
			at = child_of(b, at, frame);
		if (at == NONE || !vec_push(&b->path, at))
			status = error_no_memory(err);
	}
	stack->end[gradient] = at;
	b->split = b->previous;
	b->previous = split;
	return status;
}

/* Adds the stacks of forward nodes or of gradients. */
static enum tfprof_status add_stacks(struct builder *b, bool gradient, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	b->path.n = 0;
	for (size_t i = 0; status == TFPROF_OK && i < b->stacks.at.n; i++)
		if (!tree_goes_on(b->tree))
			return error_no_memory(err);
		else if (b->stacks.at.at[i].name[gradient].at)
			status = add_stack(b, &b->stacks.at.at[i], gradient, err);
	return status;
}

/* ---- without a line ------------------------------------------------------ */

/* Whether a node's numbers would be missing from the lines of a trace. TensorFlow's profiler leaves
 * them out, so what imitates it does. */
static bool is_lineless(const struct builder *b, uint32_t node)
{
	uint32_t stack = b->stacks.shown_with[node];

	if (!model_is_recorded(b->model) || b->flags & TREE_BY_LABEL ||
		(b->model->nodes.first_exec[node] == NONE && !b->model->nodes.float_ops[node]))
		return false;
	return stack == NONE || !b->stacks.at.at[stack].end[stacks_is_gradient(&b->stacks, node)];
}

static bool add_row(struct builder *b, enum lineless kind)
{
	struct span label = span_of(lineless_labels[kind]);
	struct known_frame known = {.bytes = label.at,
		.label = label.at,
		.n_bytes = (uint32_t)label.n,
		.n_label = (uint32_t)label.n};
	struct frame frame = {.file = SPAN(""), .function = label, .source = SPAN("")};

	b->lineless[kind] = (uint32_t)b->trie.n;
	return b->known.n < INT32_MAX && b->trie.n < NONE - 1 &&
		vec_push(&b->trie,
			((struct trie_node){0, (uint32_t)b->known.n & INT32_MAX, false})) &&
		vec_push(&b->known, known) && vec_push(&b->frames, frame);
}

static bool add_lineless(struct builder *b)
{
	bool is_needed[N_LINELESS] = {false}, ok = true;

	for (uint32_t node = 0; model_is_recorded(b->model) && node < b->model->nodes.n; node++)
		if (is_lineless(b, node))
			is_needed[lineless_of(b->model, node)] = true;
	for (int i = 0; ok && i < N_LINELESS; i++)
		ok = !is_needed[i] || add_row(b, (enum lineless)i);
	return ok;
}

static void number_lineless(struct builder *b)
{
	for (int i = 0; i < N_LINELESS; i++)
		if (b->lineless[i])
			b->number[b->lineless[i]] = b->size[0]++;
}

/* Frees what only adding stacks needs. */
static void end_adding(struct builder *b)
{
	hash_clear(&b->frame_index);
	hash_clear(&b->children);
	vec_clear(&b->previous);
}

/* ---- numbers ------------------------------------------------------------- */

/* The size of each subtree, its root included. */
static void add_up_sizes(struct builder *b)
{
	for (size_t i = 0; i < b->trie.n; i++) {
		b->number[i] = NONE;
		b->size[i] = 1;
	}
	for (size_t i = b->trie.n - 1; i > 0; i--)
		b->size[b->trie.at[i].parent] += b->size[i];
	b->number[0] = 0;
	b->size[0] = 1;
}

/* Of several frames with the same line, the tree keeps the first one numbered. */
static bool choose_frame(struct builder *b, struct trie_node *node, struct span bytes)
{
	struct known_frame known = b->known.at[node->frame];
	struct frame frame;

	if (trace_read_frame(b->model, bytes, &frame, NULL) != TFPROF_OK ||
		b->known.n >= INT32_MAX || !vec_push(&b->known, known) ||
		!vec_push(&b->frames, frame))
		return false;
	node->frame = (uint32_t)(b->known.n - 1) & INT32_MAX;
	return true;
}

/* Numbers the stack's new trie nodes, outermost first. Once a node is numbered, its
 * size holds the next free number below it. */
static bool number_stack(struct builder *b, const struct stack *stack, bool gradient)
{
	uint32_t at = stack->end[gradient];
	bool ok = true, merged = false;

	b->path.n = 0;
	for (; ok && b->number[at] == NONE; at = b->trie.at[at].parent) {
		merged |= b->trie.at[at].merged;
		ok = vec_push(&b->path, at);
	}
	if (ok && merged)
		ok = split_stack(b, stack, NULL) == TFPROF_OK;
	while (ok && b->path.n) {
		struct trie_node *node;

		at = b->path.at[--b->path.n];
		node = &b->trie.at[at];
		b->number[at] = b->size[node->parent];
		b->size[node->parent] += b->size[at];
		b->size[at] = b->number[at] + 1;
		if (node->merged)
			ok = choose_frame(b, node, b->split.at[b->split.n - 1 - b->path.n]);
	}
	return ok;
}

/* Numbers the stacks of forward nodes or of gradients, in name order. */
static bool number_stacks(struct builder *b, bool gradient)
{
	size_t n = 0;
	struct span *names = mem_array(b->stacks.at.n, sizeof(*names));
	uint32_t *order = mem_array(b->stacks.at.n, sizeof(*order));
	uint32_t *stacks = mem_array(b->stacks.at.n, sizeof(*stacks));
	bool ok = names && order && stacks;

	for (uint32_t i = 0; ok && i < b->stacks.at.n; i++)
		if (b->stacks.at.at[i].name[gradient].at) {
			stacks[n] = i;
			names[n++] = b->stacks.at.at[i].name[gradient];
		}
	ok = ok && sort_texts(names, order, n);
	for (size_t i = 0; ok && i < n; i++)
		ok = number_stack(b, &b->stacks.at.at[stacks[order[i]]], gradient);
	mem_free(names);
	mem_free(order);
	mem_free(stacks);
	return ok;
}

static bool number_trie(struct builder *b, struct arena *scratch)
{
	b->number = arena_array(scratch, b->trie.n, sizeof(*b->number));
	b->size = arena_array(scratch, b->trie.n, sizeof(*b->size));
	if (!b->number || !b->size)
		return false;
	add_up_sizes(b);
	if (!number_stacks(b, false) || !number_stacks(b, true))
		return false;
	number_lineless(b);
	return true;
}

/* ---- arrays ------------------------------------------------------------ */

static bool allocate_tree(struct builder *b)
{
	struct tree *t = b->tree;
	size_t n = b->trie.n;

	t->parent = mem_array(n, sizeof(*t->parent));
	t->label = mem_array(n, sizeof(*t->label));
	t->frame = arena_array(&t->arena, n, sizeof(*t->frame));
	t->is_gradient = arena_array(&t->arena, n, sizeof(*t->is_gradient));
	t->first_node = arena_zero(&t->arena, n + 2, sizeof(*t->first_node));
	t->nodes = arena_array(&t->arena, b->model->nodes.n, sizeof(*t->nodes));
	return t->parent && t->label && t->frame && t->is_gradient && t->first_node && t->nodes;
}

static void fill_tree(struct builder *b)
{
	struct tree *t = b->tree;

	t->n = (uint32_t)b->trie.n;
	t->model = b->model;
	for (size_t i = 0; i < b->trie.n; i++) {
		const struct trie_node *node = &b->trie.at[i];
		uint32_t v = b->number[i];

		t->parent[v] = i ? b->number[node->parent] : NONE;
		t->label[v] = i ? label_of(b, node->frame) : SPAN(ROOT_NAME);
		t->frame[v] = node->frame;
		t->is_gradient[v] = i && b->known.at[node->frame].is_gradient;
	}
	t->frames = b->frames.at;
	b->frames.at = NULL;
}

/* The view node where a graph node's stack ends; the root, 0, if it has no stack or
 * an empty one, and nothing to show. */
static uint32_t end_of(const struct builder *b, uint32_t node)
{
	uint32_t stack = b->stacks.shown_with[node];

	if (is_lineless(b, node))
		return b->number[b->lineless[lineless_of(b->model, node)]];
	if (stack == NONE)
		return 0;
	return b->number[b->stacks.at.at[stack].end[stacks_is_gradient(&b->stacks, node)]];
}

/* Counting sort of the graph nodes by where they end. Offsets are shifted by one, so
 * filling leaves them right. */
static void fill_nodes(struct builder *b)
{
	struct tree *t = b->tree;
	uint32_t *fill = t->first_node + 1;

	for (uint32_t node = 0; node < b->model->nodes.n; node++)
		if (end_of(b, node))
			fill[end_of(b, node) + 1]++;
	for (size_t v = 1; v <= t->n; v++)
		fill[v] += fill[v - 1];
	for (uint32_t node = 0; node < b->model->nodes.n; node++)
		if (end_of(b, node))
			t->nodes[fill[end_of(b, node)]++] = node;
}

static enum tfprof_status build(struct builder *b, struct arena *scratch, struct tfprof_error *err)
{
	enum tfprof_status status;

	if (!stacks_find(&b->stacks, b->model, scratch) ||
		!vec_push(&b->trie, ((struct trie_node){.parent = NONE})))
		return error_no_memory(err);
	b->tree->n_lost_gradients = b->stacks.n_lost;
	status = add_stacks(b, false, err);
	if (status == TFPROF_OK)
		status = add_stacks(b, true, err);
	if (status != TFPROF_OK)
		return status;
	end_adding(b);
	if (!add_lineless(b) || !number_trie(b, scratch) || !allocate_tree(b))
		return error_no_memory(err);
	fill_tree(b);
	fill_nodes(b);
	return TFPROF_OK;
}

enum tfprof_status code_build(struct tree *t, const struct model *m, unsigned flags,
	struct tfprof_error *err)
{
	struct builder b = {.model = m, .tree = t, .flags = flags};
	struct arena scratch = {0};
	enum tfprof_status status = m->has_trace
		? build(&b, &scratch, err)
		: error_set(err, TFPROF_UNSUPPORTED, "No code trace information");

	end_adding(&b);
	stacks_clear(&b.stacks);
	arena_clear(&scratch);
	vec_clear(&b.known);
	vec_clear(&b.frames);
	vec_clear(&b.trie);
	vec_clear(&b.split);
	vec_clear(&b.path);
	buf_clear(&b.text);
	if (status != TFPROF_OK)
		tree_clear(t);
	return status;
}
