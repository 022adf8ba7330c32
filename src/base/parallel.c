#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct worker {
	pthread_t thread;
	bool runs;
	const cpu_set_t *home; /* where it may run; NULL: nobody knows */
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

	if (w->home)
		pthread_setaffinity_np(pthread_self(), sizeof(*w->home), w->home);
	w->work(w->context, w->part);
	return NULL;
}

/* Threads are born on another processor than ours: Linux often starts them on the
 * same one, where they wait for some milliseconds, longer than most work takes.
 * Once they run they may go wherever we may. */
static bool choose_birthplace(pthread_attr_t *attr, cpu_set_t *home)
{
	cpu_set_t others;
	int here = sched_getcpu();

	if (here < 0 || sched_getaffinity(0, sizeof(*home), home) != 0)
		return false;
	others = *home;
	CPU_CLR(here, &others);
	return CPU_COUNT(&others) &&
		pthread_attr_setaffinity_np(attr, sizeof(others), &others) == 0;
}

/* Signals stay with the threads the program itself made, but for what a thread brings
 * on itself: a mapped file that another program cuts short is a SIGBUS where it is
 * read, and whom the program has told to handle that must get it. */
static void start(struct worker *workers, size_t n, cpu_set_t *home)
{
	pthread_attr_t attr;
	sigset_t all, old;
	bool chosen;

	pthread_attr_init(&attr);
	chosen = choose_birthplace(&attr, home);
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (size_t i = 0; i < n; i++) {
		workers[i].home = chosen ? home : NULL;
		workers[i].runs = pthread_create(&workers[i].thread, &attr, work, &workers[i]) == 0;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
}

void parallel_run(size_t parts, parallel_fn *fn, void *context)
{
	struct worker workers[PARALLEL_MAX];
	cpu_set_t home;
	size_t n = parts - 1;

	for (size_t i = 0; i < n; i++)
		workers[i] = (struct worker){.work = fn, .context = context, .part = i + 1};
	if (n)
		start(workers, n, &home);
	fn(context, 0);
	for (size_t i = 0; i < n; i++)
		if (workers[i].runs)
			pthread_join(workers[i].thread, NULL);
		else
			fn(context, i + 1);
}

/* ---- in order --------------------------------------------------------------- */

struct queue {
	parallel_block_fn *make, *put;
	void *context;
	size_t n, slots, next_to_make, next_to_put;
	bool made[PARALLEL_SLOTS];
	bool putting; /* somebody is */
	pthread_mutex_t lock;
	pthread_cond_t room; /* a slot is free again */
};

/* Puts what can be, with the lock held except while putting. */
static void put_made(struct queue *q)
{
	q->putting = true;
	while (q->made[q->next_to_put % q->slots]) {
		size_t block = q->next_to_put, slot = block % q->slots;

		pthread_mutex_unlock(&q->lock);
		q->put(q->context, slot, block);
		pthread_mutex_lock(&q->lock);
		q->made[slot] = false;
		q->next_to_put++;
		pthread_cond_broadcast(&q->room);
	}
	q->putting = false;
}

/* Blocks are given out in order, so the earliest one is always being made or
 * put, and one part alone gets through. */
static void work_in_order(void *context, size_t part)
{
	struct queue *q = context;

	pthread_mutex_lock(&q->lock);
	while (q->next_to_make < q->n) {
		size_t block = q->next_to_make++, slot = block % q->slots;

		while (block - q->next_to_put >= q->slots)
			pthread_cond_wait(&q->room, &q->lock);
		pthread_mutex_unlock(&q->lock);
		q->make(q->context, slot, block);
		pthread_mutex_lock(&q->lock);
		q->made[slot] = true;
		if (!q->putting)
			put_made(q);
	}
	pthread_mutex_unlock(&q->lock);
}

void parallel_in_order(size_t parts, size_t n, parallel_block_fn *make, parallel_block_fn *put,
	void *context)
{
	struct queue q = {.make = make,
		.put = put,
		.context = context,
		.n = n,
		.slots = parts > 1 ? 3 * parts : 1,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.room = PTHREAD_COND_INITIALIZER};

	parallel_run(parts, work_in_order, &q);
	pthread_cond_destroy(&q.room);
	pthread_mutex_destroy(&q.lock);
}
