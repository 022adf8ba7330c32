#include "model/bars.h"

#include "base/sort.h"

/* Of a joined bar, this many executions are compared to name it. */
enum { NAMED_FROM = 64 };

struct finder {
	const struct events *e;
	const uint32_t *rows; /* of the lane, by start */
	uint32_t n;
	int64_t min_us;
};

static int64_t start_of(const struct finder *f, uint32_t i)
{
	return f->e->start_us[f->rows[i]];
}

static int64_t duration_of(const struct finder *f, uint32_t i)
{
	int64_t duration = f->e->duration_us[f->rows[i]];

	return duration > 0 ? duration : 0;
}

static int64_t end_of(const struct finder *f, uint32_t i)
{
	int64_t end;

	return __builtin_add_overflow(start_of(f, i), duration_of(f, i), &end) ? INT64_MAX : end;
}

/* The first from `i` on that starts at `time_us` or later: near ones are found fast. */
static uint32_t gallop(const struct finder *f, uint32_t i, int64_t time_us)
{
	uint32_t step = 1, low = i, high;

	while (i + step < f->n && start_of(f, i + step) < time_us) {
		low = i + step;
		step *= 2;
		if (step > f->n)
			break;
	}
	high = f->n - i < step ? f->n : i + step;
	sort_search(low, high, k, start_of(f, k) < time_us);
	return low;
}

/* The first execution that may still run at `from_us`: in a lane, most ended before the
 * next began. */
static uint32_t first_at(const struct finder *f, int64_t from_us)
{
	uint32_t i = f->n && start_of(f, 0) < from_us ? gallop(f, 0, from_us) : 0;

	while (i && f->e->reach_us[(f->rows - f->e->by_lane) + i - 1] > from_us)
		i--;
	return i;
}

static uint32_t longest(const struct finder *f, uint32_t begin, uint32_t end)
{
	uint32_t best = begin;

	if (end - begin > NAMED_FROM)
		end = begin + NAMED_FROM;
	for (uint32_t i = begin + 1; i < end; i++)
		if (duration_of(f, i) > duration_of(f, best))
			best = i;
	return f->rows[best];
}

/* Joins what starts within min_us after the i-th; a wide last one is left for itself.
 * Returns the next. */
static uint32_t join(const struct finder *f, uint32_t lane, uint32_t i, struct bar *bar)
{
	int64_t limit;
	uint32_t next;

	if (__builtin_add_overflow(start_of(f, i), f->min_us, &limit))
		limit = INT64_MAX;
	next = gallop(f, i, limit);
	if (next <= i)
		next = i + 1;
	if (next > i + 1 && duration_of(f, next - 1) >= f->min_us)
		next--;
	*bar = (struct bar){.row = longest(f, i, next),
		.n_rows = next - i,
		.start_us = start_of(f, i),
		.end_us = f->e->reach_us[(f->rows - f->e->by_lane) + next - 1]};
	if (bar->end_us < bar->start_us)
		bar->end_us = bar->start_us;
	bar->busy_us = (int64_t)events_busy_us(f->e, lane, bar->start_us, bar->end_us);
	return next;
}

void bars_find(const struct events *e, uint32_t lane, int64_t from_us, int64_t until_us,
	int64_t min_us, bar_fn *fn, void *context)
{
	uint32_t first = e->first_in_lane[lane];
	struct finder f = {e, e->by_lane + first, e->first_in_lane[lane + 1] - first, min_us};
	uint32_t i = first_at(&f, from_us), next;

	for (; i < f.n && start_of(&f, i) < until_us; i = next) {
		struct bar bar = {f.rows[i], 1, start_of(&f, i), end_of(&f, i), duration_of(&f, i)};

		next = i + 1;
		if (duration_of(&f, i) < min_us)
			next = join(&f, lane, i, &bar);
		if (bar.end_us > from_us && fn(context, &bar))
			return;
	}
}
