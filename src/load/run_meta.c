/* RunMetadata → execs of a step.
 *
 * Reading finds the entries of all devices and changes nothing. Applying decodes them in
 * blocks, in parallel, and adds one block after the other, so only a few blocks are in
 * memory. If an entry turns out to be damaged, the caller takes back what was added. */
#include <pthread.h>

#include "base/clamped.h"
#include "base/parallel.h"
#include "model/device.h"
#include "model/executed.h"
#include "load/load.h"
#include "load/node_stats.h"
#include "proto/step_stats.h"

struct entry {
	struct node_stats stats;
	uint64_t hash; /* of its name */
	uint32_t node; /* NONE: unknown before its block */
};

struct run_device {
	struct span name; /* as it came */
	size_t first;     /* its first entry; the next device's follow its last */
	uint32_t id;      /* among the lower-cased ones */
};

struct run_meta {
	struct span bytes;
	struct field_counts fields;
	size_t n_nameless;         /* devices and entries */
	VEC(struct span) messages; /* NodeExecStats of the entries */
	VEC(struct run_device) devices;
	struct devices lower;
	struct decoder found; /* its error counts if no entry has one */
};

/* ---- finding entries ---------------------------------------------------- */

static void find_in_device(struct run_meta *rm, struct decoder *d, struct span message)
{
	struct device_step_stats device = device_step_stats(message);
	struct wire_field f;

	if (!decoder_alloc(d,
		    vec_push(&rm->devices, ((struct run_device){{"", 0}, rm->messages.n, 0}))))
		return;
	while (device_step_stats_next(d, &device, &f)) {
		wire_prefetch(&device.r, &f); /* without this, add_step takes 12 % longer */
		if (!decoder_alloc(d, vec_push(&rm->messages, f.bytes)))
			return;
	}
	rm->devices.at[rm->devices.n - 1].name = device.device;
	rm->n_nameless += !device.device.n;
}

static bool find_entries(struct run_meta *rm)
{
	struct decoder *d = &rm->found;
	struct wire_reader r = wire_reader(rm->bytes), devices;
	struct wire_field f;
	bool has_stats = false;

	while (!d->failed && decoder_next(d, &r, &f)) {
		if (f.tag != WIRE_LEN(RUN_METADATA_STEP_STATS)) {
			audit_field(&schema_run_metadata, f.tag, &rm->fields);
			continue;
		}
		has_stats = true;
		devices = wire_reader(f.bytes);
		while (!d->failed && decoder_find(d, &devices, WIRE_LEN(STEP_STATS_DEV_STATS), &f))
			find_in_device(rm, d, f.bytes);
	}
	return has_stats;
}

static bool classify_devices(struct run_meta *rm)
{
	struct buf lower = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < rm->devices.n; i++) {
		struct run_device *device = &rm->devices.at[i];

		device_lower(&lower, device->name);
		device->id = lower.failed ? NONE : devices_add(&rm->lower, buf_get(&lower));
		ok = device->id != NONE;
	}
	buf_clear(&lower);
	return ok;
}

static enum tfprof_status find_all(struct run_meta *rm, const struct load *l,
	struct tfprof_error *err)
{
	bool has_stats = find_entries(rm);

	if ((rm->found.failed && !rm->found.bad) || !classify_devices(rm))
		return error_no_memory(err);
	if (has_stats || rm->found.failed)
		return TFPROF_OK;
	error_set(err, TFPROF_FORMAT,
		"Invalid RunMetadata for step %lld: %s: it has no step_stats; run the session with "
		"trace_level=FULL_TRACE",
		(long long)l->step, input_name(l->in, l->kind));
	return error_name(err, TFPROF_FORMAT, "no_step_stats");
}

enum tfprof_status run_meta_read(struct run_meta **out, struct load *l, struct tfprof_error *err)
{
	struct run_meta *rm = mem_zero(sizeof(*rm));
	enum tfprof_status status;

	*out = NULL;
	if (!rm)
		return error_no_memory(err);
	rm->bytes = l->source.bytes;
	status = find_all(rm, l, err);
	if (status == TFPROF_OK)
		*out = rm;
	else
		run_meta_free(rm);
	return status;
}

void run_meta_free(struct run_meta *rm)
{
	if (!rm)
		return;
	vec_clear(&rm->messages);
	vec_clear(&rm->devices);
	devices_clear(&rm->lower);
	mem_free(rm);
}

