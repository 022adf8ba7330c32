/* step: how long each step took on the clock, and what that time went to (model/anatomy.h).
 *
 *     step 0          wall, gap, batches
 *       compute       micros, hidden, share of the wall
 *         dot.3       micros
 *       …
 *       gap           what happened before the step
 *
 * The traces are read again for it: nothing else needs all of their events. */
#include <stdlib.h>
#include <strings.h>

#include "ask/question.h"
#include "ask/step.h"
#include "base/clamped.h"
#include "base/spelling.h"
#include "load/anatomy/hosts.h"

/* id, name, type, unit */
/* clang-format off */
#define STEP_COLUMNS(X)                                                        \
	X(STEP, "step", INT64, NULL)                                           \
	X(WALL, "wall_micros", DOUBLE, "microseconds")                         \
	X(GAP, "gap_micros", DOUBLE, "microseconds")                           \
	X(BATCHES, "batches", INT64, NULL)                                     \
	X(STEADY, "steady", BOOL, NULL)                                        \
	X(MICROS, "micros", DOUBLE, "microseconds")                            \
	X(HIDDEN, "hidden_micros", DOUBLE, "microseconds")                     \
	X(SHARE, "share", DOUBLE, NULL)
/* clang-format on */

enum {
#define X(id, ...) STEP_##id,
	STEP_COLUMNS(X)
#undef X
		N_STEP_COLUMNS
};

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, unit) {name, TFPROF_COLUMN_##type, unit, 0},
	STEP_COLUMNS(X)
#undef X
};

/* Depths of rows, as max_depth counts them. */
enum { DEPTH_STEP = 2, DEPTH_PART, DEPTH_CAUSE };

struct shown {
	struct column_table *table;
	const struct anatomy *anatomy; /* of one host, or steps of several */
	const struct anatomy_hosts *hosts;
	const struct model *model;
	int64_t max_depth;
	size_t most;     /* causes of a part; the others are one row */
	uint32_t device; /* whose parts to show; NONE: of all together */
};

static double micros(int64_t ps)
{
	return (double)ps / 1e6;
}

/* ---- rows ---------------------------------------------------------------------------- */

static struct span cause_name(const struct anatomy_cause *cause)
{
	if (cause->text.n)
		return cause->text;
	return cause->part == ANATOMY_UNKNOWN ? SPAN("(unexplained)") : SPAN("(unnamed)");
}

static void put_cause(const struct shown *s, size_t parent, struct span name, int64_t ps)
{
	size_t row = column_table_add_row(s->table, parent, name);

	table_set_double(s->table, row, STEP_MICROS, micros(ps));
}

/* Largest first. */
static void put_causes(const struct shown *s, size_t parent, const struct anatomy_causes *causes,
	unsigned part, bool of_gap)
{
	size_t n = 0;
	int64_t others_ps = 0;

	for (size_t i = 0; s->max_depth >= DEPTH_CAUSE && i < causes->n; i++) {
		const struct anatomy_cause *cause = &causes->at[i];

		if (!of_gap && cause->part != part)
			continue;
		if (n++ < s->most)
			put_cause(s, parent, cause_name(cause), cause->ps);
		else
			others_ps += cause->ps;
	}
	if (others_ps)
		put_cause(s, parent, SPAN("(others)"), others_ps);
}

static void put_share(const struct shown *s, size_t row, int64_t ps, int64_t wall_ps)
{
	if (wall_ps)
		table_set_double(s->table, row, STEP_SHARE, (double)ps / (double)wall_ps);
}

static void put_part(const struct shown *s, size_t parent, const struct anatomy_step *step,
	unsigned part)
{
	const int64_t *parts = s->device == NONE ? step->parts : step->devices[s->device].parts;
	size_t row = column_table_add_row(s->table, parent, span_of(anatomy_part_name(part)));

	table_set_double(s->table, row, STEP_MICROS, micros(parts[part]));
	put_share(s, row, parts[part], step->wall_ps);
	if (s->device != NONE)
		return;
	table_set_double(s->table, row, STEP_HIDDEN, micros(step->hidden[part]));
	put_causes(s, row, &step->causes, part, false);
	if (part == ANATOMY_INPUT && step->input_work_ps && s->max_depth >= DEPTH_CAUSE) {
		row = column_table_add_row(s->table, row, SPAN("(work of tf.data)"));
		table_set_double(s->table, row, STEP_HIDDEN, micros(step->input_work_ps));
	}
}

