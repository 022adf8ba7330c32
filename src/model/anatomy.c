#include "model/anatomy.h"

#include "base/hash.h"

#include <stdlib.h>

#include "base/median.h"
#include "base/strings.h"

static const struct {
	const char *name, *words;
} parts[] = {
#define X(id, name, words) {name, words},
	ANATOMY_PARTS(X)
#undef X
};

const char *anatomy_part_name(enum anatomy_part part)
{
	return parts[part].name;
}

const char *anatomy_part_words(enum anatomy_part part)
{
	return parts[part].words;
}

void anatomy_clear(struct anatomy *a)
{
	vec_clear(&a->steps);
	vec_clear(&a->devices);
	vec_clear(&a->compiled);
	vec_clear(&a->late);
	vec_clear(&a->moments);
	arena_clear(&a->arena);
}

/* ---- steady steps ------------------------------------------------------------------ */

static bool is_compiling(const struct anatomy_step *step)
{
	return step->parts[ANATOMY_COMPILE] > step->wall_ps / 10;
}

/* Whether steps that compile are the exception. */
static bool leaves_out_compiling(const struct anatomy *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->steps.n; i++)
		n += is_compiling(&a->steps.at[i]);
	return a->steps.n > 2 && 2 * n < a->steps.n;
}

/* Whether the first step is much slower than the others, as when a profiler starts up. */
static bool leaves_out_first(const struct anatomy *a, bool without_compiling, bool *ok)
{
	int64_t *walls = mem_array(a->steps.n + 1, sizeof(*walls));
	size_t n = 0;
	bool is_slow = false;

	*ok = walls;
	for (size_t i = 1; walls && i < a->steps.n; i++)
		if (!without_compiling || !is_compiling(&a->steps.at[i]))
			walls[n++] = a->steps.at[i].wall_ps;
	if (walls && n > 1 && !(without_compiling && is_compiling(&a->steps.at[0])))
		is_slow = (double)a->steps.at[0].wall_ps > 1.5 * (double)median_of_ints(walls, n);
	mem_free(walls);
	return is_slow;
}

bool anatomy_find_steady(struct anatomy *a)
{
	bool ok, without_compiling = leaves_out_compiling(a);
	bool without_first = leaves_out_first(a, without_compiling, &ok);

	/* The gap before a call belongs to it, and the first one's is not in the trace. */
	without_first |= a->by == ANATOMY_BY_CALLS && a->steps.n > 1;
	for (size_t i = 0; i < a->steps.n; i++)
		a->steps.at[i].is_steady = !(without_compiling && is_compiling(&a->steps.at[i])) &&
			!(without_first && !i);
	return ok;
}

void anatomy_cut(struct anatomy *a, int64_t first, int64_t last)
{
	bool any = false;
	size_t n = 0;

	for (size_t i = 0; i < a->steps.n; i++) {
		if (a->steps.at[i].number < first || a->steps.at[i].number > last)
			continue;
		a->is_cut |= !n && i;
		any |= a->steps.at[i].is_steady;
		a->steps.at[n++] = a->steps.at[i];
	}
	a->steps.n = n;
	for (size_t i = 0; !any && i < n; i++)
		a->steps.at[i].is_steady = true;
}

void anatomy_sum(const struct anatomy *a, struct anatomy_total *t)
{
	*t = (struct anatomy_total){.min_wall_ps = INT64_MAX};
	for (size_t i = 0; i < a->steps.n; i++) {
		const struct anatomy_step *step = &a->steps.at[i];

		if (!step->is_steady)
			continue;
		t->n_steps++;
		/* Nothing is known of the time before the first step. */
		t->n_gaps += i > 0 || a->is_cut;
		t->wall_ps += step->wall_ps;
		t->gap_ps += step->gap_ps;
		t->input_work_ps += step->input_work_ps;
		t->n_launches += step->n_launches;
		t->n_eager += step->n_eager;
		t->eager_ps += step->eager_ps;
		for (unsigned p = 0; p < N_ANATOMY_PARTS; p++) {
			t->parts[p] += step->parts[p];
			t->hidden[p] += step->hidden[p];
		}
		if (step->wall_ps < t->min_wall_ps)
			t->min_wall_ps = step->wall_ps;
		if (step->wall_ps > t->max_wall_ps)
			t->max_wall_ps = step->wall_ps;
	}
}

