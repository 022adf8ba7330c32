/* Random numbers that are the same on every machine: set the seed, then draw. */
#ifndef TFPROF_TESTS_DRAW_H
#define TFPROF_TESTS_DRAW_H

#include <stdint.h>

static uint64_t seed;

/* One of the numbers below the limit. */
static inline unsigned draw(unsigned limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % limit;
}

#endif
