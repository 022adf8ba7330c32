#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "model/device.h"

/* The properties are what TensorFlow's profiler was seen to do with these names. */
static void test_properties(void **state)
{
	const struct {
		const char *name;
		unsigned properties;
	} cases[] = {
		{"/job:worker/replica:0/task:0/device:gpu:0",
			DEVICE_CANONICAL | DEVICE_ACCELERATOR},
		{"/gpu:0", DEVICE_CANONICAL | DEVICE_ACCELERATOR},
		{"/cpu:12", DEVICE_CANONICAL | DEVICE_CPU},
		{"/device:cpu:0", DEVICE_CANONICAL | DEVICE_CPU},
		{"gpu:0", DEVICE_ACCELERATOR},
		{"/gpu:", DEVICE_ACCELERATOR},
		{"/gpu:0x", DEVICE_ACCELERATOR},
		{"/gpu:0/stream:all", DEVICE_ACCELERATOR | DEVICE_STREAM_ALL | DEVICE_STREAM},
		{"/gpu:0/stream:7", DEVICE_ACCELERATOR | DEVICE_STREAM},
		{"/stream:all", DEVICE_STREAM_ALL | DEVICE_STREAM},
		{"/job:upstream/cpu:0", DEVICE_CANONICAL | DEVICE_CPU | DEVICE_STREAM},
		{"/job:cpu/gpu:0", DEVICE_CANONICAL | DEVICE_ACCELERATOR | DEVICE_CPU},
		{"/gpu:0/memcpy", DEVICE_ACCELERATOR},
		{"/host:cpu", DEVICE_CPU},
		{"/device:tpu:0", 0},
		{"a\n/cpu:0", DEVICE_CPU},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(device_get_properties(span_of(cases[i].name)),
			cases[i].properties);
}

static void test_kinds(void **state)
{
	const struct {
		const char *name;
		enum device_kind kind;
	} cases[] = {
		{"/job:worker/replica:0/task:0/device:cpu:0", DEVICE_KIND_CPU},
		{"/cpu:0", DEVICE_KIND_CPU},
		{"/job:worker/replica:0/task:0/device:gpu:1", DEVICE_KIND_ACCELERATOR},
		{"/device:gpu:0/stream:all", DEVICE_KIND_STREAM},
		{"/device:gpu:0/stream:7", DEVICE_KIND_STREAM},
		{"/device:GPU:0/stream:all", DEVICE_KIND_STREAM},
		{"/device:gpu:0/memcpy", DEVICE_KIND_COPY_ENGINE},
		{"/host:cpu", DEVICE_KIND_HOST_THREAD},
		/* a trace of a host */
		{"/host:vm/device:cpu:0", DEVICE_KIND_CPU},
		{"/host:vm/device:gpu:0/stream:all", DEVICE_KIND_STREAM},
		{"/device:tpu:3", DEVICE_KIND_TPU_CORE},
		{"/job:worker/task:0/network", DEVICE_KIND_NETWORK},
		/* A job may be called anything. */
		{"/job:stream/task:0/cpu:0", DEVICE_KIND_CPU},
		{"/job:gpu/task:0/cpu:0", DEVICE_KIND_CPU},
		{"/device:fpga:0", DEVICE_KIND_OTHER},
		{"", DEVICE_KIND_OTHER},
	};
	bool seen[N_DEVICE_KINDS] = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(device_get_kind(span_of(cases[i].name)), cases[i].kind);
		seen[cases[i].kind] = true;
	}
	for (int kind = 0; kind < N_DEVICE_KINDS; kind++)
		assert_true(seen[kind] && device_kinds[kind].name[0]);
}

/* A name that consists of a kind's word is of that kind, so none hides another. */
static void test_lines_of_the_table_are_reached(void **state)
{
	for (int kind = 0; kind < N_DEVICE_KINDS; kind++)
		assert_int_equal(device_get_kind(span_of(device_kinds[kind].word)), kind);
}

static void test_accelerator_time(void **state)
{
	const struct {
		const char *name;
		bool is;
	} cases[] = {
		{"/device:gpu:0/stream:all", true},
		{"/device:gpu:0/stream:7", false},
		{"/device:gpu:0", false},
		{"/device:gpu:0/memcpy", false},
		{"/device:tpu:0", true},
		{"/device:cpu:0", false},
		{"/host:cpu", false},
	};
	struct devices d = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t id = devices_add(&d, span_of(cases[i].name));

		assert_int_equal(device_has_accelerator_time(&d.at.at[id]), cases[i].is);
	}
	devices_clear(&d);
}