static void put_gap(const struct shown *s, size_t parent, const struct anatomy_step *step)
{
	size_t row;

	if (!step->gap_ps)
		return;
	row = column_table_add_row(s->table, parent, SPAN("gap"));
	table_set_double(s->table, row, STEP_MICROS, micros(step->gap_ps));
	put_share(s, row, step->gap_ps, step->wall_ps);
	put_causes(s, row, &step->gap_causes, 0, true);
}

/* "vm" of "…/vm.xplane.pb". */
static struct span host_of(const struct source *trace)
{
	struct span name =
		trace->path ? span_after_last(span_of(trace->path), '/') : SPAN("memory");

	name.n = span_find(name, SPAN(".xplane.pb"));
	return name;
}

/* The wall of the step on each host. */
static void put_hosts(const struct shown *s, size_t parent, int64_t number)
{
	struct buf name = {0};

	for (size_t h = 0; s->hosts->n > 1 && h < s->hosts->n; h++)
		for (size_t i = 0; i < s->hosts->at[h].steps.n; i++) {
			const struct anatomy_step *step = &s->hosts->at[h].steps.at[i];
			size_t row;

			if (step->number != number)
				continue;
			buf_reset(&name);
			buf_text(&name, "host ");
			buf_span(&name, host_of(&s->model->traces.at[h]));
			row = column_table_add_row(s->table, parent, buf_get(&name));
			table_set_double(s->table, row, STEP_WALL, micros(step->wall_ps));
			break;
		}
	s->table->failed |= name.failed;
	buf_clear(&name);
}

static void put_step(const struct shown *s, size_t root, const struct anatomy_step *step)
{
	struct buf name = {0};
	size_t row;

	buf_text(&name, "step ");
	buf_int(&name, step->number);
	s->table->failed |= name.failed;
	row = column_table_add_row(s->table, root, buf_get(&name));
	buf_clear(&name);
	table_set_int(s->table, row, STEP_STEP, step->number);
	table_set_double(s->table, row, STEP_WALL, micros(step->wall_ps));
	if (s->anatomy->by != ANATOMY_BY_RUNS) {
		table_set_double(s->table, row, STEP_GAP, micros(step->gap_ps));
		table_set_int(s->table, row, STEP_BATCHES, step->n_batches);
	}
	table_set_int(s->table, row, STEP_STEADY, step->is_steady);
	if (s->max_depth < DEPTH_PART)
		return;
	for (unsigned part = 0; part < N_ANATOMY_PARTS; part++)
		if (part != ANATOMY_IDLE || s->device != NONE)
			put_part(s, row, step, part);
	put_gap(s, row, step);
	put_hosts(s, row, step->number);
}

static void put_all(const struct shown *s)
{
	size_t root = column_table_add_row(s->table, TABLE_NO_PARENT, SPAN("steps"));

	for (size_t i = 0; s->max_depth >= DEPTH_STEP && i < s->anatomy->steps.n; i++)
		put_step(s, root, &s->anatomy->steps.at[i]);
}

/* A trace of many steps has millions of causes, which nobody reads one by one. */
static void choose_most(struct shown *s, struct answer *a)
{
	enum { MOST_ROWS = 50000, LEAST = 16 };
	size_t n = 0, n_steps = s->anatomy->steps.n;

	for (size_t i = 0; i < n_steps; i++)
		n += s->anatomy->steps.at[i].causes.n + s->anatomy->steps.at[i].gap_causes.n;
	s->most = SIZE_MAX;
	if (n <= MOST_ROWS || s->max_depth < DEPTH_CAUSE)
		return;
	s->most = MOST_ROWS / n_steps > LEAST ? MOST_ROWS / n_steps : LEAST;
	answer_note(a, "most_causes",
		"of the causes of a part the largest %zu are listed, the others as one", s->most);
	/* Text adds up all of them. */
	if (a->notes.n && !a->failed)
		a->notes.at[a->notes.n - 1].is_in_text = true;
}

