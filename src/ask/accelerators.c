#include "ask/accelerators.h"

/* "4 × TPU v6e", "3 of 8 × NVIDIA V100". */
static void put_products(const struct model *m, struct buf *b)
{
	size_t n = m->accelerators.n;
	struct span product = model_text(m, m->accelerators.at[0].product);

	for (size_t i = 1; i < n; i++)
		if (m->accelerators.at[i].product != m->accelerators.at[0].product)
			product = SPAN("accelerators");
	buf_printf(b, "%zu ", n);
	if (m->n_accelerators_seen > n)
		buf_printf(b, "of %zu ", m->n_accelerators_seen);
	buf_text(b, "× ");
	buf_span(b, product.n ? product : SPAN("accelerator"));
}

static double share(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* What a run of the program that has most of the time goes to. */
static void put_program(const struct model *m, struct buf *b)
{
	const struct accelerator_program *p = &m->main_program;
	double bandwidth = m->accelerators.at[0].facts.peak_bandwidth;

	buf_printf(b, ", %lld runs of ", (long long)(p->n_runs / (int64_t)m->accelerators.n));
	buf_span(b, model_text(m, p->name));
	buf_printf(b, " of %.1f ms; ", (double)p->run_ps / (double)p->n_runs / 1e9);
	if (p->transfer_wait_ps) {
		buf_printf(b, "%.0f %% of a run waits for copies between host memory and HBM",
			share(p->transfer_wait_ps, p->run_ps));
		if (p->transfer_rate > 0)
			buf_printf(b, " (%.2f GB each, up to %.0f GB/s)",
				(double)p->transfer_bytes / 1e9, p->transfer_rate / 1e9);
		buf_text(b, "; ");
	}
	buf_printf(b, "%.0f %% computes", share(p->computing_ps, p->run_ps));
	if (p->computing_rate > 0 && bandwidth >= p->computing_rate)
		buf_printf(b, ", at %.0f %% of HBM bandwidth", 100 * p->computing_rate / bandwidth);
	buf_char(b, '.');
}

/* That ran on them. */
static size_t count_programs(const struct model *m)
{
	size_t n = 0;
	uint32_t last = NONE;

	for (size_t i = 0; i < m->compiled.ops.n; i++) {
		const struct compiled_op *op = &m->compiled.ops.at[i];

		n += op->is_accelerator && op->program != last;
		if (op->is_accelerator)
			last = op->program;
	}
	return n;
}

static void put_busy(const struct model *m, struct buf *b)
{
	int64_t busy_ps = 0, span_ps = 0, late_ps = 0, n_runs = 0, n = (int64_t)m->accelerators.n;

	for (int64_t i = 0; i < n; i++) {
		const struct accelerator *a = &m->accelerators.at[i];

		busy_ps += a->busy_ps;
		span_ps += a->span_ps;
		late_ps += a->late_ps > 0 ? a->late_ps : 0;
		n_runs += a->n_programs_run;
	}
	if (n_runs)
		buf_printf(b, ", %lld %s of %zu %s", (long long)n_runs,
			n_runs == 1 ? "run" : "runs", count_programs(m),
			count_programs(m) == 1 ? "program" : "programs");
	buf_printf(b, "; busy %.2f ms of %.2f ms%s (%.0f %%)", (double)busy_ps / (double)n / 1e9,
		(double)span_ps / (double)n / 1e9, n > 1 ? " per device" : "",
		share(busy_ps, span_ps));
	if (late_ps && span_ps > busy_ps)
		buf_printf(b,
			"; for %.0f %% of the idle time the host had not launched what came next",
			share(late_ps, span_ps - busy_ps));
	buf_char(b, '.');
}

void accelerators_put_headline(const struct model *m, struct buf *b)
{
	if (!m->accelerators.n)
		return;
	put_products(m, b);
	if (m->main_program.n_runs && m->main_program.n_runs % (int64_t)m->accelerators.n == 0)
		put_program(m, b);
	else
		put_busy(m, b);
}

double accelerator_peak_flops(const struct accelerator_facts *facts, const struct tfprof_options *o)
{
	int64_t option = o->number[OPT_PEAK_FLOPS];

	if (option > 0)
		return (double)option;
	if (facts->peak_flops > 0)
		return facts->peak_flops;
	return option == PEAK_FLOPS_SHEET ? facts->sheet_flops : 0;
}
