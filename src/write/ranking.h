/* Who holds how many bytes, most first, while the amounts change: a skip list
 * over the ids 0 … n - 1. Equal amounts rank by id.
 *
 *     level 2   head ------------> 4 ------------------->
 *     level 1   head ----> 7 ----> 4 ------------> 2 --->
 *     level 0   head ----> 7 ----> 4 ----> 0 ----> 2 --->
 *     bytes                900     400     400     16
 *
 * Setting an amount and finding one take logarithmic time. Only amounts above
 * 0 are ranked. */
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

/* All amounts are 0. False when memory is out; clear in any case. */
bool ranking_init(struct ranking *r, size_t n);
void ranking_clear(struct ranking *r);
/* All amounts are 0 again. */
void ranking_reset(struct ranking *r);

void ranking_set(struct ranking *r, uint32_t id, int64_t bytes);

/* The first that holds at most this much; NONE if there is none. */
uint32_t ranking_at_most(const struct ranking *r, int64_t bytes);
/* The one behind it; NONE behind the last. */
uint32_t ranking_next(const struct ranking *r, uint32_t id);

#endif
