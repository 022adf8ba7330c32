/* Entries are read in place, in three passes:
 *
 *     devices     names and pids
 *     tensors     a lane per entry, a tensor per output name
 *     entries     the events, and how long each tensor is used
 *
 * Then comes what is known only at the end: when tensors are deleted, and counters. */
#include "write/step_timeline.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clamped.h"
#include "base/strings.h"
#include "base/vec.h"
#include "model/device.h"
#include "model/lanes.h"
#include "write/chrome_trace.h"
#include "write/step_entry.h"
#include "proto/step_stats.h"
#include "proto/tensor_description.h"

struct step_device {
	struct span message; /* DeviceStepStats */
	uint32_t id;
};

struct tensor {
	struct chrome_place producer;
	int64_t created, ready, last_use;
	int64_t bytes;
	int64_t object_id;
	uint32_t allocator;
	bool known;
};

/* A change of an allocator's bytes. */
struct change {
	uint32_t allocator;
	int64_t time;
	int64_t delta;
};

struct timeline {
	unsigned flags;
	struct json j;
	struct decoder *decoder;
	VEC(struct step_device) stats;
	VEC(int64_t) pids; /* by device */
	struct devices devices;
	VEC(uint32_t) tids; /* by entry */
	struct strings tensor_names;
	VEC(struct tensor) tensors; /* by tensor name */
	int64_t n_known;
	struct strings allocators;
	VEC(struct change) changes;
	int64_t n_flows;
	struct node_output output; /* the one being read */
	struct buf dims;           /* its dimensions */
	struct buf scratch;
};

static int64_t negate(int64_t a)
{
	return a == INT64_MIN ? INT64_MAX : -a;
}

/* ---- events ----------------------------------------------------------- */

static void put_operation(struct timeline *t, const struct step_entry *entry,
	struct chrome_place place, const struct step_operation *op)
{
	struct json *j = &t->j;
	struct span inputs = op->inputs, input;

	chrome_open_event(j, "X", "Op", op->type, place, entry->start);
	json_put_int(j, "dur", entry->duration);
	chrome_open_args(j);
	json_put_string(j, "name", op->node);
	json_put_string(j, "op", op->type);
	for (int64_t i = 0; step_next_input(&inputs, &input); i++) {
		char key[32];

		snprintf(key, sizeof(key), "input%lld", (long long)i);
		json_put_string(j, key, input);
	}
	chrome_close_args(j);
	chrome_close_event(j);
}

static void put_flow(struct timeline *t, const char *phase, struct span name,
	struct chrome_place place, int64_t time)
{
	chrome_open_event(&t->j, phase, "DataFlow", name, place, time);
	json_put_int(&t->j, "id", t->n_flows);
	chrome_close_event(&t->j);
}

/* Objects are in the process after their producer's. */
static void open_object(struct timeline *t, const char *phase, uint32_t name_id, uint32_t tid,
	int64_t time)
{
	const struct tensor *tensor = &t->tensors.at[name_id];
	struct chrome_place place = {tensor->producer.pid + 1, tid};

	chrome_open_event(&t->j, phase, "Tensor", strings_get(&t->tensor_names, name_id), place,
		time);
	json_put_int(&t->j, "id", tensor->object_id);
}

static void put_created(struct timeline *t, uint32_t name_id)
{
	const struct tensor *tensor = &t->tensors.at[name_id];

	open_object(t, "N", name_id, tensor->producer.tid, tensor->created);
	chrome_close_event(&t->j);
}

/* Writes t->output.tensor, as it is when ready. */
static void put_snapshot(struct timeline *t, uint32_t name_id)
{
	const struct tensor *tensor = &t->tensors.at[name_id];
	struct json *j = &t->j;
	struct span text;

	t->scratch.n = 0;
	tensor_description_text(&t->output.tensor, buf_get(&t->dims), &t->scratch);
	text = buf_get(&t->scratch);
	open_object(t, "O", name_id, tensor->producer.tid, clamped_sum(tensor->ready, -1));
	chrome_open_args(j);
	json_key(j, "snapshot");
	json_open_object(j);
	json_key(j, "tensor_description");
	json_open_string(j);
	while (text.n) {
		size_t n = span_find(text, SPAN("\"")), skip = n < text.n;

		json_add_span(j, (struct span){text.at, n});
		text = (struct span){text.at + n + skip, text.n - n - skip};
	}
	json_close_string(j);
	json_close_object(j);
	chrome_close_args(j);
	chrome_close_event(j);
}

static void put_deleted(struct timeline *t, uint32_t name_id)
{
	open_object(t, "D", name_id, 0, t->tensors.at[name_id].last_use);
	chrome_close_event(&t->j);
}

static void put_counter(struct timeline *t, struct span allocator, int64_t time, int64_t bytes)
{
	struct json *j = &t->j;

	chrome_open_event(j, "C", "Memory", allocator, (struct chrome_place){0, 0}, time);
	chrome_open_args(j);
	json_key_span(j, allocator);
	json_int(j, bytes);
	chrome_close_args(j);
	chrome_close_event(j);
}

