#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "model/events.h"
#include "model/model.h"
#include "model/record.h"

static uint32_t random_state = 1;

static uint32_t draw(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % limit;
}

/* ---- rows ---------------------------------------------------------------- */

static struct events build(const struct event *rows, size_t n, enum events_order order,
	unsigned flags)
{
	static const char *const names[] = {"/cpu:0", "/gpu:0", "/gpu:1", "/gpu:1/stream:all"};
	struct event_sorter s;
	struct events e;

	/* Room for few: some tests go through the file. */
	event_sorter_init(&s, order, flags, 100 * sizeof(struct event));
	for (uint32_t d = 0; d < 4; d++)
		assert_int_equal(devices_add(&s.devices, span_of(names[d])), d);
	for (size_t i = 0; i < n; i++)
		events_add(&s, &rows[i]);
	assert_int_equal(events_build(&e, &s, 10, NULL), TFPROF_OK);
	event_sorter_clear(&s);
	return e;
}

static struct events build_sums(const struct event *rows, size_t n, unsigned flags)
{
	struct events e = build(rows, n, EVENTS_BY_DEVICE, flags);

	assert_true(events_sum(&e));
	return e;
}

static void assert_event(const struct events *e, size_t row, const struct event *expected)
{
	struct event got = events_get(e, row);

	assert_int_equal(got.node, expected->node);
	assert_int_equal(got.step, expected->step);
	assert_int_equal(got.device, expected->device);
	assert_int_equal(got.lane, expected->lane);
	assert_true(got.start_us == expected->start_us);
	assert_true(got.duration_us == expected->duration_us);
}

static int64_t end_of(const struct event *e)
{
	int64_t end;

	if (e->duration_us < 0)
		return e->start_us;
	return __builtin_add_overflow(e->start_us, e->duration_us, &end) ? INT64_MAX : end;
}

/* Rows are by device and start, and each is in its lane, where it is by start, too. */
static void check_order(const struct events *e)
{
	uint32_t lane = 0, place = 0;
	size_t row = 0;

	for (uint32_t d = 0; d < e->n_groups; d++) {
		for (assert_int_equal(e->first_row[d], row); row < e->first_row[d + 1]; row++) {
			assert_int_equal(e->device[row], d);
			assert_true(
				row == e->first_row[d] || e->start_us[row - 1] <= e->start_us[row]);
		}
		for (assert_int_equal(e->first_lane[d], lane); lane < e->first_lane[d + 1]; lane++)
			for (assert_int_equal(e->first_in_lane[lane], place);
				place < e->first_in_lane[lane + 1]; place++) {
				uint32_t at = e->by_lane[place];

				assert_int_equal(e->device[at], d);
				assert_int_equal(e->lane[at], lane - e->first_lane[d]);
				assert_true(place == e->first_in_lane[lane] ||
					e->by_lane[place - 1] < at);
			}
	}
	assert_int_equal(row, e->n);
	assert_int_equal(place, e->n);
}

static void check_nodes(const struct events *e, const uint32_t *nodes, const uint32_t *lanes,
	size_t n)
{
	assert_int_equal(e->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(e->node[i], nodes[i]);
		assert_int_equal(e->lane[i], lanes[i]);
	}
}

/* By asking every row of the lane where it is in the stretch; rows that overlap
 * count once. */
static uint64_t busy_naively(const struct events *e, uint32_t lane, int64_t from, int64_t until)
{
	int64_t at = from;
	uint64_t busy = 0;

	for (size_t row = 0; row < e->n; row++) {
		struct event event = events_get(e, row);
		int64_t start = event.start_us, end = end_of(&event);

		start = start > at ? start : at;
		end = end < until ? end : until;
		if (e->first_lane[event.device] + event.lane == lane && end > start) {
			busy += (uint64_t)end - (uint64_t)start;
			at = end;
		}
	}
	return busy;
}

static void check_stretch(const struct events *e, uint32_t lane, int64_t from, int64_t until)
{
	assert_true(events_busy_us(e, lane, from, until) == busy_naively(e, lane, from, until));
}

/* ---- tests --------------------------------------------------------------- */

static void test_no_events(void **state)
{
	struct events e = build_sums(NULL, 0, 0);

	check_order(&e);
	assert_int_equal(e.n, 0);
	assert_int_equal(e.first_lane[e.n_groups], 0);
	events_clear(&e);
	events_clear(&e);
}

