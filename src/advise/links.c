#include "advise/links.h"

#include "base/sort.h"

/* Transfers of a link come in order of step and start. */
static void add_transfer(struct link *link, const struct step_transfer *t, int64_t *busy_until,
	uint32_t *last_step)
{
	int64_t start = t->entry.start_us, end = t->entry.end_us;

	link->n_transfers++;
	add_clamped(&link->bytes, t->entry.bytes);
	add_clamped(&link->time_us, transfer_us(t));
	if (!link->longest || transfer_us(t) > transfer_us(link->longest))
		link->longest = t;
	link->n_steps += t->step != *last_step;
	if (t->step != *last_step || *busy_until < start)
		*busy_until = start;
	if (end > *busy_until) {
		add_clamped(&link->busy_us, end - *busy_until);
		*busy_until = end;
	}
	*last_step = t->step;
}

static bool order(links_vec *links)
{
	struct sort_item *items = mem_array(links->n, sizeof(*items));
	struct sort_item *scratch = mem_array(links->n, sizeof(*scratch));
	struct link *old = mem_array(links->n, sizeof(*old));
	bool ok = items && scratch && old;

	for (size_t i = 0; ok && i < links->n; i++) {
		items[i] =
			(struct sort_item){sort_key_descending(links->at[i].time_us), (uint32_t)i};
		old[i] = links->at[i];
	}
	if (ok && links->n)
		sort_items(items, scratch, links->n);
	for (size_t i = 0; ok && i < links->n; i++)
		links->at[i] = old[items[i].id];
	mem_free(items);
	mem_free(scratch);
	mem_free(old);
	return ok;
}

/* Transfers with equal keys belong to the same link. */
static uint64_t key_of(const struct step_transfer *t)
{
	return t->entry.kind == TRANSFER_TENSOR ? (uint64_t)t->from << 32 | t->to
						: (uint64_t)t->device << 32 | t->entry.kind;
}

bool links_find(links_vec *links, const struct activity *a, bool copies)
{
	struct sort_item *items = mem_array(a->transfers.n, sizeof(*items));
	struct sort_item *scratch = mem_array(a->transfers.n, sizeof(*scratch));
	bool ok = items && scratch && a->transfers.n < NONE;
	int64_t busy_until = 0;
	uint32_t last_step = NONE;
	size_t n = 0;

	for (size_t i = 0; ok && i < a->transfers.n; i++) {
		const struct step_transfer *t = &a->transfers.at[i];

		if ((t->entry.kind != TRANSFER_TENSOR) == copies)
			items[n++] = (struct sort_item){key_of(t), (uint32_t)i};
	}
	if (ok && n)
		sort_items(items, scratch, n);
	for (size_t i = 0; ok && i < n; i++) {
		const struct step_transfer *t = &a->transfers.at[items[i].id];

		if (!i || items[i].key != items[i - 1].key) {
			ok = vec_push(links,
				((struct link){.kind = t->entry.kind,
					.from = t->from,
					.to = t->to,
					.device = t->device}));
			last_step = NONE;
		}
		if (ok)
			add_transfer(&links->at[links->n - 1], t, &busy_until, &last_step);
	}
	mem_free(items);
	mem_free(scratch);
	return ok && order(links);
}
