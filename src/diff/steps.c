#include "diff/steps.h"

#include <math.h>

#include "base/median.h"
#include "diff/sample.h"

/* As for rows: changes with a smaller chance are no noise. */
static const double limit_p = 0.05;

void step_side_clear(struct step_side *s)
{
	vec_clear(&s->steps);
	vec_clear(&s->runs);
	arena_clear(&s->arena);
}

/* ---- reading --------------------------------------------------------------------- */

/* What is not known: the time before the first step. */
enum { NOT_KNOWN = -1 };

static struct step_values values_of(const struct anatomy_step *step, bool is_first)
{
	struct step_values v = {{0}};

	v.at[STEP_WALL] = step->wall_ps / 1000;
	v.at[STEP_GAP] = is_first ? NOT_KNOWN : step->gap_ps / 1000;
	for (unsigned p = 0; p < N_ANATOMY_PARTS; p++)
		v.at[STEP_SHARES + p] =
			(int64_t)(1e6 * (double)step->parts[p] / (double)step->wall_ps);
	return v;
}

static bool copy_causes(struct step_side *s, const struct anatomy *a)
{
	anatomy_cause_list causes = {0};
	bool ok = anatomy_sum_causes(a, false, &causes);

	memset(s->causes, 0, sizeof(s->causes));
	for (size_t i = 0; ok && i < causes.n; i++) {
		struct span *cause = &s->causes[causes.at[i].part];

		if (cause->n || !causes.at[i].text.n)
			continue;
		*cause = arena_copy(&s->arena, causes.at[i].text);
		ok = cause->at;
	}
	vec_clear(&causes);
	return ok;
}

/* Of those that are known. */
static double mean_of(const struct step_values *steps, size_t n, unsigned value)
{
	double sum = 0;
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++)
		if (steps[i].at[value] != NOT_KNOWN) {
			sum += (double)steps[i].at[value];
			n_known++;
		}
	return n_known ? sum / (double)n_known : NOT_KNOWN;
}

bool step_side_add(struct step_side *s, const struct anatomy *a, int64_t only)
{
	size_t first = s->steps.n, n;
	struct step_values mean = {{0}};
	bool ok = true;

	for (size_t i = 0; ok && i < a->steps.n; i++) {
		const struct anatomy_step *step = &a->steps.at[i];

		if (step->wall_ps > 0 && (only < 0 ? step->is_steady : step->number == only))
			ok = vec_push(&s->steps, values_of(step, !i));
	}
	n = s->steps.n - first;
	if (!ok || !n)
		return ok;
	for (unsigned v = 0; v < N_STEP_VALUES; v++)
		mean.at[v] = (int64_t)mean_of(&s->steps.at[first], n, v);
	return vec_push(&s->runs, mean) && copy_causes(s, a);
}

/* ---- comparing ------------------------------------------------------------------- */

static int64_t *sample_of(const struct step_side *s, bool by_run, unsigned value, size_t *n)
{
	const struct step_values *from = by_run ? s->runs.at : s->steps.at;
	size_t n_all = by_run ? s->runs.n : s->steps.n;
	int64_t *values;

	values = mem_array(n_all + 1, sizeof(*values));
	*n = 0;
	for (size_t i = 0; values && i < n_all; i++)
		if (from[i].at[value] != NOT_KNOWN)
			values[(*n)++] = from[i].at[value];
	return values;
}

bool step_sides_compare(const struct step_side *base, const struct step_side *new_side,
	unsigned value, struct diff_sum *sum)
{
	bool by_run = base->runs.n > 1 && new_side->runs.n > 1;
	size_t n_base, n_new;
	int64_t *a = sample_of(base, by_run, value, &n_base);
	int64_t *b = sample_of(new_side, by_run, value, &n_new);
	bool ok = a && b;

	*sum = (struct diff_sum){.p = 1};
	if (ok && n_base && n_new) {
		sum->p = sample_mann_whitney(a, n_base, b, n_new, NULL);
		sum->base = median_of_ints(a, n_base);
		sum->new_value = median_of_ints(b, n_new);
		sum->is_decidable = sample_smallest_p(n_base, n_new) <= limit_p;
		sum->is_distinct = sum->p <= limit_p;
	}
	mem_free(a);
	mem_free(b);
	return ok;
}

/* ---- the sentence ---------------------------------------------------------------- */

static double side_mean(const struct step_side *s, unsigned value)
{
	return mean_of(s->steps.at, s->steps.n, value);
}

static double points_of(const struct step_side *base, const struct step_side *new_side,
	unsigned part)
{
	return (side_mean(new_side, STEP_SHARES + part) - side_mean(base, STEP_SHARES + part)) /
		1e4;
}

static void put_ms(struct buf *b, double ns)
{
	buf_printf(b, ns < 999.5e6 ? "%.3g ms" : "%.0f ms", ns / 1e6);
}

/* Computing, by its time: of a longer step it has a smaller share without changing. */
static void put_computing(const struct step_side *base, const struct step_side *new_side,
	const char *separator, struct buf *b)
{
	double before = side_mean(base, STEP_SHARES + ANATOMY_COMPUTE) * side_mean(base, STEP_WALL);
	double after =
		side_mean(new_side, STEP_SHARES + ANATOMY_COMPUTE) * side_mean(new_side, STEP_WALL);

	if (before <= 0)
		return;
	if (fabs(after / before - 1) < 0.05)
		buf_printf(b, "%scompute unchanged", separator);
	else
		buf_printf(b, "%scompute %+.0f %%", separator, 100 * (after / before - 1));
}

/* Other parts, by their share of the step, largest change first. */
static const char *put_parts(const struct step_side *base, const struct step_side *new_side,
	struct buf *b)
{
	enum { MOST = 3 };
	bool is_put[N_ANATOMY_PARTS] = {[ANATOMY_COMPUTE] = true};
	const char *separator = ": ";

	for (unsigned n = 0; n < MOST; n++) {
		unsigned best = ANATOMY_COMPUTE;
		struct span cause;
		double points;

		for (unsigned p = 0; p < N_ANATOMY_PARTS; p++)
			if (!is_put[p] &&
				(best == ANATOMY_COMPUTE ||
					fabs(points_of(base, new_side, p)) >
						fabs(points_of(base, new_side, best))))
				best = p;
		is_put[best] = true;
		points = points_of(base, new_side, best);
		if (fabs(points) < 1)
			break;
		buf_printf(b, "%s%s %+.0f points", separator, anatomy_part_name(best), points);
		cause = (points > 0 ? new_side : base)->causes[best];
		if (cause.n) {
			buf_text(b, " (");
			buf_span(b, cause);
			buf_char(b, ')');
		}
		separator = ", ";
	}
	return separator;
}

bool step_sides_put(const struct step_side *base, const struct step_side *new_side, struct buf *b)
{
	double before, after;
	struct diff_sum wall;

	if (!base->steps.n || !new_side->steps.n)
		return true;
	if (!step_sides_compare(base, new_side, STEP_WALL, &wall))
		return false;
	before = side_mean(base, STEP_WALL);
	after = side_mean(new_side, STEP_WALL);
	buf_text(b, "step ");
	put_ms(b, before);
	buf_text(b, " to ");
	put_ms(b, after);
	buf_printf(b, ", %+.0f %%", 100 * (after / before - 1));
	put_computing(base, new_side, put_parts(base, new_side, b), b);
	if (!wall.is_decidable)
		buf_text(b, "; too few steps to tell it from noise");
	else if (!wall.is_distinct)
		buf_text(b, "; not distinguishable from noise");
	return !b->failed;
}
