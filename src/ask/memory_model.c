/* memory of a model file: an estimate of what a call of it takes, or a training step.
 *
 *     mlp.keras (training, batch 64)   the peak                 columns: bytes, peak_bytes, …
 *     ├─ weights
 *     ├─ optimizer slots
 *     ├─ inputs
 *     ├─ gradients                     all; and those alive at the peak
 *     ├─ activations                   kept for the backward pass
 *     │  └─ dense                      by layer
 *     └─ scratch                       of the step of the backward pass at the peak
 *
 * count/training.h has the estimate. */
#include <stdlib.h>

#include "ask/memory_parts.h"
#include "ask/model_report.h"
#include "base/spelling.h"
#include "count/training.h"
#include "query/format.h"
#include "query/model_options.h"

enum { BYTES, PEAK, SHAPE, LAYER, N_MODEL_COLUMNS, MOST_BATCH = 1 << 24 };

static const struct tfprof_column_info infos[] = {{"bytes", TFPROF_COLUMN_INT64, "bytes", 0},
	{"peak_bytes", TFPROF_COLUMN_INT64, "bytes", 0}, {"shape", TFPROF_COLUMN_TEXT, NULL, 0},
	{"layer", TFPROF_COLUMN_TEXT, NULL, 0}};

/* A model at a batch size. */
struct estimate {
	struct model_report *report;
	struct training training;
	const struct model_dtype *dtype;
	int64_t weights, trainable; /* bytes while it runs */
	int64_t casts;              /* of mixed types: weights in the smaller one */
	int64_t slots, inputs;
	int64_t activations; /* of a call: alive at its peak */
	int64_t peak;
};

static void clear(struct estimate *x)
{
	training_clear(&x->training);
	model_report_free(x->report);
	*x = (struct estimate){0};
}

/* ---- estimating --------------------------------------------------------------------- */

static int64_t trainable_bytes(const struct estimate *x)
{
	const struct summary *s = &x->report->summary;

	if (x->report->file.hides_training || !s->total.parameters)
		return s->total.weight_bytes;
	if (s->total.trainable_parameters == s->total.parameters)
		return s->total.weight_bytes;
	/* Trained weights are float. */
	return count_multiply(s->total.trainable_parameters, 4);
}

static enum tfprof_status check_dtype(const struct estimate *x, struct tfprof_error *err)
{
	const struct summary *s = &x->report->summary;

	for (size_t i = 0; x->dtype->whole > 1 && i < s->dtypes.n; i++)
		if (s->dtypes.at[i].dtype != DT_FLOAT)
			return error_set(err, TFPROF_UNSUPPORTED,
				"%s: the model has weights of type %s: only those in float32 are "
				"halved",
				OPTION("dtype"), dtype_text(s->dtypes.at[i].dtype));
	return TFPROF_OK;
}

static void add_up_call(struct estimate *x)
{
	int64_t of_inputs = x->report->summary.input_bytes, all = x->report->summary.peak_bytes;

	x->activations =
		all > of_inputs ? (all - of_inputs) / x->dtype->whole * x->dtype->activations : 0;
	x->peak = count_add(count_add(x->weights, x->casts), count_add(x->inputs, x->activations));
}

static void add_up_training(struct estimate *x, const struct model_optimizer *optimizer)
{
	const struct training *t = &x->training;

	x->slots = count_multiply(x->trainable, optimizer->slots);
	x->peak = count_add(count_add(x->weights, x->casts), count_add(x->slots, x->inputs));
	x->peak = count_add(x->peak, count_add(t->peak_kept, t->peak_gradients));
	x->peak = count_add(x->peak, count_add(t->peak_scratch, t->indices));
}

/* Clear it in any case. */
static enum tfprof_status estimate(struct estimate *x, const struct asked *q,
	struct tfprof_error *err)
{
	const struct tfprof_options *o = q->options;
	enum tfprof_status status = model_count(&x->report, q->file, q, true, err);
	int64_t weights;

	x->dtype = &model_dtypes[o->number[OPT_TRAINING_DTYPE]];
	if (status == TFPROF_OK)
		status = check_dtype(x, err);
	if (status != TFPROF_OK)
		return status;
	weights = x->report->summary.total.weight_bytes;
	x->weights = weights / x->dtype->whole * x->dtype->weights;
	x->trainable = trainable_bytes(x) / x->dtype->whole * x->dtype->weights;
	x->inputs = x->report->summary.input_bytes;
	/* Mixed: a copy in the smaller type. */
	if (x->dtype->weights != x->dtype->activations)
		x->casts = weights / x->dtype->whole * x->dtype->activations;
	if (!o->number[OPT_TRAINING]) {
		add_up_call(x);
		return TFPROF_OK;
	}
	if (!training_estimate(&x->training, &x->report->walk,
		    &(struct training_scale){x->dtype->activations, x->dtype->weights,
			    x->dtype->whole},
		    x->report->file.hides_training))
		return error_no_memory(err);
	add_up_training(x, &model_optimizers[o->number[OPT_OPTIMIZER]]);
	return TFPROF_OK;
}

/* ---- the largest batch ---------------------------------------------------------------- */

