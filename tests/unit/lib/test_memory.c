#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Memory over time, and timelines of some nodes only. */
#include <string.h>

#include <tfprof/tfprof.h>

#include "base/buf.h"

static const char graph_text[] =
	"node { name: 'a' op: 'A' } node { name: 'b' op: 'B' } node { name: 'c' op: 'C' }";

#define ENTRY(name, start, micros, in_use, taken, returned)                            \
	"node_stats { node_name: '" name "' all_start_micros: " start                  \
	" op_end_rel_micros: " micros " all_end_rel_micros: " micros                   \
	" memory { allocator_name: 'GPU_0_bfc' total_bytes: 9 "                        \
	"allocator_bytes_in_use: " in_use " allocation_records { alloc_micros: " taken \
	" alloc_bytes: 30 } allocation_records { alloc_micros: " returned              \
	" alloc_bytes: -30 } } } "

static const char step_text[] =
	"step_stats { dev_stats { device: '/gpu:0' " ENTRY("a", "100", "10", "50", "100", "125")
		ENTRY("b", "120", "10", "80", "120", "900")
			ENTRY("c", "140", "10", "40", "140", "900")
	/* An allocator that says nothing, and an entry without a start. */
	ENTRY("b", "150", "1", "0", "140", "140") ENTRY("a", "0", "1", "77", "0", "0") "} }";

static tfprof_profile *profile;

static int set_up(void **state)
{
	struct tfprof_input graph = tfprof_input_bytes(graph_text, strlen(graph_text));
	struct tfprof_input step = tfprof_input_bytes(step_text, strlen(step_text));

	(void)state;
	profile = tfprof_profile_new();
	return !profile ||
		tfprof_profile_add_step(profile, 0, &graph, &step, NULL, NULL, NULL) != TFPROF_OK;
}

static int tear_down(void **state)
{
	(void)state;
	tfprof_profile_free(profile);
	return 0;
}

static int put_holder(void *context, uint64_t node, int64_t bytes)
{
	size_t n;
	const char *name = tfprof_profile_get_node_name(profile, node, &n);

	buf_printf(context, "%.*s %d; ", (int)n, name, (int)bytes);
	return 0;
}

static void assert_holders(const tfprof_memory *memory, int64_t at, const char *expected)
{
	struct buf text = {0};

	tfprof_memory_find_holders(memory, 0, at, 10, put_holder, &text);
	buf_char(&text, '\0');
	assert_string_equal(text.at, expected);
	buf_clear(&text);
}

static void has_a_curve_and_holders(void **state)
{
	struct tfprof_memory_device device;
	tfprof_memory *memory;
	int64_t lowest[4], highest[4];

	(void)state;
	assert_int_equal(tfprof_memory_new(profile, 0, &memory, NULL), TFPROF_OK);
	assert_true(tfprof_memory_read_device(memory, 0, &device));
	assert_false(tfprof_memory_read_device(memory, 1, &device));
	assert_int_equal(device.n_readings, 3);
	assert_int_equal(device.peak_bytes, 80);
	/* Parts of 20: nothing read yet; 50; from 50 to 80; from 80 to 40. */
	tfprof_memory_read(memory, 0, device.first_micros - 20, device.first_micros + 60, 4, lowest,
		highest);
	assert_int_equal(lowest[0], -1);
	assert_int_equal(lowest[1], 50);
	assert_int_equal(highest[1], 50);
	assert_int_equal(lowest[2], 50);
	assert_int_equal(highest[2], 80);
	assert_int_equal(lowest[3], 40);
	assert_int_equal(highest[3], 80);
	assert_holders(memory, 99, "");
	assert_holders(memory, 122, "a 30; b 30; ");
	assert_holders(memory, 130, "b 30; ");
	tfprof_memory_free(memory);
}

static void a_step_must_exist(void **state)
{
	tfprof_memory *memory;

	(void)state;
	assert_int_equal(tfprof_memory_new(profile, 5, &memory, NULL), TFPROF_STEP);
	assert_null(memory);
}

static int put_slice(void *context, const struct tfprof_slice *slice)
{
	buf_printf(context, "%d-%d; ", (int)slice->start_micros, (int)slice->end_micros);
	return 0;
}

static void a_timeline_of_some_nodes(void **state)
{
	const unsigned char selected[] = {1, 0, 1};
	tfprof_timeline *whole, *only;
	struct tfprof_lane lane;
	struct buf text = {0};

	(void)state;
	assert_int_equal(tfprof_timeline_new(profile, 0, &whole, NULL), TFPROF_OK);
	assert_int_equal(tfprof_timeline_select(whole, selected, 3, &only, NULL), TFPROF_OK);
	/* It keeps what it needs. */
	tfprof_timeline_free(whole);
	assert_true(tfprof_timeline_read_lane(only, 0, &lane));
	assert_int_equal(lane.n_executions, 2);
	assert_int_equal(lane.busy_micros, 20);
	tfprof_timeline_find_slices(only, 0, TFPROF_ALL_ROWS, 0, 1000, 0, put_slice, &text);
	buf_char(&text, '\0');
	assert_string_equal(text.at, "100-110; 140-150; ");
	buf_clear(&text);
	tfprof_timeline_free(only);
}

static int keep_bytes(void *context, uint64_t node, int64_t bytes)
{
	*(int64_t *)context = bytes;
	return 1;
}

/* Lanes of 2^62 us each, and a node that took as many bytes three times. */
static void sums_stop_at_the_largest_number(void **state)
{
	static const char lane[] = "node_stats { node_name: 'a' all_start_micros: 1 "
				   "op_end_rel_micros: 4611686018427387904 "
				   "all_end_rel_micros: 4611686018427387904 ",
			  memory_text[] =
				  "memory { allocator_name: 'GPU_0_bfc' allocator_bytes_in_use: 1 "
				  "total_bytes: 9 ",
			  taken[] = "allocation_records { alloc_micros: 5 alloc_bytes: "
				    "4611686018427387904 } ";
	tfprof_profile *p = tfprof_profile_new();
	tfprof_timeline *timeline;
	tfprof_memory *memory;
	struct tfprof_step_info info;
	struct tfprof_input in;
	struct buf text = {0};
	int64_t held = 0;

	(void)state;
	buf_text(&text, "step_stats { dev_stats { device: '/gpu:0' ");
	for (int i = 0; i < 3; i++)
		buf_printf(&text, "%s %s %s } } ", lane, memory_text, taken);
	buf_text(&text, "} }");
	in = tfprof_input_bytes(text.at, text.n);
	assert_int_equal(tfprof_profile_add(p, "run_meta", &in, 0, NULL), TFPROF_OK);
	assert_int_equal(tfprof_timeline_new(p, 0, &timeline, NULL), TFPROF_OK);
	tfprof_timeline_read_step(timeline, &info);
	assert_int_equal(info.cpu_micros + info.accelerator_micros, INT64_MAX);
	tfprof_timeline_free(timeline);
	assert_int_equal(tfprof_memory_new(p, 0, &memory, NULL), TFPROF_OK);
	tfprof_memory_find_holders(memory, 0, 10, 1, keep_bytes, &held);
	assert_int_equal(held, INT64_MAX);
	tfprof_memory_free(memory);
	tfprof_profile_free(p);
	buf_clear(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_a_curve_and_holders),
		cmocka_unit_test(a_step_must_exist),
		cmocka_unit_test(a_timeline_of_some_nodes),
		cmocka_unit_test(sums_stop_at_the_largest_number),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