/* ---- causes -------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	const struct anatomy_cause *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return span_compare(x->text, y->text);
}

static int by_size(const void *a, const void *b)
{
	const struct anatomy_cause *x = a, *y = b;

	if (x->ps != y->ps)
		return x->ps > y->ps ? -1 : 1;
	return by_text(a, b);
}

struct cause_probe {
	const anatomy_cause_list *list;
	const struct anatomy_cause *cause;
};

static bool same_place(const void *context, uint32_t i)
{
	const struct cause_probe *probe = context;
	const struct anatomy_cause *known = &probe->list->at[i];

	return known->text.at == probe->cause->text.at && known->part == probe->cause->part;
}

static bool same_text(const void *context, uint32_t i)
{
	const struct cause_probe *probe = context;

	return !by_text(&probe->list->at[i], probe->cause);
}

static bool add_cause(anatomy_cause_list *list, struct hash_index *index,
	const struct anatomy_cause *cause, uint64_t hash, hash_same_fn *same)
{
	struct cause_probe probe = {list, cause};
	uint32_t i = hash_find(index, hash_mix(hash, cause->part), same, &probe);

	if (i == NONE)
		return list->n < NONE - 1 && vec_push(list, *cause) &&
			hash_add(index, hash_mix(hash, cause->part), (uint32_t)list->n - 1);
	list->at[i].ps += cause->ps;
	return true;
}

/* A text of a trace is mostly there once, so that steps can be summed up without reading texts. */
static bool sum_places(const struct anatomy *a, bool of_gaps, anatomy_cause_list *list)
{
	struct hash_index index = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < a->steps.n; i++) {
		const struct anatomy_step *step = &a->steps.at[i];
		const struct anatomy_causes *causes = of_gaps ? &step->gap_causes : &step->causes;

		for (size_t k = 0; ok && step->is_steady && k < causes->n; k++)
			ok = add_cause(list, &index, &causes->at[k],
				(uintptr_t)causes->at[k].text.at, same_place);
	}
	hash_clear(&index);
	return ok;
}

bool anatomy_sum_causes(const struct anatomy *a, bool of_gaps, anatomy_cause_list *list)
{
	anatomy_cause_list places = {0};
	struct hash_index index = {0};
	bool ok = sum_places(a, of_gaps, &places);

	list->n = 0;
	for (size_t i = 0; ok && i < places.n; i++) {
		struct span text = places.at[i].text;

		ok = add_cause(list, &index, &places.at[i], hash_bytes(text.at, text.n), same_text);
	}
	if (ok && list->n)
		qsort(list->at, list->n, sizeof(*list->at), by_size);
	hash_clear(&index);
	vec_clear(&places);
	return ok;
}

/* ---- devices -------------------------------------------------------------------------- */

/* Steps that stand for the rest, without those that take more than twice as long as most. */
static bool is_usual(const struct anatomy_step *step, int64_t median_ps)
{
	return step->is_steady && step->wall_ps / 2 <= median_ps;
}

/* On allocation failure, all steps are usual. */
static int64_t median_wall(const struct anatomy *a)
{
	int64_t *walls = mem_array(a->steps.n + 1, sizeof(*walls)), median = INT64_MAX;
	size_t n = 0;

	for (size_t i = 0; walls && i < a->steps.n; i++)
		if (a->steps.at[i].is_steady)
			walls[n++] = a->steps.at[i].wall_ps;
	if (walls)
		median = median_of_ints(walls, n);
	mem_free(walls);
	return median;
}

