#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/processors.h"

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t number_of(const char *variable, size_t otherwise)
{
	const char *text = getenv(variable);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

size_t parallel_parts(size_t n, size_t least)
{
	size_t forced = number_of("TFPROF_TEST_PARTS", 0);
	size_t parts = smaller(forced ? smaller(n, forced) : n / least, PARALLEL_MAX);

	if (!forced && parts > 1)
		parts = smaller(parts, number_of("TFPROF_THREADS", PARALLEL_MAX));
	if (!forced && parts > 1)
		parts = smaller(parts, processors_count());
	return parts > 1 ? parts : 1;
}

/* ---- the pool --------------------------------------------------------------- */

/* A running call of parallel_run(). */
struct batch {
	parallel_fn *work;
	void *context;
	size_t parts, n_taken, n_running;
	struct batch *next;  /* in the list of batches with parts to take */
	pthread_cond_t done; /* all parts are */
};

struct pool_thread {
	pthread_t id;
	bool busy, sent_away;
};

static struct {
	pthread_mutex_t lock; /* of all of this */
	pthread_cond_t work;  /* there is some in the list, or the pool is closed */
	struct batch *first;
	struct pool_thread threads[PARALLEL_MAX - 1];
	size_t n_threads;
	cpu_set_t home; /* where a thread may run, if it was sent away */
	bool closed;    /* threads end, and none are started */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

/* This thread runs a part: nested calls do not split. */
static _Thread_local bool inside;

static void list_add(struct batch *b)
{
	struct batch **last = &pool.first;

	while (*last)
		last = &(*last)->next;
	*last = b;
}

static void list_remove(struct batch *b)
{
	struct batch **at = &pool.first;

	while (*at && *at != b)
		at = &(*at)->next;
	if (*at)
		*at = b->next;
}

/* The next part to take, with the lock held. */
static size_t take_part(struct batch *b)
{
	size_t part = b->n_taken++;

	b->n_running++;
	if (b->n_taken == b->parts)
		list_remove(b);
	return part;
}

/* Releases the lock while the part runs. */
static void run_part(struct batch *b, size_t part)
{
	pthread_mutex_unlock(&pool.lock);
	b->work(b->context, part);
	pthread_mutex_lock(&pool.lock);
	b->n_running--;
	if (!b->n_running && b->n_taken == b->parts)
		pthread_cond_signal(&b->done);
}

static void *serve(void *context)
{
	struct pool_thread *self = context;

	inside = true;
	pthread_mutex_lock(&pool.lock);
	while (!pool.closed) {
		struct batch *b = pool.first;

		if (!b) {
			pthread_cond_wait(&pool.work, &pool.lock);
			continue;
		}
		if (self->sent_away)
			pthread_setaffinity_np(self->id, sizeof(pool.home), &pool.home);
		self->sent_away = false;
		self->busy = true;
		run_part(b, take_part(b));
		self->busy = false;
	}
	pthread_mutex_unlock(&pool.lock);
	return NULL;
}

/* Joins the threads when the process exits, so that leak checkers do not report them.
 * A thread that still runs a part is not waited for: it may be waiting for this one,
 * or be this one. */
static void close_pool(void)
{
	pthread_t idle[PARALLEL_MAX - 1];
	size_t n = 0;

	pthread_mutex_lock(&pool.lock);
	pool.closed = true;
	for (size_t i = 0; i < pool.n_threads; i++)
		if (!pool.threads[i].busy)
			idle[n++] = pool.threads[i].id;
	pthread_cond_broadcast(&pool.work);
	pthread_mutex_unlock(&pool.lock);
	for (size_t i = 0; i < n; i++)
		pthread_join(idle[i], NULL);
}

static void lock_pool(void)
{
	pthread_mutex_lock(&pool.lock);
}

static void unlock_pool(void)
{
	pthread_mutex_unlock(&pool.lock);
}

/* The child of a fork has no threads. */
static void empty_pool(void)
{
	pool.first = NULL;
	pool.n_threads = 0;
	pthread_cond_init(&pool.work, NULL);
	pthread_mutex_unlock(&pool.lock);
}

static void watch_process(void)
{
	pthread_atfork(lock_pool, unlock_pool, empty_pool);
	atexit(close_pool);
}

void parallel_watch_process(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_process);
}

/* Signals stay with the threads the program itself made, but for what a thread brings
 * on itself: a mapped file that another program cuts short is a SIGBUS where it is
 * read, and whom the program has told to handle that must get it. */
static void start_threads(size_t n, const cpu_set_t *others)
{
	pthread_attr_t attr;
	sigset_t all, old;

	pthread_attr_init(&attr);
	if (others)
		pthread_attr_setaffinity_np(&attr, sizeof(*others), others);
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (; pool.n_threads < n; pool.n_threads++) {
		struct pool_thread *thread = &pool.threads[pool.n_threads];

		*thread = (struct pool_thread){.sent_away = others};
		if (pthread_create(&thread->id, &attr, serve, thread) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
}

/* The processors this thread may run on, except the current one. */
static bool find_others(cpu_set_t *others)
{
	int here = sched_getcpu();

	if (here < 0 || sched_getaffinity(0, sizeof(pool.home), &pool.home) != 0)
		return false;
	*others = pool.home;
	CPU_CLR(here, others);
	return CPU_COUNT(others);
}

/* Linux often starts and wakes threads on the current processor, where they wait for
 * milliseconds: two parts of 450 µs took 900 µs instead of 500. So they are first sent
 * to another one, and may go anywhere once they run. */
static void wake_threads(size_t n)
{
	cpu_set_t others;
	bool found = find_others(&others);

	for (size_t i = 0; found && i < pool.n_threads; i++) {
		struct pool_thread *thread = &pool.threads[i];

		if (!thread->busy)
			thread->sent_away =
				pthread_setaffinity_np(thread->id, sizeof(others), &others) == 0;
	}
	for (size_t i = 0; i < n && i < pool.n_threads; i++)
		pthread_cond_signal(&pool.work);
	if (pool.n_threads < n)
		start_threads(n, found ? &others : NULL);
}

static void run_alone(size_t parts, parallel_fn *work, void *context)
{
	for (size_t i = 0; i < parts; i++)
		work(context, i);
}

static void run_shared(struct batch *b)
{
	pthread_mutex_lock(&pool.lock);
	list_add(b);
	if (!pool.closed)
		wake_threads(b->parts - 1);
	while (b->n_taken < b->parts)
		run_part(b, take_part(b));
	while (b->n_running)
		pthread_cond_wait(&b->done, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
	pthread_cond_destroy(&b->done);
}

void parallel_run(size_t parts, parallel_fn *work, void *context)
{
	struct batch b = {.work = work,
		.context = context,
		.parts = parts,
		.done = PTHREAD_COND_INITIALIZER};

	if (parts < 2 || inside) {
		run_alone(parts, work, context);
		return;
	}
	parallel_watch_process();
	inside = true;
	run_shared(&b);
	inside = false;
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

/* Puts what is ready. The lock is held, except while putting. */
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

/* Blocks are taken in order, so the earliest one is always being made or put, and a
 * single part makes progress. */
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
