/* Steps that took unusually long, and the nodes that caused it. */
#include "advise/parts.h"
#include "advise/top.h"
#include "base/median.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"outlier_score", "3.5", "Modified z-score above which a step is an outlier."},
	{"min_excess", "0.2", "Minimum excess of an outlier over the median, as a share of it."},
	{"min_steps", "3", "Minimum number of steps to compare."},
	{"top", "3", "Number of nodes to list."},
	{NULL, NULL, NULL},
};

struct steps {
	struct check *c;
	const struct activity *a;
	const struct step_parts *parts; /* NULL: there are no traces */
	size_t *at;                     /* indices of the steps with any activity */
	double *times;                  /* of these */
	size_t n;
	struct stats_spread spread;
};

static int64_t micros_of(const struct model *m, uint32_t node, int64_t step)
{
	uint32_t row = exec_find(m, node, step);
	int64_t sum = 0;

	if (row != NONE) {
		struct exec_sums sums = exec_get_sums(&m->execs, row);

		add_clamped(&sum, sums.accelerator_us);
		add_clamped(&sum, sums.cpu_us);
	}
	return sum;
}

/* How much longer a node took than its median in the other steps. */
static int64_t excess_of(const struct steps *s, uint32_t node, size_t step, double *others)
{
	const struct model *m = s->c->model;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i] != step)
			others[n++] = (double)micros_of(m, node, m->steps.at[s->at[i]]);
	return to_int((double)micros_of(m, node, m->steps.at[step]) - median_of_doubles(others, n));
}

/* The nodes with the largest excess. */
static bool find_causes(struct steps *s, size_t step, struct top *causes)
{
	const struct model *m = s->c->model;
	double *others = check_alloc(s->c, s->n, sizeof(*others));

	if (!others || !top_init(causes, s->c, "top"))
		return false;
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		if (node % 4096 == 0 && check_cancelled(s->c))
			break;
		if (exec_find(m, node, m->steps.at[step]) != NONE)
			top_add(causes, node, excess_of(s, node, step, others));
	}
	return true;
}

static void report(struct steps *s, size_t step, double score)
{
	struct check *c = s->c;
	int64_t took = s->a->step_us[step], excess = took - to_int(s->spread.median);
	int64_t explained = 0;
	struct top causes;
	size_t n = find_causes(s, step, &causes) ? causes.n : 0;
	struct buf *b = &c->text;
	struct finding *f;

	buf_printf(b, "step %lld took ", (long long)c->model->steps.at[step]);
	format_number(b, UNIT_MICROS, took);
	buf_printf(b, ", %.1f times the median of %zu steps, ", (double)took / s->spread.median,
		s->n);
	format_number(b, UNIT_MICROS, to_int(s->spread.median));
	for (size_t i = 0; i < n; i++)
		add_clamped(&explained, causes.at[i].value);
	if (parts_put_excess(s->parts, c, c->model->steps.at[step], excess, b)) {
		n = 0;
	} else if (explained < excess / 10) { /* the time was spent between nodes */
		buf_text(b,
			"; no node took much longer than usual: the time was spent between them");
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct place place = check_node(c, causes.at[i].id);

		buf_text(b, "\n  ");
		format_number(b, UNIT_MICROS, causes.at[i].value);
		buf_text(b, " longer than usual: ");
		place_put(b, &place);
	}
	f = check_find(c, "slow_step", TFPROF_LEVEL_WARNING,
		n ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM);
	f->step = c->model->steps.at[step];
	f->stake_us = excess;
	f->stake_share = (double)excess / (double)took;
	f->remedy = step == s->at[0]
		? "If it is the first step after startup, leave it out of the "
		  "profile; otherwise look at the nodes listed."
		: "Look at the nodes listed or, if there are none, at what else "
		  "the machine was doing.";
	for (size_t i = 0; i < n; i++) {
		struct place place = check_node(c, causes.at[i].id);

		place.micros = causes.at[i].value;
		check_place(c, f, place);
	}
	check_figure(c, f, "score", score);
	check_figure(c, f, "micros", (double)took);
	check_figure(c, f, "median_micros", s->spread.median);
}

static bool prepare(struct steps *s)
{
	double *scratch = check_alloc(s->c, s->a->n_steps, sizeof(*scratch));

	s->at = check_alloc(s->c, s->a->n_steps, sizeof(*s->at));
	s->times = check_alloc(s->c, s->a->n_steps, sizeof(*s->times));
	if (!scratch || !s->at || !s->times)
		return false;
	for (size_t step = 0; step < s->a->n_steps; step++)
		if (s->a->step_us[step]) {
			scratch[s->n] = s->times[s->n] = (double)s->a->step_us[step];
			s->at[s->n++] = step;
		}
	if (s->n)
		s->spread = stats_spread(scratch, s->n);
	return true;
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct steps s = {.c = c, .a = check_activity(c)};
	double limit = check_number(c, "outlier_score"), excess = check_number(c, "min_excess");
	int64_t min_steps = check_int(c, "min_steps");
	double smallest;

	if (!s.a || !prepare(&s))
		return error_no_memory(err);
	(void)check_parts(c, &s.parts, NULL);
	if (!s.n || (int64_t)s.n < min_steps) {
		check_skip(c, "too few steps",
			"Only %zu of the %lld steps needed to find outliers. Skip "
			"StepOutlierChecker",
			s.n, (long long)(min_steps > 1 ? min_steps : 1));
		return TFPROF_OK;
	}
	smallest = stats_smallest_outlier(s.times, s.n, &s.spread, limit, excess);
	for (size_t i = 0; i < s.n; i++)
		if (s.times[i] >= smallest)
			report(&s, s.at[i], stats_score(&s.spread, s.times[i]));
	if (!c->verdict->findings.n)
		check_ok(c, "None of %zu steps took unusually long.", s.n);
	return TFPROF_OK;
}

const struct checker step_outlier_checker = {
	.info = {"StepOutlierChecker",
		"Steps that took unusually long, and the nodes that caused it.", options},
	.needs_run_meta = true,
	.run = run,
};