static void test_one_event(void **state)
{
	const struct event row = {7, 3, 0, 1, 0, 100, 20};
	struct events e = build_sums(&row, 1, 0);

	check_order(&e);
	assert_event(&e, 0, &row);
	assert_int_equal(event_end(&row), 120);
	assert_int_equal(e.first_lane[1], 0);
	assert_int_equal(e.first_lane[2], 1);
	assert_true(events_busy_us(&e, 0, 0, 1000) == 20);
	assert_true(events_busy_us(&e, 0, 110, 1000) == 10);
	assert_true(events_busy_us(&e, 0, 105, 106) == 1);
	assert_true(events_busy_us(&e, 0, 120, 1000) == 0);
	assert_true(events_busy_us(&e, 0, INT64_MIN, INT64_MAX) == 20);
	assert_true(events_busy_us(&e, 0, 106, 106) == 0);
	assert_true(events_busy_us(&e, 0, 1000, 0) == 0);
	events_clear(&e);
}

static void test_overlapping_rows_lie_side_by_side(void **state)
{
	const struct event rows[] = {
		{1, 0, 0, 1, 0, 120, 10}, /* lane 1: 100 … 150 is running */
		{2, 0, 0, 1, 0, 150, 20}, /* lane 0, which is free from its end on */
		{3, 0, 0, 1, 0, 100, 50}, /* lane 0 */
		{4, 0, 0, 2, 0, 110, 5},  /* another device */
		{5, 0, 0, 1, 0, 125, 60}, /* lane 2 */
		{6, 0, 0, 1, 0, 130, 0},  /* lane 1 */
	};
	static const uint32_t nodes[] = {3, 1, 5, 6, 2, 4}, lanes[] = {0, 1, 2, 1, 0, 0};
	struct events e = build_sums(rows, 6, 0);

	check_order(&e);
	check_nodes(&e, nodes, lanes, 6);
	events_clear(&e);
}

/* Threads nest what they run: time counts once. */
static void test_lanes_of_the_input_are_kept(void **state)
{
	const struct event rows[] = {
		{1, 0, 0, 1, 1, 110, 10},
		{2, 0, 0, 1, 1, 100, 50},
		{3, 0, 0, 1, 0, 105, 1},
		{4, 0, 0, 1, 1, 140, 20},
		{5, 0, 0, 1, 1, 100, 7},
	};
	static const uint32_t nodes[] = {2, 5, 3, 1, 4}, lanes[] = {1, 1, 0, 1, 1};
	struct events e = build_sums(rows, 5, EVENTS_HAVE_LANES);

	check_order(&e);
	check_nodes(&e, nodes, lanes, 5);
	assert_true(events_busy_us(&e, 1, 0, 1000) == 60);
	assert_true(events_busy_us(&e, 1, 115, 145) == 30);
	assert_true(events_busy_us(&e, 1, 155, 1000) == 5);
	events_clear(&e);
}

static void test_the_first_of_a_start_is_kept(void **state)
{
	const struct event rows[] = {
		{1, 0, 0, 1, 0, 100, 10},
		{2, 0, 0, 2, 0, 100, 10},
		{3, 0, 0, 1, 0, 100, 90},
		{4, 0, 0, 1, 0, 110, 10},
		{5, 0, 0, 2, 0, 100, 10},
	};
	static const uint32_t nodes[] = {1, 4, 2}, lanes[] = {0, 0, 0};
	struct events e = build_sums(rows, 5, EVENTS_DISTINCT_STARTS);

	check_order(&e);
	check_nodes(&e, nodes, lanes, 3);
	events_clear(&e);
}

static void test_rows_by_step(void **state)
{
	struct event rows[200];
	struct events e;
	size_t row = 0;

	for (uint32_t i = 0; i < 200; i++)
		rows[i] = (struct event){i, draw(7), 0, draw(4), 0, draw(50), draw(9)};
	e = build(rows, 200, EVENTS_BY_STEP, 0);
	assert_int_equal(e.n_groups, 10);
	for (uint32_t step = 0; step < 10; step++)
		for (; row < e.first_row[step + 1]; row++) {
			assert_int_equal(e.step[row], step);
			/* Those that start together are as they were added. */
			assert_true(row == e.first_row[step] ||
				e.start_us[row - 1] < e.start_us[row] ||
				(e.start_us[row - 1] == e.start_us[row] &&
					e.node[row - 1] < e.node[row]));
		}
	assert_int_equal(row, 200);
	events_clear(&e);
}