/* ---- causes for text ------------------------------------------------------------------- */

static int by_part_and_name(const void *a, const void *b)
{
	const struct step_cause *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return span_compare(x->name, y->name);
}

static int by_part_and_size(const void *a, const void *b)
{
	const struct step_cause *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->micros != y->micros)
		return x->micros > y->micros ? -1 : 1;
	return span_compare(x->name, y->name);
}

static bool list_causes(const struct anatomy *a, bool of_gaps, struct step_detail *d)
{
	anatomy_cause_list list = {0};
	bool ok = anatomy_sum_causes(a, of_gaps, &list);

	for (size_t i = 0; ok && i < list.n; i++)
		ok = vec_push(&d->causes,
			((struct step_cause){of_gaps ? N_ANATOMY_PARTS : list.at[i].part,
				cause_name(&list.at[i]), micros(list.at[i].ps)}));
	vec_clear(&list);
	return ok;
}

/* Keeps the largest of each part, with names of their own. */
static bool keep_largest(struct step_detail *d)
{
	enum { MOST = 3 };
	struct step_cause *c = d->causes.at;
	size_t n = 0, n_joined = 0, n_of_part = 0;
	bool ok = true;

	if (!d->causes.n)
		return true;
	qsort(c, d->causes.n, sizeof(*c), by_part_and_name);
	for (size_t i = 0; i < d->causes.n; i++)
		if (n_joined && by_part_and_name(&c[n_joined - 1], &c[i]) == 0)
			c[n_joined - 1].micros += c[i].micros;
		else
			c[n_joined++] = c[i];
	qsort(c, n_joined, sizeof(*c), by_part_and_size);
	for (size_t i = 0; ok && i < n_joined; i++) {
		n_of_part = n && c[n - 1].part == c[i].part ? n_of_part + 1 : 1;
		if (n_of_part > MOST)
			continue;
		c[n] = c[i];
		c[n].name = arena_copy(&d->arena, c[i].name);
		ok = c[n++].name.at;
	}
	d->causes.n = n;
	return ok;
}

static void free_detail(void *detail)
{
	struct step_detail *d = detail;

	vec_clear(&d->causes);
	arena_clear(&d->arena);
	mem_free(d);
}

static void put_detail(struct answer *a, const struct shown *s)
{
	struct step_detail *d = a->detail = mem_zero(sizeof(*d));

	if (d && s->max_depth >= DEPTH_CAUSE && s->device == NONE)
		a->failed |= !list_causes(s->anatomy, false, d) ||
			!list_causes(s->anatomy, true, d) || !keep_largest(d);
	a->failed |= !d;
}

/* ---- what is said of them -------------------------------------------------------------- */

static void note_steps(struct answer *a, const struct anatomy *of)
{
	if (of->by == ANATOMY_BY_RUNS)
		answer_note(a, "runs_only",
			"run metadata has operations only: Python and the time between runs are "
			"not in it");
	if (of->by == ANATOMY_WHOLE && of->steps.n)
		answer_note(a, "no_steps",
			"the trace has no step markers and no function that is called: all of it "
			"is "
			"one step");
	if (of->by == ANATOMY_NONE)
		answer_note(a, "no_steps",
			"the trace has no step markers, and no program has most of the devices' "
			"time: "
			"there are no steps to tell");
}

static void note_compiled(struct answer *a, const struct anatomy *of)
{
	enum { MOST = 4 };

	for (size_t i = 0; i < of->compiled.n && i < MOST; i++) {
		const struct anatomy_compiled *c = &of->compiled.at[i];

		answer_note(a, "compiled", "%.*s was %scompiled %lld %s, %.1f ms%s%.*s",
			(int)(c->function.n < 200 ? c->function.n : 200), c->function.at,
			c->is_traced ? "traced and " : "", (long long)c->n_times,
			c->n_times == 1 ? "time" : "times", (double)c->ps / 1e9,
			c->why.n ? ": " : "", (int)(c->why.n < 400 ? c->why.n : 400), c->why.at);
	}
}