/* ---- first pass: devices ---------------------------------------------- */

static void add_device(struct timeline *t, struct span message)
{
	struct device_step_stats stats = device_step_stats(message);
	struct step_device device = {.message = message};
	struct wire_field f;

	while (device_step_stats_next(t->decoder, &stats, &f))
		;
	device.id = devices_add(&t->devices, stats.device);
	if (!decoder_alloc(t->decoder, device.id != NONE && vec_push(&t->stats, device)))
		return;
	while (t->pids.n <= device.id)
		if (!decoder_alloc(t->decoder, vec_push(&t->pids, 0)))
			return;
	/* Entries of all devices of a name are shown under the last one. */
	t->pids.at[device.id] = 2 * (int64_t)t->stats.n - 1;
}

static void add_step_stats(struct timeline *t, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_find(t->decoder, &r, WIRE_LEN(STEP_STATS_DEV_STATS), &f))
		add_device(t, f.bytes);
}

static void add_run_metadata(struct timeline *t, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_find(t->decoder, &r, WIRE_LEN(RUN_METADATA_STEP_STATS), &f))
		add_step_stats(t, f.bytes);
}

static void put_processes(struct timeline *t)
{
	chrome_put_process(&t->j, 0, "", SPAN("Allocators"), "");
	for (size_t i = 0; i < t->stats.n; i++) {
		struct span name = t->devices.at.at[t->stats.at[i].id].name;

		chrome_put_process(&t->j, 2 * (int64_t)i + 1, "", name, " Compute");
		chrome_put_process(&t->j, 2 * (int64_t)i + 2, "", name, " Tensors");
	}
}

static bool next_entry(struct timeline *t, struct device_step_stats *stats,
	struct step_entry *entry)
{
	struct wire_field f;

	/* Nothing more would be written. */
	if (sink_failed(t->j.sink) || t->decoder->failed)
		return false;
	if (!device_step_stats_next(t->decoder, stats, &f))
		return false;
	*entry = step_entry_read(t->decoder, f.bytes);
	return !t->decoder->failed;
}

/* ---- second pass: tensors --------------------------------------------- */

/* The id of the name of output `i`: the node's name, with `:i` unless i is 0. */
static uint32_t name_output(struct timeline *t, struct span node, size_t i)
{
	if (i == 0)
		return strings_alias(&t->tensor_names, node);
	t->scratch.n = 0;
	buf_span(&t->scratch, node);
	buf_char(&t->scratch, ':');
	buf_int(&t->scratch, (int64_t)i);
	return t->scratch.failed ? NONE : strings_add(&t->tensor_names, buf_get(&t->scratch));
}

/* A later tensor replaces an earlier one of the same name. */
static void add_tensor(struct timeline *t, const struct step_entry *entry,
	struct chrome_place place, uint32_t name_id)
{
	uint32_t allocator = strings_alias(&t->allocators, t->output.tensor.allocator_name);
	struct tensor *tensor;
	bool is_new;

	if (!decoder_alloc(t->decoder, name_id != NONE && allocator != NONE))
		return;
	while (t->tensors.n <= name_id)
		if (!decoder_alloc(t->decoder, vec_push(&t->tensors, (struct tensor){0})))
			return;
	tensor = &t->tensors.at[name_id];
	is_new = !tensor->known;
	*tensor = (struct tensor){
		.producer = place,
		.created = entry->start,
		.ready = entry->end,
		.last_use = entry->end,
		.bytes = t->output.tensor.requested_bytes,
		.allocator = allocator,
		.object_id = t->n_known,
		.known = true,
	};
	t->n_known += is_new;
	if (t->flags & STEP_TIMELINE_MEMORY) {
		put_created(t, name_id);
		put_snapshot(t, name_id);
	}
	decoder_alloc(t->decoder, !t->scratch.failed);
}

static void add_outputs(struct timeline *t, const struct step_entry *entry,
	struct chrome_place place)
{
	struct wire_reader r = wire_reader(entry->message);
	struct wire_field f;
	size_t i = 0;

	while (!t->decoder->failed &&
		decoder_find(t->decoder, &r, WIRE_LEN(NODE_EXEC_STATS_OUTPUT), &f)) {
		t->dims.n = 0;
		node_output_read(t->decoder, f.bytes, &t->output, &t->dims);
		if (!t->decoder->failed)
			add_tensor(t, entry, place, name_output(t, entry->node_name, i++));
	}
}

static void add_tensors(struct timeline *t, const struct step_device *device)
{
	struct device_step_stats stats = device_step_stats(device->message);
	struct chrome_place place = {.pid = t->pids.at[device->id]};
	struct step_entry entry;
	struct lanes lanes = {0};

	/* There is always one lane. */
	decoder_alloc(t->decoder, lanes_add(&lanes, 0) != LANES_NONE);
	while (next_entry(t, &stats, &entry)) {
		place.tid = lanes_take(&lanes, entry.start, entry.end);
		if (decoder_alloc(t->decoder,
			    place.tid != LANES_NONE && vec_push(&t->tids, place.tid)))
			add_outputs(t, &entry, place);
	}
	lanes_clear(&lanes);
}

