#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* A saved profile read in parts says what it says when read in one: the same
 * nodes, reports, messages. Reading it in one part is the oracle. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <tfprof/tfprof.h>

#include "base/parallel.h"
#include "load/profile_parts.h"

#include "messages.h"
#include "parts.h"
#include "run_query.h"

/* ---- profiles -------------------------------------------------------------- */

static void put_exec(struct buf *b, int64_t step, int64_t cpu_us, int64_t bytes)
{
	size_t entry = wire_open(b, 12), value, inner, times, tuple;

	wire_put_int(b, 1, step);
	value = wire_open(b, 2);
	wire_put_int(b, 1, 1);
	wire_put_int(b, 2, 1000);
	wire_put_int(b, 3, 2000);
	inner = wire_open(b, 5);
	put_text(b, 1, "/gpu:0");
	times = wire_open(b, 2);
	tuple = wire_open(b, 1);
	wire_put_int(b, 1, 1000);
	wire_put_int(b, 1, cpu_us);
	wire_close(b, tuple);
	wire_close(b, times);
	wire_close(b, inner);
	put_text(b, 6, "/gpu:0");
	inner = wire_open(b, 7);
	wire_put_int(b, 6, bytes);
	wire_close(b, inner);
	wire_close(b, value);
	wire_close(b, entry);
}

/* Node `i` under a key; its types, devices and shapes come again in other parts
 * in another order. `extra` is an attribute. */
static void put_node(struct buf *b, int i, int64_t key, struct span extra)
{
	static const char *const ops[] = {"MatMul", "Conv2D", "Add", "Relu", "Mul"};
	static const char *const devices[] = {"/gpu:0", "/cpu:0", "/gpu:1"};
	size_t entry = wire_open(b, 1), node, inner;
	char name[40];

	snprintf(name, sizeof(name), "scope_%d/node_%d", i % 3, i);
	wire_put_int(b, 1, key);
	node = wire_open(b, 2);
	put_text(b, 1, name);
	if (i)
		put_pair(b, PROFILE_NODE_INPUTS, 0, 0);
	if (i % 4 == 0) {
		wire_put_int(b, 4, i % 7 + 1);
		wire_put_int(b, 4, 3);
	}
	put_text(b, 5, devices[i % 3]);
	put_text(b, 5, ops[i % 5]);
	put_text(b, 6, devices[i % 3]);
	put_text(b, 7, "/cpu:0");
	wire_put_int(b, 8, i);
	put_text(b, 9, ops[i % 5]);
	inner = wire_open(b, 11);
	put_text(b, 1, "note");
	wire_put_bytes(b, 2, extra);
	wire_close(b, inner);
	/* Sums of all widths, steps in any order and one that comes again. */
	put_exec(b, 1, i, i % 5 ? 100 : (int64_t)5 << 32);
	if (i % 2)
		put_exec(b, 0, 7, i % 3 ? 100 : -100);
	if (i % 6 == 0)
		put_exec(b, 1, (int64_t)1 << 33, 50);
	wire_put_int(b, 13, i);
	wire_close(b, node);
	wire_close(b, entry);
}

/* What is no node stands before, between and behind nodes. */
static struct buf make_profile(int n, struct span extra)
{
	struct buf b = {0};

	wire_put_int(&b, 3, 1);
	for (int i = 0; i < n; i++) {
		put_node(&b, i, i, extra);
		if (i % 5 == 2)
			put_string(&b, PROFILE_ID_TO_STRING, i, "a.py");
	}
	wire_put_int(&b, 2, 1);
	wire_put_int(&b, 3, 0);
	put_string(&b, PROFILE_ID_TO_STRING, 2, "never: the id is known");
	return b;
}

/* ---- all that can be known of one -------------------------------------------- */

