/* What a model costs, by layer, from a model file alone. */
#include <stdio.h>
#include <stdlib.h>

#include "ask/model_report.h"
#include "base/spelling.h"

void model_report_free(void *detail)
{
	struct model_report *report = detail;

	if (!report)
		return;
	summary_clear(&report->summary);
	walk_clear(&report->walk);
	model_file_clear(&report->file);
	mem_free(report->order);
	mem_free(report->name);
	mem_free(report);
}

/* ---- options -------------------------------------------------------------------- */

struct model_file_options model_file_options_of(const struct tfprof_options *o,
	enum tfprof_reading reading)
{
	return (struct model_file_options){.batch_size = o->number[OPT_BATCH_SIZE],
		.input_shapes = options_get_text(o, OPT_INPUT_SHAPES),
		.signature = options_get_text(o, OPT_SIGNATURE),
		.trip_count = o->number[OPT_TRIP_COUNT],
		.reading = reading};
}

enum tfprof_status model_refuse_options(const struct tfprof_options *o, const char *question,
	struct tfprof_error *err)
{
	static const enum option_id ids[] = {OPT_BATCH_SIZE, OPT_INPUT_SHAPES, OPT_SIGNATURE,
		OPT_TRIP_COUNT, OPT_TRAINING, OPT_OPTIMIZER, OPT_TRAINING_DTYPE, OPT_MEMORY_LIMIT};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (options_is_given(o, ids[i]))
			return error_set(err, TFPROF_ARGUMENT,
				"%s applies to the %s of a model file: this is a profile",
				OPTION(option_get_name(ids[i])), question);
	return TFPROF_OK;
}

/* ---- counting ------------------------------------------------------------------- */

/* A device by name, or one of which only the figures are given. */
static struct model_device choose_device(const struct tfprof_options *o)
{
	int64_t number = o->number[OPT_DEVICE], flops = o->number[OPT_PEAK_FLOPS],
		bandwidth = o->number[OPT_PEAK_BANDWIDTH];
	struct model_device device = {0};

	if (number > 0)
		device = model_devices[number - 1];
	if (flops > 0 && bandwidth > 0) {
		device.name = device.name ? device.name : "the device";
		device.dtype = NULL;
	}
	if (flops > 0)
		device.flops = (double)flops;
	if (bandwidth > 0)
		device.bandwidth = (double)bandwidth;
	return device;
}

static enum tfprof_status count(struct model_report *report, const struct tfprof_input *in,
	enum tfprof_reading reading, bool keeps_all, struct tfprof_error *err)
{
	const struct tfprof_options *o = report->options;
	struct model_file_options file_options = model_file_options_of(o, reading);
	struct summary_options options = {.max_depth = (int)o->number[OPT_MODEL_MAX_DEPTH],
		.peak_flops = report->device.flops,
		.peak_bandwidth = report->device.bandwidth};
	struct model_file *file = &report->file;
	char batch[32];
	enum tfprof_status status = model_file_open(file, in, &file_options, err);

	if (status != TFPROF_OK)
		return status;
	options.by_node = file->is_of_layers;
	status = model_file_walk(file, &report->walk, in, keeps_all, err);
	if (status != TFPROF_OK)
		return status;
	snprintf(batch, sizeof(batch), "%lld", (long long)report->walk.conflict_ratio);
	if (file->assumes_batch && !file->asks_batch && report->walk.conflict_ratio > 1)
		return error_set(err, TFPROF_FORMAT,
			"%s: batch %lld does not fit: %s; the file seems made for batch %lld: "
			"give %s",
			report->name, (long long)file->batch_size,
			buf_get(&report->walk.conflict).at, (long long)report->walk.conflict_ratio,
			SETTING("batch_size", batch));
	if (!summary_make(&report->summary, &report->walk, &options))
		return error_no_memory(err);
	model_keras_check(file, report->summary.total.parameters, report->walk.config_surplus);
	return TFPROF_OK;
}

/* ---- order ---------------------------------------------------------------------- */
struct sort_key {
	struct span name;
	int64_t number;
	uint32_t index;
};

static int64_t number_of(const struct layer *l, enum model_order order)
{
	switch (order) {
#define X(word, value) \
	case MODEL_ORDER_##word: return value;
		MODEL_NUMBERS(X)
#undef X
	default: return 0;
	}
}

static int by_key(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	int c;

	if (x->number != y->number)
		return x->number > y->number ? -1 : 1;
	c = span_compare(x->name, y->name);
	return c ? c : (x->index > y->index) - (x->index < y->index);
}

