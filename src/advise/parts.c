#include "advise/parts.h"

#include "base/median.h"
#include "query/format.h"

void step_parts_clear(struct step_parts *parts)
{
	if (!parts)
		return;
	anatomy_hosts_clear(&parts->hosts);
	vec_clear(&parts->causes);
	vec_clear(&parts->gap_causes);
}

static double per_step(const struct step_parts *p, int64_t ps)
{
	return (double)ps / 1e6 / (double)p->total.n_steps;
}

static double per_gap(const struct step_parts *p, int64_t ps)
{
	return p->total.n_gaps ? (double)ps / 1e6 / (double)p->total.n_gaps : 0;
}

static enum tfprof_status read_parts(struct step_parts *p, const struct model *m,
	struct tfprof_error *err)
{
	enum tfprof_status status = anatomy_hosts_read(&p->hosts, m, SPAN(""), err);
	const struct anatomy *a = anatomy_hosts_get(&p->hosts);

	if (status != TFPROF_OK || !a)
		return status;
	anatomy_sum(a, &p->total);
	if (!anatomy_sum_causes(a, false, &p->causes) ||
		!anatomy_sum_causes(a, true, &p->gap_causes))
		return error_no_memory(err);
	if (!p->total.n_steps || p->total.wall_ps <= 0)
		return TFPROF_OK;
	p->anatomy = a;
	p->period_us = per_step(p, p->total.wall_ps) + per_gap(p, p->total.gap_ps);
	return TFPROF_OK;
}

enum tfprof_status check_parts(struct check *c, const struct step_parts **parts,
	struct tfprof_error *err)
{
	struct advice *a = c->advice;

	*parts = NULL;
	if (!a->parts) {
		a->parts = check_alloc(c, 1, sizeof(*a->parts));
		if (!a->parts)
			return error_no_memory(err);
		a->parts->status = read_parts(a->parts, c->model, &a->parts->error);
	}
	if (a->parts->status == TFPROF_OK && a->parts->anatomy)
		*parts = a->parts;
	if (err)
		*err = a->parts->error;
	return a->parts->status;
}

const struct anatomy_late *check_late(struct check *c, struct span device)
{
	const struct step_parts *parts;

	/* A trace may tell that without having steps. */
	if (check_parts(c, &parts, NULL) != TFPROF_OK || !c->advice->parts)
		return NULL;
	return anatomy_hosts_get_late(&c->advice->parts->hosts, device);
}

void check_set_walls(struct check *c, struct activity *a)
{
	const struct step_parts *parts;

	/* A checker that needs them reports an error. */
	(void)check_parts(c, &parts, NULL);
	for (size_t i = 0; parts && i < parts->anatomy->steps.n; i++) {
		const struct anatomy_step *step = &parts->anatomy->steps.at[i];
		uint32_t at = model_find_step(c->model, step->number);

		if (at != NONE)
			a->step_us[at] = step->wall_ps / 1000000;
	}
}

/* ---- time ------------------------------------------------------------------------------ */

static int64_t in_step(const struct anatomy_step *step, unsigned part)
{
	return part == N_ANATOMY_PARTS ? step->wall_ps : step->parts[part];
}

static int64_t in_gap(const struct anatomy_step *step, unsigned part)
{
	int64_t sum = 0;

	if (part == N_ANATOMY_PARTS)
		return step->gap_ps;
	for (size_t i = 0; i < step->gap_causes.n; i++)
		if (step->gap_causes.at[i].part == part)
			sum += step->gap_causes.at[i].ps;
	return sum;
}

struct part_time parts_measure(const struct step_parts *parts, enum part_place place, unsigned part)
{
	const struct anatomy *a = parts->anatomy;
	int64_t steps = 0, gaps = 0, all = 0, most = 0, of_most = 0;
	double micros, of_others;

	for (size_t i = 0; i < a->steps.n; i++)
		if (a->steps.at[i].is_steady) {
			int64_t step = place & IN_STEPS ? in_step(&a->steps.at[i], part) : 0;
			int64_t gap = place & IN_GAPS ? in_gap(&a->steps.at[i], part) : 0;

			steps += step;
			gaps += gap;
			all += a->steps.at[i].wall_ps + a->steps.at[i].gap_ps;
			if (step + gap > most) {
				most = step + gap;
				of_most = a->steps.at[i].wall_ps + a->steps.at[i].gap_ps;
			}
		}
	micros = per_step(parts, steps) + per_gap(parts, gaps);
	of_others = all > of_most ? (double)(steps + gaps - most) / (double)(all - of_most) : 1;
	return (struct part_time){.share = micros / parts->period_us,
		.micros = micros,
		/* What happens once in a recording need not happen again. */
		.is_unusual = of_others < 0.5 * micros / parts->period_us};
}

void parts_put_time(const struct step_parts *parts, struct part_time time, struct buf *b)
{
	buf_text(b, ": ");
	format_number(b, UNIT_MICROS, to_int(time.micros));
	buf_text(b, " of ");
	format_number(b, UNIT_MICROS, to_int(parts->period_us));
	buf_text(b,
		parts->anatomy->by == ANATOMY_WHOLE                       ? " in the trace"
			: parts->total.gap_ps > parts->total.wall_ps / 20 ? " from step to step"
									  : " per step");
	buf_printf(b, " (%.0f%%)", 100 * time.share);
}

