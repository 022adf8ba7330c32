#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "proto/step_stats.h"
#include "proto/tensor_description.h"
#include "proto/tensor_shape.h"
#include "proto/tuple.h"
#include "proto/wire_write.h"

static void the_first_error_sticks(void **state)
{
	const char *bytes = "ab";
	struct decoder d = {0};

	assert_true(decoder_alloc(&d, true));
	assert_false(d.failed);
	decoder_fail(&d, bytes);
	decoder_fail(&d, bytes + 1);
	assert_false(decoder_alloc(&d, false));
	assert_true(d.failed);
	assert_ptr_equal(d.bad, bytes);

	d = (struct decoder){0};
	assert_false(decoder_alloc(&d, false));
	decoder_fail(&d, bytes);
	assert_true(d.failed);
	assert_null(d.bad);
}

/* What is nested and malformed comes before what is malformed behind it. */
static void nested_messages_share_it(void **state)
{
	static const char bytes[] = "\x0a\x02\x12\x05"
				    "\x10\x01"
				    "\xff";
	struct wire_reader r = wire_reader((struct span){bytes, sizeof(bytes) - 1});
	struct decoder d = {0};
	struct wire_field f;
	size_t n = 0;

	while (decoder_next(&d, &r, &f)) {
		n++;
		if (f.tag == WIRE_LEN(MAP_KEY))
			decoder_check(&d, f.bytes);
	}
	assert_int_equal(n, 2);
	assert_true(d.failed);
	assert_ptr_equal(d.bad, bytes + 2);
}

static void fields_are_found_by_tag(void **state)
{
	struct wire_reader r = wire_reader(SPAN("\x08\x01\x10\x02\x08\x03\x0a\x00"));
	struct decoder d = {0};
	struct wire_field f;

	assert_true(decoder_find(&d, &r, WIRE_VARINT(MAP_KEY), &f));
	assert_int_equal(f.value, 1);
	assert_true(decoder_find(&d, &r, WIRE_VARINT(MAP_KEY), &f));
	assert_int_equal(f.value, 3);
	assert_false(decoder_find(&d, &r, WIRE_VARINT(MAP_KEY), &f));
	assert_false(d.failed);
}

static void entries_of_maps(void **state)
{
	struct decoder d = {0};
	struct map_entry entry = map_entry_read(&d, SPAN("\x08\x05\x12\x02hi"));

	assert_int_equal(entry.key, 5);
	assert_true(span_equal(entry.value, SPAN("hi")));
	entry = map_entry_read(&d, SPAN("\x0a\x01k\x10\x07\x10\x08"));
	assert_true(span_equal(entry.text_key, SPAN("k")));
	assert_int_equal(entry.number, 8);
	assert_null(entry.value.at);
	assert_false(d.failed);
	map_entry_read(&d, SPAN("\x08"));
	assert_true(d.failed);
}

struct read_numbers {
	int64_t at[8];
	size_t n;
};

static void keep_number(void *context, int64_t value)
{
	struct read_numbers *read = context;

	assert_true(read->n < 8);
	read->at[read->n++] = value;
}

