#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/parallel.h"
#include "base/processors.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/* The child of a fork starts threads here: that is what is tested. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}
#endif
#endif

static atomic_int calls[PARALLEL_MAX];

static pthread_t caller_of_count;

static void count(void *context, size_t part)
{
	assert_ptr_equal(context, calls);
	assert_true(part || pthread_equal(pthread_self(), caller_of_count));
	atomic_fetch_add(&calls[part], 1);
}

static void every_part_runs_once(void **state)
{
	for (size_t parts = 1; parts <= PARALLEL_MAX; parts++) {
		for (size_t i = 0; i < PARALLEL_MAX; i++)
			atomic_store(&calls[i], 0);
		parallel_run(parts, count, calls);
		for (size_t i = 0; i < PARALLEL_MAX; i++)
			assert_int_equal(atomic_load(&calls[i]), i < parts);
	}
}

static void parts_cover_everything(void **state)
{
	for (size_t n = 0; n < 50; n++)
		for (size_t parts = 1; parts <= PARALLEL_MAX; parts++) {
			assert_int_equal(parallel_begin(n, parts, 0), 0);
			assert_int_equal(parallel_begin(n, parts, parts), n);
			for (size_t i = 0; i < parts; i++)
				assert_in_range(parallel_begin(n, parts, i + 1) -
						parallel_begin(n, parts, i),
					n / parts, n / parts + 1);
		}
}

static void little_work_stays_in_one_part(void **state)
{
	unsetenv("TFPROF_TEST_PARTS");
	unsetenv("TFPROF_THREADS");
	assert_int_equal(parallel_parts(0, 1000), 1);
	assert_int_equal(parallel_parts(1999, 1000), 1);
	assert_in_range(parallel_parts(1000000, 1000), 1, PARALLEL_MAX);
}

static void a_cap_keeps_the_size_of_parts(void **state)
{
	setenv("TFPROF_THREADS", "3", 1);
	assert_int_equal(parallel_parts(10, 1000), 1);
	assert_int_equal(parallel_parts(1999, 1000), 1);
	assert_in_range(parallel_parts(1000000, 1000), 1, 3);
	setenv("TFPROF_THREADS", "2", 1);
	assert_int_equal(parallel_parts(1000000, 1), processors_count() > 1 ? 2 : 1);
	setenv("TFPROF_THREADS", "1", 1);
	assert_int_equal(parallel_parts(1000000, 1), 1);
	setenv("TFPROF_THREADS", "1000", 1);
	assert_in_range(parallel_parts(1000000, 1), 1, PARALLEL_MAX);
	assert_true(parallel_parts(1000000, 1) <= processors_count());
	setenv("TFPROF_THREADS", "many", 1);
	assert_int_equal(parallel_parts(1000000, 1), 1);
	unsetenv("TFPROF_THREADS");
}

static void tests_decide_about_parts(void **state)
{
	setenv("TFPROF_THREADS", "2", 1);
	setenv("TFPROF_TEST_PARTS", "3", 1);
	assert_int_equal(parallel_parts(10, 1000), 3);
	assert_int_equal(parallel_parts(2, 1000), 2);
	assert_int_equal(parallel_parts(0, 1000), 1);
	setenv("TFPROF_TEST_PARTS", "1", 1);
	assert_int_equal(parallel_parts(1000000, 1), 1);
	setenv("TFPROF_TEST_PARTS", "1000", 1);
	assert_int_equal(parallel_parts(1000000, 1), PARALLEL_MAX);
	unsetenv("TFPROF_TEST_PARTS");
	unsetenv("TFPROF_THREADS");
}

struct line {
	size_t in_hand[PARALLEL_SLOTS];
	size_t put[1000];
	size_t n;
	atomic_int putting;
};

static void make_block(void *context, size_t slot, size_t block)
{
	struct line *line = context;

	line->in_hand[slot] = block * 7;
}

static void put_block(void *context, size_t slot, size_t block)
{
	struct line *line = context;

	assert_int_equal(atomic_fetch_add(&line->putting, 1), 0);
	assert_int_equal(line->in_hand[slot], block * 7);
	line->put[line->n++] = block;
	atomic_fetch_sub(&line->putting, 1);
}

