/* Strict reading and recovery: all or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tiny_profile.h"

static struct tfprof_input bytes_of(const struct buf *b)
{
	return tfprof_input_bytes(b->at, b->n);
}

static size_t count_nodes(tfprof_profile *p)
{
	struct tfprof_summary s;

	tfprof_profile_get_summary(p, &s);
	return s.n_nodes;
}

/* A node with an input that is not there. */
static struct buf dangling_graph(void)
{
	struct buf b = tiny_graph();

	put_graph_node(&b, "late", "Add", "nowhere");
	return b;
}

static void strict_adds_nothing(void **state)
{
	struct buf bad = dangling_graph(), good = tiny_graph(), step = tiny_step(0);
	struct tfprof_input in = bytes_of(&bad), graph = bytes_of(&good), run = bytes_of(&step);
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err = {0};

	assert_non_null(p);
	tfprof_profile_set_reading(p, TFPROF_READ_STRICT);
	assert_int_equal(tfprof_profile_add(p, "graph", &in, 0, &err), TFPROF_FORMAT);
	assert_string_equal(err.text,
		"the graph: 1 input of a node names no node: ignored (an error because of "
		"--strict)");
	assert_int_equal(count_nodes(p), 0);
	assert_int_equal(tfprof_profile_add_step(p, 0, &in, &run, NULL, NULL, &err), TFPROF_FORMAT);
	assert_int_equal(count_nodes(p), 0);
	assert_int_equal(tfprof_profile_add_step(p, 0, &graph, &run, NULL, NULL, &err), TFPROF_OK);
	assert_int_equal(count_nodes(p), 7);
	tfprof_profile_set_reading(p, TFPROF_READ_AS_IS);
	assert_int_equal(tfprof_profile_add(p, "graph", &in, 0, &err), TFPROF_OK);
	assert_int_equal(count_nodes(p), 8);
	tfprof_profile_free(p);
	buf_clear(&bad);
	buf_clear(&good);
	buf_clear(&step);
}

static void strict_profiles_stay_empty(void **state)
{
	struct buf b = {0};
	struct tfprof_input in;
	tfprof_profile *p = tfprof_profile_new(), *tiny_one = tiny_profile();
	void *bytes;
	size_t n;

	assert_int_equal(tfprof_profile_serialize(tiny_one, &bytes, &n, NULL), TFPROF_OK);
	buf_put(&b, bytes, n);
	wire_put_int(&b, 99, 1);
	in = bytes_of(&b);
	tfprof_profile_set_reading(p, TFPROF_READ_STRICT);
	assert_int_equal(tfprof_profile_add(p, "profile", &in, 0, NULL), TFPROF_FORMAT);
	assert_int_equal(count_nodes(p), 0);
	in.size = n;
	assert_int_equal(tfprof_profile_add(p, "profile", &in, 0, NULL), TFPROF_OK);
	assert_int_equal(count_nodes(p), 7);
	tfprof_profile_free(p);
	tfprof_profile_free(tiny_one);
	tfprof_bytes_free(bytes);
	buf_clear(&b);
}

static bool is_damaged(const struct tfprof_input *in)
{
	tfprof_profile *p = tfprof_profile_new();
	enum tfprof_status status = tfprof_profile_add(p, "run_meta", in, 0, NULL);

	tfprof_profile_free(p);
	return status != TFPROF_OK;
}

/* Every byte of a step is damaged in turn, and every allocation of recovering it fails. */
static void recovered_steps(void **state)
{
	struct buf step = tiny_step(0);
	struct tfprof_input in = bytes_of(&step);
	struct tfprof_error err = {0};

	for (size_t i = 0; i < step.n; i++) {
		tfprof_profile *p = tfprof_profile_new();
		enum tfprof_status status = TFPROF_NO_MEMORY;
		char was = step.at[i];

		step.at[i] = 7;
		tfprof_profile_set_reading(p, TFPROF_READ_RECOVER);
		for (size_t nth = 1; status == TFPROF_NO_MEMORY; nth++) {
			assert_int_equal(count_nodes(p), 0);
			mem_fail_at(nth);
			status = tfprof_profile_add(p, "run_meta", &in, 0, &err);
			mem_fail_at(0);
		}
		/* Without its outermost tag it is no step at all. */
		assert_true(status == TFPROF_OK || strstr(err.text, "it has no step_stats"));
		assert_true(count_nodes(p) <= 7);
		if (status == TFPROF_OK && is_damaged(&in))
			assert_non_null(strstr(tfprof_profile_get_notes(p), "recovered: dropped"));
		step.at[i] = was;
		tfprof_profile_free(p);
	}
	buf_clear(&step);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strict_adds_nothing),
		cmocka_unit_test(strict_profiles_stay_empty),
		cmocka_unit_test(recovered_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
