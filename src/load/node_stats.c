#include "load/node_stats.h"

#include "model/device.h"
#include "model/record.h"
#include "proto/fields.h"
#include "proto/wire.h"

void node_stats_reader_clear(struct node_stats_reader *reader)
{
	arena_clear(&reader->records);
	buf_clear(&reader->scratch);
	vec_clear(&reader->outputs);
	vec_clear(&reader->allocations);
}

static void add(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static bool no_memory(const char **bad)
{
	*bad = NULL;
	return false;
}

static bool is_fine(const struct wire_reader *r, const char **bad)
{
	*bad = r->bad;
	return !r->bad;
}

/* AllocationRecord */
static bool read_allocation(struct node_stats_reader *reader, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct exec_allocation a = {0};

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(ALLOCATION_RECORD_ALLOC_MICROS))
			a.micros = (int64_t)f.value;
		else if (f.tag == WIRE_VARINT(ALLOCATION_RECORD_ALLOC_BYTES))
			a.bytes = (int64_t)f.value;
	if (!is_fine(&r, bad))
		return false;
	return vec_push(&reader->allocations, a) ? true : no_memory(bad);
}

/* Contains "GPU". Names are a few bytes, which a general search is slow for. */
static bool is_gpu(struct span allocator)
{
	for (size_t i = 0; i + 3 <= allocator.n; i++)
		if (allocator.at[i] == 'G' && allocator.at[i + 1] == 'P' &&
			allocator.at[i + 2] == 'U')
			return true;
	return false;
}

/* AllocatorMemoryUsed. What is live and in use is kept of GPUs only. */
static bool read_allocator(struct node_stats_reader *reader, struct span message,
	struct exec_memory *memory, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct span name = {"", 0};
	size_t n_allocations = reader->allocations.n;
	int64_t in_use = 0;

	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(ALLOCATOR_MEMORY_USED_ALLOCATOR_NAME): name = f.bytes; break;
		case WIRE_VARINT(ALLOCATOR_MEMORY_USED_TOTAL_BYTES):
			add(&memory->requested_bytes, (int64_t)f.value);
			break;
		case WIRE_VARINT(ALLOCATOR_MEMORY_USED_PEAK_BYTES):
			add(&memory->peak_bytes, (int64_t)f.value);
			break;
		case WIRE_VARINT(ALLOCATOR_MEMORY_USED_LIVE_BYTES):
			add(&memory->residual_bytes, (int64_t)f.value);
			break;
		case WIRE_VARINT(ALLOCATOR_MEMORY_USED_ALLOCATOR_BYTES_IN_USE):
			in_use = (int64_t)f.value;
			break;
		case WIRE_LEN(ALLOCATOR_MEMORY_USED_ALLOCATION_RECORDS):
			if (!read_allocation(reader, f.bytes, bad))
				return false;
			break;
		}
	if (!is_gpu(name))
		reader->allocations.n = n_allocations;
	else if (in_use > memory->allocator_bytes_in_use)
		memory->allocator_bytes_in_use = in_use;
	return is_fine(&r, bad);
}

/* MemoryStats: the last one counts. */
static bool read_memory_stats(struct span message, unsigned device_kind, struct exec_memory *memory,
	const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	int64_t temp = 0, persistent = 0;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(MEMORY_STATS_TEMP_MEMORY_SIZE))
			temp = (int64_t)f.value;
		else if (f.tag == WIRE_VARINT(MEMORY_STATS_PERSISTENT_MEMORY_SIZE))
			persistent = (int64_t)f.value;
	if (device_kind & DEVICE_CPU) {
		memory->host_temp_bytes = temp;
		memory->host_persistent_bytes = persistent;
	} else {
		memory->accelerator_temp_bytes = temp;
		memory->accelerator_persistent_bytes = persistent;
	}
	return is_fine(&r, bad);
}

struct described {
	bool is;
	int64_t requested, allocated;
	uint64_t address;
};

/* AllocationDescription */
static bool read_description(struct span message, struct described *d, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	d->is = true;
	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_VARINT(ALLOCATION_DESCRIPTION_REQUESTED_BYTES):
			d->requested = (int64_t)f.value;
			break;
		case WIRE_VARINT(ALLOCATION_DESCRIPTION_ALLOCATED_BYTES):
			d->allocated = (int64_t)f.value;
			break;
		case WIRE_VARINT(ALLOCATION_DESCRIPTION_PTR): d->address = f.value; break;
		}
	return is_fine(&r, bad);
}

