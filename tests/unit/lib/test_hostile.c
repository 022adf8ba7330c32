#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Profiles made to take for ever: whatever there is many of, it takes about as
 * long as it is large. Squares of these sizes are minutes or hours. */
#include <stdio.h>
#include <stdlib.h>

#include <tfprof/tfprof.h>

#include "base/hash.h"

#include "messages.h"
#include "parts.h"
#include "run_query.h"

/* The report of a view, which the caller frees. */
static char *report(const struct buf *profile, enum tfprof_view view, const char *select,
	const char *depth, const char *output)
{
	struct tfprof_input saved = tfprof_input_bytes(profile->at, profile->n);
	tfprof_profile *p = tfprof_profile_new();
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;
	char *text;

	assert_int_equal(tfprof_profile_add(p, "profile", &saved, 0, &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "select", select, &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "max_depth", depth, &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "output", output, &err), TFPROF_OK);
	assert_int_equal(run_query(p, view, o, NULL, &r, &err), TFPROF_OK);
	text = strdup(tfprof_result_get_text(r, NULL));
	tfprof_result_free(r);
	tfprof_options_free(o);
	tfprof_profile_free(p);
	return text;
}

/* ---- scopes ------------------------------------------------------------------ */

/* A line for each distinct prefix, below that of the prefix before it, up to the most
 * levels that are indented. */
static void assert_lines(const char *text, const struct buf *names, size_t n)
{
	struct buf line = {0};

	for (size_t i = 0; i < n; i++)
		for (size_t length = 0, depth = 1; length <= names[i].n; length++) {
			const char *at;

			if (length < names[i].n && names[i].at[length] != '/')
				continue;
			line.n = 0;
			buf_char(&line, '\n');
			buf_fill(&line, ' ', 2 * (depth < 250 ? depth : 250));
			if (depth++ > 250)
				buf_printf(&line, "[level %zu] ", depth - 1);
			buf_put(&line, names[i].at, length);
			buf_text(&line, " (");
			at = strstr(text, line.at);
			assert_non_null(at);
			assert_null(strstr(at + 1, line.at));
		}
	buf_clear(&line);
}

/* Names of about the length from which on scopes are looked up one by one. */
static void test_scopes_of_long_names(void **state)
{
	enum { N = 10 };
	struct buf names[N] = {0}, profile = {0};

	srand(1);
	for (size_t i = 0; i < N; i++) {
		size_t length = 230 + (size_t)rand() % 60;

		/* much of one is in others too */
		if (i > 4)
			buf_put(&names[i], names[i - 4].at, names[i - 4].n / 2);
		while (names[i].n < length)
			buf_char(&names[i], rand() % 3 ? "ab"[rand() % 2] : '/');
		buf_char(&names[i], 'z');
		buf_int(&names[i], (int64_t)i);
		put_saved_node(&profile, (int64_t)i, buf_get(&names[i]));
	}
	for (size_t parts = 1; parts <= 4; parts++) {
		char *text;

		use_parts(parts);
		text = report(&profile, TFPROF_SCOPE, "float_ops", "10000", "stdout");
		assert_lines(text, names, N);
		free(text);
	}
	for (size_t i = 0; i < N; i++)
		buf_clear(&names[i]);
	buf_clear(&profile);
}

static void test_scope_in_scope_in_scope(void **state)
{
	struct buf profile = {0}, name = {0};

	buf_fill(&name, '/', 1000000);
	put_saved_node(&profile, 0, buf_get(&name));
	buf_char(&name, 'x');
	put_saved_node(&profile, 1, buf_get(&name));
	for (size_t parts = 1; parts <= 2; parts++) {
		char *text;

		use_parts(parts);
		text = report(&profile, TFPROF_SCOPE, "float_ops", "3", "stdout");
		assert_non_null(strstr(text, "\n    / ("));
		free(text);
	}
	buf_clear(&profile);
	buf_clear(&name);
}

/* ---- names --------------------------------------------------------------------- */

/* Names that fell into one place when hashes could be known: the second half made
 * the multiplication one by zero; or it undid what the first half had done. */
static void test_names_of_one_hash(void **state)
{
	enum { N = 300000 };
	const uint64_t factor = 0x9e3779b97f4a7c15u;
	struct buf profile = {0};
	char *text;

	for (uint64_t i = 0; i < N; i++) {
		uint64_t halves[2] = {i * 0x0101010101 + 1, factor};

		if (i % 2)
			halves[1] =
				hash_multiply((16 * 0xff51afd7ed558ccdu + 1) ^ halves[0], factor);
		put_saved_node(&profile, (int64_t)i, (struct span){(char *)halves, sizeof(halves)});
	}
	use_parts(1);
	text = report(&profile, TFPROF_GRAPH, "float_ops", "1", "stdout");
	assert_non_null(strstr(text, "_TFProfRoot"));
	free(text);
	buf_clear(&profile);
}

