#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/parallel.h"

static atomic_int calls[PARALLEL_MAX];

static void count(void *context, size_t part)
{
	assert_ptr_equal(context, calls);
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
	unsetenv("TFPROF_THREADS");
	assert_int_equal(parallel_parts(0, 1000), 1);
	assert_int_equal(parallel_parts(1999, 1000), 1);
	assert_in_range(parallel_parts(1000000, 1000), 1, PARALLEL_MAX);
}

static void the_environment_decides(void **state)
{
	setenv("TFPROF_THREADS", "3", 1);
	assert_int_equal(parallel_parts(10, 1000), 3);
	assert_int_equal(parallel_parts(2, 1000), 2);
	assert_int_equal(parallel_parts(0, 1000), 1);
	setenv("TFPROF_THREADS", "1", 1);
	assert_int_equal(parallel_parts(1000000, 1), 1);
	setenv("TFPROF_THREADS", "1000", 1);
	assert_int_equal(parallel_parts(1000000, 1), PARALLEL_MAX);
	setenv("TFPROF_THREADS", "many", 1);
	assert_int_equal(parallel_parts(1000000, 1), 1);
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
	if (part)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_part_runs_once),
		cmocka_unit_test(parts_cover_everything),
		cmocka_unit_test(blocks_come_in_order),
		cmocka_unit_test(no_blocks_are_no_work),
		cmocka_unit_test(little_work_stays_in_one_part),
		cmocka_unit_test(the_environment_decides),
		cmocka_unit_test(a_thread_gets_its_own_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
