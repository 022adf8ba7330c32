/* Sorting records by merging, with memory that does not grow with their
 * number: what does not fit a fixed amount of it waits, sorted piece by piece,
 * in a temporary file that has no name.
 *
 *     struct sorter s;
 *     sorter_init(&s, sizeof(struct event), by_start, 0);
 *     sorter_add(&s, &event);                      // any number, unchecked
 *     for (sorter_rewind(&s); (e = sorter_next(&s));)
 *             …                                    // ascending
 *     status = sorter_check(&s, err);              // once, at the end
 *     sorter_clear(&s);
 *
 *     add → [ items ] --full--> sort --> | run | run | run |   the file
 *                                            \    |    /
 *     next ←--------------------------------- merge (heap)
 *
 * Records that compare equal come in the order in which they were added. A
 * failure (memory, disk) sticks: nothing more is added, `next` ends at once,
 * and `check` tells. Reading again starts with another rewind; adding ends
 * with the first one. */
#ifndef TFPROF_BASE_SORTER_H
#define TFPROF_BASE_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tfprof/tfprof.h>

#include "base/vec.h"

/* Less than, equal to or greater than 0, as for qsort. */
typedef int sorter_compare_fn(const void *a, const void *b);

/* Some records in the file, and the window on them that is in memory. */
struct sorter_run {
	uint64_t begin, end; /* records in the file */
	uint64_t at;         /* the next to read */
	char *window;
	size_t i, n; /* in the window: current, how many */
};

struct sorter {
	size_t item_size;
	sorter_compare_fn *compare;
	size_t max_items; /* in memory */
	char *items, *scratch;
	size_t n, cap, i;
	int fd; /* -1 until the first run is written */
	uint64_t n_spilled;
	VEC(struct sorter_run) runs;
	char *windows; /* read buffers of all runs */
	size_t window_items;
	uint32_t *heap; /* runs by their current record */
	size_t n_heap;
	bool sorted, moved; /* moved: the heap's first is used up */
	int error;          /* the first errno value */
};

/* `memory_bytes` 0 means the default, a few megabytes. */
void sorter_init(struct sorter *s, size_t item_size, sorter_compare_fn *compare,
	size_t memory_bytes);
/* May be called right after init, and more than once. */
void sorter_clear(struct sorter *s);

void sorter_add(struct sorter *s, const void *item);
/* Ends adding; reading starts from the first record. */
void sorter_rewind(struct sorter *s);
/* Borrowed until the next call; NULL at the end. */
const void *sorter_next(struct sorter *s);

/* For tests: what `memory_bytes` 0 means from now on (0: the default again). Not
 * for use with threads. */
void sorter_set_default(size_t memory_bytes);

enum tfprof_status sorter_check(const struct sorter *s, struct tfprof_error *err);

#endif
