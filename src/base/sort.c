#include "base/sort.h"

#include <stdatomic.h>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "base/vec.h"

enum { SMALL = 24, SHORT = 1024, FEW = 8 };

static void insertion_sort(struct sort_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_item item = items[i];
		size_t k = i;

		for (; k > 0 && items[k - 1].key > item.key; k--)
			items[k] = items[k - 1];
		items[k] = item;
	}
}

/* One pass of a least-significant-digit radix sort. */
static void pass(const struct sort_item *from, struct sort_item *to, size_t n, unsigned shift)
{
	size_t start[256] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		start[(from[i].key >> shift) & 255]++;
	for (size_t d = 0; d < 256; d++) {
		size_t count = start[d];

		start[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[start[(from[i].key >> shift) & 255]++] = from[i];
}

/* Two ascending ranges that follow each other. */
static void merge(const struct sort_item *from, struct sort_item *to, size_t low, size_t middle,
	size_t high)
{
	size_t a = low, b = middle, k = low;

	while (a < middle && b < high)
		to[k++] = from[b].key < from[a].key ? from[b++] : from[a++];
	while (a < middle)
		to[k++] = from[a++];
	while (b < high)
		to[k++] = from[b++];
}

/* Bottom-up merge sort, for ranges too short for counting digits to pay. */
static void merge_sort(struct sort_item *items, struct sort_item *scratch, size_t n)
{
	struct sort_item *from = items, *to = scratch, *swap;

	for (size_t i = 0; i < n; i += SMALL)
		insertion_sort(items + i, n - i < SMALL ? n - i : SMALL);
	for (size_t width = SMALL; width < n; width *= 2) {
		for (size_t low = 0; low < n; low += 2 * width) {
			size_t middle = low + width < n ? low + width : n;
			size_t high = low + 2 * width < n ? low + 2 * width : n;

			merge(from, to, low, middle, high);
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

/* Sorts by the bytes in which keys differ, least significant first. */
static void sort_bytes(struct sort_item *items, struct sort_item *scratch, size_t n,
	uint64_t differ)
{
	struct sort_item *from = items, *to = scratch, *swap;

	for (unsigned shift = 0; shift < 64; shift += 8) {
		if (!((differ >> shift) & 255))
			continue;
		pass(from, to, n, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

/* Ascending runs, each from one of the starts to the next, merged two by two. */
static void merge_runs(struct sort_item *items, struct sort_item *scratch, size_t *starts,
	size_t n_runs)
{
	struct sort_item *from = items, *to = scratch, *swap;

	while (n_runs > 1) {
		size_t n = 0;

		for (size_t run = 0; run < n_runs; run += 2) {
			size_t low = starts[run], middle = starts[run + 1];
			size_t high = run + 2 <= n_runs ? starts[run + 2] : middle;

			merge(from, to, low, middle, high);
			starts[n++] = low;
			starts[n] = high;
		}
		n_runs = n;
		swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, starts[1] * sizeof(*items));
}

/* Times of threads come as a few ascending runs: merging those takes half the time. */
enum { MOST_RUNS = 16 };

struct order {
	uint64_t differ; /* the bits in which keys differ */
	size_t n_runs;   /* ascending ones; more than MOST_RUNS: that is all that is known */
	size_t starts[MOST_RUNS + 2];
};

static void find_order(const struct sort_item *items, size_t n, struct order *o)
{
	o->differ = 0;
	o->n_runs = n ? 1 : 0;
	o->starts[0] = 0;
	for (size_t i = 1; i < n; i++) {
		o->differ |= items[i].key ^ items[0].key;
		if (items[i].key < items[i - 1].key && o->n_runs <= MOST_RUNS)
			o->starts[o->n_runs++] = i;
	}
	o->starts[o->n_runs] = n;
}

void sort_items(struct sort_item *items, struct sort_item *scratch, size_t n)
{
	struct order order;

	find_order(items, n, &order);
	if (order.n_runs <= 1)
		return;
	if (order.n_runs <= MOST_RUNS)
		merge_runs(items, scratch, order.starts, order.n_runs);
	else if (n <= SHORT)
		merge_sort(items, scratch, n);
	else
		sort_bytes(items, scratch, n, order.differ);
}

/* ---- texts ------------------------------------------------------------- */

/* A key is seven bytes of text and how many of them there are: the end of a text sorts
 * before any byte. */
enum { KEY_BYTES = 7 };

static uint64_t text_key(struct span text, size_t from)
{
	const unsigned char *p;
	size_t left = text.n - from;
	uint64_t key = 0;

	if (!left)
		return 0;
	p = (const unsigned char *)text.at + from;
	if (left > KEY_BYTES) {
		memcpy(&key, p, sizeof(key));
		return (__builtin_bswap64(key) & ~(uint64_t)255) | (KEY_BYTES + 1);
	}
	for (size_t i = 0; i < left; i++)
		key |= (uint64_t)p[i] << (56 - 8 * i);
	return key | left;
}

/* Ids whose texts are equal up to the offset. */
struct range {
	size_t start, n, offset;
};

typedef VEC(struct range) ranges;

struct text_sort {
	const struct span *texts;
	uint32_t *ids;
	size_t parts;
	/* the range that is split by all parts together: */
	struct range keyed;
	struct sort_item *items;
	/* those that each part sorts by itself, from the last to the first: */
	ranges jobs;
	size_t largest; /* of them */
	atomic_size_t next_job;
	atomic_bool failed;
};

/* Texts are scattered over memory: without prefetching, scope_first takes 3 % longer.
 * Ranges are often short, so this looks beyond them, up to `end`. */
PREFETCHES prefetch_text(const struct text_sort *s, size_t i, size_t end, size_t offset)
{
	enum { AHEAD = 12 };

	if (end - i <= 2 * AHEAD)
		return;
	prefetch_line(&s->texts[s->ids[i + 2 * AHEAD]]);
	prefetch_line((const void *)((uintptr_t)s->texts[s->ids[i + AHEAD]].at + offset));
}

static void make_keys(const struct text_sort *s, struct range r, size_t end,
	struct sort_item *items)
{
	for (size_t i = 0; i < r.n; i++) {
		uint32_t id = s->ids[r.start + i];

		prefetch_text(s, r.start + i, end, r.offset);
		items[i] = (struct sort_item){text_key(s->texts[id], r.offset), id};
	}
}

static bool is_rest_less(struct span a, struct span b, size_t from)
{
	return span_compare((struct span){a.at + from, a.n - from},
		       (struct span){b.at + from, b.n - from}) < 0;
}

/* Insertion sort by what follows the offset: without it, scope_first takes 3 % longer. */
static void sort_few(const struct text_sort *s, uint32_t *ids, size_t n, size_t offset)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t id = ids[i];
		size_t k = i;

		for (; k > 0 && is_rest_less(s->texts[id], s->texts[ids[k - 1]], offset); k--)
			ids[k] = ids[k - 1];
		ids[k] = id;
	}
}

/* Sorts the ids of a range by their keys. Texts that are equal so far and continue
 * become ranges to sort by what follows. */
static bool sort_range(struct text_sort *s, struct range r, struct sort_item *items,
	struct sort_item *scratch, ranges *todo)
{
	size_t end;

	sort_items(items, scratch, r.n);
	for (size_t i = 0; i < r.n; i++)
		s->ids[r.start + i] = items[i].id;
	for (size_t i = 0; i < r.n; i = end) {
		for (end = i + 1; end < r.n && items[end].key == items[i].key;)
			end++;
		if (end - i < 2 || (items[i].key & 255) != KEY_BYTES + 1)
			continue;
		if (end - i <= FEW)
			sort_few(s, s->ids + r.start + i, end - i, r.offset + KEY_BYTES);
		else if (!vec_push(todo,
				 ((struct range){r.start + i, end - i, r.offset + KEY_BYTES})))
			return false;
	}
	return true;
}

/* ---- small ranges, one after the other ----------------------------------------- */

static bool sort_job(struct text_sort *s, struct range job, size_t end, struct sort_item *items,
	ranges *todo)
{
	bool ok = vec_push(todo, job);

	while (ok && todo->n) {
		struct range r = todo->at[--todo->n];

		make_keys(s, r, end, items);
		ok = sort_range(s, r, items, items + s->largest, todo);
	}
	return ok;
}

static void sort_jobs(void *context, size_t part)
{
	enum { AT_ONCE = 64 };
	struct text_sort *s = context;
	struct sort_item *items = mem_array(2 * s->largest, sizeof(*items));
	ranges todo = {0};
	bool ok = items;

	while (ok) {
		size_t taken = atomic_fetch_add(&s->next_job, AT_ONCE), left, n;
		const struct range *jobs;

		if (taken >= s->jobs.n)
			break;
		left = s->jobs.n - taken;
		n = left < AT_ONCE ? left : AT_ONCE;
		jobs = s->jobs.at + left - n;
		for (size_t i = n; ok && i > 0; i--)
			ok = sort_job(s, jobs[i - 1], jobs->start + jobs->n, items, &todo);
	}
	mem_free(items);
	vec_clear(&todo);
	if (!ok)
		atomic_store(&s->failed, true);
}

/* ---- large ranges, together ------------------------------------------------------ */

static void make_part_of_keys(void *context, size_t part)
{
	const struct text_sort *s = context;
	size_t from = parallel_begin(s->keyed.n, s->parts, part);
	size_t to = parallel_begin(s->keyed.n, s->parts, part + 1);

	make_keys(s, (struct range){s->keyed.start + from, to - from, s->keyed.offset},
		s->keyed.start + to, s->items + from);
}

static bool split_range(struct text_sort *s, struct range r, size_t n, ranges *todo)
{
	if (!s->items)
		s->items = mem_array(2 * n, sizeof(*s->items));
	if (!s->items)
		return false;
	s->keyed = r;
	parallel_run(s->parts, make_part_of_keys, s);
	return sort_range(s, r, s->items, s->items + n, todo);
}

/* Large ranges are split by all parts together; then each part sorts small ranges
 * until none are left. */
static bool sort_ranges(const struct span *texts, uint32_t *ids, size_t n, ranges *todo)
{
	enum { LEAST_PART = 16384 };
	struct text_sort s = {.texts = texts, .ids = ids, .parts = parallel_parts(n, LEAST_PART)};
	size_t small = s.parts > 1 ? n / s.parts / 4 : n;
	bool ok = true;

	while (ok && todo->n) {
		struct range r = todo->at[--todo->n];

		if (r.n > small) {
			ok = split_range(&s, r, n, todo);
			continue;
		}
		ok = vec_push(&s.jobs, r);
		if (r.n > s.largest)
			s.largest = r.n;
	}
	mem_free(s.items);
	if (ok)
		parallel_run(s.parts, sort_jobs, &s);
	vec_clear(&s.jobs);
	return ok && !atomic_load(&s.failed);
}

bool sort_texts(const struct span *texts, uint32_t *order, size_t n)
{
	ranges todo = {0};
	bool ok = vec_push(&todo, ((struct range){0, n, 0}));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	ok = ok && sort_ranges(texts, order, n, &todo);
	vec_clear(&todo);
	return ok;
}

bool sort_text_groups(const struct span *texts, uint32_t *ids, const uint32_t *first,
	size_t n_groups)
{
	ranges todo = {0};
	bool ok = true;

	for (size_t g = 0; ok && g < n_groups; g++)
		if (first[g + 1] - first[g] > 1)
			ok = vec_push(&todo,
				((struct range){first[g], first[g + 1] - first[g], 0}));
	ok = ok && sort_ranges(texts, ids, first[n_groups], &todo);
	vec_clear(&todo);
	return ok;
}
