#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

/* Types that come in many entries of one log. */
#include "load/load.h"
#include "messages.h"

enum { N_TYPES = 1000 };

static struct model model;
static uint32_t nodes[2];

static int start(void **state)
{
	static const char *const names[] = {"a", "b"};

	if (!model_init(&model))
		return -1;
	for (int i = 0; i < 2; i++)
		nodes[i] = model_add_node(&model, strings_add(&model.strings, span_of(names[i])),
			strings_add(&model.strings, SPAN("Op")));
	return 0;
}

static int end(void **state)
{
	model_clear(&model);
	return 0;
}

static void put_type(struct buf *b, const char *node, int type)
{
	size_t entry = wire_open(b, OP_LOG_LOG_ENTRIES);
	char text[20];

	snprintf(text, sizeof(text), "type%03d", type);
	put_text(b, OP_LOG_ENTRY_NAME, node);
	put_text(b, OP_LOG_ENTRY_TYPES, text);
	wire_close(b, entry);
}

static void load(struct buf *log)
{
	struct tfprof_input in = tfprof_input_bytes(log->at, log->n);
	struct buf notes = {0};
	struct tfprof_error err;

	if (load_input(&model, INPUT_OP_LOG, &in, 0, &notes, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	buf_clear(&notes);
	buf_clear(log);
}

static size_t n_types(uint32_t node)
{
	return sets_get(&model.sets, model.nodes.types[node])->n;
}

/* One set for each node, not one for each entry. */
static void test_entries_of_two_nodes_in_turns(void **state)
{
	struct buf log = {0};
	size_t n_sets = model.sets.at.n;

	for (int i = 0; i < N_TYPES; i++) {
		put_type(&log, "b", i);
		put_type(&log, "a", i / 2);
	}
	load(&log);
	assert_int_equal(n_types(nodes[1]), 1 + N_TYPES);
	assert_int_equal(n_types(nodes[0]), 1 + N_TYPES / 2);
	assert_int_equal(model.sets.at.n, n_sets + 2);
}

static void test_a_second_log_adds_types(void **state)
{
	struct buf log = {0};

	put_type(&log, "a", 1);
	load(&log);
	log = (struct buf){0};
	put_type(&log, "a", 2);
	put_type(&log, "a", 1);
	load(&log);
	assert_int_equal(n_types(nodes[0]), 3);
	assert_int_equal(n_types(nodes[1]), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_entries_of_two_nodes_in_turns, start, end),
		cmocka_unit_test_setup_teardown(test_a_second_log_adds_types, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