static void blocks_come_in_order(void **state)
{
	for (size_t parts = 1; parts <= PARALLEL_MAX; parts++) {
		struct line line = {.n = 0};

		parallel_in_order(parts, 1000, make_block, put_block, &line);
		assert_int_equal(line.n, 1000);
		for (size_t i = 0; i < 1000; i++)
			assert_int_equal(line.put[i], i);
	}
}

static void no_blocks_are_no_work(void **state)
{
	struct line line = {.n = 0};

	parallel_in_order(2, 0, make_block, put_block, &line);
	assert_int_equal(line.n, 0);
}

/* Two parts that wait for each other run in two threads. */
static void meet(void *context, size_t part)
{
	atomic_int *arrived = context;

	atomic_fetch_add(arrived, 1);
	for (int i = 0; atomic_load(arrived) < 2 && i < 10000; i++)
		usleep(1000);
}

/* Whoever runs into the end of a mapped file that is gone gets the signal, also if a
 * thread of ours does: the program may know what to do. */
static volatile sig_atomic_t n_signals;
static char *missing;

static void on_bus_error(int signal)
{
	n_signals++;
	mmap(missing, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void read_missing(void *context, size_t part)
{
	static atomic_int arrived;

	meet(&arrived, part);
	if (gettid() != getpid())
		*(char *)context = *(volatile char *)missing;
}

static void a_thread_gets_its_own_signal(void **state)
{
	struct sigaction action = {.sa_handler = on_bus_error}, old;
	FILE *file = tmpfile();
	char found = 'x';

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 1), 0);
	missing = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	assert_true(missing != MAP_FAILED);
	assert_int_equal(ftruncate(fileno(file), 0), 0);
	assert_int_equal(sigaction(SIGBUS, &action, &old), 0);
	parallel_run(2, read_missing, &found);
	sigaction(SIGBUS, &old, NULL);
	assert_int_equal(n_signals, 1);
	assert_int_equal(found, 0);
	munmap(missing, 1);
	fclose(file);
}

/* ---- the pool --------------------------------------------------------------- */

/* The threads that ran a part of this. No lock: a fork may find it taken. */
static atomic_int seen[64];

static void see_thread(void *context, size_t part)
{
	for (size_t i = 0; i < 64; i++) {
		int nobody = 0;

		if (atomic_load(&seen[i]) == gettid() ||
			atomic_compare_exchange_strong(&seen[i], &nobody, gettid()))
			return;
	}
}

static void see_none(void)
{
	for (size_t i = 0; i < 64; i++)
		atomic_store(&seen[i], 0);
}

static size_t n_seen(void)
{
	size_t n = 0;

	while (n < 64 && atomic_load(&seen[n]))
		n++;
	return n;
}

static void threads_are_used_again(void **state)
{
	see_none();
	for (size_t i = 0; i < 200; i++)
		parallel_run(PARALLEL_MAX, see_thread, NULL);
	assert_in_range(n_seen(), 1, PARALLEL_MAX);
}

static void parts_run_in_parallel(void **state)
{
	for (int i = 0; i < 20; i++) {
		atomic_int arrived = 0;

		parallel_run(2, meet, &arrived);
		assert_int_equal(atomic_load(&arrived), 2);
	}
}

struct nest {
	atomic_int inner[PARALLEL_MAX];
	pthread_t outer[PARALLEL_MAX];
	atomic_int strange; /* inner parts in another thread than the outer one */
	struct line lines[PARALLEL_MAX];
};

struct inner {
	struct nest *nest;
	size_t outer;
};

static void run_inner(void *context, size_t part)
{
	struct inner *inner = context;

	atomic_fetch_add(&inner->nest->inner[inner->outer], 1);
	if (!pthread_equal(pthread_self(), inner->nest->outer[inner->outer]))
		atomic_fetch_add(&inner->nest->strange, 1);
}

static void run_outer(void *context, size_t part)
{
	struct inner inner = {.nest = context, .outer = part};

	inner.nest->outer[part] = pthread_self();
	parallel_run(3, run_inner, &inner);
	parallel_in_order(3, 1000, make_block, put_block, &inner.nest->lines[part]);
}

static void parts_of_a_part_stay_in_its_thread(void **state)
{
	static struct nest nest;

	parallel_run(PARALLEL_MAX, run_outer, &nest);
	assert_int_equal(atomic_load(&nest.strange), 0);
	for (size_t i = 0; i < PARALLEL_MAX; i++) {
		assert_int_equal(atomic_load(&nest.inner[i]), 3);
		assert_int_equal(nest.lines[i].n, 1000);
	}
}