/* ---- decoding them ------------------------------------------------------- */

/* Blocks of 2,048 entries are larger than what malloc() reuses: with them, add_step of
 * 2,000 nodes takes 15 % longer. */
enum { BLOCK_ENTRIES = 512 };

struct batch {
	struct node_stats_reader reader;
	struct entry *entries; /* of a block */
};

/* The current device, as the model knows it. */
struct placed_device {
	uint32_t name; /* lower-cased */
	uint32_t host; /* string id */
	unsigned properties;
	bool copies; /* a copy engine */
};

struct applier {
	struct run_meta *rm;
	struct model *model;
	int64_t step;
	struct buf *notes;
	struct batch batches[PARALLEL_SLOTS];
	pthread_t caller;
	struct placed_device device;
	size_t n_placed; /* devices so far */
	bool has_accelerator, has_stream;
	struct decoder decoder; /* the first error, in the order of entries */
};

static const struct device *get_device(const struct run_meta *rm, size_t device)
{
	return &rm->lower.at.at[rm->devices.at[device].id];
}

static size_t end_of_device(const struct run_meta *rm, size_t device)
{
	return device + 1 < rm->devices.n ? rm->devices.at[device + 1].first : rm->messages.n;
}

static size_t end_of_block(const struct run_meta *rm, size_t block)
{
	size_t end = (block + 1) * BLOCK_ENTRIES;

	return end < rm->messages.n ? end : rm->messages.n;
}

static void decode_block(void *context, size_t slot, size_t block)
{
	struct applier *a = context;
	const struct run_meta *rm = a->rm;
	struct batch *batch = &a->batches[slot];
	struct decoder *d = &batch->reader.decoder;
	size_t begin = block * BLOCK_ENTRIES, end = end_of_block(rm, block), device = 0;

	*d = (struct decoder){0};
	batch->reader.shapes.n = batch->reader.dims.n = 0;
	if (!batch->entries)
		batch->entries = mem_array(BLOCK_ENTRIES, sizeof(*batch->entries));
	decoder_alloc(d, batch->entries);
	for (size_t i = begin; i < end && !d->failed; i++) {
		struct entry *e = &batch->entries[i - begin];

		while (i >= end_of_device(rm, device))
			device++;
		node_stats_read(&batch->reader, rm->messages.at[i],
			get_device(rm, device)->properties, &e->stats);
		e->hash = strings_hash(e->stats.name);
	}
}

/* ---- applying ---------------------------------------------------------- */

static bool is_transfer(struct span name)
{
	return span_equal(name, SPAN("RecvTensor")) || span_contains(name, SPAN("MEMCPY"));
}

static bool keep_transfer(struct model *m, struct span message, int64_t step, uint32_t device)
{
	struct span copy = arena_copy(&m->arena, message);

	return copy.at && vec_push(&m->transfers, ((struct transfer){step, device, copy}));
}

static bool place_node(struct model *m, uint32_t node, const struct placed_device *device)
{
	return executed_ran_on(m, node, device->name, device->host);
}

/* The node of an entry, added if necessary: one that was unknown when its block began may
 * have been added by an earlier entry. False on allocation failure; *node is NONE if the
 * entry belongs to no node. */
static bool node_of_entry(struct model *m, const struct entry *e, struct span message, int64_t step,
	uint32_t device, uint32_t *node)
{
	struct span text = e->stats.name;
	uint32_t name;

	*node = e->node;
	if (*node == NONE) {
		name = strings_find_hashed(&m->strings, text, e->hash);
		*node = name == NONE ? NONE : model_node_of(m, name);
	}
	if (*node != NONE) {
		if (!(m->nodes.flags[*node] & NODE_COVERED)) {
			m->nodes.flags[*node] |= NODE_COVERED;
			m->n_covered++;
		}
		return true;
	}
	if (is_transfer(text))
		return keep_transfer(m, message, step, device);
	if (span_equal(text, SPAN("_SOURCE")))
		return true;
	name = strings_add(&m->strings, text);
	if (name != NONE)
		*node = model_add_node(m, name, name);
	if (*node == NONE)
		return false;
	m->nodes.flags[*node] |= NODE_UNDEFINED;
	return true;
}

/* What an entry adds to its exec. Memory counts where the node was placed. Without a start time
 * nothing counts but the device. */
