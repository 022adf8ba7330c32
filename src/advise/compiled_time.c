/* Time of compiled programs that could be less: layout changes beside matrix products, operations
 * far from the device's limits, and products in 32 bits where 16 would do. */
#include "advise/advise.h"
#include "load/compiled_rows.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"min_micros", "1000", "Minimum time to report."},
	{"notice_micros", "10000", "Minimum time for a notice; less is information."},
	{"layout", "0.2",
		"Minimum share of time that layout changes take beside a matrix product."},
	{"share", "0.05", "Minimum share of time of an operation that is far from the limits."},
	{"efficiency", "0.1", "Share of the limits that such an operation does not reach."},
	{"half", "0.2", "Minimum share of accelerator time of products in 32 bits."},
	{"peak_flops", "0.0", "Peak float operations per second of each device; 0: as recorded."},
	{"peak_bandwidth", "0.0", "Peak bytes per second of each device; 0: as recorded."},
	{NULL, NULL, NULL},
};

/* What is being checked. */
struct timed {
	struct check *c;
	struct compiled_rows rows;
	double peak_flops, peak_bandwidth; /* 0: not known */
	bool is_recorded;                  /* those are of accelerators only */
	int64_t all_ps;
};

/* Rows that a finding is about. */
struct some {
	int64_t ps;
	size_t n;
	const struct compiled_row *longest;
};

static void add(struct some *s, const struct compiled_row *row)
{
	s->ps += row->self_ps;
	s->n++;
	if (!s->longest || row->self_ps > s->longest->self_ps)
		s->longest = row;
}

/* "mlp, model.py:20" */
static void put_place(struct timed *t, const struct compiled_row *row)
{
	struct span layer = strings_get(&t->rows.texts, row->layer);
	struct span line = strings_get(&t->rows.texts, row->line);
	struct buf *b = &t->c->text;

	buf_span(b, strings_get(&t->rows.texts, row->name));
	if (!layer.n && !line.n)
		return;
	buf_text(b, " (");
	buf_span(b, layer);
	buf_text(b, layer.n && line.n ? ", " : "");
	buf_span(b, line);
	buf_char(b, ')');
}

static void report(struct timed *t, const char *what, enum confidence confidence,
	const struct compiled_row *row, int64_t stake_ps, const char *remedy)
{
	struct check *c = t->c;
	size_t n_steps = c->model->steps.n ? c->model->steps.n : 1;
	int64_t micros = stake_ps / 1000000;
	struct finding *f = check_find(c, what,
		micros >= check_int(c, "notice_micros") ? TFPROF_LEVEL_NOTICE : TFPROF_LEVEL_NONE,
		confidence);

	f->stake_us = micros / (int64_t)n_steps;
	f->stake_share = (double)stake_ps / (double)t->all_ps;
	f->remedy = remedy;
	check_place(c, f,
		((struct place){.op = check_copy(c, strings_get(&t->rows.texts, row->name)),
			.line = check_copy(c, strings_get(&t->rows.texts, row->line)),
			.micros = row->self_ps / 1000000}));
}

static bool is_much(const struct timed *t, int64_t ps, const char *option)
{
	return ps / 1000000 >= check_int(t->c, "min_micros") &&
		(double)ps >= check_number(t->c, option) * (double)t->all_ps;
}

static void put_share(struct timed *t, int64_t ps)
{
	buf_printf(&t->c->text, "%.0f%% of the time of compiled operations (",
		100 * (double)ps / (double)t->all_ps);
	format_number(&t->c->text, UNIT_MICROS, ps / 1000000);
	buf_char(&t->c->text, ')');
}

static void check_layout(struct timed *t)
{
	struct some changes = {0}, products = {0};

	for (size_t i = 0; i < t->rows.at.n; i++) {
		const struct compiled_row *row = &t->rows.at.at[i];

		if (row->is_layout_change)
			add(&changes, row);
		else if (row->kind == HLO_KIND_MATMUL || row->kind == HLO_KIND_CONVOLUTION)
			add(&products, row);
	}
	if (!products.n || !changes.n || !is_much(t, changes.ps, "layout"))
		return;
	buf_text(&t->c->text, "Layout changes take ");
	put_share(t, changes.ps);
	buf_text(&t->c->text, ", most of it ");
	put_place(t, changes.longest);
	buf_printf(&t->c->text, "; matrix products and convolutions take %.0f%%.",
		100 * (double)products.ps / (double)t->all_ps);
	report(t, "layout_changes", CONFIDENCE_MEDIUM, changes.longest, changes.ps,
		"Keep arrays in the order that the product or convolution reads, such as channels "
		"last.");
}

/* The shortest possible time. */
static double roof_ps(const struct timed *t, const struct compiled_row *row)
{
	double compute = t->peak_flops > 0 ? (double)row->cost.float_ops / t->peak_flops : 0;
	double memory = t->peak_bandwidth > 0 ? (double)row->cost.bytes / t->peak_bandwidth : 0;

	return 1e12 * (compute > memory ? compute : memory);
}