/* ---- third pass: entries ---------------------------------------------- */

static bool is_known(const struct timeline *t, uint32_t name_id)
{
	return name_id < t->tensors.n && t->tensors.at[name_id].known;
}

/* The tensor an input refers to: the one of that name, or of that name without its
 * last `/_…`, which copies between devices add. */
static uint32_t find_tensor(const struct timeline *t, struct span input)
{
	uint32_t name_id = strings_find(&t->tensor_names, input);

	if (is_known(t, name_id))
		return name_id;
	for (size_t n = input.n; n > 2; n--) {
		if (memcmp(input.at + n - 2, "/_", 2) != 0)
			continue;
		name_id = strings_find(&t->tensor_names, (struct span){input.at, n - 2});
		return is_known(t, name_id) ? name_id : NONE;
	}
	return NONE;
}

static void use_tensor(struct timeline *t, uint32_t name_id, const struct step_entry *entry,
	struct chrome_place place)
{
	struct tensor *tensor = &t->tensors.at[name_id];
	struct span name = strings_get(&t->tensor_names, name_id);
	int64_t used_until = clamped_sum(entry->end, -1);

	if (tensor->last_use < used_until)
		tensor->last_use = used_until;
	if (!(t->flags & STEP_TIMELINE_DATAFLOW) ||
		(tensor->producer.pid == place.pid && tensor->producer.tid == place.tid))
		return;
	put_flow(t, "s", name, tensor->producer, tensor->ready);
	put_flow(t, "t", name, place, entry->start);
	t->n_flows++;
}

static void put_entries(struct timeline *t, const struct step_device *device, size_t *n_entries)
{
	struct device_step_stats stats = device_step_stats(device->message);
	struct chrome_place place = {.pid = t->pids.at[device->id]};
	struct step_entry entry;

	while (next_entry(t, &stats, &entry)) {
		struct step_operation op =
			step_entry_get_operation(&entry, t->devices.at.at[device->id].kind);
		struct span inputs = op.inputs, input;

		place.tid = t->tids.at[(*n_entries)++];
		put_operation(t, &entry, place, &op);
		while (step_next_input(&inputs, &input)) {
			uint32_t name_id = find_tensor(t, input);

			if (name_id != NONE)
				use_tensor(t, name_id, &entry, place);
		}
	}
}

/* ---- the end ---------------------------------------------------------- */

static int compare_changes(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	if (a->allocator != b->allocator)
		return a->allocator < b->allocator ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->delta > b->delta) - (a->delta < b->delta);
}

static void put_memory(struct timeline *t)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < t->tensors.n; i++) {
		const struct tensor *tensor = &t->tensors.at[i];
		struct change created = {tensor->allocator, tensor->created, tensor->bytes};
		struct change deleted = {tensor->allocator, tensor->last_use,
			negate(tensor->bytes)};

		if (!tensor->known)
			continue;
		put_deleted(t, (uint32_t)i);
		if (!decoder_alloc(t->decoder,
			    vec_push(&t->changes, created) && vec_push(&t->changes, deleted)))
			return;
	}
	if (t->changes.n)
		qsort(t->changes.at, t->changes.n, sizeof(*t->changes.at), compare_changes);
	for (size_t i = 0; i < t->changes.n; i++) {
		const struct change *change = &t->changes.at[i];

		if (i && change[-1].allocator != change->allocator)
			bytes = 0;
		bytes = clamped_sum(bytes, change->delta);
		put_counter(t, strings_get(&t->allocators, change->allocator), change->time, bytes);
	}
}

static void put_all(struct timeline *t)
{
	size_t n_entries = 0;

	chrome_open(&t->j);
	put_processes(t);
	for (size_t i = 0; i < t->stats.n; i++)
		add_tensors(t, &t->stats.at[i]);
	for (size_t i = 0; i < t->stats.n; i++)
		put_entries(t, &t->stats.at[i], &n_entries);
	if (!t->decoder->failed && t->flags & STEP_TIMELINE_MEMORY)
		put_memory(t);
	chrome_close(&t->j);
}

static void timeline_clear(struct timeline *t)
{
	vec_clear(&t->stats);
	devices_clear(&t->devices);
	vec_clear(&t->tids);
	vec_clear(&t->pids);
	strings_clear(&t->tensor_names);
	vec_clear(&t->tensors);
	strings_clear(&t->allocators);
	vec_clear(&t->changes);
	buf_clear(&t->dims);
	buf_clear(&t->scratch);
}

void step_timeline_write(struct decoder *d, struct span run_metadata, unsigned flags,
	struct sink *out)
{
	struct timeline t = {.flags = flags, .j = json_writer(out), .decoder = d};

	if (decoder_alloc(d, strings_init(&t.tensor_names) && strings_init(&t.allocators)))
		add_run_metadata(&t, run_metadata);
	if (!d->failed)
		put_all(&t);
	timeline_clear(&t);
}
