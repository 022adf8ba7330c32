/* roofline: how far operations of compiled programs are from the device's limits.
 *
 *     float operations / peak ──┐
 *                               ├─ the larger is the shortest possible time: efficiency = that /
 * time bytes / bandwidth ────────┘                                            lost = time - that
 *
 * Sums of operations add up those times; they do not divide sums. */
#include <stdlib.h>

#include "ask/accelerators.h"
#include "ask/question.h"
#include "ask/tables.h"
#include "load/anatomy/hosts.h"
#include "load/compiled_rows.h"
#include "query/format.h"
#include "base/spelling.h"
#include "query/model_options.h"

/* id, name, type, unit */
/* clang-format off */
#define ROOFLINE_COLUMNS(X)                                                    \
	X(PROGRAM, "program", TEXT, NULL)                                      \
	X(KIND, "kind", TEXT, NULL)                                            \
	X(LAYER, "layer", TEXT, NULL)                                          \
	X(LINE, "line", TEXT, NULL)                                            \
	X(EXECUTIONS, "executions", INT64, "count")                            \
	X(TIME, "exec_micros", DOUBLE, "microseconds")                         \
	X(FLOAT_OPS, "float_ops", INT64, "count")                              \
	X(MATRIX, "matrix_float_ops", INT64, "count")                          \
	X(TRANSCENDENTALS, "transcendentals", INT64, "count")                  \
	X(BYTES, "bytes_accessed", INT64, "bytes")                             \
	X(SENT, "communication_bytes", INT64, "bytes")                         \
	X(UNKNOWN, "unknown", INT64, NULL)                                     \
	X(FLOAT_OPS_RATE, "float_ops_per_second", DOUBLE, "count")             \
	X(BYTES_RATE, "bytes_per_second", DOUBLE, "bytes")                     \
	X(INTENSITY, "float_ops_per_byte", DOUBLE, NULL)                       \
	X(BOUND, "bound", TEXT, NULL)                                          \
	X(EFFICIENCY, "efficiency", DOUBLE, NULL)                              \
	X(LOST, "lost_micros", DOUBLE, "microseconds")
/* clang-format on */

enum {
#define X(id, ...) COLUMN_##id,
	ROOFLINE_COLUMNS(X)
#undef X
		N_COLUMNS
};

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, one) {name, TFPROF_COLUMN_##type, one, 0},
	ROOFLINE_COLUMNS(X)
#undef X
};

/* Per second and device; 0: not known. */
struct peaks {
	double float_ops, bytes;
	bool is_of_file; /* one of them: they are no limits of the host */
};

/* An operation, or several. */
struct group {
	const struct compiled_row *row; /* the first */
	struct span name;
	uint32_t n;
	int64_t executions, self_ps, n_unknown, n_transfers;
	struct hlo_cost cost;
	int64_t roofed_ps;                  /* of those with a roof */
	double roof_s, compute_s, memory_s; /* of those */
};

typedef VEC(struct group) groups;

/* ---- roofs ----------------------------------------------------------------------- */

/* Communication, transfers and waiting have other limits, and what is not counted has none. */
static bool has_roof(const struct compiled_row *row, const struct peaks *peaks)
{
	return !(peaks->is_of_file && !row->is_on_accelerator) && !row->is_transfer &&
		!row->is_unknown && row->kind != HLO_KIND_COLLECTIVE &&
		row->kind != HLO_KIND_WAITING && row->kind != HLO_KIND_CONTROL;
}

static void add_row(struct group *g, const struct compiled_row *row, const struct peaks *peaks)
{
	double compute_s = 0, memory_s = 0;

	g->n++;
	g->executions += row->executions;
	g->self_ps += row->self_ps;
	g->n_unknown += row->is_unknown;
	g->n_transfers += row->is_transfer;
	hlo_add(&g->cost.float_ops, row->cost.float_ops);
	hlo_add(&g->cost.matrix_float_ops, row->cost.matrix_float_ops);
	hlo_add(&g->cost.transcendentals, row->cost.transcendentals);
	hlo_add(&g->cost.bytes, row->cost.bytes);
	hlo_add(&g->cost.sent_bytes, row->cost.sent_bytes);
	if (!has_roof(row, peaks))
		return;
	if (peaks->float_ops > 0)
		compute_s = (double)row->cost.float_ops / peaks->float_ops;
	if (peaks->bytes > 0)
		memory_s = (double)row->cost.bytes / peaks->bytes;
	g->roofed_ps += row->self_ps;
	g->compute_s += compute_s;
	g->memory_s += memory_s;
	g->roof_s += compute_s > memory_s ? compute_s : memory_s;
}