static void assert_tuple(struct span message, const int64_t *expected, size_t n)
{
	struct read_numbers read = {0};
	struct decoder d = {0};

	tuple_read(&d, message, keep_number, &read);
	assert_int_equal(read.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(read.at[i], expected[i]);
	assert_false(d.failed);
}

static void tuples_packed_or_not(void **state)
{
	static const int64_t numbers[] = {3, 300, 4};
	struct read_numbers read = {0};
	struct decoder d = {0};

	assert_tuple(SPAN(""), NULL, 0);
	assert_tuple(SPAN("\x0a\x04\x03\xac\x02\x04"), numbers, 3);
	assert_tuple(SPAN("\x08\x03\x08\xac\x02\x08\x04"), numbers, 3);
	assert_tuple(SPAN("\x08\x03\x0a\x02\xac\x02\x0a\x00\x12\x00\x08\x04"), numbers, 3);
	tuple_read(&d, SPAN("\x0a\x02\x03\xac"), keep_number, &read);
	assert_int_equal(read.n, 1);
	assert_int_equal(read.at[0], 3);
	assert_true(d.failed && d.bad);
}

static void dimensions_of_a_shape(void **state)
{
	struct buf b = {0};
	struct decoder d = {0};
	struct tensor_dims dims;
	struct tensor_dim dim = {0};
	size_t open = wire_open(&b, TENSOR_SHAPE_DIM);

	wire_put_int(&b, TENSOR_SHAPE_DIM_SIZE, -1);
	wire_put_bytes(&b, TENSOR_SHAPE_DIM_NAME, SPAN("batch"));
	wire_close(&b, open);
	wire_put_bytes(&b, TENSOR_SHAPE_DIM, SPAN(""));
	wire_put_int(&b, TENSOR_SHAPE_UNKNOWN_RANK, 1);
	dims = tensor_dims(buf_get(&b));
	assert_true(tensor_dims_next(&d, &dims, &dim));
	assert_int_equal(dim.size, -1);
	assert_true(span_equal(dim.name, SPAN("batch")));
	assert_true(tensor_dims_next(&d, &dims, &dim));
	assert_int_equal(dim.size, 0);
	assert_false(tensor_dims_next(&d, &dims, &dim));
	assert_true(dims.unknown_rank);
	assert_false(d.failed);
	buf_clear(&b);
}

static void statistics_of_a_node(void **state)
{
	struct buf b = {0};
	struct decoder d = {0};
	struct node_exec_stats stats;
	struct wire_field f;

	wire_put_bytes(&b, NODE_EXEC_STATS_OUTPUT, SPAN("\x08\x01"));
	wire_put_bytes(&b, NODE_EXEC_STATS_NODE_NAME, SPAN("a"));
	wire_put_int(&b, NODE_EXEC_STATS_ALL_START_MICROS, 100);
	wire_put_bytes(&b, NODE_EXEC_STATS_MEMORY, SPAN(""));
	wire_put_int(&b, NODE_EXEC_STATS_OP_END_REL_MICROS, 7);
	wire_put_int(&b, NODE_EXEC_STATS_ALL_END_REL_MICROS, 9);
	wire_put_int(&b, NODE_EXEC_STATS_THREAD_ID, 1);
	wire_put_bytes(&b, NODE_EXEC_STATS_TIMELINE_LABEL, SPAN("a = Op()"));
	stats = node_exec_stats(buf_get(&b));
	assert_true(node_exec_stats_next(&d, &stats, &f));
	assert_int_equal(f.tag, WIRE_LEN(NODE_EXEC_STATS_OUTPUT));
	assert_true(node_exec_stats_next(&d, &stats, &f));
	assert_int_equal(f.tag, WIRE_LEN(NODE_EXEC_STATS_MEMORY));
	assert_false(node_exec_stats_next(&d, &stats, &f));
	assert_true(span_equal(stats.node_name, SPAN("a")));
	assert_true(span_equal(stats.timeline_label, SPAN("a = Op()")));
	assert_int_equal(stats.all_start_micros, 100);
	assert_int_equal(stats.op_end_rel_micros, 7);
	assert_int_equal(stats.all_end_rel_micros, 9);
	assert_false(d.failed);
	buf_clear(&b);
}

/* Shapes are decoded only if their text is requested. */
static void outputs_with_and_without_dimensions(void **state)
{
	static const char bytes[] = "\x08\x02"     /* slot */
				    "\x1a\x08"     /* tensor_description { */
				    "\x12\x02\x12" /*   shape { dim cut short } */
				    "\x05"
				    "\x22\x02\x08\x09"; /* allocation { requested 9 } } */
	struct span message = {bytes, sizeof(bytes) - 1};
	struct node_output output;
	struct decoder d = {0};
	struct buf dims = {0};

	node_output_read(&d, message, &output, NULL);
	assert_false(d.failed);
	assert_int_equal(output.slot, 2);
	assert_true(output.tensor.has_shape && output.tensor.has_allocation);
	assert_int_equal(output.tensor.requested_bytes, 9);
	node_output_read(&d, message, &output, &dims);
	assert_true(d.failed);
	assert_ptr_equal(d.bad, bytes + 6);
	assert_int_equal(dims.n, 0);
	buf_clear(&dims);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_error_sticks),
		cmocka_unit_test(nested_messages_share_it),
		cmocka_unit_test(fields_are_found_by_tag),
		cmocka_unit_test(entries_of_maps),
		cmocka_unit_test(tuples_packed_or_not),
		cmocka_unit_test(dimensions_of_a_shape),
		cmocka_unit_test(statistics_of_a_node),
		cmocka_unit_test(outputs_with_and_without_dimensions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
