/* Lines of scope, graph and code view: `name (own/total, …)`. */
#include <stdatomic.h>

#include "base/parallel.h"
#include "formats/checkpoint/checkpoint.h"
#include "write/report.h"
#include "query/input_shapes.h"
#include "query/tensor_value.h"

/* A line being built. Short text of known size is written straight to reserved memory;
 * the rest goes through `text`. */
struct line {
	struct query *q;
	struct buf *text;
	struct span not_available; /* " N/A in code view" */
	uint32_t row, view;
	bool follows; /* the next piece follows another one */
	const int64_t *own, *total;
	int64_t room[N_METRICS]; /* for own numbers that must be recomputed */
};

/* Starts a piece between the brackets. */
static struct buf *begin_piece(struct line *l)
{
	if (l->follows)
		buf_text(l->text, ", ");
	l->follows = true;
	return l->text;
}

static uint32_t node_of(const struct line *l)
{
	return query_has_groups(l->q) || l->view == 0 ? NONE : l->q->tree->node[l->view];
}

/* own/total, with own as -- if the node is not accounted. */
enum { PAIR_MAX = 2 * FORMAT_MAX + 2 };

static inline char *write_pair(char *at, enum unit unit, int64_t own, int64_t total, bool accounted)
{
	if (accounted) {
		at = format_write(at, unit, own);
	} else {
		memcpy(at, "--", 2);
		at += 2;
	}
	*at++ = '/';
	return format_write(at, unit, total);
}

static void put_number(struct line *l, enum metric metric)
{
	const struct query *q = l->q;
	size_t slot = q->numbers.slot[metric];
	struct buf *b = l->text;
	char *at;

	if (!buf_reserve(b, PAIR_MAX + 16))
		return;
	at = b->at + b->n;
	if (l->follows) {
		memcpy(at, ", ", 2);
		at += 2;
	}
	l->follows = true;
	at = write_pair(at, metric_infos[metric].unit, l->own[slot], l->total[slot],
		query_is_accounted(q, l->row));
	b->n = (size_t)(at - b->at);
	if (metric_infos[metric].tree_suffix)
		buf_text(b, metric_infos[metric].tree_suffix);
}

static void put_shape(struct line *l)
{
	const struct model *m = l->q->model;
	uint32_t node = node_of(l);

	if (node != NONE && m->nodes.shape[node])
		shape_put(begin_piece(l), shapes_get(&m->shapes, m->nodes.shape[node]));
}

static void put_device(struct line *l)
{
	const struct model *m = l->q->model;
	uint32_t node = node_of(l);
	struct buf devices = {0};

	if (!query_has_groups(l->q)) {
		if (node != NONE && query_device(l->q, node))
			report_name(l->q, begin_piece(l), model_text(m, query_device(l->q, node)));
		return;
	}
	if (report_devices(l->q, &devices, query_nodes(l->q, l->view)))
		buf_span(begin_piece(l), buf_get(&devices));
	l->text->failed |= devices.failed;
	buf_clear(&devices);
}

static void put_types(struct line *l)
{
	uint32_t node = node_of(l);
	struct buf *b = begin_piece(l);

	if (query_has_groups(l->q))
		report_types(l->q, b, query_nodes(l->q, l->view));
	else if (node != NONE)
		report_set(l->q, b, query_types(l->q, node));
	else if (l->q->kind == TFPROF_GRAPH)
		buf_text(b, "_TFGraphParent");
	else
		buf_text(b, "_kTFScopeParent");
}

static void put_not_available(const struct line *l, struct span word)
{
	buf_span(l->text, word);
	buf_span(l->text, l->not_available);
}

static void put_occurrence(struct line *l)
{
	const struct query *q = l->q;
	struct buf *b = begin_piece(l);
	bool accounted = query_is_accounted(q, l->row);
	size_t slot = q->numbers.slot[METRIC_OCCURRENCE];
	char *at;

	if (query_has_groups(q)) {
		put_not_available(l, SPAN("occurrence"));
		return;
	}
	if (!buf_reserve(b, 2 * PAIR_MAX + 2))
		return;
	at = write_pair(b->at + b->n, UNIT_COUNT, l->own[slot], l->total[slot], accounted);
	*at++ = '|';
	at = write_pair(at, UNIT_COUNT, 1, query_defined(q, l->row), accounted);
	b->n = (size_t)(at - b->at);
}

static void put_kind(struct line *l)
{
	struct buf *b = begin_piece(l);

	query_put_kind(l->q, l->row, b);
}

static void put_shapes(struct line *l)
{
	uint32_t node = node_of(l);
	struct buf *b = begin_piece(l);

	if (query_has_groups(l->q))
		put_not_available(l, SPAN("input_shapes"));
	else if (node != NONE)
		input_shapes_put(l->q, b, node, "|");
}