static void test_a_device_is_added_once(void **state)
{
	struct devices d = {0};
	struct buf name = {0};
	uint32_t gpu, stream;

	buf_text(&name, "/job:worker/replica:0/task:1/device:gpu:0");
	gpu = devices_add(&d, buf_get(&name));
	buf_text(&name, "/stream:all");
	assert_int_equal(devices_find(&d, buf_get(&name)), NONE);
	stream = devices_add(&d, buf_get(&name));
	assert_int_equal(devices_find(&d, buf_get(&name)), stream);
	assert_int_equal(devices_add(&d, buf_get(&name)), stream);
	/* The table has names of its own. */
	name.at[0] = '!';
	assert_true(
		span_equal(d.at.at[gpu].name, SPAN("/job:worker/replica:0/task:1/device:gpu:0")));
	assert_int_equal(d.at.at[gpu].kind, DEVICE_KIND_ACCELERATOR);
	assert_int_equal(d.at.at[stream].kind, DEVICE_KIND_STREAM);
	assert_int_equal(d.at.at[gpu].task, d.at.at[stream].task);
	assert_true(span_equal(d.tasks.at[d.at.at[gpu].task].job, SPAN("worker")));
	assert_int_equal(gpu, 0);
	assert_int_equal(stream, 1);
	assert_int_equal(d.at.at[gpu].task, 1);
	/* Of no task. */
	assert_int_equal(devices_add(&d, SPAN("")), 2);
	assert_int_equal(d.at.at[2].task, 0);
	assert_int_equal(d.tasks.at[0].name.n, 0);
	assert_int_equal(d.at.n, 3);
	assert_int_equal(d.tasks.n, 2);
	buf_clear(&name);
	devices_clear(&d);
}

static void test_a_task_is_read_from_a_device(void **state)
{
	struct span task =
		device_get_task(SPAN("/job:ps/replica:0/task:12/device:cpu:0/stream:all"));
	struct buf text = {0};

	assert_true(span_equal(task, SPAN("/job:ps/replica:0/task:12")));
	assert_true(span_equal(device_get_job(task), SPAN("ps")));
	device_put_task(&text, task);
	assert_string_equal(text.at, "/job:ps/task:12");
	text.n = 0;
	device_put_task(&text, device_get_task(SPAN("/job:a/replica:1/task:3/cpu:0")));
	assert_string_equal(text.at, "/job:a/replica:1/task:3");
	assert_int_equal(device_get_task(SPAN("/device:gpu:0")).n, 0);
	assert_int_equal(device_get_job(SPAN("")).n, 0);
	buf_clear(&text);
}

static void test_names(void **state)
{
	struct buf b = {0};

	device_lower(&b, SPAN("/Job:A/device:GPU:0"));
	assert_string_equal(b.at, "/job:a/device:gpu:0");
	device_host(&b, SPAN("/job:a/device:gpu:12/gpu:x/gpu:3"));
	assert_string_equal(b.at, "/job:a/device:cpu:0/gpu:x/cpu:0");
	buf_clear(&b);
}

/* Whatever fails, what is added afterwards is right. */
static void test_any_allocation_may_fail(void **state)
{
	static const char *const names[] = {"/job:a/task:0/cpu:0", "/job:b/task:1/gpu:0"};
	bool failed = true;

	for (size_t n = 1; failed; n++) {
		struct devices d = {0};

		mem_fail_at(n);
		failed = devices_add(&d, span_of(names[0])) == NONE;
		failed |= devices_add(&d, span_of(names[1])) == NONE;
		mem_fail_at(0);
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t id = devices_add(&d, span_of(names[i]));

			assert_string_equal(d.at.at[id].name.at, names[i]);
			assert_int_equal(d.tasks.at[d.at.at[id].task].job.at[0], names[i][5]);
		}
		devices_clear(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_lines_of_the_table_are_reached),
		cmocka_unit_test(test_accelerator_time),
		cmocka_unit_test(test_a_device_is_added_once),
		cmocka_unit_test(test_a_task_is_read_from_a_device),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
