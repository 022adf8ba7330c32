#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Edges and shapes of a saved profile are read on demand. The order of requests does
 * not change the answers, and damage is reported by what needs the damaged part. */
#include <stdlib.h>
#include <string.h>

#include <tfprof/tfprof.h>

#include "messages.h"
#include "run_query.h"

static void put_shape(struct buf *b, uint32_t number, int64_t slot, struct span dims)
{
	size_t entry = wire_open(b, number), tuple;

	wire_put_int(b, 1, slot);
	tuple = wire_open(b, 2);
	wire_put_bytes(b, 1, dims);
	wire_close(b, tuple);
	wire_close(b, entry);
}

/* One node takes the second output of another, and that of a third, which its last field
 * says. */
static struct buf make_profile(struct span dims, int64_t third)
{
	static const char *const names[] = {"source", "other", "sink"};
	struct buf b = {0};

	for (int i = 0; i < 3; i++) {
		size_t entry = wire_open(&b, 1), node;

		wire_put_int(&b, 1, i);
		node = wire_open(&b, 2);
		wire_put_bytes(&b, 1, span_of(names[i]));
		if (i == 2) {
			put_pair(&b, PROFILE_NODE_INPUTS, 0, 0);
			put_pair(&b, PROFILE_NODE_SRC_OUTPUT_INDEX, 0, 1);
		}
		wire_put_bytes(&b, 9, SPAN("Op"));
		wire_put_int(&b, 13, i);
		put_shape(&b, 15, 0, SPAN("\5"));
		put_shape(&b, 15, 1, i == 0 ? dims : SPAN("\6"));
		if (i == 2)
			put_pair(&b, PROFILE_NODE_INPUTS, 1, third);
		wire_close(&b, node);
		wire_close(&b, entry);
	}
	assert_false(b.failed);
	return b;
}

static tfprof_profile *load(const struct buf *bytes)
{
	struct tfprof_input saved = tfprof_input_bytes(bytes->at, bytes->n);
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;

	if (tfprof_profile_add(p, "profile", &saved, 0, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	return p;
}

static enum tfprof_status ask(tfprof_profile *p, const char *select, char **text,
	struct tfprof_error *err)
{
	tfprof_options *o = tfprof_options_new();
	tfprof_result *r;
	enum tfprof_status status;

	assert_int_equal(tfprof_options_set(o, "select", select, err), TFPROF_OK);
	status = run_query(p, TFPROF_GRAPH, o, NULL, &r, err);
	*text = NULL;
	if (status == TFPROF_OK) {
		*text = strdup(tfprof_result_get_text(r, NULL));
		tfprof_result_free(r);
	}
	tfprof_options_free(o);
	return status;
}

static char *report(tfprof_profile *p, const char *select)
{
	struct tfprof_error err;
	char *text;

	if (ask(p, select, &text, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	return text;
}

static void test_order_of_questions(void **state)
{
	struct buf bytes = make_profile(SPAN("\7\3"), 1);
	tfprof_profile *edges_first = load(&bytes), *shapes_first = load(&bytes);
	char *shapes = report(shapes_first, "input_shapes"),
	     *edges = report(edges_first, "occurrence");
	char *edges_later = report(shapes_first, "occurrence");
	char *shapes_later = report(edges_first, "input_shapes");

	assert_non_null(strstr(shapes, "7x3"));
	assert_non_null(strstr(edges, "\n  sink"));
	assert_non_null(strstr(edges, "\n    source"));
	assert_non_null(strstr(edges, "\n    other"));
	assert_string_equal(shapes, shapes_later);
	assert_string_equal(edges, edges_later);
	free(shapes);
	free(edges);
	free(edges_later);
	free(shapes_later);
	tfprof_profile_free(edges_first);
	tfprof_profile_free(shapes_first);
	buf_clear(&bytes);
}

/* The last number of a shape does not end. */
static void test_damaged_shape(void **state)
{
	struct buf bytes = make_profile(SPAN("\7\200"), 1);
	tfprof_profile *p = load(&bytes);
	char *before = report(p, "occurrence"), *after, *none;
	struct tfprof_error err;

	assert_int_equal(ask(p, "input_shapes", &none, &err), TFPROF_FORMAT);
	assert_non_null(strstr(err.text, "node 'source' is damaged"));
	after = report(p, "occurrence");
	assert_string_equal(before, after);
	assert_non_null(strstr(after, "\n    source"));
	free(before);
	free(after);
	tfprof_profile_free(p);
	buf_clear(&bytes);
}

/* Reported again on the next request; what needs no edges is not affected. */
static void test_unknown_source(void **state)
{
	struct buf bytes = make_profile(SPAN("\7\3"), 9);
	tfprof_profile *p = load(&bytes);
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;
	char *none;

	for (int i = 0; i < 4; i++) {
		assert_int_equal(ask(p, i % 2 ? "input_shapes" : "occurrence", &none, &err),
			TFPROF_FORMAT);
		assert_non_null(strstr(err.text, "node 'sink' has an input from node id 9"));
	}
	assert_int_equal(run_query(p, TFPROF_SCOPE, o, NULL, &r, &err), TFPROF_OK);
	assert_non_null(strstr(tfprof_result_get_text(r, NULL), "\n  other"));
	tfprof_result_free(r);
	tfprof_options_free(o);
	tfprof_profile_free(p);
	buf_clear(&bytes);
}

/* Nodes with only their keys known. */
static void test_nodes_without_message(void **state)
{
	struct buf bytes = {0};
	tfprof_profile *p;
	char *text;

	for (int i = 0; i < 40; i++) {
		size_t entry = wire_open(&bytes, 1);

		wire_put_int(&bytes, 1, i);
		wire_close(&bytes, entry);
	}
	assert_false(bytes.failed);
	p = load(&bytes);
	text = report(p, "occurrence");
	assert_non_null(strstr(text, "_TFProfRoot"));
	free(text);
	tfprof_profile_free(p);
	buf_clear(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_questions),
		cmocka_unit_test(test_damaged_shape),
		cmocka_unit_test(test_unknown_source),
		cmocka_unit_test(test_nodes_without_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
