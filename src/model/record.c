#include "model/record.h"

#include <stdlib.h>

#include "proto/fields.h"
#include "proto/wire_write.h"

/* Most entries of a step become a record, so these write into room made for the
 * longest there can be. Numbers of fields fit a byte, and so do the lengths of
 * messages that hold two numbers. */
enum {
	INT_MAX_SIZE = 1 + 10,
	PAIR_MAX_SIZE = 2 + 2 * INT_MAX_SIZE,
	OUTPUT_MAX_SIZE = 2 + INT_MAX_SIZE + PAIR_MAX_SIZE
};

static char *put_int(char *at, unsigned number, uint64_t value)
{
	*at++ = (char)WIRE_VARINT(number);
	return wire_append_varint(at, value);
}

static char *put_nonzero(char *at, unsigned number, uint64_t value)
{
	return value ? put_int(at, number, value) : at;
}

/* The length of what was written, into the byte left for it in front. */
static void put_length(char *content, const char *end)
{
	content[-1] = (char)(end - content);
}

static char *put_tag(char *at, unsigned tag)
{
	*at = (char)tag;
	return at + 2;
}

static void end_at(struct buf *b, char *end)
{
	b->n = (size_t)(end - b->at);
	*end = '\0';
}

void record_put_time(struct buf *b, bool accelerator, int64_t start_us, int64_t duration_us)
{
	char *at, *tuple, *pair;

	if (!buf_reserve(b, 2 + PAIR_MAX_SIZE))
		return;
	tuple = put_tag(b->at + b->n, accelerator ? RECORD_ACCELERATOR : RECORD_CPU);
	pair = put_tag(tuple, WIRE_LEN(TUPLE_INT64_VALUES));
	at = wire_append_varint(pair, (uint64_t)start_us);
	at = wire_append_varint(at, (uint64_t)duration_us);
	put_length(pair, at);
	put_length(tuple, at);
	end_at(b, at);
}

static int by_slot(const void *a, const void *b)
{
	const struct exec_output *x = a, *y = b;

	return x->slot != y->slot ? (x->slot > y->slot) - (x->slot < y->slot)
				  : (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
	const struct exec_output *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* Each slot once; returns how many there are. They nearly always come in
 * ascending order. */
static size_t merge_slots(struct exec_output *outputs, size_t n)
{
	size_t i = 1, kept = 0;

	while (i < n && outputs[i - 1].slot < outputs[i].slot)
		i++;
	if (i >= n)
		return n;
	for (i = 0; i < n; i++)
		outputs[i].order = (uint32_t)i;
	qsort(outputs, n, sizeof(*outputs), by_slot);
	for (i = 0; i < n; i++)
		if (kept && outputs[kept - 1].slot == outputs[i].slot) {
			outputs[kept - 1].bytes = outputs[i].bytes;
			outputs[kept - 1].address = outputs[i].address;
		} else {
			outputs[kept++] = outputs[i];
		}
	qsort(outputs, kept, sizeof(*outputs), by_order);
	return kept;
}

static char *put_output(char *at, const struct exec_output *output)
{
	char *entry = put_tag(at, WIRE_LEN(EXEC_MEMORY_OUTPUT_MEMORY)), *value;

	at = put_int(entry, MAP_KEY, (uint64_t)(int64_t)output->slot);
	value = put_tag(at, WIRE_LEN(MAP_VALUE));
	at = put_nonzero(value, MEMORY_BYTES, (uint64_t)output->bytes);
	at = put_nonzero(at, MEMORY_PTR, output->address);
	put_length(value, at);
	put_length(entry, at);
	return at;
}

void record_put_memory(struct buf *b, const struct exec_memory *memory, struct exec_output *outputs,
	size_t n)
{
	size_t record = wire_open(b, RECORD_MEMORY >> 3), room;
	char *at;

	n = merge_slots(outputs, n);
	if (__builtin_mul_overflow(n + 11, (size_t)OUTPUT_MAX_SIZE, &room) ||
		!buf_reserve(b, room)) {
		b->failed = true;
		return;
	}
	at = b->at + b->n;
#define X(number, field) at = put_nonzero(at, number, (uint64_t)memory->field);
	MEMORY_FIELDS(X)
#undef X
	for (size_t i = 0; i < n; i++)
		at = put_output(at, &outputs[i]);
	end_at(b, at);
	wire_close(b, record);
}

void record_put_allocation(struct buf *b, const struct exec_allocation *allocation)
{
	char *at, *record;

	if (!buf_reserve(b, PAIR_MAX_SIZE))
		return;
	record = put_tag(b->at + b->n, RECORD_ALLOCATION);
	at = put_nonzero(record, ALLOCATION_RECORD_ALLOC_MICROS, (uint64_t)allocation->micros);
	at = put_nonzero(at, ALLOCATION_RECORD_ALLOC_BYTES, (uint64_t)allocation->bytes);
	put_length(record, at);
	end_at(b, at);
}
