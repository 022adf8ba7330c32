#include "count/summary.h"

/* The last record that reads each buffer. A buffer that is never read is freed at once. */
static void find_last_uses(const struct walk *w, uint32_t *last)
{
	for (size_t i = 0; i < w->records.n; i++) {
		const struct record *r = &w->records.at[i];

		for (uint32_t k = 0; k < r->n_buffers; k++)
			last[r->first_buffer + k] = (uint32_t)i;
		for (uint32_t k = 0; k < r->n_uses; k++)
			last[w->uses.at[r->first_use + k]] = (uint32_t)i;
	}
	for (size_t i = 0; i < w->kept.n; i++)
		last[w->kept.at[i]] = UINT32_MAX;
}

/* An input of the record that is not needed later, of the size of the result. */
static uint32_t find_dying(const struct walk *w, size_t i, const uint32_t *last, int64_t bytes)
{
	const struct record *r = &w->records.at[i];

	for (uint32_t k = 0; k < r->n_uses; k++) {
		uint32_t buffer = w->uses.at[r->first_use + k];

		if (last[buffer] == i && w->buffers.at[buffer] == bytes)
			return buffer;
	}
	return 0;
}

bool memory_peak(const struct walk *w, int64_t *peak, size_t *record)
{
	uint32_t *last = mem_zero_array(w->buffers.n + 1, sizeof(*last));
	bool *is_live = mem_zero_array(w->buffers.n + 1, sizeof(*is_live));
	int64_t live = 0;

	*peak = 0;
	*record = SIZE_MAX;
	if (!last || !is_live) {
		mem_free(last);
		mem_free(is_live);
		return false;
	}
	find_last_uses(w, last);
	for (size_t i = 1; i <= w->n_inputs; i++) {
		is_live[i] = true;
		live = count_add(live, w->buffers.at[i]);
	}
	for (size_t i = 0; i < w->records.n; i++) {
		const struct record *r = &w->records.at[i];

		for (uint32_t k = 0; k < r->n_buffers; k++) {
			uint32_t own = r->first_buffer + k, over = 0;

			if (r->place == PLACE_OVER)
				over = find_dying(w, i, last, w->buffers.at[own]);
			if (over && is_live[over])
				is_live[over] = false;
			else
				live = count_add(live, w->buffers.at[own]);
			is_live[own] = true;
		}
		if (live > *peak) {
			*peak = live;
			*record = i;
		}
		for (uint32_t k = 0; k < r->n_uses + r->n_buffers; k++) {
			uint32_t buffer = k < r->n_uses ? w->uses.at[r->first_use + k]
							: r->first_buffer + k - r->n_uses;

			if (last[buffer] != i || !is_live[buffer])
				continue;
			is_live[buffer] = false;
			/* After an overflow, the amount is no longer known. */
			if (live < INT64_MAX)
				live -= w->buffers.at[buffer];
		}
	}
	mem_free(last);
	mem_free(is_live);
	return true;
}