static bool add_to_exec(struct model *m, uint32_t row, const struct node_stats *stats,
	const struct placed_device *device, bool is_placed_here)
{
	struct exec_added added = {.has_device = true, .device = device->name};
	int64_t duration_us = stats->duration_us ? stats->duration_us : 1;

	if (stats->start_us <= 0)
		return exec_add(m, row, &added);
	added.start_us = stats->start_us;
	added.end_us = clamped_sum(stats->start_us, duration_us);
	added.record = stats->record;
	if (is_placed_here)
		added.sums = stats->memory;
	else
		added.record.n = stats->n_times;
	if (device->properties & DEVICE_STREAM_ALL)
		exec_sums_add_time(&added.sums, true, duration_us);
	if (device->properties & DEVICE_CANONICAL) {
		exec_sums_add_time(&added.sums, false, duration_us);
		added.sums.run_count = 1;
	}
	return exec_add(m, row, &added);
}

/* Whether the graph says all of an output's shape. */
static bool is_shape_known(const struct model *m, uint32_t node, int32_t slot)
{
	for (uint32_t i = 0; i < m->nodes.n_outputs[node]; i++) {
		const struct output *output = &m->outputs.at[m->nodes.first_output[node] + i];

		if (output->slot == slot && !(m->nodes.flags[node] & NODE_SHAPED))
			return shapes_get(&m->shapes, output->shape)->elements;
	}
	return false;
}

static bool add_shapes(struct model *m, uint32_t node, int64_t step,
	const struct output_shape *shapes, uint32_t n, const int64_t *dims)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct output_shape *s = &shapes[i];
		struct run_shape shape = {.step = step,
			.node = node,
			.output = s->output,
			.is_scalar = s->is_scalar};

		if (is_shape_known(m, node, s->output))
			continue;
		shape.shape = shapes_add_hashed(&m->shapes, dims + s->first_dim, s->n, s->hash);
		if (shape.shape == NONE || !vec_push(&m->run_shapes, shape))
			return false;
	}
	return true;
}

static bool apply_entry(struct model *m, const struct entry *e, struct span message,
	const struct placed_device *device, int64_t step, const struct output_shape *shapes,
	const int64_t *dims, struct buf *notes)
{
	uint32_t node, row;
	bool is_placed_here;

	if (!node_of_entry(m, e, message, step, device->name, &node))
		return false;
	if (node == NONE)
		return true;
	/* A copy counts as a transfer even if its time is a node's. */
	if (device->copies && !keep_transfer(m, message, step, device->name))
		return false;
	if ((device->properties & DEVICE_CANONICAL) && !m->nodes.device[node] &&
		!place_node(m, node, device))
		return false;
	is_placed_here = m->nodes.device[node] == device->name;
	if ((device->properties & DEVICE_CANONICAL) && !is_placed_here)
		return true;
	/* Labels of other devices name kernels, not operations. */
	if ((device->properties & DEVICE_CANONICAL) && e->stats.executed.n &&
		!executed_add(m, node, e->stats.executed))
		return false;
	if (is_placed_here && !add_shapes(m, node, step, shapes, e->stats.n_shapes, dims))
		return false;
	m->nodes.flags[node] |= NODE_CHANGED;
	if (e->stats.start_us <= 0 && is_placed_here) {
		buf_span(notes, e->stats.name);
		buf_text(notes, " has no start time, skipping\n");
	}
	row = exec_row(m, node, step);
	return row != NONE && add_to_exec(m, row, &e->stats, device, is_placed_here);
}

/* The next device. */
static bool place_device(struct applier *a)
{
	const struct device *from = get_device(a->rm, a->n_placed);
	struct strings *strings = &a->model->strings;
	struct placed_device *device = &a->device;
	struct buf host = {0};

	device_host(&host, from->name);
	device->name = strings_add(strings, from->name);
	device->host = host.failed ? NONE : strings_add(strings, buf_get(&host));
	device->properties = from->properties;
	device->copies = from->kind == DEVICE_KIND_COPY_ENGINE;
	buf_clear(&host);
	a->has_accelerator |= (from->properties & DEVICE_ACCELERATOR) != 0;
	a->has_stream |=
		(from->properties & DEVICE_ACCELERATOR) && (from->properties & DEVICE_STREAM_ALL);
	a->n_placed++;
	return device->name != NONE && device->host != NONE;
}