/* Without the peak of float operations a product may be at its limit all the same. */
static bool can_tell(const struct timed *t, const struct compiled_row *row)
{
	bool is_product = row->cost.matrix_float_ops > 0;

	return (t->peak_flops > 0 || (!is_product && t->peak_bandwidth > 0)) &&
		(row->is_on_accelerator || !t->is_recorded) && !row->is_transfer &&
		!row->is_unknown && row->kind != HLO_KIND_COLLECTIVE &&
		row->kind != HLO_KIND_WAITING && row->kind != HLO_KIND_CONTROL;
}

static void check_efficiency(struct timed *t)
{
	const struct compiled_row *worst = NULL;
	double most_lost = 0;

	for (size_t i = 0; i < t->rows.at.n; i++) {
		const struct compiled_row *row = &t->rows.at.at[i];
		double lost = (double)row->self_ps - roof_ps(t, row);

		if (!can_tell(t, row) || !is_much(t, row->self_ps, "share") ||
			roof_ps(t, row) >= check_number(t->c, "efficiency") * (double)row->self_ps)
			continue;
		if (lost > most_lost) {
			most_lost = lost;
			worst = row;
		}
	}
	if (!worst)
		return;
	put_place(t, worst);
	buf_text(&t->c->text, " takes ");
	put_share(t, worst->self_ps);
	buf_printf(&t->c->text, " and reaches %.2g%% of what the device can do.",
		100 * roof_ps(t, worst) / (double)worst->self_ps);
	report(t, "low_efficiency", CONFIDENCE_MEDIUM, worst, (int64_t)most_lost,
		"Larger or fewer operations use the device better; tfprof roofline lists all.");
}

static void check_half(struct timed *t)
{
	const struct model *m = t->c->model;
	struct some products = {0};

	/* TPUs multiply in 16 bits unless they are told not to. */
	if (m->accelerators.n && m->accelerators.at[0].is_tpu)
		return;
	for (size_t i = 0; i < t->rows.at.n; i++)
		if (t->rows.at.at[i].is_on_accelerator && t->rows.at.at[i].is_float32)
			add(&products, &t->rows.at.at[i]);
	if (!products.n || !is_much(t, products.ps, "half"))
		return;
	buf_text(&t->c->text, "Matrix products and convolutions of 32-bit numbers take ");
	put_share(t, products.ps);
	buf_text(&t->c->text, ", most of it ");
	put_place(t, products.longest);
	buf_text(&t->c->text, ": 16 bits may take half of that or less.");
	report(t, "half_precision", CONFIDENCE_MEDIUM, products.longest, products.ps / 2,
		"Compute in bfloat16, and keep weights in float32.");
}

/* Those that all accelerators have. */
static void find_peaks(struct timed *t)
{
	const struct model *m = t->c->model;

	t->peak_flops = check_number(t->c, "peak_flops");
	t->peak_bandwidth = check_number(t->c, "peak_bandwidth");
	if (t->peak_flops > 0 || t->peak_bandwidth > 0 || !m->accelerators.n)
		return;
	t->is_recorded = true;
	t->peak_flops = m->accelerators.at[0].facts.peak_flops;
	t->peak_bandwidth = m->accelerators.at[0].facts.peak_bandwidth;
	for (size_t i = 1; i < m->accelerators.n; i++) {
		const struct accelerator_facts *facts = &m->accelerators.at[i].facts;

		if (facts->peak_flops != t->peak_flops)
			t->peak_flops = 0;
		if (facts->peak_bandwidth != t->peak_bandwidth)
			t->peak_bandwidth = 0;
	}
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct timed t = {.c = c};
	enum tfprof_status status = model_check_traces(c->model, err);
	bool ok = status == TFPROF_OK && compiled_rows_read(&t.rows, c->model);

	for (size_t i = 0; ok && i < t.rows.at.n; i++)
		t.all_ps += t.rows.at.at[i].self_ps;
	if (ok && t.all_ps > 0) {
		find_peaks(&t);
		check_layout(&t);
		check_efficiency(&t);
		check_half(&t);
		if (!c->verdict->findings.n)
			check_ok(c, "Nothing in the time of %zu compiled operations stands out.",
				t.rows.at.n);
	} else if (ok) {
		check_skip(c, "no compiled programs",
			"No operation of a compiled program ran. Skip CompiledTimeChecker");
	}
	compiled_rows_clear(&t.rows);
	return status != TFPROF_OK ? status : ok ? TFPROF_OK : error_no_memory(err);
}

const struct checker compiled_time_checker = {
	.info = {"CompiledTimeChecker",
		"Time of compiled programs that could be less: layout changes, operations far from "
		"the device's limits, products in 32 bits.",
		options},
	.needs_run_meta = true,
	.run = run,
};
