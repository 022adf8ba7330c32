#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "model/record.h"

#include "proto/wire_write.h"

/* As one would write it field by field. */
static void put_plainly(struct buf *b, const struct exec_memory *memory,
	const struct exec_output *outputs, size_t n)
{
	size_t record = wire_open(b, 7);

#define X(number, field) wire_put_nonzero(b, number, memory->field);
	MEMORY_FIELDS(X)
#undef X
	for (size_t i = 0; i < n; i++) {
		size_t entry = wire_open(b, 11), value;

		wire_put_int(b, 1, outputs[i].slot);
		value = wire_open(b, 2);
		wire_put_nonzero(b, 1, outputs[i].bytes);
		wire_put_nonzero(b, 2, (int64_t)outputs[i].address);
		wire_close(b, value);
		wire_close(b, entry);
	}
	wire_close(b, record);
}

static void assert_same(struct buf *a, struct buf *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->at, b->at, a->n);
	a->n = b->n = 0;
}

static void numbers_of_every_length(void **state)
{
	struct buf b = {0}, plain = {0};

	for (unsigned shift = 0; shift < 64; shift++) {
		int64_t number = (int64_t)(UINT64_MAX >> shift);
		struct exec_memory memory = {number, 0, number / 2, 1, 0, number, 0, number, 7,
			number};
		struct exec_output outputs[] = {{-1, 0, number, 5}, {0, 0, 0, 0},
			{9, 0, 3, (uint64_t)number}};
		size_t tuple;

		record_put_memory(&b, &memory, outputs, shift % 4);
		put_plainly(&plain, &memory, outputs, shift % 4);
		assert_same(&b, &plain);
		record_put_time(&b, shift % 2, number, number / 3);
		tuple = wire_open(&plain, shift % 2 ? 4 : 5);
		{
			size_t pair = wire_open(&plain, 1);

			wire_put_varint(&plain, (uint64_t)number);
			wire_put_varint(&plain, (uint64_t)(number / 3));
			wire_close(&plain, pair);
		}
		wire_close(&plain, tuple);
		assert_same(&b, &plain);
		record_put_allocation(&b, &(struct exec_allocation){number, -number});
		tuple = wire_open(&plain, 11);
		wire_put_nonzero(&plain, 1, number);
		wire_put_nonzero(&plain, 2, -number);
		wire_close(&plain, tuple);
		assert_same(&b, &plain);
	}
	buf_clear(&b);
	buf_clear(&plain);
}

static void the_last_output_of_a_slot_counts(void **state)
{
	struct exec_memory memory = {.micros = 3};
	struct exec_output outputs[] = {{2, 0, 10, 1}, {0, 0, 11, 2}, {2, 0, 12, 3}, {1, 0, 13, 4},
		{0, 0, 14, 5}, {2, 0, 15, 6}};
	const struct exec_output settled[] = {{2, 0, 15, 6}, {0, 0, 14, 5}, {1, 0, 13, 4}};
	struct buf b = {0}, plain = {0};

	record_put_memory(&b, &memory, outputs, 6);
	put_plainly(&plain, &memory, settled, 3);
	assert_same(&b, &plain);
	buf_clear(&b);
	buf_clear(&plain);
}

/* So many that comparing each with each would take minutes. */
static void many_outputs_of_few_slots(void **state)
{
	enum { N = 300000 };
	struct exec_memory memory = {0};
	struct exec_output *outputs = mem_zero(N * sizeof(*outputs));
	struct buf b = {0};

	for (int i = 0; i < N; i++)
		outputs[i].slot = N - i % (N / 2);
	record_put_memory(&b, &memory, outputs, N);
	assert_false(b.failed);
	assert_int_equal(outputs[0].slot, N);
	assert_int_equal(outputs[N / 2 - 1].slot, N / 2 + 1);
	buf_clear(&b);
	mem_free(outputs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_every_length),
		cmocka_unit_test(the_last_output_of_a_slot_counts),
		cmocka_unit_test(many_outputs_of_few_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
