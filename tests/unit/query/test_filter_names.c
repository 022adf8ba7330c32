#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Slow regexes over thousands of names: the first match over the limit ends the query,
 * and so does cancelling it. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tfprof/tfprof.h>

#include "base/buf.h"
#include "parts.h"

enum { N_NODES = 4000 };

/* Names and types that all begin with `n_letters` letters. */
static tfprof_profile *make_profile(int n_letters)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;
	struct tfprof_input graph;
	struct buf text = {0};
	char letters[100];

	memset(letters, 'a', sizeof(letters));
	for (int i = 0; i < N_NODES; i++)
		buf_printf(&text, "node { name: '%.*s_%d' op: '%.*s_%d' }\n", n_letters, letters, i,
			n_letters, letters, i);
	assert_false(text.failed);
	graph = tfprof_input_bytes(text.at, text.n);
	assert_int_equal(tfprof_profile_add(p, "graph", &graph, 0, &err), TFPROF_OK);
	buf_clear(&text);
	return p;
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static enum tfprof_status run(tfprof_profile *p, enum tfprof_view view, const char *option,
	const char *value, const volatile int *cancel, struct tfprof_error *err)
{
	tfprof_options *o = tfprof_options_new();
	enum tfprof_status status;
	tfprof_result *r;

	assert_int_equal(tfprof_options_set(o, "output", "none", err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "max_depth", "100000", err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, option, value, err), TFPROF_OK);
	status = tfprof_ask(p, tfprof_view_get_name(view), o, cancel, &r, err);
	tfprof_result_free(r);
	tfprof_options_free(o);
	return status;
}

static const char *const options[] = {"account_type_regexes", "start_name_regexes",
	"trim_name_regexes", "show_name_regexes", "hide_name_regexes", NULL};
static const enum tfprof_view views[] = {TFPROF_SCOPE, TFPROF_GRAPH, TFPROF_OP};

/* Matching all names would take a minute. */
static void test_the_first_over_the_limit_ends_the_query(void **state)
{
	tfprof_profile *p = make_profile(60);
	double start = cpu_seconds();
	struct tfprof_error err;

	for (size_t parts = 1; parts <= 3; parts += 2) {
		use_parts(parts);
		for (int i = 0; options[i]; i++)
			for (int view = 0; view < 3; view++) {
				assert_int_equal(run(p, views[view], options[i], "(a+)+(a+)+[bc]",
							 NULL, &err),
					TFPROF_REGEX);
				assert_non_null(strstr(err.text, options[i]));
			}
	}
	assert_true(cpu_seconds() - start < 20);
	tfprof_profile_free(p);
}

static void *cancel_soon(void *context)
{
	usleep(20000);
	__atomic_store_n((int *)context, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* A millisecond per name, without exceeding the limit. */
static void test_a_query_stops_between_names(void **state)
{
	tfprof_profile *p = make_profile(16);
	double start = cpu_seconds();
	struct tfprof_error err;

	for (size_t parts = 1; parts <= 3; parts += 2) {
		use_parts(parts);
		for (int i = 0; options[i]; i++)
			for (int view = 0; view < 3; view++) {
				volatile int cancel = 0;
				pthread_t thread;

				assert_int_equal(pthread_create(&thread, NULL, cancel_soon,
							 (void *)&cancel),
					0);
				assert_int_equal(run(p, views[view], options[i], "(a+)+[bc]",
							 &cancel, &err),
					TFPROF_CANCELLED);
				pthread_join(thread, NULL);
			}
	}
	assert_true(cpu_seconds() - start < 20);
	tfprof_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_over_the_limit_ends_the_query),
		cmocka_unit_test(test_a_query_stops_between_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