static void put_report(struct buf *out, tfprof_profile *p, enum tfprof_view view)
{
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;

	assert_int_equal(tfprof_options_set(o, "select",
				 "micros,bytes,params,float_ops,device,op_types,occurrence", &err),
		TFPROF_OK);
	if (run_query(p, view, o, NULL, &r, &err) != TFPROF_OK) {
		buf_text(out, err.text);
	} else {
		buf_text(out, tfprof_result_get_text(r, NULL));
		tfprof_result_free(r);
	}
	tfprof_options_free(o);
}

static struct buf everything(struct span bytes, size_t parts)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_input saved = tfprof_input_bytes(bytes.at, bytes.n);
	struct tfprof_error err = {0};
	struct buf out = {0};
	void *again;
	size_t size;

	use_parts(parts);
	buf_int(&out, tfprof_profile_add(p, "profile", &saved, 0, &err));
	buf_text(&out, err.text);
	use_parts(1);
	for (int view = TFPROF_SCOPE; view <= TFPROF_CODE; view++)
		put_report(&out, p, (enum tfprof_view)view);
	if (tfprof_profile_serialize(p, &again, &size, &err) == TFPROF_OK) {
		buf_put(&out, again, size);
		tfprof_bytes_free(again);
	} else {
		buf_text(&out, err.text);
	}
	tfprof_profile_free(p);
	return out;
}

static void assert_parts_agree_up_to(size_t most, struct span bytes)
{
	struct buf one = everything(bytes, 1);

	for (size_t parts = 2; parts <= most; parts++) {
		struct buf many = everything(bytes, parts);

		assert_int_equal(many.n, one.n);
		assert_memory_equal(many.at, one.at, one.n);
		buf_clear(&many);
	}
	buf_clear(&one);
}

static void assert_parts_agree(struct span bytes)
{
	assert_parts_agree_up_to(PARALLEL_MAX, bytes);
}

/* ---- cutting ----------------------------------------------------------------- */

/* Where fields begin, the slow way; true if `at` is such a place. */
static bool is_boundary(struct span bytes, const char *at)
{
	struct wire_reader r = wire_reader(bytes);
	struct wire_field f;

	while (r.at < at)
		if (!wire_next(&r, &f))
			return false;
	return r.at == at;
}

/* Returns how many parts have nodes. */
static size_t assert_cut(struct span bytes, size_t n_parts, size_t n_nodes)
{
	struct profile_part parts[PARALLEL_MAX];
	const char *at = bytes.at;
	size_t n = 0, n_busy = 0;

	profile_cut(bytes, parts, n_parts);
	for (size_t i = 0; i < n_parts; i++) {
		assert_ptr_equal(parts[i].bytes.at, at);
		assert_true(is_boundary(bytes, at));
		at += parts[i].bytes.n;
		n += parts[i].n_nodes;
		n_busy += parts[i].n_nodes > 0;
	}
	assert_ptr_equal(at, bytes.at + bytes.n);
	assert_int_equal(n, n_nodes);
	return n_busy;
}

static void test_cut_at_nodes(void **state)
{
	struct buf b = make_profile(60, SPAN("x"));

	for (size_t n = 1; n <= PARALLEL_MAX; n++)
		assert_int_equal(assert_cut(buf_get(&b), n, 60), n);
	assert_parts_agree(buf_get(&b));
	buf_clear(&b);
}

static void test_nothing_to_cut(void **state)
{
	struct buf b = make_profile(1, SPAN("x"));
	struct buf big = {0};
	size_t entry;

	assert_int_equal(assert_cut(SPAN(""), 3, 0), 0);
	assert_int_equal(assert_cut(buf_get(&b), 4, 1), 1);
	assert_parts_agree(SPAN(""));
	assert_parts_agree(buf_get(&b));
	/* one node over all parts */
	entry = wire_open(&big, 1);
	for (int i = 0; i < 1000; i++)
		put_text(&big, 15, "nothing that looks like a node");
	wire_close(&big, entry);
	assert_int_equal(assert_cut(buf_get(&big), 4, 1), 1);
	assert_parts_agree(buf_get(&big));
	buf_clear(&big);
	buf_clear(&b);
}