/* Deeper rows say how deep they are: a chain of a million nodes, each indented by two more
 * than the one before, would be a report of a terabyte. */
static void put_indentation(struct line *l)
{
	enum { MOST_LEVELS = 250 };
	uint32_t depth = (uint32_t)l->q->depth[l->row];

	buf_fill(l->text, ' ', 2 * (size_t)(depth < MOST_LEVELS ? depth : MOST_LEVELS));
	if (depth > MOST_LEVELS)
		buf_printf(l->text, "[level %u] ", depth);
}

static void put_line(struct line *l, const enum metric *numbers, size_t n)
{
	const struct tfprof_options *o = l->q->options;

	l->own = query_own_row(l->q, l->view, l->room);
	l->total = query_total_row(l->q, l->view);
	put_indentation(l);
	report_name(l->q, l->text, tree_label(l->q->tree, l->view));
	buf_text(l->text, " (");
	for (size_t i = 0; i < n; i++) {
		if (numbers[i] == METRIC_PARAMS && !query_has_groups(l->q))
			put_shape(l);
		put_number(l, numbers[i]);
	}
	if (options_select(o, SEL_DEVICE))
		put_device(l);
	if (options_select(o, SEL_OP_TYPES))
		put_types(l);
	if (options_select(o, SEL_KIND))
		put_kind(l);
	if (options_select(o, SEL_THREADS))
		report_threads(l->q, l->row, begin_piece(l));
	if (options_select(o, SEL_OCCURRENCE))
		put_occurrence(l);
	if (options_select(o, SEL_INPUT_SHAPES))
		put_shapes(l);
	buf_text(l->text, ")\n");
}

/* The checkpoint's values of a node, below its line. */
static void put_tensor(struct line *l)
{
	struct query *q = l->q;
	const struct checkpoint_tensor *tensor;

	if (node_of(l) == NONE || !q->model->checkpoint)
		return;
	tensor = checkpoint_find(q->model->checkpoint, model_name(q->model, node_of(l)));
	if (tensor)
		q->failed =
			tensor_value_put(q->model->checkpoint, tensor, l->text, NULL, &q->error);
}

/* ---- blocks of lines --------------------------------------------------------- */

/* Lines are independent: blocks of them are built in parallel and written in order. */
struct job {
	struct query *q;
	struct sink *out;
	enum metric numbers[N_METRICS];
	size_t n_numbers;
	struct buf text[PARALLEL_SLOTS];
	struct buf not_available;
	atomic_bool stops; /* further lines would be discarded */
};

enum { BLOCK_LINES = 2048 };

static void make_block(void *context, size_t slot, size_t block)
{
	struct job *job = context;
	struct query *q = job->q;
	struct buf *text = &job->text[slot];
	uint32_t i = (uint32_t)block * BLOCK_LINES;
	uint32_t end = q->n - i > BLOCK_LINES ? i + BLOCK_LINES : q->n;

	if (atomic_load_explicit(&job->stops, memory_order_relaxed))
		return;
	for (; i < end && q->failed == TFPROF_OK && !query_cancelled(q); i++) {
		struct line l = {.q = q,
			.text = text,
			.not_available = buf_get(&job->not_available),
			.row = i,
			.view = q->view[i]};

		query_prefetch_row(q, i, true); /* else graph_text takes 55 % longer */
		put_line(&l, job->numbers, job->n_numbers);
		if (options_select(q->options, SEL_TENSOR_VALUE))
			put_tensor(&l);
	}
}

static void put_block(void *context, size_t slot, size_t block)
{
	struct job *job = context;

	sink_span(job->out, buf_get(&job->text[slot]));
	job->text[slot].n = 0;
	if (writer_stops(job->q, job->out))
		atomic_store_explicit(&job->stops, true, memory_order_relaxed);
}

bool report_tree_lines(struct query *q, struct sink *out)
{
	struct job job = {.q = q, .out = out};
	size_t n = (q->n + BLOCK_LINES - 1) / BLOCK_LINES, parts = parallel_parts(n, 4);
	bool ok;

	/* Tensors are read from a file that may be damaged: one at a time. */
	if (options_select(q->options, SEL_TENSOR_VALUE))
		parts = 1;
	job.n_numbers = report_numbers(q, job.numbers);
	buf_printf(&job.not_available, " N/A in %s view", tfprof_view_get_name(q->kind));
	parallel_in_order(parts, n, make_block, put_block, &job);
	ok = !job.not_available.failed;
	buf_clear(&job.not_available);
	for (size_t i = 0; i < PARALLEL_SLOTS; i++) {
		ok &= !job.text[i].failed;
		buf_clear(&job.text[i]);
	}
	return ok;
}