static void note_others(struct answer *a, const struct anatomy *of)
{
	const struct anatomy_others *others = &of->others;
	int n = (int)(others->name.n < 200 ? others->name.n : 200);

	if (others->n_calls)
		answer_note(a, "other_calls",
			"%zu calls of another function of this name, %.*s, %.1f ms in all, are no "
			"steps: --step_function=%.*s makes them steps",
			others->n_calls, n, others->name.at, (double)others->ps / 1e9, n,
			others->name.at);
}

static void put_mean(struct answer *a, const char *key, int64_t ps, size_t n)
{
	if (n)
		answer_put_double(a, key, micros(ps) / (double)n);
	else
		answer_put_null(a, key);
}

static void put_head(struct answer *a, const struct anatomy *of)
{
	struct anatomy_total total;
	struct buf text = {0};

	anatomy_sum(of, &total);
	a->failed |= !anatomy_put_headline(of, &text);
	answer_put_text(a, "headline", buf_get(&text));
	buf_reset(&text);
	anatomy_put_steps_by(of, &text);
	a->failed |= text.failed;
	answer_put_text(a, "steps_by", buf_get(&text));
	buf_clear(&text);
	put_mean(a, "wall_micros", total.wall_ps, total.n_steps);
	put_mean(a, "gap_micros", total.gap_ps, of->by == ANATOMY_BY_RUNS ? 0 : total.n_gaps);
	answer_put_int(a, "steady", (int64_t)total.n_steps);
	answer_put_int(a, "left_out", (int64_t)(of->steps.n - total.n_steps));
	answer_put_int(a, "unknown_names", (int64_t)of->n_unknown_names);
	note_steps(a, of);
	note_others(a, of);
	note_compiled(a, of);
}

/* ---- devices ------------------------------------------------------------------------------ */

static bool is_same_name(struct span a, struct span b)
{
	return a.n == b.n && strncasecmp(a.at, b.at, a.n) == 0;
}

/* A virtual device of a CPU is known by its number alone. */
static bool is_device(struct span device, struct span name)
{
	if (is_same_name(device, name))
		return true;
	return name.n > 4 && strncasecmp(name.at, "cpu:", 4) == 0 &&
		span_equal(device, span_from(name, 4));
}

static enum tfprof_status find_device(struct shown *s, struct span name, struct tfprof_error *err)
{
	const struct anatomy *a = s->anatomy;
	struct buf names = {0};
	enum tfprof_status status;

	s->device = NONE;
	if (!name.n)
		return TFPROF_OK;
	if (a->n_untold)
		return error_set(err, TFPROF_UNSUPPORTED,
			"%s: %zu devices in %zu steps are too many to tell them apart",
			OPTION("on"), a->n_untold, a->steps.n);
	for (uint32_t i = 0; i < a->devices.n; i++) {
		if (is_device(a->devices.at[i], name)) {
			/* With one device, its parts are those of the step. */
			s->device = a->devices.n > 1 ? i : NONE;
			buf_clear(&names);
			return TFPROF_OK;
		}
		buf_text(&names, i ? ", " : "");
		buf_span(&names, a->devices.at[i]);
	}
	status = names.failed ? error_no_memory(err)
			      : error_set(err, TFPROF_ARGUMENT,
					"%s: no device '%.*s' in this trace: expected one of: %s",
					OPTION("on"), (int)(name.n < 100 ? name.n : 100), name.at,
					names.n ? names.at : "(it has none)");
	buf_clear(&names);
	return status;
}

/* ---- which steps ------------------------------------------------------------------------- */

static bool read_number(struct span *text, int64_t *number)
{
	size_t i = 0;

	*number = 0;
	for (; i < text->n && text->at[i] >= '0' && text->at[i] <= '9'; i++)
		*number = clamped_sum(clamped_product(*number, 10), text->at[i] - '0');
	*text = span_from(*text, i);
	return i;
}

