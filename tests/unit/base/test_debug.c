#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* TFPROF_DEBUG: which topics a setting turns on. */
#include "base/debug.h"

static void topics_are_a_list(void **state)
{
	const unsigned load = 1U << DEBUG_LOAD, join = 1U << DEBUG_JOIN;

	assert_int_equal(debug_read_topics(NULL), 0);
	assert_int_equal(debug_read_topics(""), 0);
	assert_int_equal(debug_read_topics("load"), load);
	assert_int_equal(debug_read_topics("join,load"), load | join);
	assert_int_equal(debug_read_topics(",join, load,,"), load | join);
	assert_int_equal(debug_read_topics("jion,load,loads"), load);
}

static void the_environment_is_read_once(void **state)
{
	assert_int_equal(setenv("TFPROF_DEBUG", "steps", 1), 0);
	assert_true(debug_is_on(DEBUG_STEPS));
	assert_false(debug_is_on(DEBUG_LOAD));
	assert_int_equal(setenv("TFPROF_DEBUG", "load", 1), 0);
	assert_true(debug_is_on(DEBUG_STEPS));
	assert_false(debug_is_on(DEBUG_LOAD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(topics_are_a_list),
		cmocka_unit_test(the_environment_is_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