static enum tfprof_status fits(const struct asked *q, int64_t batch, bool *does,
	struct tfprof_error *err)
{
	struct estimate x = {0};
	enum tfprof_status status;

	q->options->number[OPT_BATCH_SIZE] = batch;
	status = estimate(&x, q, err);
	*does = status == TFPROF_OK && x.peak <= q->options->number[OPT_MEMORY_LIMIT];
	clear(&x);
	return status;
}

/* 0: not even one. */
static enum tfprof_status find_batch(const struct asked *q, int64_t *batch,
	struct tfprof_error *err)
{
	int64_t low = 0, high = 1, given = q->options->number[OPT_BATCH_SIZE];
	enum tfprof_status status = TFPROF_OK;
	bool does = true;

	while (status == TFPROF_OK && does && high <= MOST_BATCH && !(q->cancel && *q->cancel)) {
		status = fits(q, high, &does, err);
		if (does) {
			low = high;
			high *= 2;
		}
	}
	while (status == TFPROF_OK && low + 1 < high && high <= MOST_BATCH &&
		!(q->cancel && *q->cancel)) {
		int64_t middle = low + (high - low) / 2;

		status = fits(q, middle, &does, err);
		if (does)
			low = middle;
		else
			high = middle;
	}
	q->options->number[OPT_BATCH_SIZE] = given;
	*batch = low;
	return status;
}

/* ---- the table ------------------------------------------------------------------------- */

static size_t put_part(struct answer *a, size_t parent, struct span name, int64_t bytes,
	int64_t peak)
{
	size_t at = column_table_add_row(&a->table, parent, name);

	table_set_int(&a->table, at, BYTES, bytes);
	table_set_int(&a->table, at, PEAK, peak);
	return at;
}

struct layer_kept {
	uint32_t layer;
	int64_t bytes, peak;
};

static int most_first(const void *a, const void *b)
{
	const struct layer_kept *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->layer > y->layer) - (x->layer < y->layer);
}

static void put_layer(struct answer *a, size_t parent, const struct summary *s,
	const struct layer_kept *kept)
{
	bool is_other = kept->layer == s->layers.n;
	const struct layer *layer = is_other ? NULL : &s->layers.at[kept->layer];
	struct span name = is_other ? SPAN("(other)") : layer->name;
	size_t at = put_part(a, parent, name, kept->bytes, kept->peak);
	struct buf shape = {0};

	if (is_other)
		return;
	model_put_shape(&shape, &layer->out);
	table_set_text(&a->table, at, SHAPE, buf_get(&shape));
	table_set_text(&a->table, at, LAYER, name);
	a->failed |= shape.failed;
	buf_clear(&shape);
}

/* *largest: the layer that keeps most; NONE. */
static bool put_kept(struct answer *a, size_t parent, const struct estimate *x,
	struct layer_kept *largest)
{
	const struct summary *s = &x->report->summary;
	size_t n = s->layers.n + 1;
	struct layer_kept *kept = mem_zero_array(n, sizeof(*kept));

	if (!kept)
		return false;
	for (uint32_t i = 0; i < n; i++)
		kept[i].layer = i;
	for (size_t i = 0; i < x->report->walk.records.n; i++) {
		uint32_t layer = s->layer_of[i] == NONE ? (uint32_t)n - 1 : s->layer_of[i];
		int64_t bytes = x->training.parts[i].kept;

		kept[layer].bytes = count_add(kept[layer].bytes, bytes);
		if (i <= x->training.peak && x->training.peak != SIZE_MAX)
			kept[layer].peak = count_add(kept[layer].peak, bytes);
	}
	qsort(kept, n, sizeof(*kept), most_first);
	*largest = kept[0];
	for (size_t i = 0; i < n && kept[i].bytes; i++)
		put_layer(a, parent, s, &kept[i]);
	mem_free(kept);
	return true;
}

static bool put_training(struct answer *a, size_t parent, const struct estimate *x,
	struct layer_kept *largest)
{
	const struct training *t = &x->training;
	size_t at;

	put_part(a, parent, SPAN("optimizer slots"), x->slots, x->slots);
	put_part(a, parent, SPAN("gradients"), t->gradients, t->peak_gradients);
	at = put_part(a, parent, SPAN("activations"), t->kept, t->peak_kept);
	if (!put_kept(a, at, x, largest))
		return false;
	put_part(a, parent, SPAN("scratch"), t->peak_scratch, t->peak_scratch);
	if (t->indices)
		put_part(a, parent, SPAN("max-pool indices"), t->indices, t->indices);
	return true;
}

static int64_t batch_of(const struct estimate *x)
{
	return x->report->file.assumes_batch ? x->report->file.batch_size : 0;
}

static bool put_table(struct answer *a, const struct estimate *x, bool is_training,
	struct layer_kept *largest)
{
	struct buf name = {0};
	size_t at;
	bool ok = column_table_init_tree(&a->table, infos, N_MODEL_COLUMNS);