/* ---- causes ---------------------------------------------------------------------------- */

static double cause_us(const struct step_parts *parts, const struct anatomy_cause *cause)
{
	bool is_of_gap = parts->gap_causes.n && cause >= parts->gap_causes.at &&
		cause < parts->gap_causes.at + parts->gap_causes.n;

	return is_of_gap ? per_gap(parts, cause->ps) : per_step(parts, cause->ps);
}

const struct anatomy_cause *parts_put_cause(const struct step_parts *parts,
	const anatomy_cause_list *causes, unsigned part, struct buf *b)
{
	for (size_t i = 0; i < causes->n; i++) {
		const struct anatomy_cause *cause = &causes->at[i];

		if (cause->part != part || !cause->text.n)
			continue;
		buf_text(b, "; most in ");
		buf_span(b, cause->text);
		buf_text(b, ", ");
		format_number(b, UNIT_MICROS, to_int(cause_us(parts, cause)));
		return cause;
	}
	return NULL;
}

/* ---- a slow step ----------------------------------------------------------------------- */

static int64_t excess_of(const struct anatomy *a, size_t step, unsigned part, double *others)
{
	size_t n = 0;

	for (size_t i = 0; i < a->steps.n; i++)
		if (i != step)
			others[n++] = (double)a->steps.at[i].parts[part];
	return a->steps.at[step].parts[part] - to_int(median_of_doubles(others, n));
}

/* "waiting for input (CAUSE)", or what has the words already: "Python (not traced)". */
static void put_part(const struct anatomy_causes *causes, enum anatomy_part part, struct buf *b)
{
	struct span words = span_of(anatomy_part_words(part)), cause = {"", 0};

	for (size_t i = 0; !cause.n && i < causes->n; i++)
		if (causes->at[i].part == part)
			cause = causes->at[i].text;
	if (span_starts(cause, words)) {
		buf_span(b, cause);
		return;
	}
	buf_span(b, words);
	if (!cause.n)
		return;
	buf_text(b, " (");
	buf_span(b, cause);
	buf_char(b, ')');
}

bool parts_put_excess(const struct step_parts *parts, struct check *c, int64_t step,
	int64_t excess_us, struct buf *b)
{
	const struct anatomy *a = parts ? parts->anatomy : NULL;
	double *others = a ? check_alloc(c, a->steps.n, sizeof(*others)) : NULL;
	unsigned most_in = ANATOMY_COMPUTE;
	int64_t most = 0;
	size_t at = 0;

	while (others && at < a->steps.n && a->steps.at[at].number != step)
		at++;
	if (!others || at == a->steps.n)
		return false;
	for (unsigned part = 0; part < N_ANATOMY_PARTS; part++) {
		int64_t excess = excess_of(a, at, part, others);

		if (excess > most) {
			most = excess;
			most_in = part;
		}
	}
	if (most_in == ANATOMY_COMPUTE || most / 1000000 < excess_us / 2)
		return false;
	buf_text(b, "; ");
	format_number(b, UNIT_MICROS, most / 1000000);
	buf_text(b, " longer than usual: ");
	put_part(&a->steps.at[at].causes, (enum anatomy_part)most_in, b);
	return true;
}

/* "train.py:12:load" of "train.py:12 load > time sleep"; empty if it is no frame. */
static struct span line_of(struct check *c, struct span text)
{
	struct span place = span_before(text, ' '), function;
	struct span number = span_after_last(place, ':');
	struct buf line = {0};
	struct span copy = {"", 0};

	if (place.n == text.n || number.n == place.n || !number.n || number.at[0] < '0' ||
		number.at[0] > '9')
		return copy;
	function = span_before(span_from(text, place.n + 1), ' ');
	buf_span(&line, place);
	buf_char(&line, ':');
	buf_span(&line, function);
	c->advice->failed |= line.failed;
	if (!line.failed)
		copy = check_copy(c, buf_get(&line));
	buf_clear(&line);
	return copy;
}

struct place check_cause(struct check *c, const struct step_parts *parts,
	const struct anatomy_cause *cause)
{
	/* "jit(f)/io_callback/io_callback.1 at train.py:12" is an operation, and where it was
	 * written. */
	struct span name =
		cause->part == ANATOMY_CALLBACK ? span_before(cause->text, ' ') : cause->text;
	uint32_t node = model_find_node(c->model, name);
	struct place place = {0};

	if (cause->part == ANATOMY_PYTHON || cause->part == ANATOMY_CALLBACK)
		place.line = line_of(c, cause->text);
	if (!place.line.n && node != NONE)
		place = check_node(c, node);
	else if (!place.line.n)
		place.node = check_copy(c, cause->text);
	if (cause->part == ANATOMY_INPUT)
		place.op = check_copy(c, parts->anatomy->input_op);
	place.micros = to_int(cause_us(parts, cause));
	return place;
}