static int64_t wait_of(const struct anatomy *a, size_t device, int64_t median_ps)
{
	int64_t sum = 0;

	for (size_t i = 0; i < a->steps.n; i++)
		if (is_usual(&a->steps.at[i], median_ps) && a->steps.at[i].devices)
			sum += a->steps.at[i].devices[device].parts[ANATOMY_COMMUNICATION];
	return sum;
}

/* The one that waits least, if all others wait more than twice as long, and 5 % of the wall
 * longer. Single steps are not safe: a device may be preempted, and one that is for long outweighs
 * all other steps. */
uint32_t anatomy_find_straggler(const struct anatomy *a, int64_t *wait_ps)
{
	int64_t least = INT64_MAX, next = INT64_MAX, wall = 0, median = median_wall(a);
	double sum = 0, mean;
	uint32_t late = NONE;
	size_t n_steps = 0;

	for (size_t i = 0; i < a->steps.n; i++)
		if (is_usual(&a->steps.at[i], median)) {
			wall += a->steps.at[i].wall_ps;
			n_steps++;
		}
	if (a->devices.n < 2 || !n_steps)
		return NONE;
	for (uint32_t d = 0; d < a->devices.n; d++) {
		int64_t wait = wait_of(a, d, median);

		sum += (double)wait;
		if (wait < least) {
			next = least;
			least = wait;
			late = d;
		} else if (wait < next) {
			next = wait;
		}
	}
	mean = (sum - (double)least) / (double)(a->devices.n - 1) - (double)least;
	if (next <= 2 * least || mean <= 0.05 * (double)wall)
		return NONE;
	*wait_ps = (int64_t)(mean / (double)n_steps);
	return late;
}

/* ---- the sentence ------------------------------------------------------------------------ */

/* Three digits: 21.3, 0.0968, 484. */
static void put_ms(struct buf *b, double ps)
{
	double ms = ps / 1e9;

	buf_printf(b, ms < 999.5 ? "%.3g ms" : "%.0f ms", ms);
}

static bool has_cause_in_sentence(enum anatomy_part part)
{
	return part == ANATOMY_INPUT || part == ANATOMY_COMPILE || part == ANATOMY_PYTHON ||
		part == ANATOMY_CALLBACK || part == ANATOMY_DISPATCH;
}

static const struct anatomy_cause *largest(const anatomy_cause_list *list, unsigned part)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].part == part && list->at[i].text.n)
			return &list->at[i];
	return NULL;
}

static void put_part(struct buf *b, const struct anatomy_total *t, const anatomy_cause_list *causes,
	enum anatomy_part part)
{
	const struct anatomy_cause *cause = largest(causes, part);
	struct span words = span_of(parts[part].words);

	buf_printf(b, "%.0f %% ", 100 * (double)t->parts[part] / (double)t->wall_ps);
	if (!cause || !has_cause_in_sentence(part) || t->parts[part] <= t->wall_ps / 20) {
		buf_span(b, words);
	} else if (span_starts(cause->text, words)) { /* "Python (not traced)" */
		buf_span(b, cause->text);
	} else {
		buf_span(b, words);
		buf_text(b, (double)cause->ps > 0.8 * (double)t->parts[part] ? " (" : " (most in ");
		buf_span(b, cause->text);
		buf_char(b, ')');
	}
}

static void put_parts(struct buf *b, const struct anatomy_total *t,
	const anatomy_cause_list *causes)
{
	bool is_put[N_ANATOMY_PARTS] = {false};

	for (unsigned n = 0; n < N_ANATOMY_PARTS; n++) {
		unsigned best = N_ANATOMY_PARTS;

		for (unsigned p = 0; p < N_ANATOMY_PARTS; p++)
			if (!is_put[p] && (best == N_ANATOMY_PARTS || t->parts[p] > t->parts[best]))
				best = p;
		is_put[best] = true;
		if (n && t->parts[best] < t->wall_ps / 100)
			return;
		buf_text(b, n ? ", " : ": ");
		put_part(b, t, causes, (enum anatomy_part)best);
	}
}

