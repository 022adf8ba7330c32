/* memory: what allocators had in use at their peak, and who held it. */
#include <stdlib.h>

#include "ask/memory_parts.h"
#include "ask/node_place.h"
#include "base/clamped.h"
#include "base/sort.h"
#include "model/trace.h"
#include "query/format.h"

/* Pieces of one holder that are held at the peak. */
struct held {
	uint32_t node;     /* NONE: not known */
	uint32_t shape;    /* string id; 0: not known */
	int64_t requested; /* of each piece, if the node is not known; else 0 */
	int64_t bytes, n;
	uint32_t layer; /* text */
	uint32_t line;
	uint32_t who;      /* the program's block */
	uint32_t borrowed; /* node that the line is of; NONE: its own */
};

typedef VEC(struct held) held_list;

/* An allocator that is being asked about. */
struct asking {
	struct memory_pools *p;
	const struct memory_curve *curve;
	held_list held;
	struct strings texts;
	struct buf scratch;
};

/* ---- who ------------------------------------------------------------------------- */

static int by_holder(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->shape != y->shape)
		return x->shape < y->shape ? -1 : 1;
	return (x->requested > y->requested) - (x->requested < y->requested);
}

static bool find_held(struct asking *x)
{
	const struct memory_curve *c = x->curve;
	held_list *list = &x->held;
	size_t n = 0;

	for (size_t i = 0; i < c->n_changes_at_peak; i++) {
		const struct memory_change *change = &c->changes.at[i];
		struct held held = {.node = change->node,
			.shape = change->shape,
			.requested = change->node == NONE ? change->requested : 0,
			.bytes = change->bytes,
			.n = change->bytes > 0 ? 1 : -1};

		if (!vec_push(list, held))
			return false;
	}
	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), by_holder);
	for (size_t i = 0, k; i < list->n; i = k) {
		struct held sum = list->at[i];

		for (k = i + 1; k < list->n && !by_holder(&sum, &list->at[k]); k++) {
			add_clamped(&sum.bytes, list->at[k].bytes);
			sum.n += list->at[k].n;
		}
		if (sum.bytes > 0)
			list->at[n++] = sum;
	}
	list->n = n;
	return true;
}

/* ---- names ----------------------------------------------------------------------- */

static uint32_t add_text(struct asking *x)
{
	uint32_t id = x->scratch.failed ? NONE : strings_add(&x->texts, buf_get(&x->scratch));

	x->scratch.n = 0;
	return id;
}

/* Blocks of programs that have this size: "temporaries of jit_f(59)", "outputs of jit_g(3) or
 * outputs of jit_h(4)". */
static void put_blocks(struct asking *x, int64_t bytes)
{
	const struct program_blocks *b = &x->p->blocks;
	const struct model *m = x->p->m;
	size_t low = 0, n = 0;
	enum { MOST_NAMED = 3 };

	sort_search(low, b->at.n, i, b->at.at[i].bytes < bytes);
	for (size_t i = low; i < b->at.n && b->at.at[i].bytes == bytes; i++) {
		const struct program_block *block = &b->at.at[i];

		if (i > low && block->program == block[-1].program &&
			block->is_output == block[-1].is_output)
			continue;
		if (n++ >= MOST_NAMED) {
			buf_text(&x->scratch, " or others");
			break;
		}
		buf_text(&x->scratch, n > 1 ? " or " : "");
		buf_text(&x->scratch, block->is_output ? "outputs of " : "temporaries of ");
		buf_span(&x->scratch, model_text(m, m->compiled.programs.at[block->program].name));
	}
	if (!n)
		buf_text(&x->scratch, "(not known)");
}

static bool name_held(struct asking *x, struct held *h)
{
	const struct model *m = x->p->m;
	struct memory_pools *p = x->p;
	struct span source;

	h->borrowed = NONE;
	if (h->node == NONE) {
		put_blocks(x, h->requested);
		h->who = add_text(x);
		h->layer = h->who;
		h->line = 0;
		return h->who != NONE;
	}
	node_put_scope(m, h->node, &x->scratch);
	h->layer = add_text(x);
	p->status = trace_put_user_line(&x->scratch, m, h->node, &source, p->err);
	if (p->status == TFPROF_OK && !x->scratch.n) {
		h->borrowed = node_find_rewritten(m, h->node, &x->scratch);
		if (h->borrowed != NONE)
			p->status =
				trace_put_user_line(&x->scratch, m, h->borrowed, &source, p->err);
		if (!x->scratch.n)
			h->borrowed = NONE;
	}
	h->line = add_text(x);
	return p->status == TFPROF_OK && h->layer != NONE && h->line != NONE;
}

