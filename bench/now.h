/* Milliseconds of the clock that `bench/run` measures with: wall time or, with --cpu,
 * CPU time of the process. */
#ifndef TFPROF_BENCH_NOW_H
#define TFPROF_BENCH_NOW_H

#include <stdlib.h>
#include <time.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(getenv("TFPROF_BENCH_CPU") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#endif
