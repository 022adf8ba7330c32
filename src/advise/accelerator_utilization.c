/* The share of the time between its first and last operation in which an accelerator
 * computes; of a trace without accelerators, the share of its steps. */
#include "advise/parts.h"
#include "base/clamped.h"
#include "base/sort.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"min_utilization", "0.5", "Share of the time below which utilization is low."},
	{NULL, NULL, NULL},
};

#define LOW_REMEDY                                                                             \
	"Find out what the accelerator waits for: input, copies, tiny kernels, or operations " \
	"on the CPU."
#define BUSY_REMEDY "Nothing: the accelerator is busy. Only faster kernels would help."
#define IDLE_REMEDY "IdleGapChecker tells where the rest goes."

struct usage {
	uint32_t device; /* string id */
	int64_t accelerator_us, start_us, end_us;
};

typedef VEC(struct usage) usages;

static uint32_t last_exec(const struct model *m, uint32_t node)
{
	uint32_t last = NONE;

	for (uint32_t row = m->nodes.first_exec[node]; row != NONE;
		row = exec_at(&m->execs, row)->next)
		last = row;
	return last;
}

static void add(struct usage *u, const struct model *m, uint32_t exec)
{
	struct exec_sums sums = exec_get_sums(&m->execs, exec);
	struct exec_extent extent = exec_get_extent(m, exec);

	add_clamped(&u->accelerator_us, sums.accelerator_us);
	if (extent.start_us && (!u->start_us || extent.start_us < u->start_us))
		u->start_us = extent.start_us;
	if (extent.end_us > u->end_us)
		u->end_us = extent.end_us;
}

/* Only a node's last step counts. A node of TPUs runs on all of them: what it took does not tell
 * how busy one was. */
static bool collect(struct check *c, usages *found)
{
	const struct model *m = c->model;
	uint32_t *place = check_alloc(c, m->strings.text.n, sizeof(*place));

	if (!place)
		return false;
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		uint32_t device = m->nodes.device[node];
		uint32_t exec = last_exec(m, node);

		if (exec == NONE || !device_is_gpu(check_device(c, node)))
			continue;
		if (!place[device]) {
			if (!vec_push(found, ((struct usage){.device = device})))
				return false;
			place[device] = (uint32_t)found->n;
		}
		add(&found->at[place[device] - 1], m, exec);
	}
	return true;
}

static void report(struct check *c, struct span device, int64_t busy_us, int64_t span_us,
	bool is_limit)
{
	double share = (double)busy_us / (double)span_us;
	bool low = is_limit && !(share >= check_number(c, "min_utilization"));
	struct finding *f;

	buf_text(&c->text, "device: ");
	buf_span(&c->text, device);
	buf_printf(&c->text, low ? " low utilization: %.2f" : " utilization: %.2f", share);
	f = check_find(c, low ? "low_utilization" : "utilization",
		low ? TFPROF_LEVEL_WARNING : TFPROF_LEVEL_NONE, CONFIDENCE_HIGH);
	f->stake_us = to_int((double)span_us - (double)busy_us);
	f->stake_share = 1 - share;
	f->remedy = low    ? LOW_REMEDY
		: is_limit ? BUSY_REMEDY
			   : "What the rest of the step goes to, StepChecker and "
			     "InputPipelineChecker tell.";
	check_place(c, f, (struct place){.device = device, .micros = busy_us});
	check_figure(c, f, "utilization", share);
}

/* ---- traces ------------------------------------------------------------------------------ */

static int64_t computing_of(const struct anatomy *a, size_t device)
{
	int64_t sum = 0;

	for (size_t i = 0; i < a->steps.n; i++)
		if (a->steps.at[i].is_steady)
			sum += a->steps.at[i].devices
				? a->steps.at[i].devices[device].parts[ANATOMY_COMPUTE]
				: a->steps.at[i].parts[ANATOMY_COMPUTE];
	return sum;
}

