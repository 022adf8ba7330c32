#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* The memory of programs with planted buffers, and of damaged ones. tests/hlo has the numbers of
 * real ones. */
#include <stdio.h>

#include "hlo/buffers.h"
#include "hlo/memory.h"
#include "proto/wire_write.h"

/* ---- writing programs ---------------------------------------------------- */

static void put_text(struct buf *b, uint32_t number, const char *text)
{
	size_t open = wire_open(b, number);

	buf_text(b, text);
	wire_close(b, open);
}

/* An instruction that makes f32[dim]. */
static void put_op(struct buf *b, int id, const char *opcode, int64_t dim, int operand)
{
	size_t open = wire_open(b, HLO_COMPUTATION_INSTRUCTIONS), shape;
	char name[32];

	snprintf(name, sizeof(name), "%s.%d", opcode, id);
	put_text(b, HLO_INSTRUCTION_NAME, name);
	put_text(b, HLO_INSTRUCTION_OPCODE, opcode);
	shape = wire_open(b, HLO_INSTRUCTION_SHAPE);
	wire_put_int(b, SHAPE_ELEMENT_TYPE, PRIMITIVE_TYPE_F32);
	wire_put_int(b, SHAPE_DIMENSIONS, dim);
	wire_close(b, shape);
	wire_put_int(b, HLO_INSTRUCTION_ID, id);
	if (operand)
		wire_put_int(b, HLO_INSTRUCTION_OPERAND_IDS, operand);
	wire_close(b, open);
}

static void put_buffer(struct buf *b, int id, int64_t size, int op)
{
	size_t open = wire_open(b, BUFFER_ASSIGNMENT_LOGICAL_BUFFERS), at;

	wire_put_int(b, LOGICAL_BUFFER_ID, id);
	wire_put_int(b, LOGICAL_BUFFER_SIZE, size);
	at = wire_open(b, LOGICAL_BUFFER_DEFINED_AT);
	wire_put_int(b, LOGICAL_BUFFER_LOCATION_INSTRUCTION_ID, op);
	wire_close(b, at);
	wire_close(b, open);
}

static void put_assigned(struct buf *b, int id, int64_t offset, int64_t size)
{
	size_t open = wire_open(b, BUFFER_ALLOCATION_ASSIGNED);

	wire_put_int(b, BUFFER_ALLOCATION_ASSIGNED_LOGICAL_BUFFER_ID, id);
	wire_put_int(b, BUFFER_ALLOCATION_ASSIGNED_OFFSET, offset);
	wire_put_int(b, BUFFER_ALLOCATION_ASSIGNED_SIZE, size);
	wire_close(b, open);
}

static void put_event(struct buf *b, enum hlo_heap_kind kind, int id, int shared, const char *op)
{
	size_t open = wire_open(b, HEAP_SIMULATOR_TRACE_EVENTS);

	wire_put_int(b, HEAP_SIMULATOR_TRACE_EVENT_KIND, kind);
	wire_put_int(b, HEAP_SIMULATOR_TRACE_EVENT_BUFFER_ID, id);
	wire_put_int(b, HEAP_SIMULATOR_TRACE_EVENT_SHARE_WITH_CANONICAL_ID, shared);
	put_text(b, HEAP_SIMULATOR_TRACE_EVENT_INSTRUCTION_NAME, op);
	wire_close(b, open);
}

/* Three values one after the other; the third takes the place of the first:
 *
 *     iota.1 → tanh.2 → exponential.3 → copy.4     100, 200, 100 bytes at 0, 100, 0 */