static void put_gap(struct buf *b, const struct anatomy_total *t, const anatomy_cause_list *causes)
{
	if (t->gap_ps <= t->wall_ps / 20 || !t->n_gaps)
		return;
	buf_text(b, ", and ");
	put_ms(b, (double)t->gap_ps / (double)t->n_gaps);
	buf_text(b, " pass between steps");
	if (!causes->n)
		return;
	if (span_starts(causes->at[0].text, span_of(parts[causes->at[0].part].words))) {
		buf_text(b, " (");
		buf_span(b, causes->at[0].text);
		buf_char(b, ')');
		return;
	}
	buf_printf(b, " (%s", parts[causes->at[0].part].words);
	if (causes->at[0].text.n) {
		buf_text(b, ": ");
		buf_span(b, causes->at[0].text);
	}
	buf_char(b, ')');
}

static void put_straggler(struct buf *b, const struct anatomy *a)
{
	int64_t wait_ps = 0;
	uint32_t late = anatomy_find_straggler(a, &wait_ps);

	if (late == NONE)
		return;
	buf_text(b, "; device ");
	buf_span(b, a->devices.at[late]);
	buf_text(b, " is late: the others wait ");
	put_ms(b, (double)wait_ps);
	buf_text(b, " per step for it");
}

static const char *word_for_step(const struct anatomy *a)
{
	return a->by == ANATOMY_WHOLE ? "The trace, which has no steps, takes " : "A step takes ";
}

static void put_left_out(struct buf *b, const struct anatomy *a, size_t n)
{
	if (n == 1 && a->by == ANATOMY_BY_CALLS && !a->steps.at[0].is_steady)
		buf_text(b, " The first call is left out: the trace lacks the time before it.");
	else if (n)
		buf_printf(b, " %zu of %zu steps %s left out as warm-up.", n, a->steps.n,
			n == 1 ? "is" : "are");
}

bool anatomy_put_headline(const struct anatomy *a, struct buf *b)
{
	struct anatomy_total t;
	anatomy_cause_list causes = {0}, gap_causes = {0};

	anatomy_sum(a, &t);
	if (!t.n_steps || t.wall_ps <= 0) {
		buf_text(b,
			a->by == ANATOMY_WHOLE ? "Nothing ran in this trace."
					       : "No steps in this trace.");
		return !b->failed;
	}
	if (!anatomy_sum_causes(a, false, &causes) || !anatomy_sum_causes(a, true, &gap_causes))
		b->failed = true;
	buf_text(b, word_for_step(a));
	put_ms(b, (double)t.wall_ps / (double)t.n_steps);
	put_gap(b, &t, &gap_causes);
	put_parts(b, &t, &causes);
	put_straggler(b, a);
	buf_char(b, '.');
	put_left_out(b, a, a->steps.n - t.n_steps);
	vec_clear(&causes);
	vec_clear(&gap_causes);
	return !b->failed;
}

void anatomy_put_steps_by(const struct anatomy *a, struct buf *b)
{
	switch (a->by) {
	case ANATOMY_BY_MARKERS: buf_text(b, "markers"); break;
	case ANATOMY_BY_CALLS:
		buf_text(b, "calls of ");
		buf_span(b, a->function);
		break;
	case ANATOMY_BY_DEVICE: buf_text(b, "device steps"); break;
	case ANATOMY_BY_PROGRAM:
		buf_text(b, "runs of ");
		buf_span(b, a->function);
		break;
	case ANATOMY_BY_RUNS: buf_text(b, "runs"); break;
	case ANATOMY_WHOLE: buf_text(b, "whole trace"); break;
	case ANATOMY_NONE: buf_text(b, "none"); break;
	}
}