/* An attribute full of nodes: every guess inside of it is wrong. */
static void test_wrong_guesses(void **state)
{
	struct buf decoy = {0}, b;

	for (int i = 100; i < 140; i++)
		put_node(&decoy, i, i, SPAN(""));
	b = make_profile(1, buf_get(&decoy));
	assert_int_equal(assert_cut(buf_get(&b), 4, 1), 1);
	assert_parts_agree(buf_get(&b));
	buf_clear(&b);
	b = make_profile(3, buf_get(&decoy));
	for (size_t n = 1; n <= PARALLEL_MAX; n++)
		assert_cut(buf_get(&b), n, 3);
	assert_parts_agree(buf_get(&b));
	buf_clear(&b);
	buf_clear(&decoy);
}

/* Bytes that never end to look like something must not be read again for each
 * place that a part might begin at. */
static void test_guessing_is_no_trap(void **state)
{
	struct buf b = {0};
	size_t entry = wire_open(&b, 1);

	for (int i = 0; i < 300000; i++)
		buf_put(&b, "\x0a\x04\x08\x01\x12\x00\x0b", 7);
	wire_close(&b, entry);
	assert_cut(buf_get(&b), 2, 1);
	buf_clear(&b);
}

/* ---- loading ------------------------------------------------------------------- */

/* Keys that come again: an edge leads to the last one, wherever that is. */
/* Messages that are longer than what fits a slice (slice.h). */
static void test_long_messages(void **state)
{
	struct buf extra = {0}, bytes, all;

	buf_fill(&extra, 'x', 5 << 20);
	bytes = make_profile(3, buf_get(&extra));
	all = everything(buf_get(&bytes), 1);
	assert_true(all.n > 3 * extra.n); /* what is saved has them */
	assert_parts_agree_up_to(3, buf_get(&bytes));
	buf_clear(&all);
	buf_clear(&bytes);
	buf_clear(&extra);
}

static void test_keys_in_several_parts(void **state)
{
	struct buf b = {0};

	for (int i = 0; i < 40; i++)
		put_node(&b, i, i % 10, SPAN("x"));
	assert_parts_agree(buf_get(&b));
	buf_clear(&b);
}

/* Each byte is missing, or is another one. */
static void test_damage_anywhere(void **state)
{
	struct buf b = make_profile(5, SPAN("x"));

	for (size_t i = 0; i < b.n; i++) {
		char old = b.at[i];

		assert_parts_agree_up_to(2, (struct span){b.at, i});
		b.at[i] = (char)(old ^ 0x80);
		assert_parts_agree_up_to(2, buf_get(&b));
		b.at[i] = (char)0xff;
		assert_parts_agree_up_to(3, buf_get(&b));
		b.at[i] = old;
	}
	buf_clear(&b);
}

static void test_first_damage_is_reported(void **state)
{
	struct buf b = make_profile(30, SPAN("x"));
	struct tfprof_input saved = tfprof_input_bytes(b.at, b.n);
	struct profile_part parts[2];
	struct tfprof_error err;
	tfprof_profile *p = tfprof_profile_new();
	char *first, *second;

	profile_cut(buf_get(&b), parts, 2);
	first = b.at + span_find(buf_get(&b), SPAN("scope_"));
	second = (char *)parts[1].bytes.at;
	second[0] = 0x0f;
	use_parts(2);
	assert_int_equal(tfprof_profile_add(p, "profile", &saved, 0, &err), TFPROF_FORMAT);
	assert_non_null(strstr(err.text, "not a ProfileProto from byte"));
	assert_int_equal(strtoul(strstr(err.text, "byte") + 5, NULL, 10), second - b.at);
	first[-1] = (char)0xff;
	assert_int_equal(tfprof_profile_add(p, "profile", &saved, 0, &err), TFPROF_FORMAT);
	assert_true(strtol(strstr(err.text, "byte") + 5, NULL, 10) <= first - b.at);
	tfprof_profile_free(p);
	buf_clear(&b);
}

