/* Code view: the tree of Python call stacks, outermost frame first.
 *
 * Nodes share few distinct stacks, so a stack is decoded once: equal CodeDef
 * bytes are one stack, and a stack ends at one view node. Gradients hang under
 * a parallel branch made of their forward node's frames. */
#include "base/sort.h"
#include "view/tree.h"

/* The tree while it grows: a trie with children in order of insertion. */
struct trie_node {
	uint32_t parent, first_child, last_child, next_sibling;
	uint32_t label;                /* in the string pool of labels */
	struct frame frame;
	bool is_gradient;
};

/* A distinct call stack. */
struct stack {
	struct span bytes;
	uint32_t end, gradient_end;    /* trie nodes, NONE until needed */
};

struct gradient {
	uint32_t node;
	uint32_t forward;              /* node, NONE if there is none of that name */
	struct span forward_name;
};

struct builder {
	const struct model *model;
	struct tree *tree;
	bool source_lines;
	struct strings labels;
	VEC(struct trie_node) trie;
	struct hash_index children;    /* (parent, label) → trie node */
	VEC(struct stack) stacks;
	struct hash_index stack_index;
	VEC(struct gradient) gradients;
	VEC(uint32_t) placed;          /* graph nodes … */
	VEC(uint32_t) place;           /* … and the trie node each ends at */
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
	const struct builder *builder;
	struct span bytes;
};

static bool same_stack(const void *context, uint32_t id)
{
	const struct stack_probe *p = context;

	return span_equal(p->builder->stacks.at[id].bytes, p->bytes);
}

static uint32_t stack_of(struct builder *b, struct span bytes)
{
	struct stack_probe probe = {b, bytes};
	uint64_t hash = hash_bytes(bytes.at, bytes.n);
	uint32_t id = hash_find(&b->stack_index, hash, same_stack, &probe);

	if (id != NONE)
		return id;
	id = (uint32_t)b->stacks.n;
	if (!hash_add(&b->stack_index, hash, id) ||
		!vec_push(&b->stacks, ((struct stack){bytes, NONE, NONE})))
		return NONE;
	return id;
}

/* Where a call stack ends in the trie. */
static enum tfprof_status end_of(struct builder *b, struct span bytes, bool gradient, uint32_t *end,
	struct tfprof_error *err)
{
	uint32_t id = stack_of(b, bytes), at = 0;
	enum tfprof_status status;

	if (id == NONE)
		return error_no_memory(err);
	*end = gradient ? b->stacks.at[id].gradient_end : b->stacks.at[id].end;
	if (*end != NONE)
		return TFPROF_OK;
	status = trace_read(b->model, bytes, &b->frames, err);
	for (size_t i = 0; status == TFPROF_OK && i < b->frames.n; i++) {
		at = child_of(b, at, &b->frames.at[i], gradient);
		if (at == NONE)
			status = error_no_memory(err);
	}
	if (status != TFPROF_OK)
		return status;
	*end = at;
	if (gradient)
		b->stacks.at[id].gradient_end = at;
	else
		b->stacks.at[id].end = at;
	return TFPROF_OK;
}

static bool has_stack(const struct model *m, uint32_t node)
{
	return (m->nodes.flags[node] & NODE_HAS_TRACE) && m->nodes.trace[node].n;
}

static enum tfprof_status place(struct builder *b, uint32_t node, struct span bytes, bool gradient,
	struct tfprof_error *err)
{
	uint32_t end = 0;
	enum tfprof_status status = end_of(b, bytes, gradient, &end, err);

	if (status != TFPROF_OK || end == 0)
		return status;
	if (!vec_push(&b->placed, node) || !vec_push(&b->place, end))
		return error_no_memory(err);
	return TFPROF_OK;
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

static enum tfprof_status place_forward(struct builder *b, uint32_t node, struct tfprof_error *err)
{
	const struct model *m = b->model;
	struct span forward;

	if (!has_stack(m, node))
		return TFPROF_OK;
	if (!code_forward_name(model_name(m, node), &forward))
		return place(b, node, m->nodes.trace[node], false, err);
	if (!vec_push(&b->gradients,
		    ((struct gradient){node, model_find_node(m, forward), forward})))
		return error_no_memory(err);
	return TFPROF_OK;
}

/* Groups by forward name, in name order; within one, in node order. */
static enum tfprof_status place_gradients(struct builder *b, struct tfprof_error *err)
{
	const struct model *m = b->model;
	size_t n = b->gradients.n;
	struct span *names = mem_array(n, sizeof(*names)), last = {0}, forward;
	uint32_t *order = mem_array(n, sizeof(*order));
	enum tfprof_status status = names && order ? TFPROF_OK : error_no_memory(err);

	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		names[i] = b->gradients.at[i].forward_name;
	if (status == TFPROF_OK && !sort_texts(names, order, n, SORT_BYTES))
		status = error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < n; i++) {
		const struct gradient *g = &b->gradients.at[order[i]];

		if (g->forward != NONE && has_stack(m, g->forward) &&
			!code_forward_name(model_name(m, g->forward), &forward)) {
			status = place(b, g->node, m->nodes.trace[g->forward], true, err);
		} else {
			b->tree->n_lost_gradients += !last.at || !span_equal(last, g->forward_name);
			last = g->forward_name;
		}
	}
	mem_free(names);
	mem_free(order);
	return status;
}

/* ---- into arrays ------------------------------------------------------- */

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
	t->nodes = arena_array(&t->arena, b->placed.n, sizeof(*t->nodes));
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
	for (size_t i = 0; i < b->place.n; i++)
		fill[number[b->place.at[i]] + 1]++;
	for (size_t v = 1; v <= n; v++)
		fill[v] += fill[v - 1];
	for (size_t i = 0; i < b->place.n; i++)
		t->nodes[fill[number[b->place.at[i]]]++] = b->placed.at[i];
	return true;
}

static enum tfprof_status build(struct builder *b, struct arena *scratch, struct tfprof_error *err)
{
	const struct model *m = b->model;
	uint32_t *order = nodes_by_name(m, scratch), *number;
	enum tfprof_status status = TFPROF_OK;

	if (!order || !strings_init(&b->labels) ||
		!vec_push(&b->trie, ((struct trie_node){NONE, NONE, NONE, NONE, 0, .is_gradient = false})))
		return error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < m->nodes.n; i++)
		status = place_forward(b, order[i], err);
	if (status == TFPROF_OK)
		status = place_gradients(b, err);
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
	vec_clear(&b.stacks);
	hash_clear(&b.stack_index);
	vec_clear(&b.gradients);
	vec_clear(&b.placed);
	vec_clear(&b.place);
	vec_clear(&b.frames);
	buf_clear(&b.text);
	if (status != TFPROF_OK)
		tree_clear(t);
	return status;
}
