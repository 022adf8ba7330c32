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

#define CPU_DOC                                                                                  \
	"cpu execution time: The time from the start to the end of the operation. It's the sum " \
	"of "                                                                                    \
	"actual cpu run time plus the time that it spends waiting if part of computation is "    \
	"launched "                                                                              \
	"asynchronously."
#define ACCELERATOR_DOC                                                                          \
	"accelerator execution time: Time spent executing on the accelerator. This is normally " \
	"measured by the actual hardware library."

static const char *const select_docs[N_SELECTS] = {
	[SEL_ACCELERATOR_MICROS] = ACCELERATOR_DOC,
	[SEL_BYTES] = "requested bytes: The memory requested by the operation, accumulatively.",
	[SEL_CPU_MICROS] = CPU_DOC,
	[SEL_DEVICE] = "device: which device is placed on.",
	[SEL_FLOAT_OPS] =
		"flops: Number of float operations. Note: Please read the implementation for "
		"the math behind it.",
	[SEL_INPUT_SHAPES] = "input shape: The shape of input tensors",
	[SEL_MICROS] = "total execution time: Sum of accelerator execution time and cpu execution "
		       "time.\n" CPU_DOC "\n" ACCELERATOR_DOC,
	[SEL_OCCURRENCE] = "occurrence: The number of times it occurs",
	[SEL_OP_TYPES] =
		"op_types: The attributes of the operation, includes the Kernel name device "
		"placed on and user-defined strings.",
	[SEL_OUTPUT_BYTES] = "output bytes: The memory that is output from the operation (not "
			     "necessarily allocated by the operation)",
	[SEL_PARAMS] = "param: Number of parameters (in the Variable).",
	[SEL_PEAK_BYTES] = "peak bytes: The peak amount of memory that the operation is holding at "
			   "some point.",
	[SEL_RESIDUAL_BYTES] = "residual bytes: The memory not de-allocated after the operation "
			       "finishes.",
	[SEL_TENSOR_VALUE] = "tensor_value: Not supported now.",
};

static const char stream_warning[] =
	"\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
	"It's likely a gpu tracing issue rather than tf-profiler issue.\n"
	"If you found your operation missing accelerator time, consider to post to "
	"discuss@tensorflow.org!\n\n";

/* ---- columns ------------------------------------------------------------ */

/* A column is printed if one of `selects` is selected. */
static const struct column {
	unsigned selects;
	const char *header;
	int metric; /* -1: not a number */
	enum unit unit;
} columns[] = {
#define SELECT(id) (1u << SEL_##id)
	{SELECT(BYTES), "requested bytes", METRIC_BYTES, UNIT_BYTES},
	{SELECT(PEAK_BYTES), "peak bytes", METRIC_PEAK, UNIT_BYTES},
	{SELECT(RESIDUAL_BYTES), "residual bytes", METRIC_RESIDUAL, UNIT_BYTES},
	{SELECT(OUTPUT_BYTES), "output bytes", METRIC_OUTPUT, UNIT_BYTES},
	{SELECT(MICROS), "total execution time", METRIC_MICROS, UNIT_MICROS},
	{SELECT(MICROS) | SELECT(ACCELERATOR_MICROS), "accelerator execution time",
		METRIC_ACCELERATOR, UNIT_MICROS},
	{SELECT(MICROS) | SELECT(CPU_MICROS), "cpu execution time", METRIC_CPU, UNIT_MICROS},
};

static const struct column model_columns[] = {
	{SELECT(PARAMS), "# parameters", METRIC_PARAMS, UNIT_COUNT},
	{SELECT(FLOAT_OPS), "# float_ops", METRIC_FLOAT_OPS, UNIT_COUNT},
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool is_printed(const struct query *q, const struct column *c)
{
	return q->options->selected & c->selects;
}

/* Calls for each printed number column, in the order of the view. */
static size_t number_columns(const struct query *q, const struct column **out)
{
	bool model_first = q->kind == TFPROF_SCOPE || q->kind == TFPROF_GRAPH;
	size_t n = 0;

	for (size_t i = 0; model_first && i < COUNT(model_columns); i++)
		if (is_printed(q, &model_columns[i]))
			out[n++] = &model_columns[i];
	for (size_t i = 0; i < COUNT(columns); i++)
		if (is_printed(q, &columns[i]))
			out[n++] = &columns[i];
	for (size_t i = 0; !model_first && i < COUNT(model_columns); i++)
		if (is_printed(q, &model_columns[i]))
			out[n++] = &model_columns[i];
	return n;
}

size_t report_numbers(const struct query *q, struct report_number *out)
{
	const struct column *found[COUNT(columns) + COUNT(model_columns)];
	size_t n = number_columns(q, found);

	for (size_t i = 0; i < n; i++)
		out[i] = (struct report_number){(enum metric)found[i]->metric, found[i]->unit};
	return n;
}

static void put_header(const struct query *q, struct sink *out)
{
	const struct column *found[COUNT(columns) + COUNT(model_columns)];
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
	size_t n = number_columns(q, found);
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
	size_t known = 0;

	if (q->model->misses_accelerator_stream)
		sink_text(out, stream_warning);
	sink_text(out, "\nDoc:\n");
	sink_text(out, view_docs[q->kind]);
	sink_char(out, '\n');
	/* Words and attributes are both in byte order. */
	for (size_t i = 0; i < words->n; i++) {
		if (options_select_is_known(words->at[i])) {
			while (!(q->options->selected >> known & 1))
				known++;
			sink_text(out,
				known == SEL_TENSOR_VALUE && q->model->checkpoint
					? "tensor_value: The value of the tensor in the checkpoint."
					: select_docs[known]);
			known++;
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