static enum tfprof_status sort_layers(struct model_report *report, struct tfprof_error *err)
{
	enum model_order order = (enum model_order)report->options->number[OPT_MODEL_ORDER_BY];
	size_t n = report->summary.layers.n;
	struct sort_key *keys = mem_array(n + 1, sizeof(*keys));

	report->order = mem_array(n + 1, sizeof(*report->order));
	if (!keys || !report->order) {
		mem_free(keys);
		return error_no_memory(err);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct layer *l = &report->summary.layers.at[i];

		keys[i] = (struct sort_key){{"", 0}, number_of(l, order), i};
		if (order == MODEL_ORDER_LAYER)
			keys[i].number = -(int64_t)l->place;
		if (order == MODEL_ORDER_NAME)
			keys[i].name = l->name;
	}
	qsort(keys, n, sizeof(*keys), by_key);
	for (size_t i = 0; i < n; i++)
		report->order[i] = keys[i].index;
	mem_free(keys);
	return TFPROF_OK;
}

/* ---- totals --------------------------------------------------------------------- */

/* What the totals lack: operations, or turns of loops whose number nobody gave. */
static void put_lacks(struct buf *b, const struct model_report *report)
{
	const struct summary *s = &report->summary;
	bool is_given = report->options->number[OPT_TRIP_COUNT];
	const char *before = "";

	for (size_t i = 0; i < s->ops.n; i++) {
		if (!s->ops.at[i].n_not_counted)
			continue;
		buf_printf(b, "%s%zu ", before, s->ops.at[i].n_not_counted);
		buf_span(b, s->ops.at[i].type);
		before = ", ";
	}
	for (size_t i = 0; !is_given && i < report->walk.notes.n; i++) {
		if (report->walk.notes.at[i].kind != NOTE_LOOP_UNKNOWN)
			continue;
		buf_printf(b, "%sturns of %zu loop%s (give %s)", before, report->walk.notes.at[i].n,
			report->walk.notes.at[i].n == 1 ? "" : "s", SETTING("trip_count", "N"));
		before = ", ";
	}
	for (size_t i = 0; i < report->walk.notes.n; i++) {
		if (!walk_note_is_gap(&report->walk.notes.at[i]))
			continue;
		buf_text(b, before);
		walk_note_put(&report->walk.notes.at[i], b);
		before = ", ";
	}
}

void model_get_totals(const struct model_report *report, struct totals *t)
{
	const struct layer *l = &report->summary.total;

#define X(word, value) totals_set(t, TOTAL_##word, value);
	MODEL_NUMBERS(X)
#undef X
	totals_set(t, TOTAL_peak_activation_bytes, report->summary.peak_bytes);
	t->lacking = RUNS_MISSING;
	put_lacks(&t->lacks, report);
}

/* ---- asking --------------------------------------------------------------------- */

enum tfprof_status model_count(struct model_report **made, const struct tfprof_input *in,
	const struct asked *q, bool keeps_all, struct tfprof_error *err)
{
	struct model_report *report = *made = mem_zero(sizeof(*report));
	enum tfprof_status status;

	if (!report)
		return error_no_memory(err);
	report->options = q->options;
	report->device = choose_device(report->options);
	report->name = span_copy(span_of(in->path ? in->path : "model"));
	if (!report->name)
		return error_no_memory(err);
	if (!(report->device.flops > 0) != !(report->device.bandwidth > 0))
		return error_set(err, TFPROF_ARGUMENT, "%s and %s go together: give both, or %s",
			OPTION("peak_flops"), OPTION("peak_bandwidth"), OPTION("device"));
	status = count(report, in, q->reading, keeps_all, err);
	return status == TFPROF_OK ? sort_layers(report, err) : status;
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	struct model_report *report;
	struct totals totals = {0};
	enum tfprof_status status = model_count(&report, q->file, q, false, err);

	a->detail = report;
	if (status != TFPROF_OK)
		return status;
	if (!model_make_table(report, &a->table))
		return error_no_memory(err);
	model_collect_notes(report, a);
	model_get_totals(report, &totals);
	return totals_check(&totals, a, report->options, err);
}

const struct question model_question = {
	.name = "model",
	.takes = TAKES_MODEL,
	.summary = "what a model costs, by layer",
	.description =
		"Reads a model file and prints parameters, multiply-accumulates (MACs), float "
		"operations (FLOPs) and memory of each layer and in total, without TensorFlow and "
		"without running the model: SavedModel, .keras, .h5, .tflite, .meta and "
		"frozen graphs.",
	.example = "--batch_size=8 --order_by=macs",
	.options_title = "Options for model, besides max_depth, order_by and output",
	.usage = "FILE|DIR [OPTION...]",
	.run = run,
	.free_detail = model_report_free,
};
