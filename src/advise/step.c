/* What a step of a trace spends its time on besides computing: compiling, dispatch, Python, calls
 * of Python, copies, collectives, waiting; and operations that run one by one. Input and gaps
 * between steps have checkers of their own. */
#include "advise/parts.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"notice", "0.1", "Minimum share of the step, with the gap before it."},
	{"warning", "0.25", "Minimum share for a warning."},
	{"high", "0.5", "Minimum share for level high."},
	{"idle_notice", "0.2", "Minimum share of waiting with nothing running."},
	{"min_computing", "0.8", "Minimum share of computing to call a step compute-bound."},
	{NULL, NULL, NULL},
};

struct stepper {
	struct check *c;
	const struct step_parts *parts;
	double notice, warning, high;
};

/* clang-format off */
static const struct rule {
	enum anatomy_part part;
	const char *what, *remedy;
} rules[] = {
	{ANATOMY_DISPATCH, "dispatch_bound",
		"Give each launch more to do: a larger batch, one jit or tf.function around the whole "
		"step, lax.scan, or steps_per_execution of Keras."},
	{ANATOMY_PYTHON, "python_bound",
		"Move it out of the loop, or let it run while the program computes: prepare the next "
		"batch in a thread, and wait for results only where they are needed."},
	{ANATOMY_CALLBACK, "callback",
		"Write it as operations, or call Python less often: the program waits for it."},
	{ANATOMY_COPY, "exposed_copy",
		"Copy the next batch while this one is computed (device_put ahead), and keep on the "
		"device what is used again."},
	{ANATOMY_COMMUNICATION, "exposed_communication",
		"Overlap collectives with computing: start them earlier, in larger pieces, or send "
		"less."},
};
/* clang-format on */

static enum tfprof_level level_of(const struct stepper *s, double share)
{
	return check_level(share, s->notice, s->warning, s->high);
}

static struct finding *find(struct stepper *s, const char *what, enum tfprof_level level,
	struct part_time time, const struct anatomy_cause *cause)
{
	struct finding *f = check_find(s->c, what, level, CONFIDENCE_HIGH);

	f->stake_us = to_int(time.micros);
	f->stake_share = time.share;
	if (cause)
		check_place(s->c, f, check_cause(s->c, s->parts, cause));
	return f;
}

static void put_launches(struct stepper *s, struct part_time time)
{
	double n = (double)s->parts->total.n_launches / (double)s->parts->total.n_steps;

	if (n >= 1)
		buf_printf(&s->c->text, "; %.0f launches per step, %.3g us each", n,
			time.micros / n);
}

static void check_rule(struct stepper *s, const struct rule *rule)
{
	const struct step_parts *p = s->parts;
	struct part_time time = parts_measure(p, IN_STEPS, rule->part);
	enum tfprof_level level = level_of(s, time.share);
	struct buf *b = &s->c->text;
	const struct anatomy_cause *cause;

	if (level == TFPROF_LEVEL_NONE || time.is_unusual)
		return;
	/* Beside much computing, launching is no limit. */
	if (rule->part == ANATOMY_DISPATCH &&
		p->total.parts[ANATOMY_COMPUTE] > p->total.parts[ANATOMY_DISPATCH])
		return;
	buf_text(b, anatomy_part_words(rule->part));
	parts_put_time(p, time, b);
	cause = parts_put_cause(p, &p->causes, rule->part, b);
	if (rule->part == ANATOMY_DISPATCH)
		put_launches(s, time);
	find(s, rule->what, level, time, cause)->remedy = rule->remedy;
}

/* ---- compiling ---------------------------------------------------------------------------- */

/* Steps that compile after one that did not; *ps: how long they do. */
static size_t count_again(const struct anatomy *a, int64_t *ps)
{
	bool is_warm = false;
	size_t n = 0;

	for (size_t i = 0; i < a->steps.n; i++) {
		const struct anatomy_step *step = &a->steps.at[i];

		if (step->parts[ANATOMY_COMPILE] <= step->wall_ps / 10) {
			is_warm = true;
		} else if (is_warm) {
			n++;
			*ps += step->parts[ANATOMY_COMPILE];
		}
	}
	return n;
}

static bool is_jax(const struct anatomy_cause *cause)
{
	return cause && span_contains(cause->text, SPAN("Function("));
}

static void put_compiled(struct stepper *s)
{
	enum { MOST = 3 };
	const struct anatomy *a = s->parts->anatomy;

	for (size_t i = 0; i < a->compiled.n && i < MOST; i++) {
		const struct anatomy_compiled *compiled = &a->compiled.at[i];
		struct buf *b = &s->c->text;

		buf_text(b, "\n  ");
		buf_span(b, compiled->function);
		buf_printf(b, ": %lld times, ", (long long)compiled->n_times);
		format_number(b, UNIT_MICROS, compiled->ps / 1000000);
		buf_text(b, compiled->why.n ? "; " : "");
		buf_span(b, compiled->why);
	}
}

