/* The child of fork() uses a profile, whatever other threads were doing with it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tfprof/tfprof.h>

#include "messages.h"

enum { N_NODES = 300, N_FORKS = 60 };

static atomic_bool stop;

static void add_graph(tfprof_profile *p, int first)
{
	struct buf graph = {0};
	struct tfprof_input in;

	for (int i = 0; i < N_NODES; i++) {
		char name[64];

		snprintf(name, sizeof(name), "layer_%d/op_%d", i % 7, first + i);
		put_graph_node(&graph, name, i % 2 ? "MatMul" : "Add", "");
	}
	in = tfprof_input_bytes(graph.at, graph.n);
	assert_int_equal(tfprof_profile_add(p, "graph", &in, 0, NULL), TFPROF_OK);
	buf_clear(&graph);
}

static enum tfprof_status query_all(tfprof_profile *p)
{
	tfprof_options *options = tfprof_options_new();
	enum tfprof_status status = TFPROF_OK;

	for (int view = TFPROF_SCOPE; status == TFPROF_OK && view <= TFPROF_OP; view++) {
		tfprof_result *result = NULL;

		status = tfprof_ask(p, tfprof_view_get_name(view), options, NULL, &result, NULL);
		tfprof_result_free(result);
	}
	tfprof_options_free(options);
	return status;
}

static void *keep_busy(void *context)
{
	tfprof_profile *p = context;

	for (int i = 1; !stop && i < 200; i++) {
		query_all(p);
		add_graph(p, i * N_NODES);
	}
	return NULL;
}

static int use_in_child(tfprof_profile *p)
{
	pid_t child = fork();
	int how = -1;

	if (child == 0) {
		alarm(20); /* a deadlock ends by this */
		add_graph(p, -N_NODES);
		_exit(query_all(p) == TFPROF_OK ? 0 : 1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &how, 0), child);
	return how;
}

static void test_fork_while_in_use(void **state)
{
	tfprof_profile *p = tfprof_profile_new();
	pthread_t thread;

	assert_non_null(p);
	add_graph(p, 0);
	stop = false;
	assert_int_equal(pthread_create(&thread, NULL, keep_busy, p), 0);
	for (int i = 0; i < N_FORKS; i++)
		assert_int_equal(use_in_child(p), 0);
	stop = true;
	pthread_join(thread, NULL);
	tfprof_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_while_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