/* Times as they are drawn: close together, or anything at all. */
static int64_t draw_time(uint32_t range)
{
	static const int64_t extremes[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1,
		INT64_MAX};

	return draw(20) ? (int64_t)draw(range) - range / 4 : extremes[draw(7)];
}

static void test_stretches_against_naive(void **state)
{
	struct event rows[120];

	for (uint32_t round = 1; round < 400; round++) {
		bool has_lanes = round % 2, extreme = round % 3 == 0;
		size_t n = draw(120);
		struct events e;

		for (uint32_t i = 0; i < n; i++)
			rows[i] = (struct event){i, 0, 0, draw(4), has_lanes ? draw(3) : 0,
				extreme ? draw_time(round * 3) : draw(round * 3),
				extreme ? draw_time(round) : draw(round)};
		e = build_sums(rows, n, has_lanes ? EVENTS_HAVE_LANES : 0);
		check_order(&e);
		assert_int_equal(e.n, n);
		for (uint32_t lane = 0; lane < e.first_lane[e.n_groups]; lane++)
			for (int i = 0; i < 20; i++)
				check_stretch(&e, lane, draw_time(round * 4), draw_time(round * 4));
		events_clear(&e);
	}
}

/* Rows of zero length take no time, but they are there. */
static void test_empty_rows(void **state)
{
	const struct event rows[] = {
		{1, 0, 0, 1, 0, 100, 0},
		{2, 0, 0, 1, 0, 100, 0},
		{3, 0, 0, 1, 0, 200, -50},
		{4, 0, 0, 1, 0, 150, 0},
	};
	struct events e = build_sums(rows, 4, 0);

	check_order(&e);
	assert_true(events_busy_us(&e, 0, INT64_MIN, INT64_MAX) == 0);
	events_clear(&e);
}

static void test_all_of_time(void **state)
{
	const struct event rows[] = {
		{1, 0, 0, 1, 0, INT64_MIN, INT64_MAX},
		{2, 0, 0, 1, 0, -1, INT64_MAX},
		{3, 0, 0, 1, 0, INT64_MAX, INT64_MAX},
		{4, 0, 0, 1, 0, INT64_MAX - 1, INT64_MAX},
	};
	struct events e = build_sums(rows, 4, EVENTS_HAVE_LANES);

	check_order(&e);
	assert_true(events_busy_us(&e, 0, INT64_MIN, INT64_MAX) == UINT64_MAX);
	assert_true(events_busy_us(&e, 0, INT64_MIN, 0) == (uint64_t)1 << 63);
	events_clear(&e);
}

/* ---- of a model ---------------------------------------------------------- */

static void add_time(struct model *m, uint32_t node, int64_t step, const char *device,
	int64_t start_us, int64_t duration_us)
{
	uint32_t row = exec_row(m, node, step), name = strings_add(&m->strings, span_of(device));
	struct exec_added added = {.device = name};
	struct buf record = {0};

	assert_true(row != NONE && name != NONE && model_add_step(m, step));
	record_put_time(&record, false, start_us, duration_us);
	added.record = arena_copy(&m->arena, buf_get(&record));
	assert_true(added.record.at && exec_add(m, row, &added));
	buf_clear(&record);
}

/* Two nodes in steps 10 and 20. */
static void make_model(struct model *m)
{
	static const char *const names[] = {"a", "b"};

	assert_true(model_init(m));
	for (int i = 0; i < 2; i++) {
		uint32_t name = strings_add(&m->strings, span_of(names[i]));

		assert_int_equal(model_add_node(m, name, name), i);
	}
	add_time(m, 1, 20, "/cpu:0", 500, 5);
	add_time(m, 1, 10, "/cpu:0", 105, 9);
	add_time(m, 0, 20, "/gpu:0", 510, 3);
	add_time(m, 0, 10, "/cpu:0", 100, 7);
	add_time(m, 0, 10, "/gpu:0/stream:all", 103, 2);
	add_time(m, 0, 10, "/network", 0, 2);
	add_time(m, 0, 10, "/cpu:0", 104, -1);
	add_time(m, 1, 10, "/cpu:0", INT64_MAX, 1);
}