static const char *bound_without_roof(const struct compiled_row *row)
{
	return row->is_transfer ? "transfer"
		: row->kind == HLO_KIND_COLLECTIVE || row->kind == HLO_KIND_WAITING
		? "communication"
		: row->is_unknown ? "unknown"
				  : NULL;
}

static const char *bound_of(const struct group *g, const struct peaks *peaks, double efficiency)
{
	if (peaks->float_ops > 0 && peaks->bytes > 0)
		return efficiency < 0.1              ? "latency"
			: g->compute_s > g->memory_s ? "compute"
						     : "memory";
	if (peaks->bytes > 0)
		return efficiency >= 0.5 ? "memory" : "latency or compute";
	return efficiency >= 0.5 ? "compute" : "latency or memory";
}

static bool has_peaks(const struct peaks *peaks)
{
	return peaks->float_ops > 0 || peaks->bytes > 0;
}

static void put_roof(struct column_table *t, size_t at, const struct group *g,
	const struct peaks *peaks)
{
	double seconds = (double)g->roofed_ps / 1e12, efficiency;
	const char *bound = g->n == 1 || !g->roofed_ps ? bound_without_roof(g->row) : NULL;

	if (bound && !g->roofed_ps) {
		table_set_text(t, at, COLUMN_BOUND, span_of(bound));
		return;
	}
	if (!has_peaks(peaks) || !g->roofed_ps)
		return;
	efficiency = g->roof_s / seconds;
	table_set_text(t, at, COLUMN_BOUND, span_of(bound_of(g, peaks, efficiency)));
	table_set_double(t, at, COLUMN_EFFICIENCY, efficiency);
	table_set_double(t, at, COLUMN_LOST, seconds > g->roof_s ? (seconds - g->roof_s) * 1e6 : 0);
}

/* ---- groups ---------------------------------------------------------------------- */

/* Nothing to group by. */
static struct span or_none(struct span text, const char *none)
{
	return text.n ? text : span_of(none);
}

static struct span name_of(const struct compiled_rows *rows, const struct model *m,
	const struct compiled_row *row, enum roofline_by by)
{
	switch (by) {
	case ROOFLINE_BY_KIND: return span_of(hlo_kind_texts[row->kind]);
	case ROOFLINE_BY_LAYER: return or_none(strings_get(&rows->texts, row->layer), "(no scope)");
	case ROOFLINE_BY_LINE: return or_none(strings_get(&rows->texts, row->line), "(no line)");
	case ROOFLINE_BY_PROGRAM: return model_text(m, m->compiled.programs.at[row->program].name);
	default: return strings_get(&rows->texts, row->name);
	}
}

static uint32_t key_of(const struct compiled_row *row, enum roofline_by by)
{
	switch (by) {
	case ROOFLINE_BY_KIND: return row->kind;
	case ROOFLINE_BY_LAYER: return row->layer;
	case ROOFLINE_BY_LINE: return row->line;
	default: return row->program;
	}
}

static int by_key(const void *a, const void *b, void *context)
{
	const struct compiled_row *x = *(const struct compiled_row *const *)a;
	const struct compiled_row *y = *(const struct compiled_row *const *)b;
	const enum roofline_by *by = context;
	uint32_t i = key_of(x, *by), k = key_of(y, *by);

	if (i != k)
		return i < k ? -1 : 1;
	return (x > y) - (x < y);
}

static bool group_rows(groups *list, const struct compiled_rows *rows, const struct model *m,
	enum roofline_by by, const struct peaks *peaks)
{
	const struct compiled_row **sorted = mem_array(rows->at.n + 1, sizeof(*sorted));
	bool ok = sorted != NULL;

	for (size_t i = 0; ok && i < rows->at.n; i++)
		sorted[i] = &rows->at.at[i];
	if (ok && rows->at.n)
		qsort_r(sorted, rows->at.n, sizeof(*sorted), by_key, &by);
	for (size_t i = 0; ok && i < rows->at.n; i++) {
		bool is_new = by == ROOFLINE_BY_OP || !i ||
			key_of(sorted[i], by) != key_of(sorted[i - 1], by);

		if (is_new)
			ok = vec_push(list,
				((struct group){.row = sorted[i],
					.name = name_of(rows, m, sorted[i], by)}));
		if (ok)
			add_row(&list->at[list->n - 1], sorted[i], peaks);
	}
	mem_free(sorted);
	return ok;
}