static void put_program_with(struct buf *b, int64_t third_offset, int64_t third_dim, int64_t size)
{
	size_t open = wire_open(b, HLO_HLO_MODULE), block = wire_open(b, HLO_MODULE_COMPUTATIONS);

	wire_put_int(b, HLO_COMPUTATION_ID, 1);
	wire_put_int(b, HLO_COMPUTATION_ROOT_ID, 4);
	put_op(b, 1, "iota", 25, 0);
	put_op(b, 2, "tanh", 50, 1);
	put_op(b, 3, "exponential", third_dim, 2);
	put_op(b, 4, "copy", third_dim, 3);
	wire_close(b, block);
	wire_put_int(b, HLO_MODULE_ENTRY_COMPUTATION_ID, 1);
	wire_close(b, open);
	open = wire_open(b, HLO_BUFFER_ASSIGNMENT);
	put_buffer(b, 0, 100, 1);
	put_buffer(b, 1, 200, 2);
	put_buffer(b, 2, 4 * third_dim, 3);
	block = wire_open(b, BUFFER_ASSIGNMENT_BUFFER_ALLOCATIONS);
	wire_put_int(b, BUFFER_ALLOCATION_SIZE, size);
	put_assigned(b, 0, 0, 100);
	put_assigned(b, 1, 100, 200);
	put_assigned(b, 2, third_offset, 4 * third_dim);
	wire_close(b, block);
	wire_close(b, open);
}

static void put_program(struct buf *b, int64_t third_offset)
{
	put_program_with(b, third_offset, 25, 320);
}

static void put_heap(struct buf *b)
{
	size_t open = wire_open(b, HLO_BUFFER_ASSIGNMENT), trace;

	trace = wire_open(b, BUFFER_ASSIGNMENT_HEAP_SIMULATOR_TRACES);
	put_event(b, HLO_HEAP_ALLOC, 0, 0, "iota.1");
	put_event(b, HLO_HEAP_ALLOC, 1, 0, "tanh.2");
	put_event(b, HLO_HEAP_FREE, 0, 0, "tanh.2");
	/* In place of the second, which is given back first. */
	put_event(b, HLO_HEAP_FREE, 1, 0, "exponential.3");
	put_event(b, HLO_HEAP_SHARE, 2, 1, "exponential.3");
	put_event(b, HLO_HEAP_ALLOC, 0, 0, "copy.4");
	put_event(b, HLO_HEAP_FREE, 2, 0, "copy.4");
	put_event(b, HLO_HEAP_FREE, 2, 0, "copy.4");
	wire_close(b, trace);
	wire_close(b, open);
}

static bool read(struct buf *message, struct hlo_program *p, struct hlo_memory *m,
	enum hlo_peak_source source)
{
	struct decoder d = {0};

	*p = (struct hlo_program){0};
	*m = (struct hlo_memory){0};
	assert_true(hlo_program_read(p, &d, buf_get(message)));
	return hlo_memory_read(m, p, source, &d);
}

static void clear(struct hlo_program *p, struct hlo_memory *m)
{
	hlo_memory_clear(m);
	hlo_program_clear(p);
}

/* ---- tests --------------------------------------------------------------- */

static void test_peak_by_the_schedule(void **state)
{
	struct buf message = {0};
	struct hlo_program p;
	struct hlo_memory m;

	put_program(&message, 0);
	assert_true(read(&message, &p, &m, HLO_PEAK_OF_HEAP));
	assert_int_equal(m.arenas.n, 1);
	assert_true(m.arenas.at[0].is_from_schedule);
	assert_int_equal(m.arenas.at[0].bytes, 320);
	assert_int_equal(m.arenas.at[0].peak, 300);
	assert_true(span_equal(m.arenas.at[0].at, SPAN("tanh.2")));
	assert_int_equal(m.arenas.at[0].n, 2);
	assert_int_equal(m.live.at[0].bytes, 200);
	assert_int_equal(m.live.at[1].bytes, 100);
	clear(&p, &m);
	buf_clear(&message);
}

/* A third value of 400 bytes beside the second, when the first is gone. */
static void test_a_peak_after_values_that_ended(void **state)
{
	struct buf message = {0};
	struct hlo_program p;
	struct hlo_memory m;

	put_program_with(&message, 300, 100, 700);
	assert_true(read(&message, &p, &m, HLO_PEAK_OF_HEAP));
	assert_int_equal(m.arenas.at[0].bytes, 700);
	assert_int_equal(m.arenas.at[0].peak, 600);
	assert_true(span_equal(m.arenas.at[0].at, SPAN("exponential.3")));
	clear(&p, &m);
	buf_clear(&message);
}