/* ---- frames ------------------------------------------------------------------- */

static void put_exec(struct buf *b)
{
	size_t entry = wire_open(b, 12), exec, times, list, pair;

	exec = wire_open(b, 2);
	wire_put_int(b, 1, 1);
	times = wire_open(b, 5);
	wire_put_bytes(b, 1, SPAN("/cpu:0"));
	list = wire_open(b, 2);
	pair = wire_open(b, 1);
	wire_put_int(b, 1, 5);
	wire_put_int(b, 1, 4);
	wire_close(b, pair);
	wire_close(b, list);
	wire_close(b, times);
	wire_close(b, exec);
	wire_close(b, entry);
}

/* One stack whose frames are new, each with a label of its own; if `own_files`
 * is, with a file and a function of its own. */
static struct buf make_stack(int n_frames, bool own_files)
{
	struct buf b = {0};
	struct nested node;
	size_t stack;

	wire_put_int(&b, 2, 1);
	for (int i = 0; i < (own_files ? n_frames : 1); i++) {
		char text[24];

		snprintf(text, sizeof(text), "a%d.py", i);
		put_string(&b, PROFILE_ID_TO_STRING, 2 * i + 1, text);
		snprintf(text, sizeof(text), "f%d", i);
		put_string(&b, PROFILE_ID_TO_STRING, 2 * i + 2, text);
	}
	node = open_saved_node(&b, 0, SPAN("node"));
	stack = wire_open(&b, 10);
	for (int i = 0; i < n_frames; i++) {
		if (own_files)
			put_frame(&b, 1, 2 * i + 1, 2 * i + 2, 2);
		else
			put_frame(&b, i + 1, 1, 2, 2);
	}
	wire_close(&b, stack);
	put_exec(&b);
	close_nested(&b, node);
	return b;
}

static void test_call_in_call_in_call(void **state)
{
	struct buf profile = make_stack(400000, false);
	char *text;

	use_parts(1);
	text = report(&profile, TFPROF_CODE, "float_ops", "3", "stdout");
	assert_non_null(strstr(text, "\n    a0.py:2:f0"));
	free(text);
	buf_clear(&profile);
}

static void test_functions_of_their_own_files(void **state)
{
	struct buf profile = make_stack(300000, true);

	use_parts(1);
	free(report(&profile, TFPROF_CODE, "micros", "1000000", "pprof:outfile=/dev/null"));
	buf_clear(&profile);
}

/* ---- steps -------------------------------------------------------------------- */

enum { N_STEPS = 300000 };

/* The i-th of all steps, in one of several orders. */
static int64_t step_at(int order, int64_t i)
{
	switch (order) {
	case 0: return i;
	case 1: return N_STEPS - 1 - i;
	default: return i * 7919 % N_STEPS;
	}
}

/* A step comes twice; the later one counts. */
static struct buf make_steps(int order)
{
	struct buf b = {0};
	struct nested node;

	for (int64_t i = 0; i < N_STEPS; i++)
		wire_put_int(&b, 3, step_at(order, i));
	wire_put_int(&b, 3, 5);
	node = open_saved_node(&b, 0, SPAN("node"));
	for (int64_t i = 0; i <= N_STEPS; i++) {
		size_t entry = wire_open(&b, 12), exec;

		wire_put_int(&b, 1, i < N_STEPS ? step_at(order, i) : 5);
		exec = wire_open(&b, 2);
		wire_put_int(&b, 1, i < N_STEPS ? step_at(order, i) : 1000000);
		wire_close(&b, exec);
		wire_close(&b, entry);
	}
	close_nested(&b, node);
	return b;
}

static void test_steps_in_any_order(void **state)
{
	char *first = NULL;

	use_parts(2);
	for (int order = 0; order < 3; order++) {
		struct buf profile = make_steps(order);
		struct tfprof_input saved = tfprof_input_bytes(profile.at, profile.n);
		tfprof_profile *p = tfprof_profile_new();
		struct tfprof_summary summary = {0};
		struct tfprof_error err;
		char *text = report(&profile, TFPROF_SCOPE, "occurrence", "3", "stdout");

		assert_int_equal(tfprof_profile_add(p, "profile", &saved, 0, &err), TFPROF_OK);
		tfprof_profile_get_summary(p, &summary);
		assert_int_equal(summary.n_steps, N_STEPS);
		tfprof_profile_free(p);
		assert_non_null(strstr(text, "\n  node ("));
		if (!first)
			first = strdup(text);
		assert_string_equal(text, first);
		free(text);
		buf_clear(&profile);
	}
	free(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scopes_of_long_names),
		cmocka_unit_test(test_scope_in_scope_in_scope),
		cmocka_unit_test(test_names_of_one_hash),
		cmocka_unit_test(test_call_in_call_in_call),
		cmocka_unit_test(test_functions_of_their_own_files),
		cmocka_unit_test(test_steps_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
