/* Ranks the ids 0 … n - 1 by the bytes they hold, largest first, while the amounts
 * change: a skip list. Equal amounts rank by id.
 *
 *     level 2   head ------------> 4 ------------------->
 *     level 1   head ----> 7 ----> 4 ------------> 2 --->
 *     level 0   head ----> 7 ----> 4 ----> 0 ----> 2 --->
 *     bytes                900     400     400     16
 *
 * Setting and finding an amount take logarithmic time. Only amounts above 0 are
 * ranked. */
#ifndef TFPROF_WRITE_RANKING_H
#define TFPROF_WRITE_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

enum { RANKING_LEVELS = 16 };

struct ranking {
	int64_t *bytes;       /* by id */
	uint32_t *first_link; /* by id: its links, lowest level first */
	uint32_t *links;      /* the next id on each level */
	uint32_t head[RANKING_LEVELS];
	size_t n;
};

/* All amounts are 0. False on allocation failure; clear in either case. */
bool ranking_init(struct ranking *r, size_t n);
void ranking_clear(struct ranking *r);
/* Sets all amounts to 0. */
void ranking_reset(struct ranking *r);

void ranking_set(struct ranking *r, uint32_t id, int64_t bytes);

/* The first id that holds at most this much, or NONE. */
uint32_t ranking_at_most(const struct ranking *r, int64_t bytes);
/* The next id, or NONE. */
uint32_t ranking_next(const struct ranking *r, uint32_t id);

#endif
