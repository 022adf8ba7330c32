#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct worker {
	pthread_t thread;
	bool runs;
	parallel_fn *work;
	void *context;
	size_t part;
};

static size_t processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	return (size_t)CPU_COUNT(&set);
}

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t parallel_parts(size_t n, size_t least)
{
	const char *wish = getenv("TFPROF_THREADS");
	size_t parts = wish ? least_of(n, strtoul(wish, NULL, 10)) : n / least;

	if (parts < 2)
		return 1;
	return least_of(least_of(parts, wish ? parts : processors()), PARALLEL_MAX);
}

static void *work(void *context)
{
	struct worker *w = context;

	w->work(w->context, w->part);
	return NULL;
}

/* Signals stay with the threads the program itself made. */
static void start(struct worker *workers, size_t n)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (size_t i = 0; i < n; i++)
		workers[i].runs = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void parallel_run(size_t parts, parallel_fn *fn, void *context)
{
	struct worker workers[PARALLEL_MAX];
	size_t n = parts - 1;

	for (size_t i = 0; i < n; i++)
		workers[i] = (struct worker){.work = fn, .context = context, .part = i + 1};
	if (n)
		start(workers, n);
	fn(context, 0);
	for (size_t i = 0; i < n; i++)
		if (workers[i].runs)
			pthread_join(workers[i].thread, NULL);
		else
			fn(context, i + 1);
}
