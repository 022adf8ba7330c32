/* Devices and tasks that take longer than others of their kind.
 *
 * Every figure is a length of time by one task's own clock, so that clocks
 * that disagree do no harm. */
#include "advise/advise.h"
#include "write/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"outlier_score", "3.5", "Modified z-score from which a device or task is an outlier."},
	{"min_excess", "0.2",
		"It also takes at least so much longer than the median, as a share of it."},
	{"min_peers", "3", "With fewer devices or tasks of a kind nothing is said."},
	{NULL, NULL, NULL},
};

/* What is compared: devices by how long they are busy, tasks by how long their
 * step takes. `kind` says with whom. */
struct member {
	struct span name;
	uint32_t kind; /* 0: with nobody */
	int64_t sum_us, n_steps;
};

struct straggler {
	struct check *c;
	const struct activity *a;
	struct strings kinds;
	size_t n_compared; /* members of kinds that are large enough */
};

/* Devices of a job are of one kind if their names end alike: /cpu:, /gpu:,
 * /stream:all. */
static bool name_kind(struct straggler *s, struct span job, const char *what, uint32_t *kind)
{
	struct buf key = {0};

	buf_span(&key, job);
	buf_char(&key, ' ');
	buf_text(&key, what);
	*kind = key.failed ? NONE : strings_add(&s->kinds, buf_get(&key));
	buf_clear(&key);
	return *kind != NONE;
}

static const char *what_of(const struct device *device)
{
	if (device->properties & DEVICE_STREAM_ALL)
		return device->properties & DEVICE_ACCELERATOR ? "accelerator" : NULL;
	if (device->properties & DEVICE_CANONICAL && !(device->properties & DEVICE_ACCELERATOR))
		return "cpu";
	return NULL;
}

static bool add_step(struct straggler *s, size_t step, struct member *devices, struct member *tasks,
	struct interval *spans)
{
	const struct activity *a = s->a;
	struct events events = activity_events(a, step);
	VEC(struct grouped_interval) list = {0};
	struct interval_groups busy;
	struct arena arena = {0};
	bool fine = vec_reserve(&list, events.n);

	for (size_t i = 0; fine && i < events.n; i++)
		list.at[list.n++] = (struct grouped_interval){events.at[i].device,
			{events.at[i].start, events.at[i].end}};
	fine = fine && intervals_group(&busy, &arena, list.at, list.n, a->devices.at.n);
	for (size_t d = 0; fine && d < a->devices.at.n; d++)
		if (busy.n[d]) {
			add_clamped(&devices[d].sum_us,
				intervals_length(busy.at + busy.first[d], busy.n[d]));
			devices[d].n_steps++;
		}
	if (fine)
		activity_spans(a, step, spans);
	for (size_t t = 0; fine && t < a->devices.tasks.n; t++)
		if (spans[t].end > spans[t].start) {
			add_clamped(&tasks[t].sum_us, spans[t].end - spans[t].start);
			tasks[t].n_steps++;
		}
	vec_clear(&list);
	arena_clear(&arena);
	return fine;
}

static double mean_of(const struct member *m)
{
	return (double)m->sum_us / (double)m->n_steps;
}

static void report(struct straggler *s, const struct member *m, const struct stats_spread *spread,
	size_t n_peers, bool is_task, double score)
{
	struct buf *b = &s->c->text;
	double mean = mean_of(m);
	struct finding *f;

	buf_text(b, is_task ? "straggling task " : "straggling device ");
	if (is_task)
		device_put_task(b, m->name);
	else
		buf_span(b, m->name);
	buf_text(b, is_task ? ": its step takes " : ": busy ");
	format_number(b, UNIT_MICROS, to_int(mean));
	buf_printf(b,
		is_task ? ", %.1f times the median of %zu tasks of its job, "
			: " a step, %.1f times the median of %zu such devices of its job, ",
		mean / spread->median, n_peers);
	format_number(b, UNIT_MICROS, to_int(spread->median));
	f = check_find(s->c, is_task ? "straggling_task" : "straggling_device",
		TFPROF_LEVEL_WARNING, CONFIDENCE_MEDIUM);
	f->stake_us = to_int(mean - spread->median);
	f->stake_share = 1 - spread->median / mean;
	f->remedy = "See whether it got more work than the others, or runs on a slower or busier "
		    "machine.";
	check_place(s->c, f, (struct place){.device = m->name, .micros = to_int(mean)});
	check_figure(s->c, f, "score", score);
	check_figure(s->c, f, "micros", mean);
	check_figure(s->c, f, "median_micros", spread->median);
}