/* Per step. On a CPU, it is information: input and Python use the same cores. */
static void check_trace(struct check *c, const struct step_parts *p)
{
	const struct anatomy *a = p->anatomy;
	int64_t n_us = 1000000 * (int64_t)p->total.n_steps;
	bool is_limit = model_has_accelerator(c->model);
	size_t n = a->devices.n > 1 ? a->devices.n : 1;

	for (size_t d = 0; d < n && !a->n_untold; d++)
		report(c, a->devices.n ? check_copy(c, a->devices.at[d]) : SPAN("CPU"),
			computing_of(a, d) / n_us, p->total.wall_ps / n_us, is_limit);
}

/* From this share on, hardly anything is left to win. */
#define BUSY 0.9

/* Less than this share of what the busiest computes is next to nothing. */
#define HARDLY 0.01

static int64_t to_us(int64_t ps)
{
	return (ps + 500000) / 1000000;
}

static void put_extent(struct check *c, const char *name, const struct accelerator *a)
{
	buf_printf(&c->text, " %s: %.2f, busy ", name, (double)a->busy_ps / (double)a->span_ps);
	format_number(&c->text, UNIT_MICROS, to_us(a->busy_ps));
	buf_text(&c->text, " of ");
	format_number(&c->text, UNIT_MICROS, to_us(a->span_ps));
	buf_text(&c->text, " from its first operation to its last");
	if (a->waiting_ps > 0) {
		buf_text(&c->text, "; waiting for copies or collectives for ");
		format_number(&c->text, UNIT_MICROS, to_us(a->waiting_ps));
		buf_text(&c->text, " of that");
	}
}

/* " (train.py:31 log 12.30ms, …)" */
static void put_late(struct check *c, const struct accelerator *a)
{
	const struct anatomy_late *late = check_late(c, model_text(c->model, a->device));

	for (size_t i = 0; late && i < late->n; i++) {
		const struct anatomy_cause *cause = &late->causes[i];

		buf_text(&c->text, i ? ", " : " (meanwhile ");
		buf_span(&c->text,
			cause->text.n ? cause->text : span_of(anatomy_part_words(cause->part)));
		buf_char(&c->text, ' ');
		format_number(&c->text, UNIT_MICROS, to_us(cause->ps));
	}
	if (late)
		buf_char(&c->text, ')');
}

/* Why it was idle, as far as launches tell. */
static void put_reason(struct check *c, const struct accelerator *a)
{
	const char *bound = accelerator_get_bound(a);
	double late = 100 * (double)a->late_ps / (double)(a->span_ps - a->busy_ps);
	double unknown = 100 * (double)a->unknown_gap_ps / (double)(a->span_ps - a->busy_ps);
	double rest = 100 - late - unknown;

	if (a->late_ps < 0 || a->span_ps <= a->busy_ps || !bound)
		return;
	buf_printf(&c->text, "; idle: for %.0f%% the host was late to launch what came next", late);
	put_late(c, a);
	if (rest >= 0.5)
		buf_printf(&c->text, ", for %.0f%% that was launched and waited for something else",
			rest);
	if (unknown >= 0.5)
		buf_printf(&c->text, ", for %.0f%% the launch is not recorded", unknown);
	buf_printf(&c->text, "; %s: kernels start ", bound);
	format_number(&c->text, UNIT_MICROS, to_us(a->launch_delay_ps));
	buf_text(&c->text, " after their launch");
}

static const char *low_remedy(const struct accelerator *a)
{
	const char *bound = accelerator_get_bound(a);

	if (!bound || a->late_ps < 0 || 2 * a->late_ps < a->span_ps - a->busy_ps)
		return LOW_REMEDY;
	if (!accelerator_is_device_bound(a))
		return "Launch-bound: the host cannot launch kernels as fast as they run. Compile "
		       "the "
		       "whole step (jax.jit, tf.function with jit_compile=True), or make "
		       "operations "
		       "larger.";
	return "Device-bound while it has work, but the host gives it none in between: find out "
	       "what "
	       "the host does then (input, Python, blocking calls).";
}

