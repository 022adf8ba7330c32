/* RunMetadata → execs of a step.
 *
 * Reading finds the entries of all devices, decodes them in parts at the same
 * time, and changes nothing; applying walks what was decoded. So a damaged file
 * never leaves half a step behind. */
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
	uint32_t node; /* NONE: unknown before the step */
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
	struct entry *entries;
	VEC(struct run_device) devices;
	struct devices lower;
	size_t n_parts;
	struct node_stats_reader parts[PARALLEL_MAX]; /* of entries that are read together */
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

static bool find_entries(struct run_meta *rm, struct decoder *d)
{
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

/* ---- reading them -------------------------------------------------------- */

static const struct device *get_device(const struct run_meta *rm, size_t device)
{
	return &rm->lower.at.at[rm->devices.at[device].id];
}

static size_t end_of_device(const struct run_meta *rm, size_t device)
{
	return device + 1 < rm->devices.n ? rm->devices.at[device + 1].first : rm->messages.n;
}

static void read_part(void *context, size_t i)
{
	struct run_meta *rm = context;
	struct node_stats_reader *part = &rm->parts[i];
	size_t entry = parallel_begin(rm->messages.n, rm->n_parts, i);
	size_t end = parallel_begin(rm->messages.n, rm->n_parts, i + 1), device = 0;

	for (; entry < end && !part->decoder.failed; entry++) {
		struct entry *e = &rm->entries[entry];

		while (entry >= end_of_device(rm, device))
			device++;
		node_stats_read(part, rm->messages.at[entry], get_device(rm, device)->properties,
			&e->stats);
		e->hash = strings_hash(e->stats.name);
	}
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

static void read_entries(struct run_meta *rm, struct decoder *d)
{
	if (!decoder_alloc(d, classify_devices(rm)))
		return;
	if (!rm->messages.n)
		return;
	rm->entries = mem_array(rm->messages.n, sizeof(*rm->entries));
	if (!decoder_alloc(d, rm->entries))
		return;
	rm->n_parts = parallel_parts(rm->messages.n, 4096);
	parallel_run(rm->n_parts, read_part, rm);
	for (size_t i = 0; i < rm->n_parts && !d->failed; i++)
		*d = rm->parts[i].decoder;
}

/* False if there are no step statistics. An error inside an entry is reported before
 * one after all entries found. */
static bool read_all(struct run_meta *rm, struct decoder *d)
{
	struct decoder entries = {0};
	bool has_stats = find_entries(rm, d);

	if (!d->failed || d->bad)
		read_entries(rm, &entries);
	if (entries.failed)
		*d = entries;
	return has_stats;
}

enum tfprof_status run_meta_read(struct run_meta **out, struct load *l, struct tfprof_error *err)
{
	struct run_meta *rm = mem_zero(sizeof(*rm));
	enum tfprof_status status;
	struct decoder d = {0};
	bool has_stats;

	*out = NULL;
	if (!rm)
		return error_no_memory(err);
	rm->bytes = l->source.bytes;
	has_stats = read_all(rm, &d);
	status = input_status(l->in, l->kind, &l->source, &d, err);
	if (status == TFPROF_OK && !has_stats)
		status = error_set(err, TFPROF_FORMAT,
			"Invalid RunMetadata for step %lld: %s: it has no step_stats; run the "
			"session with "
			"trace_level=FULL_TRACE",
			(long long)l->step, input_name(l->in, l->kind));
	if (status != TFPROF_OK) {
		run_meta_free(rm);
		return status;
	}
	*out = rm;
	return TFPROF_OK;
}

void run_meta_free(struct run_meta *rm)
{
	if (!rm)
		return;
	for (size_t i = 0; i < rm->n_parts; i++)
		node_stats_reader_clear(&rm->parts[i]);
	vec_clear(&rm->messages);
	mem_free(rm->entries);
	vec_clear(&rm->devices);
	devices_clear(&rm->lower);
	mem_free(rm);
}

/* ---- finding their nodes ------------------------------------------------- */

struct search {
	struct run_meta *rm;
	const struct model *model;
	size_t n_rows; /* that the step may make */
};

/* One thread writes what entries become, so all threads pre-fault its pages: otherwise
 * add_step takes 14 % longer. */
static void prefault_part(const struct search *search, size_t begin, size_t end)
{
	const struct execs *x = &search->model->execs;

	execs_prefault_records(x, begin, end - begin);
	if (end > search->n_rows)
		end = search->n_rows;
	if (begin < end)
		execs_prefault_rows(x, begin, end - begin);
}

/* Only reads the model. */
static void search_part(void *context, size_t i)
{
	const struct search *search = context;
	struct run_meta *rm = search->rm;
	const struct strings *names = &search->model->strings;
	size_t entry = parallel_begin(rm->messages.n, rm->n_parts, i);
	size_t end = parallel_begin(rm->messages.n, rm->n_parts, i + 1);

	prefault_part(search, entry, end);
	for (; entry < end; entry++) {
		struct entry *e = &rm->entries[entry];
		uint32_t name = strings_find_hashed(names, e->stats.name, e->hash);

		e->node = name == NONE ? NONE : model_node_of(search->model, name);
	}
}

/* ---- applying ---------------------------------------------------------- */

/* The current device, as the model knows it. */
struct placed_device {
	uint32_t name; /* lower-cased */
	uint32_t host; /* string id */
	unsigned properties;
	bool copies; /* a copy engine */
};

static bool is_transfer(struct span name)
{
	return span_equal(name, SPAN("RecvTensor")) || span_contains(name, SPAN("MEMCPY"));
}

static bool keep_transfer(struct model *m, struct span message, int64_t step, uint32_t device)
{
	struct span copy = arena_copy(&m->arena, message);

	return copy.at && vec_push(&m->transfers, ((struct transfer){step, device, copy}));
}

static void add_time(struct exec_detail *detail, struct exec_sums *sums,
	const struct node_stats *stats, unsigned properties)
{
	int64_t duration = stats->duration_us ? stats->duration_us : 1, end = stats->start_us;

	add_clamped(&end, duration);
	if (detail->start_us == 0 || stats->start_us < detail->start_us)
		detail->start_us = stats->start_us;
	if (end > detail->end_us)
		detail->end_us = end;
	if (properties & DEVICE_STREAM_ALL)
		add_clamped(&sums->accelerator_us, duration);
	if (properties & DEVICE_CANONICAL) {
		add_clamped(&sums->cpu_us, duration);
		sums->run_count++;
	}
}

static void add_memory(struct exec_sums *sums, const struct node_stats *stats)
{
	add_clamped(&sums->requested_bytes, stats->requested_bytes);
	add_clamped(&sums->peak_bytes, stats->peak_bytes);
	add_clamped(&sums->residual_bytes, stats->residual_bytes);
	add_clamped(&sums->output_bytes, stats->output_bytes);
}

static bool place_node(struct model *m, uint32_t node, const struct placed_device *device)
{
	m->nodes.device[node] = device->name;
	m->nodes.host_device[node] = device->host;
	return model_add_type(m, node, device->name);
}

/* The node of an entry, added if necessary: one that was unknown when the step began
 * may have been added by an earlier entry. False on allocation failure; *node is NONE
 * if the entry belongs to no node. */
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

/* What an entry adds to its exec. Memory counts where the node was placed. */
static bool add_to_exec(struct model *m, uint32_t row, const struct node_stats *stats,
	const struct placed_device *device, bool is_placed_here)
{
	struct exec_detail *detail = &m->execs.details.at[exec_at(&m->execs, row)->detail];
	struct exec_sums sums = exec_get_sums(&m->execs, row);
	struct span record = stats->record;

	add_time(detail, &sums, stats, device->properties);
	if (is_placed_here)
		add_memory(&sums, stats);
	else
		record.n = stats->n_times;
	m->has_negative |= exec_is_negative(&sums);
	return exec_put_sums(&m->execs, row, &sums) &&
		(!record.n || exec_add_record(&m->execs, row, device->name, record));
}

static bool apply_entry(struct model *m, const struct entry *e, struct span message,
	const struct placed_device *device, int64_t step, struct buf *notes)
{
	struct exec_detail *detail;
	uint32_t node, row, devices;
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
	m->nodes.flags[node] |= NODE_CHANGED;
	row = exec_row(m, node, step);
	if (row == NONE || !exec_decode(m, row))
		return false;
	detail = &m->execs.details.at[exec_at(&m->execs, row)->detail];
	devices = sets_with(&m->sets, &m->strings, detail->devices, device->name);
	if (devices == NONE)
		return false;
	detail->devices = devices;
	if (e->stats.start_us > 0)
		return add_to_exec(m, row, &e->stats, device, is_placed_here);
	if (is_placed_here) {
		buf_span(notes, e->stats.name);
		buf_text(notes, " has no start time, skipping\n");
	}
	return true;
}

static bool place_device(struct model *m, const struct device *from, struct placed_device *device,
	struct buf *scratch)
{
	device->name = strings_add(&m->strings, from->name);
	if (device->name == NONE)
		return false;
	device->properties = from->properties;
	device->copies = from->kind == DEVICE_KIND_COPY_ENGINE;
	device_host(scratch, from->name);
	device->host = scratch->failed ? NONE : strings_add(&m->strings, buf_get(scratch));
	return device->host != NONE;
}

static bool apply_device(struct run_meta *rm, struct model *m, size_t d,
	const struct placed_device *device, int64_t step, struct buf *notes)
{
	for (size_t i = rm->devices.at[d].first; i < end_of_device(rm, d); i++) {
		if (!apply_entry(m, &rm->entries[i], rm->messages.at[i], device, step, notes))
			return false;
		rm->n_nameless += !rm->entries[i].stats.name.n;
		if (i % 4096 == 0)
			model_progress(m, (size_t)(rm->messages.at[i].at - rm->bytes.at),
				rm->bytes.n);
	}
	return true;
}

static bool apply(struct run_meta *rm, struct model *m, int64_t step, struct buf *notes,
	struct buf *scratch)
{
	struct placed_device device = {0};
	struct search search = {rm, m, 0};
	bool has_accelerator = false, has_stream = false;

	/* Most nodes run, and have one exec in a step. */
	if (model_find_step(m, step) == NONE)
		search.n_rows = rm->messages.n < m->nodes.n ? rm->messages.n : m->nodes.n;
	if (!model_add_step(m, step) || !execs_reserve(&m->execs, rm->messages.n, search.n_rows))
		return false;
	if (rm->n_parts)
		parallel_run(rm->n_parts, search_part, &search);
	for (size_t i = 0; i < rm->n_parts; i++)
		arena_join(&m->arena, &rm->parts[i].records);
	for (size_t d = 0; d < rm->devices.n; d++) {
		if (!place_device(m, get_device(rm, d), &device, scratch))
			return false;
		has_accelerator |= (device.properties & DEVICE_ACCELERATOR) != 0;
		has_stream |= (device.properties & DEVICE_ACCELERATOR) &&
			(device.properties & DEVICE_STREAM_ALL);
		if (!apply_device(rm, m, d, &device, step, notes))
			return false;
	}
	if (has_accelerator && !has_stream)
		m->misses_accelerator_stream = true;
	return !notes->failed;
}

enum tfprof_status run_meta_apply(struct run_meta *rm, struct model *m, struct load *l,
	struct tfprof_error *err)
{
	struct buf scratch = {0};
	size_t n_nodes = m->nodes.n;
	bool ok = apply(rm, m, l->step, l->notes, &scratch);

	buf_clear(&scratch);
	/* Where there was no graph, all nodes are new. */
	l->counts = (struct load_counts){.n_entries = rm->messages.n,
		.n_outside = n_nodes ? m->nodes.n - n_nodes : 0,
		.n_nameless = rm->n_nameless,
		.fields = rm->fields};
	m->generation++;
	return ok ? TFPROF_OK : error_no_memory(err);
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