/* Where most can be won first: by time lost, or by time. */
static int most_lost_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	double i = (double)x->roofed_ps / 1e12 - x->roof_s;
	double k = (double)y->roofed_ps / 1e12 - y->roof_s;

	if (x->roof_s + y->roof_s > 0 && i != k)
		return i > k ? -1 : 1;
	if (x->self_ps != y->self_ps)
		return x->self_ps > y->self_ps ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* ---- the table ------------------------------------------------------------------- */

static void put_rates(struct column_table *t, size_t at, const struct group *g)
{
	double seconds = (double)g->self_ps / 1e12;

	if (seconds > 0 && !g->n_unknown)
		table_set_double(t, at, COLUMN_FLOAT_OPS_RATE, (double)g->cost.float_ops / seconds);
	/* A transfer goes on beside the operations that begin it and wait for it. */
	if (seconds > 0 && !g->n_transfers)
		table_set_double(t, at, COLUMN_BYTES_RATE, (double)g->cost.bytes / seconds);
	if (g->cost.bytes > 0 && !g->n_unknown)
		table_set_double(t, at, COLUMN_INTENSITY,
			(double)g->cost.float_ops / (double)g->cost.bytes);
}

static void put_group(struct answer *a, const struct compiled_rows *rows, const struct model *m,
	const struct group *g, enum roofline_by by, const struct peaks *peaks)
{
	struct column_table *t = &a->table;
	size_t at = column_table_add_row(t, 0, g->name);

	if (by == ROOFLINE_BY_OP || by == ROOFLINE_BY_PROGRAM)
		table_set_text(t, at, COLUMN_PROGRAM,
			model_text(m, m->compiled.programs.at[g->row->program].name));
	if (by == ROOFLINE_BY_OP || by == ROOFLINE_BY_KIND)
		table_set_text(t, at, COLUMN_KIND, span_of(hlo_kind_texts[g->row->kind]));
	if (by == ROOFLINE_BY_OP || by == ROOFLINE_BY_LAYER)
		table_set_text(t, at, COLUMN_LAYER, strings_get(&rows->texts, g->row->layer));
	if (by == ROOFLINE_BY_OP || by == ROOFLINE_BY_LINE)
		table_set_text(t, at, COLUMN_LINE, strings_get(&rows->texts, g->row->line));
	table_set_int(t, at, COLUMN_EXECUTIONS, g->executions);
	table_set_double(t, at, COLUMN_TIME, (double)g->self_ps / 1e6);
	/* What cannot be counted is not 0. */
	if (g->n > g->n_unknown) {
		table_set_int(t, at, COLUMN_FLOAT_OPS, g->cost.float_ops);
		table_set_int(t, at, COLUMN_MATRIX, g->cost.matrix_float_ops);
		table_set_int(t, at, COLUMN_TRANSCENDENTALS, g->cost.transcendentals);
	}
	table_set_int(t, at, COLUMN_BYTES, g->cost.bytes);
	table_set_int(t, at, COLUMN_SENT, g->cost.sent_bytes);
	table_set_int(t, at, COLUMN_UNKNOWN, g->n_unknown);
	put_rates(t, at, g);
	put_roof(t, at, g, peaks);
}

/* ---- the whole trace -------------------------------------------------------------- */

static struct peaks read_peaks(const struct tfprof_options *o)
{
	static const struct peaks sheets[] = {
#define X(name, flops, type, bandwidth) {flops, bandwidth, false},
		MODEL_DEVICES(X)
#undef X
	};
	int64_t device = o->number[OPT_DEVICE];
	struct peaks peaks = device > 0 ? sheets[device - 1] : (struct peaks){0, 0, false};

	if (o->number[OPT_PEAK_FLOPS] > 0)
		peaks.float_ops = (double)o->number[OPT_PEAK_FLOPS];
	if (o->number[OPT_PEAK_BANDWIDTH] > 0)
		peaks.bytes = (double)o->number[OPT_PEAK_BANDWIDTH];
	return peaks;
}

/* What all accelerators of the trace agree on; 0: they differ, or one does not tell. */
static struct accelerator_facts read_facts(const struct asked *q)
{
	const struct model *m = q->model;
	struct accelerator_facts facts = {0};

	for (size_t i = 0; i < m->accelerators.n; i++) {
		const struct accelerator_facts *of = &m->accelerators.at[i].facts;
		double peak_flops = accelerator_peak_flops(of, q->options);

		if (!i) {
			facts = *of;
			facts.peak_flops = peak_flops;
		}
		if (peak_flops != facts.peak_flops)
			facts.peak_flops = 0;
		if (of->peak_bandwidth != facts.peak_bandwidth)
			facts.peak_bandwidth = 0;
	}
	return facts;
}

