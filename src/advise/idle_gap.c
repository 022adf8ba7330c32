/* Time in which an accelerator runs no kernel, between its first and last kernel of a
 * step; in traces, also the time between steps. */
#include "advise/parts.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"notice", "0.2", "Minimum idle share of the time between the first and last kernel."},
	{"warning", "0.5", "Minimum share for a warning."},
	{"step_notice", "0.1", "Minimum share of the time between steps, of a step with it."},
	{"min_kernels", "10", "Minimum number of kernels per step to check a device."},
	{NULL, NULL, NULL},
};

struct gap {
	size_t step;
	struct interval when;
	uint32_t before, after; /* nodes */
};

struct idle {
	int64_t idle_us, span_us;
	int64_t n_steps;
	struct gap longest;
};

/* A scan over the kernels of a device, by start. */
struct scan {
	int64_t start, busy_until, idle_us;
	int64_t n_kernels;
	uint32_t last_node; /* whose kernel ended last */
	struct gap longest;
};

static void add_kernel(struct scan *s, size_t step, const struct event *e)
{
	if (!s->n_kernels++) {
		s->start = s->busy_until = e->start_us;
	} else if (e->start_us > s->busy_until) {
		struct interval when = {s->busy_until, e->start_us};

		s->idle_us += when.end - when.start;
		if (when.end - when.start > s->longest.when.end - s->longest.when.start)
			s->longest = (struct gap){step, when, s->last_node, e->node};
	}
	if (event_end(e) >= s->busy_until) {
		s->busy_until = event_end(e);
		s->last_node = e->node;
	}
}

static void add_step(const struct activity *a, size_t step, struct scan *scans, struct idle *idle,
	int64_t min_kernels)
{
	struct event_rows rows = activity_events(a, step);

	memset(scans, 0, a->devices.at.n * sizeof(*scans));
	for (size_t row = rows.first; row < rows.end; row++) {
		struct event e = events_get(&a->events, row);

		if (device_has_accelerator_time(activity_device(a, e.device)))
			add_kernel(&scans[e.device], step, &e);
	}
	for (size_t d = 0; d < a->devices.at.n; d++) {
		const struct scan *s = &scans[d];
		const struct gap *old = &idle[d].longest;

		if (!s->n_kernels || s->n_kernels < min_kernels)
			continue;
		idle[d].n_steps++;
		add_clamped(&idle[d].idle_us, s->idle_us);
		add_clamped(&idle[d].span_us, s->busy_until - s->start);
		if (s->longest.when.end - s->longest.when.start > old->when.end - old->when.start)
			idle[d].longest = s->longest;
	}
}

/* The node of the same task that ran longest on a CPU during the gap, or NONE. */
static uint32_t busy_meanwhile(const struct activity *a, const struct gap *gap, uint32_t task)
{
	struct event_rows rows = activity_events(a, gap->step);
	uint32_t node = NONE;
	int64_t longest = 0;

	for (size_t row = rows.first; row < rows.end; row++) {
		struct event e = events_get(&a->events, row);
		const struct device *device = activity_device(a, e.device);
		int64_t start = e.start_us > gap->when.start ? e.start_us : gap->when.start;
		int64_t end = event_end(&e) < gap->when.end ? event_end(&e) : gap->when.end;

		if (device->task != task || end - start <= longest || device_is_accelerator(device))
			continue;
		longest = end - start;
		node = e.node;
	}
	return node;
}