/* "10:20", or "10" for one. */
static bool read_range(struct span text, int64_t *first, int64_t *last)
{
	if (!read_number(&text, first))
		return false;
	*last = *first;
	if (text.n && text.at[0] == ':') {
		text = span_from(text, 1);
		if (!read_number(&text, last))
			return false;
	}
	return !text.n && *first <= *last;
}

static enum tfprof_status cut(struct anatomy *a, struct span text, struct tfprof_error *err)
{
	int64_t first, last, all[2] = {0};

	if (!text.n)
		return TFPROF_OK;
	if (!read_range(text, &first, &last))
		return error_set(err, TFPROF_ARGUMENT,
			"%s: expected numbers of the first and the last step, such as 10:20, "
			"not '%.*s'",
			OPTION("steps"), ERROR_SPAN(text));
	if (a->steps.n) {
		all[0] = a->steps.at[0].number;
		all[1] = a->steps.at[a->steps.n - 1].number;
	}
	anatomy_cut(a, first, last);
	if (a->steps.n || a->by == ANATOMY_NONE)
		return TFPROF_OK;
	return error_set(err, TFPROF_ARGUMENT, "%s: no step %.*s: the steps are %lld to %lld",
		OPTION("steps"), ERROR_SPAN(text), (long long)all[0], (long long)all[1]);
}

static enum tfprof_status show(struct answer *a, const struct asked *q,
	const struct anatomy_hosts *hosts, struct span function, struct tfprof_error *err)
{
	const struct tfprof_options *o = q->options;
	/* What is cut is not asked for again: the list is that of the hosts. */
	struct anatomy chosen = *anatomy_hosts_get(hosts);
	struct shown s = {.table = &a->table,
		.anatomy = &chosen,
		.hosts = hosts,
		.model = q->model,
		.max_depth =
			options_is_given(o, OPT_MAX_DEPTH) ? o->number[OPT_MAX_DEPTH] : INT64_MAX};
	enum tfprof_status status = TFPROF_OK;

	if (!column_table_init_tree(&a->table, infos, N_STEP_COLUMNS))
		status = error_no_memory(err);
	else if (function.n && (!s.anatomy->steps.n || !q->model->traces.n))
		status = error_set(err, TFPROF_ARGUMENT,
			"%s: no call of '%.*s' on the main thread of a trace",
			OPTION("step_function"), (int)(function.n < 200 ? function.n : 200),
			function.at);
	else
		status = find_device(&s, o->list[OPT_ON].at[0], err);
	if (status == TFPROF_OK)
		status = cut(&chosen, o->list[OPT_STEPS].at[0], err);
	if (status == TFPROF_OK) {
		choose_most(&s, a);
		put_all(&s);
		put_detail(a, &s);
		put_head(a, s.anatomy);
	}
	return status;
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	struct span function = q->options->list[OPT_STEP_FUNCTION].at[0];
	struct anatomy_hosts hosts;
	enum tfprof_status status = q->model->traces.n
		? anatomy_hosts_read(&hosts, q->model, function, err)
		: anatomy_hosts_read_runs(&hosts, q->model, err);

	if (status == TFPROF_OK)
		status = show(a, q, &hosts, function, err);
	anatomy_hosts_clear(&hosts);
	return status;
}

static bool has_runs(const struct asked *q)
{
	return q->model->traces.n || asked_ran(q);
}

/* Operations alone are no step of a trace. */
static bool has_trace(const struct asked *q)
{
	return q->model->traces.n || !model_is_recorded(q->model);
}

static const struct question_need needs[] = {
	{has_runs, RUNS_MISSING, RUNS_REMEDY},
	{has_trace, "the time between operations is not known", "a trace (*.xplane.pb)"},
	{NULL, NULL, NULL},
};

const struct question step_question = {
	.name = "step",
	.summary = "how long a step takes, and where the time goes",
	.description =
		"Prints how long a step takes on the clock, and its parts: computing, waiting "
		"for input, compiling, Python and others. Every instant belongs to one part, "
		"so they add up. What ran below another part is hidden.",
	.example = "",
	.state = QUESTION_LOADED,
	.needs = needs,
	.not_saved = "the time between operations, and what it went to",
	.run = run,
	.free_detail = free_detail,
};