struct caller {
	pthread_t thread;
	size_t parts;
	uint64_t numbers[3000], sum[PARALLEL_MAX];
	bool wrong;
};

static void add_numbers(void *context, size_t part)
{
	struct caller *c = context;
	size_t n = sizeof(c->numbers) / sizeof(*c->numbers);
	size_t end = parallel_begin(n, c->parts, part + 1);

	c->sum[part] = 0;
	for (size_t i = parallel_begin(n, c->parts, part); i < end; i++)
		c->sum[part] += c->numbers[i];
}

static void *call(void *context)
{
	struct caller *c = context;

	for (int round = 0; round < 200; round++) {
		struct line line = {.n = 0};
		uint64_t sum = 0;

		c->parts = 1 + (size_t)round % PARALLEL_MAX;
		for (size_t i = 0; i < 3000; i++)
			c->numbers[i] = i + (size_t)round;
		parallel_run(c->parts, add_numbers, c);
		for (size_t i = 0; i < c->parts; i++)
			sum += c->sum[i];
		parallel_run(c->parts, see_thread, NULL);
		parallel_in_order(c->parts, 50, make_block, put_block, &line);
		c->wrong |= sum != 2999 * 1500 + 3000 * (uint64_t)round || line.n != 50;
	}
	return NULL;
}

static void several_threads_call(void **state)
{
	enum { N_CALLERS = 6 };
	static struct caller callers[N_CALLERS];

	see_none();
	for (int i = 0; i < N_CALLERS; i++)
		assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
	for (int i = 0; i < N_CALLERS; i++)
		pthread_join(callers[i].thread, NULL);
	for (int i = 0; i < N_CALLERS; i++)
		assert_false(callers[i].wrong);
	assert_in_range(n_seen(), 1, N_CALLERS + PARALLEL_MAX - 1);
}

static void expect_exit(pid_t child)
{
	int status;

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A child that waits for threads it does not have would never end. */
static pid_t fork_and_run(void)
{
	pid_t child = fork();

	if (child == 0) {
		static struct caller caller;
		atomic_int arrived = 0;

		alarm(60);
		call(&caller);
		parallel_run(2, meet, &arrived);
		_exit(caller.wrong || atomic_load(&arrived) != 2);
	}
	return child;
}

static void a_child_has_threads_of_its_own(void **state)
{
	parallel_run(PARALLEL_MAX, count, calls);
	expect_exit(fork_and_run());
	parallel_run(PARALLEL_MAX, count, calls);
}

static void a_fork_while_others_call(void **state)
{
	static struct caller caller;

	for (int i = 0; i < 5; i++) {
		assert_int_equal(pthread_create(&caller.thread, NULL, call, &caller), 0);
		expect_exit(fork_and_run());
		pthread_join(caller.thread, NULL);
		assert_false(caller.wrong);
	}
}

/* Whatever runs when the process exits finds no threads, and does without. */
static void run_late(void)
{
	static struct caller caller;

	see_none();
	call(&caller);
	_exit(caller.wrong || n_seen() != 1);
}

static void what_runs_at_exit_needs_no_threads(void **state)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(60);
		/* Registered first, so it runs last, if nothing was split before. */
		atexit(run_late);
		parallel_run(PARALLEL_MAX, count, calls);
		exit(1);
	}
	expect_exit(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_runs_at_exit_needs_no_threads),
		cmocka_unit_test(every_part_runs_once),
		cmocka_unit_test(parts_cover_everything),
		cmocka_unit_test(blocks_come_in_order),
		cmocka_unit_test(no_blocks_are_no_work),
		cmocka_unit_test(little_work_stays_in_one_part),
		cmocka_unit_test(a_cap_keeps_the_size_of_parts),
		cmocka_unit_test(tests_decide_about_parts),
		cmocka_unit_test(a_thread_gets_its_own_signal),
		cmocka_unit_test(threads_are_used_again),
		cmocka_unit_test(parts_run_in_parallel),
		cmocka_unit_test(parts_of_a_part_stay_in_its_thread),
		cmocka_unit_test(several_threads_call),
		cmocka_unit_test(a_child_has_threads_of_its_own),
		cmocka_unit_test(a_fork_while_others_call),
	};

	caller_of_count = pthread_self();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
