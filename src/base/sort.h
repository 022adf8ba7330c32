/* Sorting by keys, stable and without recursion. */
#ifndef TFPROF_BASE_SORT_H
#define TFPROF_BASE_SORT_H

#include <stdint.h>

#include "base/span.h"

struct sort_item {
	uint64_t key;
	uint32_t id;
};

/* By key, ascending; equal keys keep their order. `scratch` has room for n
 * items. Linear in n. */
void sort_items(struct sort_item *items, struct sort_item *scratch, size_t n);

/* Keys that order signed numbers. */
static inline uint64_t sort_key_ascending(int64_t value)
{
	return (uint64_t)value ^ (uint64_t)1 << 63;
}

static inline uint64_t sort_key_descending(int64_t value)
{
	return ~sort_key_ascending(value);
}

/* Moves `low` to the first of the places up to `end` for which `comes_before`, an expression of the
 * place `i`, does not hold; it holds for all before that. What began by a time t last is at
 * low - 1 after sort_search(low, n, i, at[i].start <= t). */
#define sort_search(low, end, i, comes_before)                          \
	for (size_t high_ = (end); (low) < high_;) {                    \
		size_t i = (size_t)(low) + (high_ - (size_t)(low)) / 2; \
                                                                        \
		if (comes_before)                                       \
			(low) = i + 1;                                  \
		else                                                    \
			high_ = i;                                      \
	}

/* Where a number is among ascending ones, or would be: how many are smaller. */
static inline size_t sort_place(const int64_t *sorted, size_t n, int64_t value)
{
	size_t low = 0;

	sort_search(low, n, i, sorted[i] < value);
	return low;
}

/* Writes the indexes of n texts in byte order to `order`; equal texts keep their
 * order. False on allocation failure. */
bool sort_texts(const struct span *texts, uint32_t *order, size_t n);

/* Sorts within groups, in byte order: ids[first[g] … first[g + 1]] by the texts
 * they are indexes of. False on allocation failure. */
bool sort_text_groups(const struct span *texts, uint32_t *ids, const uint32_t *first,
	size_t n_groups);

#endif