/* "8.10T", for notes. */
static const char *shorten(struct buf *b, enum unit unit, double value)
{
	b->n = 0;
	format_number(b, unit, value < 9e18 ? llround(value) : INT64_MAX);
	return b->failed ? "" : b->at;
}

/* What options leave open is taken from the file. */
static void add_peaks_of_file(struct answer *a, const struct asked *q, struct peaks *peaks)
{
	struct accelerator_facts facts = read_facts(q);
	struct buf peak = {0};

	if (!(peaks->float_ops > 0) && facts.peak_flops > 0) {
		peaks->float_ops = facts.peak_flops;
		peaks->is_of_file = true;
		answer_note(a, "file_flops",
			"peak of each device, %s: %s float operations per second",
			q->options->number[OPT_PEAK_FLOPS] == PEAK_FLOPS_SHEET &&
					facts.peak_flops == facts.sheet_flops
				? "16-bit, from its cores and clock"
				: "from the file",
			shorten(&peak, UNIT_COUNT, facts.peak_flops));
	}
	if (!(peaks->bytes > 0) && facts.peak_bandwidth > 0) {
		peaks->bytes = facts.peak_bandwidth;
		peaks->is_of_file = true;
		answer_note(a, "file_bandwidth",
			"peak of each device, from the file: %s per second%s",
			shorten(&peak, UNIT_BYTES, facts.peak_bandwidth),
			facts.is_doubled ? ", twice what it records, which is half of the device's"
					 : "");
	}
	if (peaks->is_of_file && !(peaks->float_ops > 0))
		answer_note(a, "no_peak_flops",
			"the file has no peak of float operations: efficiency is that of the "
			"bandwidth alone, which is not what limits large products; %s computes one "
			"from cores and clock",
			SETTING("peak_flops", "sheet"));
	buf_clear(&peak);
}

/* The steps of a trace, on the clock. */
struct stepped {
	size_t n;       /* 0: there are none */
	double seconds; /* each takes */
};

static enum tfprof_status read_steps(struct stepped *s, const struct asked *q,
	struct tfprof_error *err)
{
	struct tfprof_error why;
	struct anatomy_hosts hosts;
	enum tfprof_status status = anatomy_hosts_read(&hosts, q->model, (struct span){0}, &why);
	const struct anatomy *a = status == TFPROF_OK ? anatomy_hosts_get(&hosts) : NULL;
	struct anatomy_total total;

	*s = (struct stepped){0};
	if (a && a->by != ANATOMY_WHOLE && a->by != ANATOMY_NONE) {
		anatomy_sum(a, &total);
		if (total.n_steps)
			*s = (struct stepped){a->steps.n,
				(double)total.wall_ps / 1e12 / (double)total.n_steps};
	}
	anatomy_hosts_clear(&hosts);
	if (status != TFPROF_NO_MEMORY && status != TFPROF_CANCELLED)
		return TFPROF_OK;
	*err = why;
	return status;
}

static size_t count_devices(const struct model *m)
{
	struct tfprof_summary s;

	table_summarize(m, &s);
	return m->accelerators.n ? m->accelerators.n : s.n_devices ? s.n_devices : 1;
}

/* Shares of the peak of all devices that matrix operations reach: over the time of a step or, if
 * there are none, over that of all operations. */
static enum tfprof_status put_utilization(struct answer *a, const struct asked *q,
	const struct compiled_rows *rows, const struct peaks *peaks, struct tfprof_error *err)
{
	double seconds = 0, unknown_s = 0, hardware = 0, model = 0, possible;
	struct buf peak = {0}, took = {0};
	const char *at_least;
	struct stepped steps;
	enum tfprof_status status;

	for (size_t i = 0; i < rows->at.n; i++) {
		const struct compiled_row *row = &rows->at.at[i];
		double row_s = (double)row->self_ps / 1e12;

		if (peaks->is_of_file && !row->is_on_accelerator)
			continue;
		seconds += row_s;
		unknown_s += row->is_unknown ? row_s : 0;
		hardware += (double)row->cost.matrix_float_ops;
		model += row->is_recomputed ? 0 : (double)row->cost.matrix_float_ops;
	}
	if (seconds > 0)
		answer_put_double(a, "unknown_share", unknown_s / seconds);
	if (!(peaks->float_ops > 0) && unknown_s > 0.0005 * seconds)
		answer_note(a, "unknown_cost",
			"%.1f%% of the time of operations has unknown float operations and bytes",
			100 * unknown_s / seconds);
	if (!(seconds > 0 && peaks->float_ops > 0))
		return TFPROF_OK;
	status = read_steps(&steps, q, err);
	if (status != TFPROF_OK)
		return status;
	possible = peaks->float_ops *
		(steps.n ? steps.seconds * (double)(steps.n * count_devices(q->model)) : seconds);
	at_least = unknown_s > 0.05 * seconds ? "at least " : "";
	answer_put_double(a, "mfu", model / possible);
	answer_put_double(a, "hfu", hardware / possible);
	answer_note(a, "utilization",
		"MFU %s%.2f%%, HFU %s%.2f%% of %s float operations per second and device, over "
		"%s%s%s; %.1f%% of the time of operations has unknown cost",
		at_least, 100 * model / possible, at_least, 100 * hardware / possible,
		shorten(&peak, UNIT_COUNT, peaks->float_ops), steps.n ? "steps of " : "the ",
		shorten(&took, UNIT_MICROS, 1e6 * (steps.n ? steps.seconds : seconds)),
		steps.n ? "" : " that operations took: there are no steps",
		100 * unknown_s / seconds);
	buf_clear(&peak);
	buf_clear(&took);
	return TFPROF_OK;
}