static enum tfprof_status collect(struct events *e, const struct model *m, enum events_order order,
	uint32_t step, unsigned flags)
{
	struct event_sorter s;
	enum tfprof_status status;

	event_sorter_init(&s, order, flags, 0);
	events_add_model(&s, m, step);
	status = events_build(e, &s, m->steps.n, NULL);
	event_sorter_clear(&s);
	return status;
}

static void test_executions_of_a_model(void **state)
{
	static const struct event expected[] = {
		{0, 0, 0, 0, 0, 100, 7},
		{0, 0, 0, 1, 0, 103, 2},
		{1, 0, 0, 0, 0, 105, 9},
		{1, 1, 0, 0, 0, 500, 5},
		{0, 1, 0, 3, 0, 510, 3},
	};
	struct model m;
	struct events e;

	make_model(&m);
	assert_int_equal(collect(&e, &m, EVENTS_BY_STEP, EVENTS_ALL_STEPS, EVENTS_VALID),
		TFPROF_OK);
	assert_int_equal(e.n, 5);
	/* Devices come as nodes have them, also those with nothing valid. */
	assert_true(span_equal(e.devices.at.at[0].name, SPAN("/cpu:0")));
	assert_int_equal(e.devices.at.at[1].kind, DEVICE_KIND_STREAM);
	assert_int_equal(e.devices.at.at[2].kind, DEVICE_KIND_NETWORK);
	assert_int_equal(e.devices.at.n, 4);
	for (size_t row = 0; row < 5; row++)
		assert_event(&e, row, &expected[row]);
	assert_int_equal(e.first_row[1], 3);
	assert_int_equal(e.first_row[2], 5);
	events_clear(&e);
	assert_int_equal(collect(&e, &m, EVENTS_BY_DEVICE, 1, 0), TFPROF_OK);
	assert_int_equal(e.n, 2);
	events_clear(&e);
	assert_int_equal(collect(&e, &m, EVENTS_BY_DEVICE, 0, 0), TFPROF_OK);
	assert_int_equal(e.n, 6);
	events_clear(&e);
	model_clear(&m);
}

/* Reading twice gives the same; runs are numbered within a node and step. */
static void test_reading_one_by_one(void **state)
{
	struct event_sorter s;
	struct model m;

	make_model(&m);
	event_sorter_init(&s, EVENTS_BY_DEVICE, 0, 0);
	events_add_model(&s, &m, 0);
	for (int again = 0; again < 2; again++) {
		static const uint32_t runs[] = {0, 3, 0, 1, 1, 2}, lanes[] = {0, 1, 1, 0, 0, 0};
		const struct event *e;
		size_t n = 0;

		event_sorter_rewind(&s);
		for (; (e = event_sorter_next(&s)) != NULL; n++) {
			assert_int_equal(e->run, runs[n]);
			assert_int_equal(e->lane, lanes[n]);
		}
		assert_int_equal(n, 6);
		assert_int_equal(event_sorter_check(&s, NULL), TFPROF_OK);
	}
	event_sorter_clear(&s);
	model_clear(&m);
}

static void test_any_allocation_may_fail(void **state)
{
	struct model m;
	bool ok = false;
	size_t n = 0;

	make_model(&m);
	while (!ok) {
		struct events e;

		mem_fail_at(++n);
		ok = collect(&e, &m, EVENTS_BY_DEVICE, EVENTS_ALL_STEPS, 0) == TFPROF_OK &&
			events_sum(&e);
		mem_fail_at(0);
		assert_true(!ok || e.n == 8);
		events_clear(&e);
	}
	assert_true(n > 10);
	model_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_events),
		cmocka_unit_test(test_one_event),
		cmocka_unit_test(test_overlapping_rows_lie_side_by_side),
		cmocka_unit_test(test_lanes_of_the_input_are_kept),
		cmocka_unit_test(test_the_first_of_a_start_is_kept),
		cmocka_unit_test(test_rows_by_step),
		cmocka_unit_test(test_stretches_against_naive),
		cmocka_unit_test(test_empty_rows),
		cmocka_unit_test(test_all_of_time),
		cmocka_unit_test(test_executions_of_a_model),
		cmocka_unit_test(test_reading_one_by_one),
		cmocka_unit_test(test_any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