static void test_memory_out_at_every_allocation(void **state)
{
	struct buf b = make_profile(20, SPAN("x"));
	struct tfprof_input saved = tfprof_input_bytes(b.at, b.n);
	struct tfprof_error err;

	for (size_t parts = 2; parts <= 3; parts++) {
		enum tfprof_status status = TFPROF_NO_MEMORY;
		size_t n;

		use_parts(parts);
		for (n = 1; status == TFPROF_NO_MEMORY; n++) {
			tfprof_profile *p = tfprof_profile_new();

			mem_fail_at(n);
			status = tfprof_profile_add(p, "profile", &saved, 0, &err);
			mem_fail_at(0);
			tfprof_profile_free(p);
		}
		assert_int_equal(status, TFPROF_OK);
		assert_true(n > 40);
	}
	buf_clear(&b);
}

/* In any number of parts the same names are shown; what a part does is its own. */
static void test_filtering_names_in_parts(void **state)
{
	struct buf b = make_profile(500, SPAN("x")), one = {0};
	struct tfprof_input saved = tfprof_input_bytes(b.at, b.n);
	tfprof_profile *p = tfprof_profile_new();
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;

	assert_int_equal(tfprof_profile_add(p, "profile", &saved, 0, &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "show_name_regexes", ".*1.*", &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "hide_name_regexes", ".*2.*", &err), TFPROF_OK);
	for (size_t parts = 1; parts <= PARALLEL_MAX; parts++) {
		tfprof_result *r;

		use_parts(parts);
		assert_int_equal(run_query(p, TFPROF_SCOPE, o, NULL, &r, &err), TFPROF_OK);
		if (parts == 1)
			buf_text(&one, tfprof_result_get_text(r, NULL));
		assert_non_null(strstr(one.at, "node_199"));
		assert_null(strstr(one.at, "node_202"));
		assert_string_equal(tfprof_result_get_text(r, NULL), one.at);
		tfprof_result_free(r);
	}
	tfprof_options_free(o);
	tfprof_profile_free(p);
	buf_clear(&one);
	buf_clear(&b);
}

struct heard {
	pthread_t caller;
	uint64_t n_calls, bytes, nodes;
};

static void listen(void *context, uint64_t done, uint64_t total, uint64_t n_nodes)
{
	struct heard *heard = context;

	assert_true(pthread_equal(pthread_self(), heard->caller));
	assert_true(done >= heard->bytes && done <= total);
	assert_true(n_nodes >= heard->nodes);
	heard->n_calls++;
	heard->bytes = done;
	heard->nodes = n_nodes;
}

static void test_progress(void **state)
{
	struct buf b = make_profile(20000, SPAN("x"));
	struct tfprof_input saved = tfprof_input_bytes(b.at, b.n);
	struct tfprof_error err;

	for (size_t parts = 1; parts <= 3; parts++) {
		struct heard heard = {.caller = pthread_self()};
		tfprof_profile *p = tfprof_profile_new();

		use_parts(parts);
		tfprof_profile_set_progress(p, listen, &heard);
		assert_int_equal(tfprof_profile_add(p, "profile", &saved, 0, &err), TFPROF_OK);
		assert_true(heard.n_calls > 0 && heard.nodes <= 20000);
		tfprof_profile_free(p);
	}
	buf_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_at_nodes),
		cmocka_unit_test(test_nothing_to_cut),
		cmocka_unit_test(test_wrong_guesses),
		cmocka_unit_test(test_guessing_is_no_trap),
		cmocka_unit_test(test_long_messages),
		cmocka_unit_test(test_keys_in_several_parts),
		cmocka_unit_test(test_damage_anywhere),
		cmocka_unit_test(test_first_damage_is_reported),
		cmocka_unit_test(test_memory_out_at_every_allocation),
		cmocka_unit_test(test_filtering_names_in_parts),
		cmocka_unit_test(test_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
