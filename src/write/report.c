#include "write/report.h"

#include "base/sort.h"

static const char *const view_docs[] = {
	[TFPROF_SCOPE] =
		"scope: The nodes in the model graph are organized by their names, which is "
		"hierarchical like filesystem.",
	/* The original prints the same line for graph view. */
	[TFPROF_GRAPH] =
		"scope: The nodes in the model graph are organized by their names, which is "
		"hierarchical like filesystem.",
	[TFPROF_OP] =
		"op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes "
		"belonging to the same type are aggregated together.",
	[TFPROF_CODE] =
		"code: When python trace is available, the nodes are python lines and their "
		"are organized by the python call stack.",
};

static const char *const select_docs[N_SELECTS] = {
#define X(id, word, column, selects, unit, graph, multi, option, value, header, tree, list, \
	meaning, minimum, doc, ...)                                                         \
	doc,
	METRICS(X)
#undef X
#define X(id, word, meaning, doc) doc,
		ATTRIBUTES(X)
#undef X
};

static const char stream_warning[] =
	"\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
	"It's likely a gpu tracing issue rather than tf-profiler issue.\n"
	"If you found your operation missing accelerator time, consider to post to "
	"discuss@tensorflow.org!\n\n";

/* ---- columns ------------------------------------------------------------ */

