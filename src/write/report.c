#include "write/report.h"

#include <math.h>

#include "query/columns.h"
#include "query/distinct.h"

static const char *const view_legends[] = {
#define X(id, name, message, summary, description, example, legend) legend,
	TFPROF_VIEW_LIST(X)
#undef X
};

static const char *const attribute_docs[] = {
#define X(id, word, meaning, doc) [SEL_##id - N_METRICS] = doc,
	ATTRIBUTES(X)
#undef X
};

static const char stream_warning[] =
	"\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
	"It's likely a gpu tracing issue rather than tf-profiler issue.\n"
	"If you found your operation missing accelerator time, consider to post to "
	"discuss@tensorflow.org!\n\n";

/* ---- columns ------------------------------------------------------------ */

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The words selected that show metrics besides their own, as time shows that on accelerators
 * and CPUs, although at most one of these can be other than 0: it repeats the word's own. */
static unsigned find_undivided(const struct query *q)
{
	bool has_accelerator = q->options->tolerant || model_has_accelerator(q->model);
	unsigned undivided = 0;

	for (unsigned word = 0; word < N_METRICS; word++) {
		size_t n_parts = 0;

		for (enum metric m = 0; m < N_METRICS; m++)
			n_parts += metric_infos[m].part_of >> word & 1 &&
				(!metric_infos[m].needs_accelerator || has_accelerator);
		if (n_parts <= 1)
			undivided |= 1u << word;
	}
	return undivided & q->options->selected;
}

static size_t add_columns(const struct query *q, unsigned metrics, enum metric *out)
{
	unsigned undivided = find_undivided(q);
	size_t n = 0;

	for (enum metric m = 0; m < N_METRICS; m++)
		if (metrics >> m & 1 &&
			q->options->selected & metric_selects(m) & (~undivided | 1u << m))
			out[n++] = m;
	return n;
}

size_t report_numbers(const struct query *q, enum metric *out)
{
	unsigned first = MODEL_METRICS_MASK, second = RUN_METRICS_MASK;
	size_t n;

	if (query_has_groups(q)) {
		first = RUN_METRICS_MASK;
		second = MODEL_METRICS_MASK;
	}
	n = add_columns(q, first, out);
	return n + add_columns(q, second, out + n);
}

static void put_header(const struct query *q, struct sink *out)
{
	enum metric found[N_METRICS];
	const struct {
		enum select_id select;
		const char *header;
	} texts[] = {
		{SEL_DEVICE, "assigned devices"},
		{SEL_OP_TYPES, "op types"},
		{SEL_KIND, "kind"},
		{SEL_THREADS, "threads"},
		{SEL_OCCURRENCE,
			query_has_groups(q) ? "op occurrence (run|defined)"
					    : "op count (run|defined)"},
		{SEL_INPUT_SHAPES, "input shapes"},
	};
	size_t n = report_numbers(q, found);
	const char *separator = "";

	sink_text(out, "node name | ");
	for (size_t i = 0; i < n; i++) {
		sink_text(out, separator);
		sink_text(out, metric_infos[found[i]].header);
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
	unsigned undivided = find_undivided(q);

	sink_text(out, "\nDoc:\n");
	sink_text(out, view_legends[q->kind]);
	sink_char(out, '\n');
	for (size_t i = 0; i < words->n; i++) {
		enum select_id select = options_find_select(words->at[i]);

		if (select < N_SELECTS) {
			const char *doc = select == SEL_TENSOR_VALUE && q->model->checkpoint
				? "tensor_value: The value of the tensor in the checkpoint."
				: (int)select < N_METRICS ? metric_infos[select].doc
							  : attribute_docs[select - N_METRICS];

			/* The lines after the first are those of its parts. */
			sink_span(out,
				(struct span){doc,
					undivided >> select & 1 ? strcspn(doc, "\n")
								: strlen(doc)});
		} else {
			sink_text(out, "Unknown select: ");
			sink_span(out, words->at[i]);
		}
		sink_char(out, '\n');
	}
	if (!words->n)
		sink_char(out, '\n');
}

/* Says how many rows the default max_depth hides. */
static void put_rest(const struct query *q, struct sink *out)
{
	if (q->n_cut)
		sink_printf(out, "… %zu more (max_depth %lld)\n", q->n_cut,
			(long long)q->options->number[OPT_MAX_DEPTH]);
}

enum tfprof_status text_write(const struct writing *w, struct tfprof_error *err)
{
	struct query *q = w->q;
	bool ok;

	if (q->model->misses_accelerator_stream)
		sink_text(w->out, stream_warning);
	if (q->options->number[OPT_DOC])
		put_docs(q, w->out);
	sink_text(w->out, "\nProfile:\n");
	if (q->kind != TFPROF_OP || q->tree->n > 1)
		put_header(q, w->out);
	ok = q->kind == TFPROF_OP ? report_list_lines(q, w->out) : report_tree_lines(q, w->out);
	put_rest(q, w->out);
	return ok ? TFPROF_OK : error_no_memory(err);
}

/* ---- pieces of lines ------------------------------------------------------ */

void report_set(const struct query *q, struct buf *b, uint32_t set)
{
	const struct string_set *s = sets_get(&q->model->sets, set);

	for (uint32_t i = 0; i < s->n; i++) {
		if (i)
			buf_char(b, '|');
		report_name(q, b, model_text(q->model, s->at[i]));
	}
}

static void put_joined(const struct query *q, struct buf *b, const ids_vec *ids)
{
	for (size_t i = 0; i < ids->n; i++) {
		if (i)
			buf_char(b, '|');
		report_name(q, b, model_text(q->model, ids->at[i]));
	}
}

bool report_devices(const struct query *q, struct buf *b, struct row_nodes nodes)
{
	ids_vec ids = {0};
	bool any;

	b->failed |= !distinct_devices(q, nodes, &ids);
	put_joined(q, b, &ids);
	any = ids.n;
	vec_clear(&ids);
	return any;
}

void report_threads(const struct query *q, uint32_t row, struct buf *b)
{
	double threads = query_get_threads(q, row);

	if (isnan(threads))
		buf_text(b, "--");
	else
		buf_printf(b, "%.1f threads", threads);
}

void report_types(const struct query *q, struct buf *b, struct row_nodes nodes)
{
	ids_vec ids = {0};

	b->failed |= !distinct_types(q, nodes, &ids);
	put_joined(q, b, &ids);
	vec_clear(&ids);
}