static void check_compiling(struct stepper *s)
{
	const struct step_parts *p = s->parts;
	const struct anatomy *a = p->anatomy;
	struct part_time time = parts_measure(p, IN_STEPS, ANATOMY_COMPILE);
	struct buf *b = &s->c->text;
	const struct anatomy_cause *cause = NULL;
	int64_t again_ps = 0, all_ps = 0;
	size_t n_again = count_again(a, &again_ps);
	enum tfprof_level level;
	struct finding *f;

	buf_text(b, anatomy_part_words(ANATOMY_COMPILE));
	if (time.share >= s->notice && p->total.n_steps > 1) {
		parts_put_time(p, time, b);
		cause = parts_put_cause(p, &p->causes, ANATOMY_COMPILE, b);
	} else if (n_again > 1) {
		/* Steps that compile are left out of the sums, but come again. */
		for (size_t i = 0; i < a->steps.n; i++)
			all_ps += a->steps.at[i].wall_ps + a->steps.at[i].gap_ps;
		time.micros = (double)again_ps / 1e6 / (double)a->steps.n;
		time.share = (double)again_ps / (double)all_ps;
		buf_printf(b, " in %zu of %zu steps: ", n_again, a->steps.n);
		format_number(b, UNIT_MICROS, again_ps / 1000000 / (int64_t)n_again);
		buf_text(b, " each");
	}
	level = level_of(s, time.share);
	if (level == TFPROF_LEVEL_NONE || p->total.n_steps < 2) {
		buf_reset(b);
		return;
	}
	put_compiled(s);
	f = find(s, is_jax(cause) ? "recompilation" : "retracing", level, time, cause);
	f->remedy = "Pass arguments of the same shapes and types in every step: pad or bucket what "
		    "varies, and pass numbers as tensors or arrays.";
}

/* ---- the rest ----------------------------------------------------------------------------- */

static void check_eager(struct stepper *s)
{
	const struct anatomy_total *t = &s->parts->total;
	double micros = (double)t->eager_ps / 1e6 / (double)t->n_steps;
	struct part_time time = {.share = micros / s->parts->period_us, .micros = micros};
	enum tfprof_level level = level_of(s, time.share);
	const struct anatomy_cause *cause = NULL;
	struct finding *f;

	if (level == TFPROF_LEVEL_NONE || t->n_eager < (int64_t)t->n_steps)
		return;
	for (size_t i = 0; !cause && i < s->parts->causes.n; i++)
		if (span_starts(s->parts->causes.at[i].text, SPAN("(eager) ")))
			cause = &s->parts->causes.at[i];
	buf_printf(&s->c->text, "%.3g operations per step run one by one, outside of functions",
		(double)t->n_eager / (double)t->n_steps);
	parts_put_time(s->parts, time, &s->c->text);
	if (cause) {
		buf_text(&s->c->text, "; most in ");
		buf_span(&s->c->text, cause->text);
	}
	f = find(s, "eager_operations", level, time, cause);
	f->remedy = "Call them in a tf.function: it launches them together, and runs them in "
		    "parallel.";
}

static void check_idle(struct stepper *s)
{
	struct part_time time = parts_measure(s->parts, IN_STEPS, ANATOMY_RUNTIME);
	struct buf *b = &s->c->text;
	const struct anatomy_cause *cause;

	if (time.share < check_number(s->c, "idle_notice") || time.is_unusual)
		return;
	buf_text(b, anatomy_part_words(ANATOMY_RUNTIME));
	parts_put_time(s->parts, time, b);
	cause = parts_put_cause(s->parts, &s->parts->causes, ANATOMY_RUNTIME, b);
	find(s, "waiting_idle", TFPROF_LEVEL_NOTICE, time, cause)->remedy =
		"Measure again on a machine that does nothing else; if it stays, the program "
		"starts "
		"late or has many small operations.";
}

static void check_computing(struct stepper *s)
{
	struct part_time time = parts_measure(s->parts, IN_STEPS, ANATOMY_COMPUTE);
	struct buf *b = &s->c->text;
	const struct anatomy_cause *cause;

	if (time.share < check_number(s->c, "min_computing"))
		return;
	buf_text(b, anatomy_part_words(ANATOMY_COMPUTE));
	parts_put_time(s->parts, time, b);
	cause = parts_put_cause(s->parts, &s->parts->causes, ANATOMY_COMPUTE, b);
	find(s, "compute_bound", TFPROF_LEVEL_NONE, time, cause)->remedy =
		"Only faster operations help: op view by micros lists them, code view their lines.";
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct stepper s = {.c = c,
		.parts = c->parts,
		.notice = check_number(c, "notice"),
		.warning = check_number(c, "warning"),
		.high = check_number(c, "high")};

	if (!s.parts) {
		check_skip(c, c->model->traces.n ? "no steps in the trace" : "no trace",
			"Only traces tell what a step went to. Skip StepChecker");
		return TFPROF_OK;
	}
	check_computing(&s);
	check_compiling(&s);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		check_rule(&s, &rules[i]);
	check_eager(&s);
	check_idle(&s);
	if (!c->verdict->findings.n)
		check_ok(c, "No part of the step besides computing takes long.");
	return TFPROF_OK;
}

const struct checker step_checker = {
	.info = {"StepChecker",
		"What a step of a trace spends its time on besides computing and waiting for "
		"input.",
		options},
	.needs_run_meta = true,
	.reads_parts = true,
	.run = run,
};
