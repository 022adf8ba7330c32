#include "lib/links.h"
#include "base/sort.h"

#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
	const struct thread_mark *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return (x->end_us < y->end_us) - (x->end_us > y->end_us);
}

static bool has_same_key(const struct thread_mark *a, const struct thread_mark *b)
{
	return a->kind == b->kind && a->key == b->key;
}

/* The last of a kind and key that began by then; of calls within each other the outermost. NULL:
 * there is none. Marks are sorted. */
static const struct thread_mark *find(const struct threads *t, enum thread_mark_kind kind,
	uint64_t key, int64_t by_us)
{
	struct thread_mark wanted = {.kind = kind, .key = key, .start_us = by_us, .end_us = 0};
	size_t low = 0;
	const struct thread_mark *found, *at = t->marks.at;

	sort_search(low, t->marks.n, i,
		has_same_key(&at[i], &wanted) ? at[i].start_us <= by_us
					      : by_key(&at[i], &wanted) < 0);
	if (!low || !has_same_key(&t->marks.at[low - 1], &wanted))
		return NULL;
	found = &t->marks.at[low - 1];
	while (found > t->marks.at && has_same_key(found - 1, found) &&
		found[-1].lane == found->lane && found[-1].end_us >= found->end_us)
		found--;
	return found;
}

static struct link_end end_of(const struct thread_mark *m, const uint32_t *texts,
	uint32_t first_lane)
{
	bool is_run = m->kind == MARK_RUN;

	return (struct link_end){.lane = is_run ? NONE : first_lane + m->lane,
		.name = texts[m->name],
		.device = is_run ? m->lane : NONE,
		.start_us = m->start_us,
		.end_us = m->end_us};
}

bool links_add(thread_links *links, struct threads *threads, const uint32_t *texts,
	uint32_t first_lane)
{
	if (threads->marks.n)
		qsort(threads->marks.at, threads->marks.n, sizeof(*threads->marks.at), by_key);
	for (size_t i = 0; i < threads->marks.n; i++) {
		const struct thread_mark *m = &threads->marks.at[i], *from;
		struct thread_link link;

		if (m->kind != MARK_RUN && m->kind != MARK_CONSUMER)
			continue;
		from = find(threads, m->kind == MARK_RUN ? MARK_LAUNCH : MARK_PRODUCER, m->key,
			m->start_us);
		if (!from)
			continue;
		link.from = end_of(from, texts, first_lane);
		link.to = end_of(m, texts, first_lane);
		if (!vec_push(links, link))
			return false;
	}
	return true;
}
