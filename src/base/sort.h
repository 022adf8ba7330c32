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

/* Where a number is among ascending ones, or would be: how many are smaller. */
static inline size_t sort_place(const int64_t *sorted, size_t n, int64_t value)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
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