/* Sorts members by kind, by counting, and looks at each kind. */
static bool compare(struct straggler *s, const struct member *members, size_t n, bool is_task)
{
	double limit = check_number(s->c, "outlier_score"),
	       excess = check_number(s->c, "min_excess");
	int64_t least = check_int(s->c, "min_peers");
	size_t n_kinds = s->kinds.text.n;
	size_t *first = check_alloc(s->c, n_kinds + 2, sizeof(*first));
	const struct member **order = check_alloc(s->c, n, sizeof(*order));
	double *values = check_alloc(s->c, n, sizeof(*values));

	if (!first || !order || !values)
		return false;
	for (size_t i = 0; i < n; i++)
		first[members[i].kind + 2] += members[i].kind && members[i].n_steps;
	for (size_t k = 1; k <= n_kinds; k++)
		first[k + 1] += first[k];
	for (size_t i = 0; i < n; i++)
		if (members[i].kind && members[i].n_steps)
			order[first[members[i].kind + 1]++] = &members[i];
	for (size_t k = 1; k < n_kinds; k++) {
		size_t n_peers = first[k + 1] - first[k];
		struct stats_spread spread;

		if (n_peers < 2 || (int64_t)n_peers < least)
			continue;
		s->n_compared += n_peers;
		for (size_t i = 0; i < n_peers; i++)
			values[i] = mean_of(order[first[k] + i]);
		spread = stats_spread(values, n_peers);
		for (size_t i = 0; i < n_peers; i++) {
			const struct member *m = order[first[k] + i];
			double score = stats_score(&spread, mean_of(m));

			if (score > limit && mean_of(m) >= (1 + excess) * spread.median)
				report(s, m, &spread, n_peers, is_task, score);
		}
	}
	return true;
}

static bool check_all(struct straggler *s)
{
	const struct activity *a = s->a;
	struct member *devices = check_alloc(s->c, a->devices.at.n, sizeof(*devices));
	struct member *tasks = check_alloc(s->c, a->devices.tasks.n, sizeof(*tasks));
	struct interval *spans = check_alloc(s->c, a->devices.tasks.n, sizeof(*spans));
	bool fine = devices && tasks && spans && strings_init(&s->kinds);

	for (size_t d = 0; fine && d < a->devices.at.n; d++) {
		const char *what = what_of(activity_device(a, d));

		devices[d].name = activity_device(a, d)->name;
		if (what)
			fine = name_kind(s, a->devices.tasks.at[activity_device(a, d)->task].job,
				what, &devices[d].kind);
	}
	for (size_t t = 0; fine && t < a->devices.tasks.n; t++) {
		tasks[t].name = a->devices.tasks.at[t].name;
		if (tasks[t].name.n)
			fine = name_kind(s, a->devices.tasks.at[t].job, "task", &tasks[t].kind);
	}
	for (size_t step = 0; fine && step < a->n_steps; step++)
		fine = add_step(s, step, devices, tasks, spans);
	return fine && compare(s, tasks, a->devices.tasks.n, true) &&
		compare(s, devices, a->devices.at.n, false);
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct straggler s = {.c = c, .a = check_activity(c)};
	bool fine = s.a && check_all(&s);

	if (fine && !s.n_compared)
		check_skip(c,
			"Fewer than %s devices or tasks of a kind to compare. Skip "
			"StragglerChecker",
			check_word(c, "min_peers"));
	else if (fine && !c->verdict->findings.n)
		check_fine(c, "None of %zu devices and tasks takes much longer than its peers.",
			s.n_compared);
	strings_clear(&s.kinds);
	return fine ? TFPROF_OK : error_no_memory(err);
}

const struct checker straggler_checker = {
	.info = {"StragglerChecker",
		"Devices and tasks that take longer than others of their kind.", options},
	.needs_run_meta = true,
	.run = run,
};