/* ---- rows ------------------------------------------------------------------------ */

struct layer_sum {
	uint32_t text;
	int64_t bytes, n;
};

typedef VEC(struct layer_sum) layer_sums;

static int by_layer_text(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return by_holder(a, b);
}

static int larger_first(const void *a, const void *b)
{
	const struct layer_sum *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->text > y->text) - (x->text < y->text);
}

static struct span name_of(const struct asking *x, const struct held *h)
{
	return h->node == NONE ? strings_get(&x->texts, h->who) : model_name(x->p->m, h->node);
}

static void put_held(struct asking *x, size_t parent, const struct held *h)
{
	struct column_table *t = &x->p->a->table;
	const struct model *m = x->p->m;
	size_t at = column_table_add_row(t, parent, name_of(x, h));

	table_set_int(t, at, COLUMN_BYTES, h->bytes);
	if (x->curve->pool)
		table_set_int(t, at, COLUMN_BUFFERS, h->n);
	if (h->shape)
		table_set_text(t, at, COLUMN_SHAPE, model_text(m, h->shape));
	if (h->node != NONE)
		table_set_text(t, at, COLUMN_LAYER, strings_get(&x->texts, h->layer));
	if (h->line)
		table_set_text(t, at, COLUMN_LINE, strings_get(&x->texts, h->line));
	if (h->borrowed != NONE) {
		buf_text(&x->scratch, "rewritten from ");
		buf_span(&x->scratch, model_name(m, h->borrowed));
	} else if (h->node == NONE && h->requested > 0) {
		buf_text(&x->scratch, "size");
	}
	if (x->scratch.n)
		table_set_text(t, at, COLUMN_BORROWED, buf_get(&x->scratch));
	x->scratch.n = 0;
}

/* What nodes hold, by layer; then what programs do. */
static bool put_layers(struct asking *x, size_t parent)
{
	struct column_table *t = &x->p->a->table;
	held_list *list = &x->held;
	layer_sums layers = {0};
	size_t *first = mem_zero_array(x->texts.text.n + 1, sizeof(*first));
	bool ok = first;

	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), by_layer_text);
	for (size_t i = 0; ok && i < list->n; i++) {
		const struct held *h = &list->at[i];

		if (!i || h->layer != list->at[i - 1].layer) {
			ok = vec_push(&layers, ((struct layer_sum){.text = h->layer}));
			first[h->layer] = i;
		}
		if (ok) {
			add_clamped(&layers.at[layers.n - 1].bytes, h->bytes);
			layers.at[layers.n - 1].n += h->n;
		}
	}
	if (ok && layers.n)
		qsort(layers.at, layers.n, sizeof(*layers.at), larger_first);
	for (size_t i = 0; ok && i < layers.n; i++) {
		const struct layer_sum *layer = &layers.at[i];
		size_t k = first[layer->text], at = parent;

		if (list->at[k].node != NONE) {
			struct span name = strings_get(&x->texts, layer->text);

			at = column_table_add_row(t, parent, name);
			table_set_int(t, at, COLUMN_BYTES, layer->bytes);
			table_set_int(t, at, COLUMN_PEAK, layer->bytes);
			if (x->curve->pool)
				table_set_int(t, at, COLUMN_BUFFERS, layer->n);
			table_set_text(t, at, COLUMN_LAYER, name);
		}
		for (; k < list->n && list->at[k].layer == layer->text; k++)
			put_held(x, at, &list->at[k]);
	}
	vec_clear(&layers);
	mem_free(first);
	return ok;
}

