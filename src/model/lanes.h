/* Laying events of one device side by side: each goes to the first lane that
 * is free again, else to a new one. Lanes are numbered from 0 in order of
 * creation, as trace viewers number threads.
 *
 *     a tree of minima over the lanes' last ends finds the first free one in
 *     logarithmic time, however many events overlap:
 *
 *                 min 3                 [1]
 *           min 5       min 3           [2] [3]
 *         9      5    3      -          [4] [5] [6] [7]    lanes 0 1 2
 */
#ifndef TFPROF_MODEL_LANES_H
#define TFPROF_MODEL_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lanes {
	int64_t *ends; /* the tree; leaves start at ends[cap] */
	size_t n, cap;
};

#define LANES_NONE UINT32_MAX

/* Zero-initialized is empty; clear makes it so again. */
void lanes_clear(struct lanes *l);

/* A new lane that ends at `end`; LANES_NONE on allocation failure. */
uint32_t lanes_add(struct lanes *l, int64_t end);

/* The first lane whose last end is less than `before`, or a new one; its last
 * end is then `end`. LANES_NONE on allocation failure. */
uint32_t lanes_take(struct lanes *l, int64_t before, int64_t end);

#endif