	if (!ok)
		return false;
	buf_printf(&name, "%s (%s", x->report->name, is_training ? "training" : "a call");
	if (batch_of(x))
		buf_printf(&name, ", batch %lld", (long long)batch_of(x));
	buf_text(&name, ")");
	column_table_add_row(&a->table, TABLE_NO_PARENT, SPAN("memory"));
	at = put_part(a, 0, buf_get(&name), x->peak, x->peak);
	a->failed |= name.failed;
	buf_clear(&name);
	put_part(a, at, SPAN("weights"), x->weights, x->weights);
	if (x->casts)
		put_part(a, at, SPAN("weights in the smaller type"), x->casts, x->casts);
	put_part(a, at, SPAN("inputs"), x->inputs, x->inputs);
	if (is_training)
		return put_training(a, at, x, largest);
	put_part(a, at, SPAN("activations"), x->activations, x->activations);
	return true;
}

/* ---- the sentence ------------------------------------------------------------------------ */

static void put_headline(struct answer *a, const struct estimate *x, const struct asked *q,
	const struct layer_kept *largest, int64_t batch)
{
	const struct tfprof_options *o = q->options;
	const struct summary *s = &x->report->summary;
	struct buf b = {0};

	buf_printf(&b, "estimate: %s of %s%s takes ",
		o->number[OPT_TRAINING] ? "a training step" : "a call", x->report->name,
		batch_of(x) ? "" : ", of the shapes in the file,");
	if (x->training.has_loop)
		buf_text(&b, "at least ");
	format_number(&b, UNIT_BYTES, x->peak);
	if (batch_of(x))
		buf_printf(&b, " at batch %lld", (long long)batch_of(x));
	if (largest->bytes && largest->layer < s->layers.n) {
		buf_text(&b, "; most is kept for the backward pass of ");
		buf_span(&b, s->layers.at[largest->layer].name);
		buf_text(&b, ", ");
		format_number(&b, UNIT_BYTES, largest->bytes);
	}
	if (batch >= 0) {
		buf_text(&b, "; in ");
		format_number(&b, UNIT_BYTES, o->number[OPT_MEMORY_LIMIT]);
		if (!batch)
			buf_text(&b, ", not even batch 1 fits");
		else if (batch >= MOST_BATCH)
			buf_text(&b, ", any batch fits");
		else
			buf_printf(&b, ", the largest batch that fits is %lld", (long long)batch);
	}
	a->failed |= b.failed;
	answer_put_text(a, "headline", buf_get(&b));
	buf_clear(&b);
}

static void put_notes(struct answer *a, const struct estimate *x, bool is_training)
{
	answer_note(a, "estimate", "%s",
		is_training ? "an estimate: of a step that XLA compiles for CPUs, in which weights "
			      "and slots are updated in place; GPUs need no max-pool indices, but "
			      "space for libraries, and other compilers keep other results"
			    : "an estimate: results live until their last use");
	if (x->training.n_unknown)
		answer_note(a, "no_rule",
			"at least: %zu operations have no rule for what they keep inside",
			x->training.n_unknown);
	if (x->training.has_loop)
		answer_note(a, "loop",
			"at least: of a loop, what operations need of each turn is counted, and "
			"XLA keeps "
			"up to three times as much; of a .keras file, LSTM and GRU have rules");
	model_collect_notes(x->report, a);
	for (size_t i = 0; i < a->notes.n; i++)
		a->notes.at[i].is_in_text = false;
}

static enum tfprof_status check_options(const struct tfprof_options *o, struct tfprof_error *err)
{
	if (!o->number[OPT_TRAINING] && options_is_given(o, OPT_OPTIMIZER))
		return error_set(err, TFPROF_ARGUMENT, "%s needs %s", OPTION("optimizer"),
			SWITCH("training"));
	return TFPROF_OK;
}

enum tfprof_status memory_of_model(struct answer *a, const struct asked *q,
	struct tfprof_error *err)
{
	bool is_training = q->options->number[OPT_TRAINING];
	struct estimate x = {0};
	struct layer_kept largest = {0};
	int64_t batch = -1;
	enum tfprof_status status = check_options(q->options, err);

	if (status == TFPROF_OK)
		status = estimate(&x, q, err);
	if (status == TFPROF_OK && q->options->number[OPT_MEMORY_LIMIT]) {
		if (x.report->file.assumes_batch)
			status = find_batch(q, &batch, err);
		else
			answer_note(a, "fixed_batch",
				"%s: the file fixes the shapes of all inputs: no batch to choose",
				OPTION("limit"));
	}
	if (status == TFPROF_OK && !put_table(a, &x, is_training, &largest))
		status = error_no_memory(err);
	if (status == TFPROF_OK) {
		put_headline(a, &x, q, &largest, batch);
		answer_put_int(a, "is_estimate", 1);
		answer_put_int(a, "estimated_peak_bytes", x.peak);
		if (batch_of(&x))
			answer_put_int(a, "batch_size", batch_of(&x));
		else
			answer_put_null(a, "batch_size");
		if (batch >= 0)
			answer_put_int(a, "largest_batch", batch);
		else
			answer_put_null(a, "largest_batch");
		put_notes(a, &x, is_training);
	}
	clear(&x);
	return status;
}