static void report(struct check *c, const struct activity *a, uint32_t device,
	const struct idle *idle, enum tfprof_level level)
{
	const struct gap *gap = &idle->longest;
	int64_t length = gap->when.end - gap->when.start;
	struct place before = check_node(c, gap->before), after = check_node(c, gap->after), place;
	uint32_t busy = busy_meanwhile(a, gap, activity_device(a, device)->task);
	double share = (double)idle->idle_us / (double)idle->span_us;
	struct buf *b = &c->text;
	struct finding *f;

	buf_span(b, activity_device(a, device)->name);
	buf_printf(b, " idle %.0f%% of the time between kernels: ", 100 * share);
	format_number(b, UNIT_MICROS, idle->idle_us / idle->n_steps);
	buf_text(b, " of ");
	format_number(b, UNIT_MICROS, idle->span_us / idle->n_steps);
	buf_text(b, check_per_step(c));
	buf_text(b, "\n  longest gap");
	if (!(c->model->recorded & MODEL_RECORDED_NO_STEPS))
		buf_printf(b, ", in step %lld", (long long)c->model->steps.at[gap->step]);
	buf_text(b, ": ");
	format_number(b, UNIT_MICROS, length);
	buf_text(b, " after ");
	place_put(b, &before);
	buf_text(b, ", before ");
	place_put(b, &after);
	if (busy != NONE) {
		place = check_node(c, busy);
		buf_text(b, ", while the CPU ran ");
		place_put(b, &place);
	}
	f = check_find(c, "idle_accelerator", level, CONFIDENCE_HIGH);
	f->stake_us = idle->idle_us / idle->n_steps;
	f->stake_share = share;
	f->remedy =
		"Give the accelerator work earlier: prefetch input, move operations it waits for "
		"off the CPU, and launch fewer, larger kernels.";
	after.micros = length;
	check_place(c, f, after);
	check_place(c, f, before);
	if (busy != NONE)
		check_place(c, f, place);
	check_figure(c, f, "longest_gap_micros", (double)length);
}

/* ---- between steps ----------------------------------------------------------------------- */

static void check_steps(struct check *c, const struct step_parts *p)
{
	struct part_time time = parts_measure(p, IN_GAPS, N_ANATOMY_PARTS);
	enum tfprof_level level = check_level(time.share, check_number(c, "step_notice"),
		check_number(c, "warning"), NEVER);
	const struct anatomy_cause *cause = p->gap_causes.n ? &p->gap_causes.at[0] : NULL;
	struct finding *f;

	/* A gap that comes now and then is one all the same. */
	if (level == TFPROF_LEVEL_NONE)
		return;
	buf_text(&c->text, "between steps");
	parts_put_time(p, time, &c->text);
	if (cause) {
		buf_printf(&c->text, "; most is %s", anatomy_part_words(cause->part));
		buf_text(&c->text, cause->text.n ? ": " : "");
		buf_span(&c->text, cause->text);
	}
	f = check_find(c, "gap_between_steps", level, CONFIDENCE_HIGH);
	f->stake_us = to_int(time.micros);
	f->stake_share = time.share;
	f->remedy = cause && cause->part == ANATOMY_INPUT
		? "Prepare the next batch while this step runs: prefetch."
		: "Do it every n-th step only, or in a thread, while the next step runs.";
	if (cause)
		check_place(c, f, check_cause(c, p, cause));
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	const struct activity *a = check_activity(c);
	struct scan *scans = a ? check_alloc(c, a->devices.at.n, sizeof(*scans)) : NULL;
	struct idle *idle = a ? check_alloc(c, a->devices.at.n, sizeof(*idle)) : NULL;
	double notice = check_number(c, "notice"), warning = check_number(c, "warning");
	size_t n_checked = 0;

	if (!scans || !idle)
		return error_no_memory(err);
	if (c->parts)
		check_steps(c, c->parts);
	for (size_t step = 0; step < a->n_steps && !check_cancelled(c); step++)
		add_step(a, step, scans, idle, check_int(c, "min_kernels"));
	for (uint32_t d = 0; d < a->devices.at.n; d++) {
		enum tfprof_level level;

		if (!idle[d].span_us)
			continue;
		n_checked++;
		level = check_level((double)idle[d].idle_us / (double)idle[d].span_us, notice,
			warning, NEVER);
		if (level != TFPROF_LEVEL_NONE)
			report(c, a, d, &idle[d], level);
	}
	if (!n_checked && !c->parts)
		check_skip(c, check_lacks(c, "too few kernels per step"),
			"No accelerator with %s kernels per step in the profile. Skip "
			"IdleGapChecker",
			check_word(c, "min_kernels"));
	else if (!c->verdict->findings.n && !n_checked)
		check_ok(c, "Little time passes between steps.");
	else if (!c->verdict->findings.n)
		check_ok(c, "No accelerator is idle for long between its kernels (%zu checked).",
			n_checked);
	return TFPROF_OK;
}

const struct checker idle_gap_checker = {
	.info = {"IdleGapChecker",
		"Time in which an accelerator runs no kernel, and time between steps.", options},
	.needs_run_meta = true,
	.reads_parts = true,
	.run = run,
};