/* TensorDescription */
static bool read_tensor(struct span message, struct described *d, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(TENSOR_DESCRIPTION_ALLOCATION_DESCRIPTION) &&
			!read_description(f.bytes, d, bad))
			return false;
	return is_fine(&r, bad);
}

/* NodeOutput: one without an allocation description tells nothing. */
static bool read_output(struct node_stats_reader *reader, struct span message,
	struct exec_memory *memory, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct described d = {0};
	struct exec_output output = {0};

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(NODE_OUTPUT_SLOT))
			output.slot = (int32_t)f.value;
		else if (f.tag == WIRE_LEN(NODE_OUTPUT_TENSOR_DESCRIPTION) &&
			!read_tensor(f.bytes, &d, bad))
			return false;
	if (!is_fine(&r, bad))
		return false;
	if (!d.is)
		return true;
	output.bytes = d.allocated > d.requested ? d.allocated : d.requested;
	output.address = d.address;
	add(&memory->output_bytes, output.bytes);
	return vec_push(&reader->outputs, output) ? true : no_memory(bad);
}

static void sum_up(const struct node_stats *stats, struct exec_memory *memory)
{
	/* one of the two is 0 */
	int64_t persistent = memory->host_persistent_bytes + memory->accelerator_persistent_bytes;
	int64_t temp = memory->host_temp_bytes + memory->accelerator_temp_bytes;

	add(&memory->micros, stats->start_us);
	add(&memory->micros, stats->duration_us);
	add(&memory->requested_bytes, persistent);
	add(&memory->requested_bytes, temp);
	add(&memory->peak_bytes, persistent);
	add(&memory->peak_bytes, temp);
	add(&memory->residual_bytes, persistent);
}

static bool make_record(struct node_stats_reader *reader, unsigned device_kind,
	const struct exec_memory *memory, struct node_stats *stats)
{
	struct buf *b = &reader->scratch;
	int64_t duration = stats->duration_us ? stats->duration_us : 1;
	char *copy;

	b->n = 0;
	if (device_kind & DEVICE_STREAM_ALL)
		record_put_time(b, true, stats->start_us, duration);
	if (device_kind & DEVICE_CANONICAL)
		record_put_time(b, false, stats->start_us, duration);
	stats->n_times = b->n;
	record_put_memory(b, memory, reader->outputs.at, reader->outputs.n);
	for (size_t i = 0; i < reader->allocations.n; i++)
		record_put_allocation(b, &reader->allocations.at[i]);
	copy = b->failed ? NULL : arena_alloc(&reader->records, b->n);
	if (!copy)
		return false;
	memcpy(copy, b->at, b->n);
	stats->record = (struct span){copy, b->n};
	return true;
}

bool node_stats_read(struct node_stats_reader *reader, struct span message, unsigned device_kind,
	struct node_stats *stats, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct exec_memory memory = {0};
	const char *colon;
	bool fine = true;

	*stats = (struct node_stats){.name = {"", 0}};
	reader->outputs.n = reader->allocations.n = 0;
	while (fine && wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(NODE_EXEC_STATS_NODE_NAME): stats->name = f.bytes; break;
		case WIRE_VARINT(NODE_EXEC_STATS_ALL_START_MICROS):
			stats->start_us = (int64_t)f.value;
			break;
		case WIRE_VARINT(NODE_EXEC_STATS_OP_END_REL_MICROS):
			stats->duration_us = (int64_t)f.value;
			break;
		case WIRE_LEN(NODE_EXEC_STATS_MEMORY):
			fine = read_allocator(reader, f.bytes, &memory, bad);
			break;
		case WIRE_LEN(NODE_EXEC_STATS_OUTPUT):
			fine = read_output(reader, f.bytes, &memory, bad);
			break;
		case WIRE_LEN(NODE_EXEC_STATS_MEMORY_STATS):
			fine = read_memory_stats(f.bytes, device_kind, &memory, bad);
			break;
		}
	if (!fine || !is_fine(&r, bad))
		return false;
	colon = stats->name.n ? memchr(stats->name.at, ':', stats->name.n) : NULL;
	if (colon)
		stats->name.n = (size_t)(colon - stats->name.at);
	if (stats->start_us <= 0)
		return true;
	sum_up(stats, &memory);
	stats->requested_bytes = memory.requested_bytes;
	stats->peak_bytes = memory.peak_bytes;
	stats->residual_bytes = memory.residual_bytes;
	stats->output_bytes = memory.output_bytes;
	return make_record(reader, device_kind, &memory, stats) ? true : no_memory(bad);
}