/* Makes the device of an entry the current one. */
static bool reach_device(struct applier *a, size_t entry)
{
	bool ok = true;

	while (ok && (!a->n_placed || entry >= end_of_device(a->rm, a->n_placed - 1)))
		ok = place_device(a);
	return ok;
}

/* Before any of them is added: looking each up when its turn comes takes add_step 16 %
 * longer, because these searches wait for memory in parallel. */
static void find_nodes(const struct model *m, struct entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct entry *e = &entries[i];
		uint32_t name = strings_find_hashed(&m->strings, e->stats.name, e->hash);

		e->node = name == NONE ? NONE : model_node_of(m, name);
	}
}

/* Only the caller's thread reports progress. */
static void add_block(void *context, size_t slot, size_t block)
{
	struct applier *a = context;
	struct run_meta *rm = a->rm;
	const struct batch *batch = &a->batches[slot];
	size_t begin = block * BLOCK_ENTRIES, end = end_of_block(rm, block);
	const struct output_shape *shapes = batch->reader.shapes.at;

	if (!a->decoder.failed)
		a->decoder = batch->reader.decoder;
	if (a->decoder.failed)
		return;
	find_nodes(a->model, batch->entries, end - begin);
	for (size_t i = begin; i < end && !a->decoder.failed; i++) {
		const struct entry *e = &batch->entries[i - begin];

		rm->n_nameless += !e->stats.name.n;
		decoder_alloc(&a->decoder,
			reach_device(a, i) &&
				apply_entry(a->model, e, rm->messages.at[i], &a->device, a->step,
					shapes, batch->reader.dims.at, a->notes));
		if (e->stats.n_shapes)
			shapes += e->stats.n_shapes;
	}
	if (pthread_equal(pthread_self(), a->caller))
		model_progress(a->model, (size_t)(rm->messages.at[begin].at - rm->bytes.at),
			rm->bytes.n);
}

static bool begin_step(struct applier *a)
{
	struct model *m = a->model;
	size_t n = a->rm->messages.n, n_rows = 0;

	/* Most nodes run, and have one exec in a step. */
	if (model_find_step(m, a->step) == NONE)
		n_rows = n < m->nodes.n ? n : m->nodes.n;
	return model_add_step(m, a->step) && execs_reserve(&m->execs, n, n_rows);
}

/* Devices without entries count, too. */
static bool end_step(struct applier *a)
{
	bool ok = true;

	while (ok && a->n_placed < a->rm->devices.n)
		ok = place_device(a);
	if (a->has_accelerator && !a->has_stream)
		a->model->misses_accelerator_stream = true;
	return ok && !a->notes->failed;
}

static void apply(struct applier *a)
{
	struct decoder *d = &a->decoder;
	size_t n = a->rm->messages.n;

	a->caller = pthread_self();
	if (!decoder_alloc(d, begin_step(a)))
		return;
	if (n)
		parallel_in_order(parallel_parts(n, 4096), (n + BLOCK_ENTRIES - 1) / BLOCK_ENTRIES,
			decode_block, add_block, a);
	for (size_t i = 0; i < PARALLEL_SLOTS; i++) {
		arena_join(&a->model->arena, &a->batches[i].reader.records);
		node_stats_reader_clear(&a->batches[i].reader);
		mem_free(a->batches[i].entries);
	}
	if (!d->failed)
		*d = a->rm->found;
	if (!d->failed)
		decoder_alloc(d, end_step(a));
}

enum tfprof_status run_meta_apply(struct run_meta *rm, struct model *m, struct load *l,
	struct tfprof_error *err)
{
	struct applier a = {.rm = rm, .model = m, .step = l->step, .notes = l->notes};
	size_t n_nodes = m->nodes.n;

	apply(&a);
	/* Where there was no graph, all nodes are new. */
	l->counts = (struct load_counts){.n_entries = rm->messages.n,
		.n_outside = n_nodes ? m->nodes.n - n_nodes : 0,
		.n_nameless = rm->n_nameless,
		.fields = rm->fields};
	m->generation++;
	return input_status(l->in, l->kind, &l->source, &a.decoder, err);
}

enum tfprof_status load_run_meta(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct run_meta *rm;
	enum tfprof_status status = run_meta_read(&rm, l, err);

	if (status == TFPROF_OK)
		status = run_meta_apply(rm, m, l, err);
	run_meta_free(rm);
	return status;
}
