#include "ask/accelerators.h"

#include "model/device.h"

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

static void put_time(struct buf *b, double ps)
{
	if (ps >= 1e10)
		buf_printf(b, "%.1f ms", ps / 1e9);
	else if (ps >= 1e8)
		buf_printf(b, "%.2f ms", ps / 1e9);
	else
		buf_printf(b, "%.1f us", ps / 1e6);
}

static void put_runs(const struct accelerator_program *p, struct buf *b)
{
	if (p->least_runs < p->most_runs)
		buf_printf(b, "%lld to ", (long long)p->least_runs);
	buf_printf(b, "%lld runs of ", (long long)p->most_runs);
}

/* "; 25 % of a run …", "; 25 % …", unless it is hardly anything. */
static bool put_part(const struct accelerator_program *p, int64_t part_ps, const char *what,
	bool *is_first, struct buf *b)
{
	if (share(part_ps, p->run_ps) < 0.5)
		return false;
	buf_printf(b, "; %.0f %% %s%s", share(part_ps, p->run_ps), *is_first ? "of a run " : "",
		what);
	*is_first = false;
	return true;
}

/* Of the limits that are known, the one that is nearest. A rate above the peak says that the peak
 * is not to be trusted. */
static void put_rate(const struct model *m, const struct accelerator_program *p, struct buf *b)
{
	const struct accelerator_facts *facts = &m->accelerators.at[0].facts;
	double bytes = facts->peak_bandwidth > 0 ? p->computing_rate / facts->peak_bandwidth : 0;
	double flops = facts->peak_flops > 0 ? p->computing_flops / facts->peak_flops : 0;

	for (size_t i = 1; i < m->accelerators.n; i++)
		if (m->accelerators.at[i].product != m->accelerators.at[0].product)
			return;
	if (flops > bytes && flops <= 1)
		buf_printf(b, ", at %.0f %% of peak float operations", 100 * flops);
	else if (bytes > 0 && bytes <= 1)
		buf_printf(b, ", at %.0f %% of HBM bandwidth", 100 * bytes);
}

static void put_sizes(struct buf *b, double bytes, double rate)
{
	bool is_large = bytes >= 1e8, is_fast = rate >= 1e9;

	buf_printf(b, " (%.2f %s each, up to %.0f %s/s)", bytes / (is_large ? 1e9 : 1e6),
		is_large ? "GB" : "MB", rate / (is_fast ? 1e9 : 1e6), is_fast ? "GB" : "MB");
}

/* What a run of the program that has most of the time goes to. */
static void put_program(const struct model *m, struct buf *b)
{
	const struct accelerator_program *p = &m->main_program;
	/* Damaged times may add up to more than the largest number. */
	double rest_ps = (double)p->run_ps - (double)p->transfer_wait_ps - (double)p->wait_ps -
		(double)p->collective_ps - (double)p->computing_ps;
	bool is_first = true;

	buf_text(b, ", ");
	put_runs(p, b);
	buf_span(b, model_text(m, p->name));
	buf_text(b, " of ");
	put_time(b, (double)p->run_ps / (double)p->n_runs);
	if (p->n_devices < m->accelerators.n)
		buf_printf(b, " on %u of them", p->n_devices);
	if (put_part(p, p->transfer_wait_ps, "waits for copies between host memory and HBM",
		    &is_first, b) &&
		p->transfer_rate > 0)
		put_sizes(b, (double)p->transfer_bytes, p->transfer_rate);
	put_part(p, p->wait_ps, "waits for other copies", &is_first, b);
	put_part(p, p->collective_ps, "is spent in collectives", &is_first, b);
	if (put_part(p, p->computing_ps, "computes", &is_first, b))
		put_rate(m, p, b);
	put_part(p, rest_ps > 0 && rest_ps < 9e18 ? (int64_t)rest_ps : 0, "is idle", &is_first, b);
	buf_char(b, '.');
}

/* The device whose recorded steps take longest; NULL if there are none. */
static const struct accelerator *find_slowest(const struct model *m)
{
	const struct accelerator *slowest = NULL;
	double most_ps = 0;

	for (size_t i = 0; i < m->accelerators.n; i++) {
		const struct accelerator *a = &m->accelerators.at[i];
		double step_ps = a->n_steps ? (double)a->step_ps / (double)a->n_steps : 0;

		if (step_ps > most_ps) {
			most_ps = step_ps;
			slowest = a;
		}
	}
	return slowest;
}

static void put_steps(const struct model *m, struct buf *b)
{
	const struct accelerator *a = find_slowest(m);

	if (!a)
		return;
	buf_text(b, "; a step takes ");
	put_time(b, (double)a->step_ps / (double)a->n_steps);
	buf_text(b, " on ");
	buf_span(b, device_get_hardware(model_text(m, a->device)));
	buf_text(b, ", which is busy ");
	put_time(b, (double)a->step_busy_ps / (double)a->n_steps);
	buf_printf(b, " of it and idle %.0f %%; in the whole recording,",
		100 - share(a->step_busy_ps, a->step_ps));
}

static void put_busy(const struct model *m, struct buf *b)
{
	int64_t busy_ps = 0, span_ps = 0, late_ps = 0, n_runs = 0, n = (int64_t)m->accelerators.n;
	size_t n_programs = m->device_programs.n;
	double busy_ms, span_ms;

	for (int64_t i = 0; i < n; i++) {
		const struct accelerator *a = &m->accelerators.at[i];

		busy_ps += a->busy_ps;
		span_ps += a->span_ps;
		late_ps += a->late_ps > 0 ? a->late_ps : 0;
		n_runs += a->n_programs_run;
	}
	busy_ms = (double)busy_ps / (double)n / 1e9;
	span_ms = (double)span_ps / (double)n / 1e9;
	if (n_runs)
		buf_printf(b, ", %lld %s", (long long)n_runs, n_runs == 1 ? "run" : "runs");
	if (n_runs && n_programs)
		buf_printf(b, " of %zu %s", n_programs, n_programs == 1 ? "program" : "programs");
	put_steps(m, b);
	if (!find_slowest(m))
		buf_char(b, ';');
	if (busy_ms < 0.1)
		buf_printf(b, " busy %.1f us of %.1f us", 1e3 * busy_ms, 1e3 * span_ms);
	else
		buf_printf(b, " busy %.2f ms of %.2f ms", busy_ms, span_ms);
	buf_printf(b, "%s (%.0f %%)", n > 1 ? " per device" : "", share(busy_ps, span_ps));
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
	if (m->main_program.n_runs)
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
