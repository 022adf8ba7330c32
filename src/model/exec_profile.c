#include "model/exec_profile.h"

#include "model/profile_fields.h"

#include "proto/tuple.h"

/* Loading a profile reads the sums of every exec: there the visitor is known, and
 * decoding is inlined without what it passes over. */
#define INLINE static inline __attribute__((always_inline))

/* The first two numbers of a tuple. */
struct pair {
	int64_t at[2];
	size_t n;
};

static void put_in_pair(void *context, int64_t value)
{
	struct pair *pair = context;

	if (pair->n < 2)
		pair->at[pair->n++] = value;
}

static void decode_time(struct decoder *d, struct span message, struct exec_time *time)
{
	struct pair pair = {0};

	tuple_read(d, message, put_in_pair, &pair);
	time->start_us = pair.at[0];
	time->duration_us = pair.at[1];
}

INLINE bool decode_times(struct decoder *d, struct span message, bool accelerator,
	const struct exec_visitor *v)
{
	struct map_entry entry = map_entry_read(d, message);
	struct wire_reader r = wire_reader(entry.value);
	struct exec_time time = {.device = entry.text_key, .accelerator = accelerator};
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(EXEC_TIME_TIMES), &f)) {
		decode_time(d, f.bytes, &time);
		if (!v->time(v->context, &time))
			return false;
	}
	return true;
}

INLINE bool decode_output(struct decoder *d, struct span message, const struct exec_visitor *v)
{
	struct map_entry entry = map_entry_read(d, message);
	struct wire_reader r = wire_reader(entry.value);
	struct exec_output output = {.slot = (int32_t)entry.key};
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(MEMORY_BYTES): output.bytes = (int64_t)f.value; break;
		case WIRE_VARINT(MEMORY_PTR): output.address = f.value; break;
		}
	return v->output(v->context, &output);
}

INLINE bool decode_memory(struct decoder *d, struct span message, const struct exec_visitor *v)
{
	struct wire_reader r = wire_reader(message);
	struct exec_memory memory = {0};
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
#define X(number, field) \
	case WIRE_VARINT(number): memory.field = (int64_t)f.value; break;
			MEMORY_FIELDS(X)
#undef X
		case WIRE_LEN(EXEC_MEMORY_OUTPUT_MEMORY):
			if (v->output && !decode_output(d, f.bytes, v))
				return false;
			break;
		}
	return v->memory(v->context, &memory);
}

INLINE bool decode_nested(struct decoder *d, const struct wire_field *f,
	const struct exec_visitor *v)
{
	struct exec_allocation a;

	switch (f->tag) {
	case WIRE_LEN(EXEC_PROFILE_ACCELERATOR_EXECS):
		return !v->time || decode_times(d, f->bytes, true, v);
	case WIRE_LEN(EXEC_PROFILE_CPU_EXECS):
		return !v->time || decode_times(d, f->bytes, false, v);
	case WIRE_LEN(EXEC_PROFILE_DEVICES): return !v->device || v->device(v->context, f->bytes);
	case WIRE_LEN(EXEC_PROFILE_MEMORY_EXECS):
		return !v->memory || decode_memory(d, f->bytes, v);
	case WIRE_LEN(EXEC_PROFILE_ALLOCATIONS):
		if (!v->allocation)
			return true;
		a = exec_profile_allocation(d, f->bytes);
		return v->allocation(v->context, &a);
	}
	return true;
}

/* The fields that are there once. */
struct exec_profile {
	int64_t run_count, busy_us, waiting_us;
	struct exec_extent extent;
};

INLINE bool decode(struct decoder *d, struct span message, struct exec_profile *p,
	const struct exec_visitor *v)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(EXEC_PROFILE_RUN_COUNT): p->run_count = (int64_t)f.value; break;
		case WIRE_VARINT(EXEC_PROFILE_ALL_START_MICROS):
			p->extent.start_us = (int64_t)f.value;
			break;
		case WIRE_VARINT(EXEC_PROFILE_LATEST_END_MICROS):
			p->extent.end_us = (int64_t)f.value;
			break;
		case WIRE_VARINT(EXEC_PROFILE_BUSY_MICROS): p->busy_us = (int64_t)f.value; break;
		case WIRE_VARINT(EXEC_PROFILE_WAITING_MICROS):
			p->waiting_us = (int64_t)f.value;
			break;
		default:
			if (!decode_nested(d, &f, v))
				return false;
		}
	return true;
}

/* ---- sums ---------------------------------------------------------------- */

static bool sum_time(void *context, const struct exec_time *time)
{
	struct exec_sums *sums = context;

	exec_sums_add_time(sums, time->accelerator, time->duration_us);
	return true;
}

static bool sum_memory(void *context, const struct exec_memory *memory)
{
	exec_sums_add_memory(context, memory);
	return true;
}

struct exec_sums exec_profile_sums(struct decoder *d, struct span message)
{
	struct exec_sums sums = {0};
	struct exec_profile p = {0};
	const struct exec_visitor v = {.time = sum_time, .memory = sum_memory, .context = &sums};

	decode(d, message, &p, &v);
	sums.run_count = p.run_count;
	sums.busy_us = p.busy_us;
	sums.waiting_us = p.waiting_us;
	return sums;
}

/* ---- anything else ------------------------------------------------------- */

bool exec_profile_visit(struct decoder *d, struct span message, const struct exec_visitor *v)
{
	struct exec_profile p = {0};

	return decode(d, message, &p, v);
}

struct exec_extent exec_profile_extent(struct decoder *d, struct span message)
{
	struct exec_profile p = {0};
	const struct exec_visitor none = {0};

	decode(d, message, &p, &none);
	return p.extent;
}

void exec_profile_time(struct decoder *d, struct span message, struct exec_time *time)
{
	decode_time(d, message, time);
}

struct exec_allocation exec_profile_allocation(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct exec_allocation a = {0};
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(ALLOCATION_RECORD_ALLOC_MICROS):
			a.micros = (int64_t)f.value;
			break;
		case WIRE_VARINT(ALLOCATION_RECORD_ALLOC_BYTES): a.bytes = (int64_t)f.value; break;
		}
	return a;
}