/* As `tfprof devices` has it, by the device's own clock. */
static void judge_accelerator(struct check *c, const struct accelerator *a, bool is_used)
{
	double share = (double)a->busy_ps / (double)a->span_ps;
	bool low = is_used && !(share >= check_number(c, "min_utilization"));
	struct span device = model_text(c->model, a->device);
	int64_t n_steps = c->model->steps.n ? (int64_t)c->model->steps.n : 1;
	struct finding *f;

	buf_text(&c->text, "device: ");
	buf_span(&c->text, device);
	put_extent(c, low ? "low utilization" : is_used ? "utilization" : "hardly used", a);
	if (low)
		put_reason(c, a);
	f = check_find(c,
		low               ? "low_utilization"
			: is_used ? "utilization"
				  : "hardly_used",
		low ? TFPROF_LEVEL_WARNING : TFPROF_LEVEL_NONE, CONFIDENCE_HIGH);
	f->stake_us = to_us(a->span_ps - a->busy_ps) / n_steps;
	f->stake_share = 1 - share;
	f->remedy = low ? low_remedy(a)
		: !is_used
		? "Nothing, if the others have its work; otherwise give it a share of that."
		: 2 * a->waiting_ps > a->busy_ps
		? "Most of that is waiting: StepChecker tells for what."
		: share < BUSY ? IDLE_REMEDY
			       : BUSY_REMEDY;
	check_place(c, f, (struct place){.device = device, .micros = to_us(a->busy_ps)});
	check_figure(c, f, "utilization", share);
}

static void check_accelerators(struct check *c)
{
	const struct model *m = c->model;
	int64_t most_ps = 0;

	for (size_t i = 0; i < m->accelerators.n; i++)
		if (m->accelerators.at[i].kernel_busy_ps > most_ps)
			most_ps = m->accelerators.at[i].kernel_busy_ps;
	for (size_t i = 0; i < m->accelerators.n; i++) {
		const struct accelerator *a = &m->accelerators.at[i];

		if (a->span_ps > 0)
			judge_accelerator(c, a,
				(double)a->kernel_busy_ps >= HARDLY * (double)most_ps);
	}
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	usages found = {0};
	struct span *names = NULL;
	uint32_t *order = NULL;
	bool ok;

	if (c->model->accelerators.n || c->parts) {
		if (c->model->accelerators.n)
			check_accelerators(c);
		else
			check_trace(c, c->parts);
		return TFPROF_OK;
	}
	ok = collect(c, &found);
	if (ok && found.n) {
		names = mem_array(found.n, sizeof(*names));
		order = mem_array(found.n, sizeof(*order));
		ok = names && order;
		for (size_t i = 0; ok && i < found.n; i++)
			names[i] = model_text(c->model, found.at[i].device);
		ok = ok && sort_texts(names, order, found.n);
		for (size_t i = 0; ok && i < found.n; i++) {
			const struct usage *u = &found.at[order[i]];

			if (u->end_us > u->start_us)
				report(c, model_text(c->model, u->device), u->accelerator_us,
					(int64_t)((uint64_t)u->end_us - (uint64_t)u->start_us),
					true);
		}
	}
	if (!found.n)
		check_skip(c, check_lacks(c, "only traces tell how busy TPUs are"),
			"No accelerator in the profile. Skip AcceleratorUtilizationChecker");
	vec_clear(&found);
	mem_free(names);
	mem_free(order);
	return ok ? TFPROF_OK : error_no_memory(err);
}

const struct checker accelerator_utilization_checker = {
	.info = {"AcceleratorUtilizationChecker",
		"Share of the time between its first and last operation in which an accelerator "
		"computes.",
		options},
	.in_tensorflow = true,
	.has_heading = true,
	.reads_parts = true,
	.run = run,
};
