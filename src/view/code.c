/* Code view: the tree of Python call stacks, outermost frame first.
 *
 * Nodes share few distinct stacks, so a stack is decoded once: equal CodeDef
 * bytes are one stack, and a stack ends at one view node. Gradients hang under
 * a parallel branch made of their forward node's frames.
 *
 *     stacks    the distinct ones; the least name that brings each in
 *     trie      stacks in the order of those names
 *     tree      the trie as arrays, and which nodes end where
 */
#include "base/sort.h"
#include "base/utf8.h"
#include "view/stacks.h"
#include "view/tree.h"

/* The tree while it grows: a trie with children in order of insertion. */
struct trie_node {
	uint32_t parent, first_child, last_child, next_sibling;
	uint32_t label; /* in the string pool of labels */
	struct frame frame;
	bool is_gradient;
};

/* A distinct frame of the stacks: few make all of them. */
struct known_frame {
	struct span bytes;
	struct frame frame;
	uint32_t label[2]; /* [is_gradient], NONE until asked for */
};

struct builder {
	const struct model *model;
	struct tree *tree;
	bool source_lines;
	struct stacks stacks;
	struct strings labels;
	VEC(struct trie_node) trie;
	struct hash_index children; /* (parent, label) → trie node */
	VEC(struct known_frame) frames;
	struct hash_index frame_index;
	spans_vec split; /* the stack being added */
	struct buf text;
};

/* ---- labels ------------------------------------------------------------ */

/* To 17 bytes, but not in the middle of a character. */
static void put_cut(struct buf *b, struct span text)
{
	if (text.n < 20) {
		buf_span(b, text);
	} else {
		buf_put(b, text.at, utf8_cut(text, 17));
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

static uint32_t label_of(struct builder *b, struct known_frame *known, bool gradient)
{
	struct buf *text = &b->text;

	if (known->label[gradient] != NONE)
		return known->label[gradient];
	text->n = 0;
	code_put_label(text, &known->frame, b->source_lines, gradient);
	if (!text->failed)
		known->label[gradient] = strings_add(&b->labels, buf_get(text));
	return known->label[gradient];
}

/* ---- frames ------------------------------------------------------------ */

struct frame_probe {
	const struct builder *builder;
	struct span bytes;
};

static bool same_frame(const void *context, uint32_t id)
{
	const struct frame_probe *p = context;

	return span_equal(p->builder->frames.at[id].bytes, p->bytes);
}

static enum tfprof_status find_frame(struct builder *b, struct span bytes,
	struct known_frame **known, struct tfprof_error *err)
{
	struct frame_probe probe = {b, bytes};
	uint64_t hash = hash_bytes(bytes.at, bytes.n);
	uint32_t id = hash_find(&b->frame_index, hash, same_frame, &probe);
	struct known_frame fresh = {.bytes = bytes, .label = {NONE, NONE}};
	enum tfprof_status status = TFPROF_OK;

	if (id == NONE) {
		status = trace_read_frame(b->model, bytes, &fresh.frame, err);
		if (status != TFPROF_OK)
			return status;
		id = (uint32_t)b->frames.n;
		if (!hash_add(&b->frame_index, hash, id) || !vec_push(&b->frames, fresh))
			return error_no_memory(err);
	}
	*known = &b->frames.at[id];
	return TFPROF_OK;
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
static uint32_t child_of(struct builder *b, uint32_t parent, struct known_frame *known,
	bool gradient)
{
	struct child_probe probe = {b, parent, label_of(b, known, gradient)};
	/* side by side: both count up, so one could undo the other */
	uint64_t hash = hash_mix(1, (uint64_t)parent << 32 | probe.label);
	uint32_t id;

	if (probe.label == NONE)
		return NONE;
	id = hash_find(&b->children, hash, same_child, &probe);
	if (id != NONE)
		return id;
	id = (uint32_t)b->trie.n;
	if (b->trie.n >= NONE - 1 || !hash_add(&b->children, hash, id) ||
		!vec_push(&b->trie,
			((struct trie_node){parent, NONE, NONE, NONE, probe.label, known->frame,
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

/* Puts a call stack into the trie. */
static enum tfprof_status add_stack(struct builder *b, struct stack *stack, bool gradient,
	struct tfprof_error *err)
{
	enum tfprof_status status = trace_split(stack->bytes, &b->split, err);
	struct known_frame *known = NULL;
	uint32_t at = 0;

	for (size_t i = 0; status == TFPROF_OK && i < b->split.n; i++) {
		status = find_frame(b, b->split.at[i], &known, err);
		if (status == TFPROF_OK)
			at = child_of(b, at, known, gradient);
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
	struct span *names = mem_array(b->stacks.n, sizeof(*names));
	uint32_t *order = mem_array(b->stacks.n, sizeof(*order));
	uint32_t *stacks = mem_array(b->stacks.n, sizeof(*stacks));
	enum tfprof_status status = TFPROF_OK;

	if (!names || !order || !stacks)
		status = error_no_memory(err);
	for (uint32_t i = 0; status == TFPROF_OK && i < b->stacks.n; i++)
		if (b->stacks.at[i].branch[gradient].name.at) {
			stacks[n] = i;
			names[n++] = b->stacks.at[i].branch[gradient].name;
		}
	if (status == TFPROF_OK && !sort_texts(names, order, n))
		status = error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		status = add_stack(b, &b->stacks.at[stacks[order[i]]], gradient, err);
	mem_free(names);
	mem_free(order);
	mem_free(stacks);
	return status;
}

/* ---- into arrays ------------------------------------------------------- */

/* The trie node a graph node ends at; 0, the root, if it has no stack or an
 * empty one. */
static uint32_t end_of(const struct builder *b, uint32_t node)
{
	uint32_t stack = b->stacks.shown_with[node];

	return stack == NONE ? 0
			     : b->stacks.at[stack].branch[stacks_is_gradient(&b->stacks, node)].end;
}

/* Numbers the trie in preorder and lays it out as a tree. */
static bool lay_out(struct builder *b, uint32_t *number)
{
	struct tree *t = b->tree;
	size_t n = b->trie.n;
	uint32_t at = 0, *fill;

	t->parent = mem_array(n, sizeof(*t->parent));
	t->label = mem_array(n, sizeof(*t->label));
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
	enum tfprof_status status;
	uint32_t *number;

	if (!stacks_find(&b->stacks, b->model, scratch) || !strings_init(&b->labels) ||
		!vec_push(&b->trie,
			((struct trie_node){NONE, NONE, NONE, NONE, 0, .is_gradient = false})))
		return error_no_memory(err);
	b->tree->n_lost_gradients = b->stacks.n_lost;
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
	enum tfprof_status status = m->has_trace
		? build(&b, &scratch, err)
		: error_set(err, TFPROF_UNSUPPORTED, "No code trace information");

	arena_clear(&scratch);
	strings_clear(&b.labels);
	vec_clear(&b.trie);
	hash_clear(&b.children);
	vec_clear(&b.frames);
	hash_clear(&b.frame_index);
	vec_clear(&b.split);
	buf_clear(&b.text);
	if (status != TFPROF_OK)
		tree_clear(t);
	return status;
}