#define X(id, word, column, selects, unit, graph, multi, option, value, header, tree, list, ...) \
	{METRIC_##id, UNIT_##unit, selects, header, tree, list},
static const struct report_number run_columns[] = {RUN_METRICS(X)};
static const struct report_number model_columns[] = {MODEL_METRICS(X)};
#undef X

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static size_t add_columns(const struct query *q, const struct report_number *columns, size_t n,
	const struct report_number **out)
{
	size_t n_added = 0;

	for (size_t i = 0; i < n; i++)
		if (q->options->selected & columns[i].selects)
			out[n_added++] = &columns[i];
	return n_added;
}

size_t report_numbers(const struct query *q, const struct report_number **out)
{
	bool model_first = q->kind == TFPROF_SCOPE || q->kind == TFPROF_GRAPH;
	size_t n = 0;

	if (model_first)
		n += add_columns(q, model_columns, COUNT(model_columns), out);
	n += add_columns(q, run_columns, COUNT(run_columns), out + n);
	if (!model_first)
		n += add_columns(q, model_columns, COUNT(model_columns), out + n);
	return n;
}

static void put_header(const struct query *q, struct sink *out)
{
	const struct report_number *found[N_METRICS];
	bool tree = q->kind == TFPROF_SCOPE || q->kind == TFPROF_GRAPH;
	const struct {
		enum select_id select;
		const char *header;
	} texts[] = {
		{SEL_DEVICE, "assigned devices"},
		{SEL_OP_TYPES, "op types"},
		{SEL_OCCURRENCE, tree ? "op count (run|defined)" : "op occurrence (run|defined)"},
		{SEL_INPUT_SHAPES, "input shapes"},
	};
	size_t n = report_numbers(q, found);
	const char *separator = "";

	sink_text(out, "node name | ");
	for (size_t i = 0; i < n; i++) {
		sink_text(out, separator);
		sink_text(out, found[i]->header);
		separator = " | ";
	}
	for (size_t i = 0; i < COUNT(texts); i++)
		if (options_select(q->options, texts[i].select)) {
			sink_text(out, separator);
			sink_text(out, texts[i].header);
			separator = " | ";
		}
	sink_char(out, '\n');
}

static void put_docs(const struct query *q, struct sink *out)
{
	const struct word_list *words = &q->options->list[OPT_SELECT];

	if (q->model->misses_accelerator_stream)
		sink_text(out, stream_warning);
	sink_text(out, "\nDoc:\n");
	sink_text(out, view_docs[q->kind]);
	sink_char(out, '\n');
	for (size_t i = 0; i < words->n; i++) {
		enum select_id select = options_find_select(words->at[i]);

		if (select < N_SELECTS) {
			sink_text(out,
				select == SEL_TENSOR_VALUE && q->model->checkpoint
					? "tensor_value: The value of the tensor in the checkpoint."
					: select_docs[select]);
		} else {
			sink_text(out, "Unknown select: ");
			sink_span(out, words->at[i]);
		}
		sink_char(out, '\n');
	}
	if (!words->n)
		sink_char(out, '\n');
	sink_text(out, "\nProfile:\n");
}

bool report_write(struct query *q, struct sink *out)
{
	put_docs(q, out);
	if (q->kind != TFPROF_OP || q->tree->n > 1)
		put_header(q, out);
	return q->kind == TFPROF_OP ? report_list_lines(q, out) : report_tree_lines(q, out);
}

/* ---- pieces of lines ------------------------------------------------------ */

void report_set(const struct model *m, struct buf *b, uint32_t set)
{
	const struct string_set *s = sets_get(&m->sets, set);

	for (uint32_t i = 0; i < s->n; i++) {
		if (i)
			buf_char(b, '|');
		buf_span(b, model_text(m, s->at[i]));
	}
}

struct report_nodes report_nodes_of(const struct query *q, uint32_t view)
{
	const uint32_t *first = q->tree->first_node;

	if (!first)
		return (struct report_nodes){0};
	return (struct report_nodes){q->tree->nodes + first[view], first[view + 1] - first[view]};
}

/* Puts distinct strings (ids) in byte order, joined by `|`. */
static void put_distinct(struct query *q, struct buf *b, uint32_t *ids, size_t n)
{
	struct span *texts = mem_array(n, sizeof(*texts));
	uint32_t *order = mem_array(n, sizeof(*order));
	bool fine = texts && order;

	for (size_t i = 0; fine && i < n; i++)
		texts[i] = model_text(q->model, ids[i]);
	if (fine && sort_texts(texts, order, n)) {
		for (size_t i = 0; i < n; i++) {
			if (i)
				buf_char(b, '|');
			buf_span(b, texts[order[i]]);
		}
	} else {
		b->failed = true;
	}
	mem_free(texts);
	mem_free(order);
}

/* A set of ids, found by looking: few are distinct. */
typedef VEC(uint32_t) ids_vec;

static bool add_distinct(ids_vec *ids, uint32_t id)
{
	/* The latest one is the likeliest. */
	for (size_t i = ids->n; i-- > 0;)
		if (ids->at[i] == id)
			return true;
	return vec_push(ids, id);
}

size_t report_devices(struct query *q, struct buf *b, struct report_nodes nodes)
{
	ids_vec devices = {0};
	size_t n_picked = 0;

	for (size_t i = 0; i < nodes.n; i++) {
		if (!query_picks(q, q->model->nodes.types[nodes.at[i]]))
			continue;
		n_picked++;
		if (!add_distinct(&devices, q->model->nodes.device[nodes.at[i]]))
			b->failed = true;
	}
	put_distinct(q, b, devices.at, devices.n);
	vec_clear(&devices);
	return n_picked;
}

void report_types(struct query *q, struct buf *b, struct report_nodes nodes)
{
	ids_vec sets = {0}, types = {0};

	for (size_t i = 0; i < nodes.n; i++) {
		uint32_t set = q->model->nodes.types[nodes.at[i]];

		if (query_picks(q, set) && !add_distinct(&sets, set))
			b->failed = true;
	}
	for (size_t i = 0; i < sets.n; i++) {
		const struct string_set *set = sets_get(&q->model->sets, sets.at[i]);

		for (uint32_t k = 0; k < set->n; k++)
			if (!add_distinct(&types, set->at[k]))
				b->failed = true;
	}
	put_distinct(q, b, types.at, types.n);
	vec_clear(&sets);
	vec_clear(&types);
}

void report_input_shapes(const struct model *m, struct buf *b, uint32_t node, const char *separator)
{
	for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
		const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + i];
		const struct shape *shape = shapes_get(&m->shapes, model_edge_shape(m, e));

		if (i)
			buf_text(b, separator);
		buf_int(b, e->position);
		buf_char(b, ':');
		if (shape->n)
			shape_put(b, shape);
		else
			buf_text(b, "unknown");
	}
}