/* Temporaries of programs: TPUs reserve those of the largest, and a little more. */
static void put_reserved(struct asking *x, size_t parent)
{
	enum { MOST_BEYOND = 16 << 20 };
	const struct program_blocks *b = &x->p->blocks;
	const struct model *m = x->p->m;
	struct column_table *t = &x->p->a->table;
	const struct program_block *largest = NULL;
	size_t at;

	if (x->curve->reserved_bytes <= 0)
		return;
	for (size_t i = 0; i < b->at.n; i++)
		if (!b->at.at[i].is_output)
			largest = &b->at.at[i];
	at = column_table_add_row(t, parent, SPAN("reserved for temporaries of programs"));
	table_set_int(t, at, COLUMN_BYTES, x->curve->reserved_bytes);
	if (!largest || largest->bytes > x->curve->reserved_bytes ||
		x->curve->reserved_bytes - largest->bytes > MOST_BEYOND)
		return;
	buf_text(&x->scratch, "size of temporaries of ");
	buf_span(&x->scratch, model_text(m, m->compiled.programs.at[largest->program].name));
	table_set_text(t, at, COLUMN_BORROWED, buf_get(&x->scratch));
	x->scratch.n = 0;
}

static void put_before(struct asking *x, size_t parent, int64_t held)
{
	struct column_table *t = &x->p->a->table;
	const struct memory_curve *c = x->curve;
	int64_t before = c->peak_bytes - c->reserved_bytes - held;
	size_t at;

	/* Records of run metadata need not be all that happened. */
	if (before <= 0)
		return;
	at = column_table_add_row(t, parent,
		c->counts_all ? SPAN("held since before the trace") : SPAN("(not recorded)"));
	table_set_int(t, at, COLUMN_BYTES, before);
}

/* Of the largest that a node holds. */
static void put_headline(struct asking *x)
{
	const struct held *largest = NULL;
	struct memory_pools *p = x->p;
	struct buf *b = &p->headline;

	for (size_t i = 0; i < x->held.n; i++)
		if (x->held.at[i].node != NONE &&
			(!largest || x->held.at[i].bytes > largest->bytes))
			largest = &x->held.at[i];
	if (!largest || largest->bytes <= p->headline_bytes)
		return;
	p->headline_bytes = largest->bytes;
	b->n = 0;
	buf_span(b, model_text(p->m, x->curve->name));
	buf_text(b, ": ");
	format_number(b, UNIT_BYTES, x->curve->peak_bytes);
	buf_text(b, " in use at the peak, of which ");
	format_number(b, UNIT_BYTES, largest->bytes);
	buf_text(b, " is ");
	if (largest->shape) {
		buf_span(b, model_text(p->m, largest->shape));
		buf_text(b, " of ");
	}
	buf_span(b, strings_get(&x->texts, largest->layer));
	buf_text(b, ", ");
	if (strings_get(&x->texts, largest->line).n)
		buf_span(b, strings_get(&x->texts, largest->line));
	else
		buf_text(b, "line not known");
	buf_text(b, " (");
	buf_span(b, model_name(p->m, largest->node));
	buf_char(b, ')');
}

static bool put_curve(struct asking *x)
{
	struct column_table *t = &x->p->a->table;
	const struct memory_curve *c = x->curve;
	int64_t held = 0;
	size_t at;

	if (!strings_init(&x->texts) || !find_held(x))
		return false;
	for (size_t i = 0; i < x->held.n; i++) {
		add_clamped(&held, x->held.at[i].bytes);
		if (!name_held(x, &x->held.at[i]))
			return false;
	}
	put_headline(x);
	at = column_table_add_row(t, 0, model_text(x->p->m, c->name));
	table_set_int(t, at, COLUMN_BYTES, c->peak_bytes);
	table_set_int(t, at, COLUMN_PEAK, c->peak_bytes);
	if (c->pool && c->pool->capacity_bytes > 0)
		table_set_int(t, at, COLUMN_CAPACITY, c->pool->capacity_bytes);
	if (c->pool && c->pool->lifetime_peak_bytes > 0)
		table_set_int(t, at, COLUMN_LIFETIME_PEAK, c->pool->lifetime_peak_bytes);
	if (!put_layers(x, at))
		return false;
	put_reserved(x, at);
	put_before(x, at, held);
	return !x->scratch.failed;
}

bool memory_pools_put(struct memory_pools *p)
{
	bool ok = true;

	for (size_t i = 0; ok && i < p->curves.at.n; i++) {
		struct asking x = {.p = p, .curve = &p->curves.at.at[i]};

		ok = put_curve(&x);
		vec_clear(&x.held);
		strings_clear(&x.texts);
		buf_clear(&x.scratch);
	}
	return ok;
}

void memory_pools_clear(struct memory_pools *p)
{
	memory_curves_clear(&p->curves);
	vec_clear(&p->blocks.at);
	buf_clear(&p->headline);
}