static void put_peaks(struct answer *a, const struct peaks *peaks)
{
	if (peaks->float_ops > 0)
		answer_put_double(a, "peak_flops", peaks->float_ops);
	else
		answer_put_null(a, "peak_flops");
	if (peaks->bytes > 0)
		answer_put_double(a, "peak_bandwidth", peaks->bytes);
	else
		answer_put_null(a, "peak_bandwidth");
	if (!has_peaks(peaks))
		answer_note(a, "no_peaks", "no roof: give %s, or %s and %s", SETTING("device", ""),
			SETTING("peak_flops", ""), SETTING("peak_bandwidth", ""));
}

static void note_limits(struct answer *a, const groups *list, const struct compiled_rows *rows)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].roof_s > 1.05 * (double)list->at[i].roofed_ps / 1e12 &&
			list->at[i].roofed_ps > 0) {
			answer_note(a, "above_peak",
				"efficiencies above 105%%: the data was cached, or the peak is too "
				"low");
			break;
		}
	if (rows->n_damaged)
		answer_note(a, "damaged", "%zu compiled programs are damaged and left out",
			rows->n_damaged);
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	enum tfprof_status status = model_check_traces(q->model, err);
	enum roofline_by by = (enum roofline_by)q->options->number[OPT_BY];
	struct peaks peaks = read_peaks(q->options);
	struct compiled_rows rows = {0};
	groups list = {0};
	bool ok;

	if (status != TFPROF_OK)
		return status;
	if (by == ROOFLINE_BY_KERNEL)
		return error_set(err, TFPROF_ARGUMENT,
			"roofline is of operations: expected by op, kind, layer, line or program");
	add_peaks_of_file(a, q, &peaks);
	ok = compiled_rows_read(&rows, q->model) &&
		group_rows(&list, &rows, q->model, by, &peaks) &&
		column_table_init_tree(&a->table, infos, N_COLUMNS);
	if (ok) {
		put_peaks(a, &peaks);
		status = put_utilization(a, q, &rows, &peaks, err);
		note_limits(a, &list, &rows);
		column_table_add_row(&a->table, TABLE_NO_PARENT, SPAN("roofline"));
		if (list.n)
			qsort(list.at, list.n, sizeof(*list.at), most_lost_first);
		for (size_t i = 0; i < list.n; i++)
			put_group(a, &rows, q->model, &list.at[i], by, &peaks);
	}
	vec_clear(&list);
	compiled_rows_clear(&rows);
	return ok ? status : error_no_memory(err);
}

static bool ran(const struct asked *q)
{
	return q->model->compiled.ops.n > 0;
}

static const struct question_need needs[] = {
	{ran, "no compiled program ran",
		"a trace (*.xplane.pb) of JAX, or of TensorFlow with jit_compile=True"},
	{NULL, NULL, NULL},
};

static const char *const sums[] = {"executions", "exec_micros", "float_ops", "matrix_float_ops",
	"transcendentals", "bytes_accessed", "communication_bytes", "lost_micros", NULL};

const struct question roofline_question = {
	.name = "roofline",
	.summary = "how far compiled operations are from the device's limits",
	.description =
		"Prints the operations of programs that XLA compiled: executions, time, float "
		"operations and bytes of all executions, counted from shapes, and how fast that "
		"is. With the peak figures of a device, what bounds each, its efficiency, and the "
		"time lost: operations with the most to win come first.",
	.example = "-device T4",
	.state = QUESTION_LOADED,
	.sums = sums,
	.needs = needs,
	.not_saved = "compiled programs",
	.run = run,
};
