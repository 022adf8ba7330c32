#include "load/node_stats.h"
#include "base/clamped.h"

#include "model/device.h"
#include "model/exec_profile.h"
#include "model/record.h"
#include "proto/step_stats.h"
#include "proto/tensor_description.h"
#include "proto/tensor_shape.h"
#include "proto/timeline_label.h"

void node_stats_reader_clear(struct node_stats_reader *reader)
{
	arena_clear(&reader->records);
	buf_clear(&reader->scratch);
	vec_clear(&reader->outputs);
	vec_clear(&reader->allocations);
	vec_clear(&reader->shapes);
	vec_clear(&reader->dims);
}

/* AllocationRecord */
static void read_allocation(struct node_stats_reader *reader, struct span message)
{
	struct exec_allocation a = exec_profile_allocation(&reader->decoder, message);

	decoder_alloc(&reader->decoder, vec_push(&reader->allocations, a));
}

/* Contains "GPU". Names are a few bytes long, for which a general search is slow. */
static bool is_gpu(struct span allocator)
{
	for (size_t i = 0; i + 3 <= allocator.n; i++)
		if (allocator.at[i] == 'G' && allocator.at[i + 1] == 'P' &&
			allocator.at[i + 2] == 'U')
			return true;
	return false;
}

/* AllocatorMemoryUsed. Live bytes and bytes in use are kept for GPUs only. */
static void read_allocator(struct node_stats_reader *reader, struct span message,
	struct exec_memory *memory)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct span name = {"", 0};
	size_t n_allocations = reader->allocations.n;
	int64_t in_use = 0;

	while (decoder_next(&reader->decoder, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(ALLOCATOR_MEMORY_USED_ALLOCATOR_NAME): name = f.bytes; break;
		case WIRE_VARINT(ALLOCATOR_MEMORY_USED_TOTAL_BYTES):
			add_clamped(&memory->requested_bytes, (int64_t)f.value);
			break;
		case WIRE_VARINT(ALLOCATOR_MEMORY_USED_PEAK_BYTES):
			add_clamped(&memory->peak_bytes, (int64_t)f.value);
			break;
		case WIRE_VARINT(ALLOCATOR_MEMORY_USED_LIVE_BYTES):
			add_clamped(&memory->residual_bytes, (int64_t)f.value);
			break;
		case WIRE_VARINT(ALLOCATOR_MEMORY_USED_ALLOCATOR_BYTES_IN_USE):
			in_use = (int64_t)f.value;
			break;
		case WIRE_LEN(ALLOCATOR_MEMORY_USED_ALLOCATION_RECORDS):
			read_allocation(reader, f.bytes);
			break;
		}
	if (!is_gpu(name))
		reader->allocations.n = n_allocations;
	else if (in_use > memory->allocator_bytes_in_use)
		memory->allocator_bytes_in_use = in_use;
}

/* MemoryStats: the last one counts. */
static void read_memory_stats(struct decoder *d, struct span message, unsigned device_kind,
	struct exec_memory *memory)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	int64_t temp = 0, persistent = 0;

	while (decoder_next(d, &r, &f))
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
}

/* Handles of variables and the like are scalars, whatever they lead to. */
static bool has_useful_shape(const struct tensor_description *t)
{
	return t->has_shape && t->dtype != DT_RESOURCE && t->dtype != DT_VARIANT;
}

static void read_shape(struct node_stats_reader *reader, int32_t output, struct span message)
{
	struct tensor_dims dims = tensor_dims(message);
	struct tensor_dim dim;
	struct output_shape shape = {.output = output, .first_dim = reader->dims.n};
	bool is_known = true;

	while (tensor_dims_next(&reader->decoder, &dims, &dim)) {
		is_known &= dim.size >= 0;
		decoder_alloc(&reader->decoder, vec_push(&reader->dims, dim.size));
	}
	shape.is_scalar = reader->dims.n == shape.first_dim;
	if (shape.is_scalar)
		decoder_alloc(&reader->decoder, vec_push(&reader->dims, 1));
	if (!is_known || dims.unknown_rank || reader->decoder.failed) {
		reader->dims.n = shape.first_dim;
		return;
	}
	shape.n = (uint32_t)(reader->dims.n - shape.first_dim);
	shape.hash = shapes_hash(reader->dims.at + shape.first_dim, shape.n);
	decoder_alloc(&reader->decoder, vec_push(&reader->shapes, shape));
}

/* NodeOutput: without an allocation description it has no memory. */
static void read_output(struct node_stats_reader *reader, struct span message,
	struct exec_memory *memory)
{
	struct node_output read;
	const struct tensor_description *t = &read.tensor;
	struct exec_output output = {0};

	node_output_read(&reader->decoder, message, &read, NULL);
	if (has_useful_shape(t))
		read_shape(reader, read.slot, t->shape);
	if (!t->has_allocation)
		return;
	output.slot = read.slot;
	output.bytes =
		t->allocated_bytes > t->requested_bytes ? t->allocated_bytes : t->requested_bytes;
	output.address = t->ptr;
	add_clamped(&memory->output_bytes, output.bytes);
	decoder_alloc(&reader->decoder, vec_push(&reader->outputs, output));
}

static void sum_up(const struct node_stats *stats, struct exec_memory *memory)
{
	/* one of the two is 0 */
	int64_t persistent = memory->host_persistent_bytes + memory->accelerator_persistent_bytes;
	int64_t temp = memory->host_temp_bytes + memory->accelerator_temp_bytes;

	add_clamped(&memory->micros, stats->start_us);
	add_clamped(&memory->micros, stats->duration_us);
	add_clamped(&memory->requested_bytes, persistent);
	add_clamped(&memory->requested_bytes, temp);
	add_clamped(&memory->peak_bytes, persistent);
	add_clamped(&memory->peak_bytes, temp);
	add_clamped(&memory->residual_bytes, persistent);
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

static void read_nested(struct node_stats_reader *reader, const struct wire_field *f,
	unsigned device_kind, struct exec_memory *memory)
{
	switch (f->tag) {
	case WIRE_LEN(NODE_EXEC_STATS_MEMORY): read_allocator(reader, f->bytes, memory); break;
	case WIRE_LEN(NODE_EXEC_STATS_OUTPUT): read_output(reader, f->bytes, memory); break;
	case WIRE_LEN(NODE_EXEC_STATS_MEMORY_STATS):
		read_memory_stats(&reader->decoder, f->bytes, device_kind, memory);
		break;
	}
}

void node_stats_read(struct node_stats_reader *reader, struct span message, unsigned device_kind,
	struct node_stats *stats)
{
	struct node_exec_stats read = node_exec_stats(message);
	struct wire_field f;
	struct exec_memory memory = {0};
	size_t n_shapes = reader->shapes.n;

	reader->outputs.n = reader->allocations.n = 0;
	while (node_exec_stats_next(&reader->decoder, &read, &f))
		read_nested(reader, &f, device_kind, &memory);
	*stats = (struct node_stats){.name = span_before(read.node_name, ':'),
		.executed = timeline_label_type(read.timeline_label),
		.start_us = read.all_start_micros,
		.duration_us = read.op_end_rel_micros,
		.n_shapes = (uint32_t)(reader->shapes.n - n_shapes)};
	if (stats->start_us <= 0 || reader->decoder.failed)
		return;
	sum_up(stats, &memory);
	exec_sums_add_memory(&stats->memory, &memory);
	decoder_alloc(&reader->decoder, make_record(reader, device_kind, &memory, stats));
}
