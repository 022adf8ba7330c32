/* A profile small enough to account by hand, and its reports to compare.
 *
 *     node   op          inputs    stack  step 0        step 1   average of its steps
 *     a/w    VariableV2            7, 20   1us               -    1us            6 params
 *     a/x    Mul         a/w       7, 20  10us 100B  30us 300B   20us 200B    7 flops a run
 *     a/y    Add         a/x       7, 21  20us  40B          -   20us  40B
 *     b      Mul         a/y       5      10us 100B  20us  60B   15us  80B    5 flops a run
 *     c/z    Const                             -             -        -       9 flops
 *     d      Sum         d/m c/z   7      100us              -  100us
 *     d/m    Mul                   7       3us               -    3us
 *
 * b runs twice in step 0, 5us and 50B each. All run on a cpu. Lines of stacks are in
 * m.py; the outermost frame is in main(), the inner one in build(). */
#ifndef TFPROF_TESTS_TINY_PROFILE_H
#define TFPROF_TESTS_TINY_PROFILE_H

#include <stdlib.h>
#include <string.h>

#include <tfprof/tfprof.h>

#include "messages.h"
#include "run_query.h"

#define TINY_DEVICE "/job:w/replica:0/task:0/device:CPU:0"

static inline struct buf tiny_graph(void)
{
	struct buf b = {0};

	put_variable(&b, "a/w", 6);
	put_graph_node(&b, "a/x", "Mul", "a/w");
	put_graph_node(&b, "a/y", "Add", "a/x");
	put_graph_node(&b, "b", "Mul", "a/y");
	put_graph_node(&b, "c/z", "Const", "");
	put_graph_node(&b, "d", "Sum", "d/m c/z");
	put_graph_node(&b, "d/m", "Mul", "");
	return b;
}

static inline struct buf tiny_step(int64_t step)
{
	struct buf b = {0};
	struct nested device = open_device(&b, TINY_DEVICE);

	if (step == 0) {
		put_run(&b, "a/w", 1, 0);
		put_run(&b, "a/x", 10, 100);
		put_run(&b, "a/y", 20, 40);
		put_run(&b, "b", 5, 50);
		put_run(&b, "b", 5, 50);
		put_run(&b, "d", 100, 0);
		put_run(&b, "d/m", 3, 0);
	} else {
		put_run(&b, "a/x", 30, 300);
		put_run(&b, "b", 20, 60);
	}
	close_nested(&b, device);
	return b;
}

static inline struct buf tiny_op_log(void)
{
	enum { NO_TEXT, FILE_NAME, MAIN, BUILD };
	static const char *const texts[] = {"none", "/home/me/m.py", "main", "build"};
	static const struct {
		const char *node;
		int outer, inner, float_ops;
	} entries[] = {
		{"a/w", 7, 20, 0},
		{"a/x", 7, 20, 7},
		{"a/y", 7, 21, 0},
		{"b", 5, 0, 5},
		{"d", 7, 0, 0},
		{"d/m", 7, 0, 0},
	};
	struct buf b = {0};
	size_t entry;

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		struct nested stack = open_stack(&b, entries[i].node);

		put_frame(&b, entries[i].outer, FILE_NAME, MAIN, NO_TEXT);
		if (entries[i].inner)
			put_frame(&b, entries[i].inner, FILE_NAME, BUILD, NO_TEXT);
		wire_close(&b, stack.inner);
		wire_put_int(&b, OP_LOG_ENTRY_FLOAT_OPS, entries[i].float_ops);
		wire_close(&b, stack.outer);
	}
	entry = wire_open(&b, OP_LOG_LOG_ENTRIES);
	put_text(&b, OP_LOG_ENTRY_NAME, "c/z");
	wire_put_int(&b, OP_LOG_ENTRY_FLOAT_OPS, 9);
	wire_close(&b, entry);
	for (int id = 0; id < 4; id++)
		put_string(&b, OP_LOG_ID_TO_STRING, id, texts[id]);
	return b;
}

static inline tfprof_profile *tiny_profile(void)
{
	struct buf graph = tiny_graph(), log = tiny_op_log(),
		   steps[] = {tiny_step(0), tiny_step(1)};
	struct tfprof_input graph_in = tfprof_input_bytes(graph.at, graph.n);
	struct tfprof_input log_in = tfprof_input_bytes(log.at, log.n);
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err = {0};

	assert_non_null(p);
	for (int64_t step = 0; step < 2; step++) {
		struct tfprof_input in = tfprof_input_bytes(steps[step].at, steps[step].n);

		if (tfprof_profile_add_step(p, step, &graph_in, &in, &log_in, NULL, &err) !=
			TFPROF_OK)
			fail_msg("%s", err.text);
		buf_clear(&steps[step]);
	}
	buf_clear(&graph);
	buf_clear(&log);
	return p;
}

/* For a whole group of tests: queries leave no trace. */
static tfprof_profile *tiny;

static inline int make_tiny(void **state)
{
	tiny = tiny_profile();
	return 0;
}

static inline int free_tiny(void **state)
{
	tfprof_profile_free(tiny);
	return 0;
}

/* ---- reports --------------------------------------------------------------------- */

/* Options as "name=value name=value". */
static inline tfprof_options *tiny_options(const char *text)
{
	tfprof_options *o = tfprof_options_new();
	char *copy = strdup(text), *rest = NULL;
	struct tfprof_error err;

	assert_non_null(o);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');

		assert_non_null(value);
		*value++ = '\0';
		if (tfprof_options_set(o, word, value, &err) != TFPROF_OK)
			fail_msg("%s", err.text);
	}
	free(copy);
	return o;
}

/* The lines of a report below its header are these. */
static inline void assert_report(enum tfprof_view view, const char *options, const char *expected)
{
	tfprof_options *o = tiny_options(options);
	tfprof_result *r = NULL;
	struct tfprof_error err;
	const char *lines;

	if (run_query(tiny, view, o, NULL, &r, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	lines = strstr(tfprof_result_get_text(r, NULL), "\nProfile:\nnode name | ");
	assert_non_null(lines);
	lines = strchr(lines + strlen("\nProfile:\n"), '\n');
	assert_non_null(lines);
	assert_string_equal(lines + 1, expected);
	tfprof_result_free(r);
	tfprof_options_free(o);
}

/* The same for op view, whose lines are a name and a number in columns, by name unless
 * the options have an order. */
struct op_line {
	const char *name, *number;
};

static inline void assert_op_report(const char *options, const struct op_line *lines)
{
	struct buf expected = {0}, all_options = {0};

	for (; lines->name; lines++)
		buf_printf(&expected, "%-25s%30s\n", lines->name, lines->number);
	buf_printf(&all_options, "order_by=name %s", options);
	assert_report(TFPROF_OP, all_options.at, expected.at ? expected.at : "");
	buf_clear(&expected);
	buf_clear(&all_options);
}

#define OP_LINES(...) ((const struct op_line[]){__VA_ARGS__, {0}})

#endif
