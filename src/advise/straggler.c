/* Devices and tasks that take longer than others of their kind.
 *
 * Every figure is a duration by one task's own clock, so clocks need not agree. */
#include "advise/parts.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"outlier_score", "3.5", "Modified z-score above which a device or task is an outlier."},
	{"min_excess", "0.2", "Minimum excess of an outlier over the median, as a share of it."},
	{"min_peers", "3", "Minimum number of devices or tasks of a kind to compare."},
	{NULL, NULL, NULL},
};

/* A device, compared by how long it is busy, or a task, compared by how long its step
 * takes. */
struct member {
	struct span name;
	uint32_t kind; /* compared with others of this kind; 0: not compared */
	int64_t sum_us, n_steps;
};

struct straggler {
	struct check *c;
	const struct activity *a;
	struct strings kinds;
	size_t n_compared; /* members of kinds with enough members */
};

/* The kind of a device or task: its job and what it is. */
static bool find_kind(struct straggler *s, struct span job, const char *what, uint32_t *kind)
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
	if (device_has_accelerator_time(device))
		return "accelerator";
	return device->kind == DEVICE_KIND_CPU && device->properties & DEVICE_CANONICAL ? "cpu"
											: NULL;
}

/* A device's busy time in a step. */
struct busy {
	int64_t sum_us, until_us;
};

static void add_step(struct straggler *s, size_t step, struct member *devices, struct member *tasks,
	struct busy *busy, struct interval *spans)
{
	const struct activity *a = s->a;
	struct event_rows rows = activity_events(a, step);

	memset(busy, 0, a->devices.at.n * sizeof(*busy));
	for (size_t row = rows.first; row < rows.end; row++) {
		struct event e = events_get(&a->events, row);
		struct busy *b = &busy[e.device];
		int64_t start = e.start_us > b->until_us ? e.start_us : b->until_us;

		if (event_end(&e) <= start)
			continue;
		b->sum_us += event_end(&e) - start;
		b->until_us = event_end(&e);
	}
	for (size_t d = 0; d < a->devices.at.n; d++)
		if (busy[d].sum_us) {
			add_clamped(&devices[d].sum_us, busy[d].sum_us);
			devices[d].n_steps++;
		}
	activity_spans(a, step, spans);
	for (size_t t = 0; t < a->devices.tasks.n; t++)
		if (spans[t].end > spans[t].start) {
			add_clamped(&tasks[t].sum_us, spans[t].end - spans[t].start);
			tasks[t].n_steps++;
		}
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
		is_task ? ", %.1f times the median of %zu tasks in its job, "
			: " per step, %.1f times the median of %zu such devices in its job, ",
		mean / spread->median, n_peers);
	format_number(b, UNIT_MICROS, to_int(spread->median));
	f = check_find(s->c, is_task ? "straggling_task" : "straggling_device",
		TFPROF_LEVEL_WARNING, CONFIDENCE_MEDIUM);
	f->stake_us = to_int(mean - spread->median);
	f->stake_share = 1 - spread->median / mean;
	f->remedy = "Check whether it has more work than the others, or runs on a slower or "
		    "busier machine.";
	check_place(s->c, f, (struct place){.device = m->name, .micros = to_int(mean)});
	check_figure(s->c, f, "score", score);
	check_figure(s->c, f, "micros", mean);
	check_figure(s->c, f, "median_micros", spread->median);
}

/* Groups members by kind, with a counting sort, and checks each kind. */
static bool compare(struct straggler *s, const struct member *members, size_t n, bool is_task)
{
	double limit = check_number(s->c, "outlier_score"),
	       excess = check_number(s->c, "min_excess");
	int64_t min_peers = check_int(s->c, "min_peers");
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

		if (n_peers < 2 || (int64_t)n_peers < min_peers)
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
	size_t n_devices = a->devices.at.n, n_tasks = a->devices.tasks.n;
	struct member *devices = check_alloc(s->c, n_devices, sizeof(*devices));
	struct member *tasks = check_alloc(s->c, n_tasks, sizeof(*tasks));
	struct busy *busy = check_alloc(s->c, n_devices, sizeof(*busy));
	struct interval *spans = check_alloc(s->c, n_tasks, sizeof(*spans));
	bool ok = devices && tasks && busy && spans && strings_init(&s->kinds);

	for (uint32_t d = 0; ok && d < n_devices; d++) {
		const struct device *device = activity_device(a, d);
		const char *what = what_of(device);

		devices[d].name = device->name;
		if (what)
			ok = find_kind(s, a->devices.tasks.at[device->task].job, what,
				&devices[d].kind);
	}
	for (size_t t = 0; ok && t < n_tasks; t++) {
		tasks[t].name = a->devices.tasks.at[t].name;
		if (tasks[t].name.n)
			ok = find_kind(s, a->devices.tasks.at[t].job, "task", &tasks[t].kind);
	}
	for (size_t step = 0; ok && step < a->n_steps; step++)
		add_step(s, step, devices, tasks, busy, spans);
	return ok && compare(s, tasks, n_tasks, true) && compare(s, devices, n_devices, false);
}

/* ---- devices of a trace -------------------------------------------------------------------- */

/* Whose peers wait for it in collectives. */
static void check_waiting(struct straggler *s, const struct step_parts *p)
{
	int64_t wait_ps = 0;
	uint32_t late = anatomy_find_straggler(p->anatomy, &wait_ps);
	double wall = (double)p->total.wall_ps / (double)p->total.n_steps;
	struct buf *b = &s->c->text;
	struct finding *f;

	if (p->anatomy->devices.n < 2)
		return;
	s->n_compared += p->anatomy->devices.n;
	if (late == NONE)
		return;
	buf_text(b, "device ");
	buf_span(b, p->anatomy->devices.at[late]);
	buf_text(b, " is late: the others wait ");
	format_number(b, UNIT_MICROS, wait_ps / 1000000);
	buf_text(b, " of ");
	format_number(b, UNIT_MICROS, to_int(wall / 1e6));
	buf_text(b, " per step for it, in collectives");
	f = check_find(s->c, "late_device", TFPROF_LEVEL_WARNING, CONFIDENCE_HIGH);
	f->stake_us = wait_ps / 1000000;
	f->stake_share = (double)wait_ps / wall;
	f->remedy = "Give it as much work as the others: step with -on=DEVICE shows what it does "
		    "more of.";
	check_place(s->c, f,
		(struct place){.device = check_copy(s->c, p->anatomy->devices.at[late])});
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct straggler s = {.c = c, .a = check_activity(c)};
	bool ok = s.a && check_all(&s);

	if (ok && c->parts)
		check_waiting(&s, c->parts);
	if (ok && !s.n_compared)
		check_skip(c, "too few devices and tasks to compare",
			"Fewer than %s devices or tasks of a kind to compare. Skip "
			"StragglerChecker",
			check_word(c, "min_peers"));
	else if (ok && !c->verdict->findings.n)
		check_ok(c, "None of %zu devices and tasks takes much longer than its peers.",
			s.n_compared);
	strings_clear(&s.kinds);
	return ok ? TFPROF_OK : error_no_memory(err);
}

const struct checker straggler_checker = {
	.info = {"StragglerChecker",
		"Devices and tasks that take longer than others of their kind.", options},
	.needs_run_meta = true,
	.reads_parts = true,
	.run = run,
};