/* The message's two parts of the assignment are one message. */
static void test_peak_by_the_heap(void **state)
{
	struct buf message = {0}, assignment = {0}, whole = {0};
	struct hlo_program p;
	struct hlo_memory m;
	struct wire_reader r;
	struct wire_field f;
	size_t open;

	put_program(&message, 0);
	put_heap(&message);
	r = wire_reader(buf_get(&message));
	while (wire_next(&r, &f)) {
		struct buf *to = f.tag == WIRE_LEN(HLO_BUFFER_ASSIGNMENT) ? &assignment : &whole;

		if (to == &whole) {
			open = wire_open(to, f.tag >> 3);
			buf_span(to, f.bytes);
			wire_close(to, open);
		} else {
			buf_span(to, f.bytes);
		}
	}
	open = wire_open(&whole, HLO_BUFFER_ASSIGNMENT);
	buf_span(&whole, buf_get(&assignment));
	wire_close(&whole, open);
	assert_true(read(&whole, &p, &m, HLO_PEAK_OF_HEAP));
	assert_int_equal(m.arenas.n, 1);
	assert_false(m.arenas.at[0].is_from_schedule);
	assert_int_equal(m.arenas.at[0].peak, 300);
	assert_true(span_equal(m.arenas.at[0].at, SPAN("tanh.2")));
	assert_int_equal(m.arenas.at[0].n, 2);
	clear(&p, &m);
	buf_clear(&message);
	buf_clear(&assignment);
	buf_clear(&whole);
}

static void test_places_outside_of_the_arena_are_damage(void **state)
{
	static const int64_t offsets[] = {221, 320, INT64_MAX, -1};

	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		struct buf message = {0};
		struct hlo_program p;
		struct hlo_memory m;

		put_program(&message, offsets[i]);
		assert_true(read(&message, &p, &m, HLO_PEAK_OF_HEAP));
		assert_true(m.n_damaged > 0);
		assert_int_equal(m.arenas.at[0].peak, 300);
		clear(&p, &m);
		buf_clear(&message);
	}
}

static void test_a_program_without_assignment(void **state)
{
	struct buf message = {0};
	struct hlo_program p;
	struct hlo_memory m;

	assert_true(read(&message, &p, &m, HLO_PEAK_OF_HEAP));
	assert_false(m.is_known);
	assert_int_equal(m.spaces.n, 0);
	clear(&p, &m);
}

static void test_any_allocation_may_fail(void **state)
{
	FILE *file = fopen(TEST_DATA "/../fuzz/corpus/hlo/jax_while", "rb");
	struct buf message = {0};
	struct hlo_program p = {0};
	struct decoder d = {0};
	char bytes[4096];
	size_t n;

	assert_non_null(file);
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		buf_put(&message, bytes, n);
	fclose(file);
	assert_true(hlo_program_read(&p, &d, buf_get(&message)));
	for (enum hlo_peak_source source = 0; source <= HLO_PEAK_OF_SCHEDULE; source++) {
		bool ok = false;

		for (size_t nth = 1; !ok; nth++) {
			struct hlo_memory m = {0};

			d = (struct decoder){0};
			mem_fail_at(nth);
			ok = hlo_memory_read(&m, &p, source, &d);
			mem_fail_at(0);
			assert_null(d.bad);
			assert_true(!ok || m.arenas.n == 1);
			hlo_memory_clear(&m);
		}
	}
	hlo_program_clear(&p);
	buf_clear(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peak_by_the_schedule),
		cmocka_unit_test(test_a_peak_after_values_that_ended),
		cmocka_unit_test(test_peak_by_the_heap),
		cmocka_unit_test(test_places_outside_of_the_arena_are_damage),
		cmocka_unit_test(test_a_program_without_assignment),
		cmocka_unit_test(test_any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
