/* RunMetadata → execs of a step.
 *
 * Reading makes a flat list of entries and changes nothing; applying walks
 * that list. So a damaged file never leaves half a step behind. */
#include "model/device.h"
#include "model/input.h"
#include "model/model.h"
#include "proto/wire.h"

struct entry {
	struct span name;                  /* the node's: up to the first colon */
	struct span stats;                 /* the NodeExecStats */
	int64_t start_us, duration_us;
	uint32_t device;                   /* index into devices */
};

struct run_device {
	struct span name;                  /* as it came */
};

struct run_meta {
	struct source source;
	VEC(struct entry) entries;
	VEC(struct run_device) devices;
};

/* ---- reading ----------------------------------------------------------- */

static bool no_memory(const char **bad)
{
	*bad = NULL;
	return false;
}

/* Steps through a message whose fields only need to be well-formed. */
static bool check(struct span message, const char **bad)
{
	return wire_check(message, bad);
}

static bool check_output(struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(3)) {
			struct wire_reader inner = wire_reader(f.bytes);
			struct wire_field g;

			while (wire_next(&inner, &g))
				if (g.tag == WIRE_LEN(4) && !check(g.bytes, bad))
					return false;
			if (inner.bad) {
				*bad = inner.bad;
				return false;
			}
		}
	*bad = r.bad;
	return !r.bad;
}

static bool check_allocator(struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(6) && !check(f.bytes, bad))
			return false;
	*bad = r.bad;
	return !r.bad;
}

static bool read_entry(struct run_meta *rm, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct entry e = {.name = {"", 0}, .stats = message, .device = (uint32_t)rm->devices.n - 1};
	const char *colon;

	while (wire_next(&r, &f)) {
		bool fine = true;

		switch (f.tag) {
		case WIRE_LEN(1): e.name = f.bytes; break;
		case WIRE_VARINT(2): e.start_us = (int64_t)f.value; break;
		case WIRE_VARINT(4): e.duration_us = (int64_t)f.value; break;
		case WIRE_LEN(6): fine = check_allocator(f.bytes, bad); break;
		case WIRE_LEN(7): fine = check_output(f.bytes, bad); break;
		case WIRE_LEN(12): fine = check(f.bytes, bad); break;
		}
		if (!fine)
			return false;
	}
	*bad = r.bad;
	if (r.bad)
		return false;
	colon = e.name.n ? memchr(e.name.at, ':', e.name.n) : NULL;
	if (colon)
		e.name.n = (size_t)(colon - e.name.at);
	return vec_push(&rm->entries, e) ? true : no_memory(bad);
}

static bool read_device(struct run_meta *rm, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	if (!vec_push(&rm->devices, ((struct run_device){{"", 0}})))
		return no_memory(bad);
	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(1))
			rm->devices.at[rm->devices.n - 1].name = f.bytes;
		else if (f.tag == WIRE_LEN(2) && !read_entry(rm, f.bytes, bad))
			return false;
	*bad = r.bad;
	return !r.bad;
}

static bool read_step_stats(struct run_meta *rm, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(1) && !read_device(rm, f.bytes, bad))
			return false;
	*bad = r.bad;
	return !r.bad;
}

static bool read_all(struct run_meta *rm, bool *has_stats, const char **bad)
{
	struct wire_reader r = wire_reader(rm->source.bytes);
	struct wire_field f;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(1)) {
			*has_stats = true;
			if (!read_step_stats(rm, f.bytes, bad))
				return false;
		}
	*bad = r.bad;
	return !r.bad;
}

enum tfprof_status run_meta_read(struct run_meta **out, const struct tfprof_input *in, int64_t step,
	struct tfprof_error *err)
{
	struct run_meta *rm = mem_zero(sizeof(*rm));
	enum tfprof_status status;
	const char *bad = NULL;
	bool has_stats = false;

	*out = NULL;
	if (!rm)
		return error_no_memory(err);
	status = input_open(&rm->source, in, INPUT_RUN_META, err);
	if (status == TFPROF_OK && !read_all(rm, &has_stats, &bad))
		status = bad ? input_malformed(in, INPUT_RUN_META, &rm->source, bad, err)
			     : error_no_memory(err);
	if (status == TFPROF_OK && !has_stats)
		status = error_set(err, TFPROF_FORMAT,
			"Invalid RunMetadata for step %lld: %s: it has no step_stats; run the session with "
			"trace_level=FULL_TRACE", (long long)step, input_name(in, INPUT_RUN_META));
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
	vec_clear(&rm->entries);
	vec_clear(&rm->devices);
	source_close(&rm->source);
	mem_free(rm);
}

/* ---- applying ---------------------------------------------------------- */

/* The devices of this run metadata as the model knows them. */
struct placed_device {
	uint32_t name;             /* lower-cased */
	uint32_t host;             /* string id */
	unsigned kind;
	bool copies;               /* a copy engine: …/memcpy */
};

static void add(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

static bool is_transfer(struct span name)
{
	return span_equal(name, SPAN("RecvTensor")) || span_contains(name, SPAN("MEMCPY"));
}

static bool keep_transfer(struct model *m, const struct entry *e, int64_t step, uint32_t device)
{
	struct span copy = arena_copy(&m->arena, e->stats);

	return copy.at && vec_push(&m->transfers, ((struct transfer){step, device, copy}));
}

/* The totals of an entry's allocators, and of its temporary and persistent
 * memory, as far as the record does not hold them. */
struct allocator_sums {
	int64_t total, peak, live;
};

static bool read_allocator(struct model *m, uint32_t row, struct span message,
	struct exec_memory *record, struct allocator_sums *sums)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct span name = {"", 0};
	int64_t in_use = 0;

	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(1): name = f.bytes; break;
		case WIRE_VARINT(2): add(&sums->total, (int64_t)f.value); break;
		case WIRE_VARINT(3): add(&sums->peak, (int64_t)f.value); break;
		case WIRE_VARINT(4): add(&sums->live, (int64_t)f.value); break;
		case WIRE_VARINT(5): in_use = (int64_t)f.value; break;
		}
	if (!span_contains(name, SPAN("GPU")))
		return true;
	if (in_use > record->allocator_bytes_in_use)
		record->allocator_bytes_in_use = in_use;
	r = wire_reader(message);
	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(6)) {
			struct wire_reader inner = wire_reader(f.bytes);
			int64_t micros = 0, bytes = 0;

			while (wire_next(&inner, &f))
				if (f.tag == WIRE_VARINT(1))
					micros = (int64_t)f.value;
				else if (f.tag == WIRE_VARINT(2))
					bytes = (int64_t)f.value;
			if (!exec_add_allocation(&m->execs, row, micros, bytes))
				return false;
		}
	return true;
}

static void read_memory_stats(struct span message, unsigned device_kind, struct exec_memory *record)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	int64_t temp = 0, persistent = 0;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(1))
			temp = (int64_t)f.value;
		else if (f.tag == WIRE_VARINT(3))
			persistent = (int64_t)f.value;
	if (device_kind & DEVICE_CPU) {
		record->host_temp_bytes = temp;
		record->host_persistent_bytes = persistent;
	} else {
		record->accelerator_temp_bytes = temp;
		record->accelerator_persistent_bytes = persistent;
	}
}

/* NodeOutput: false if it has no allocation description. */
static bool read_output(struct span message, struct exec_output *output)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	bool described = false;
	int64_t requested = 0, allocated = 0;

	*output = (struct exec_output){0};
	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(1)) {
			output->slot = (int32_t)f.value;
		} else if (f.tag == WIRE_LEN(3)) {
			struct wire_reader tensor = wire_reader(f.bytes);

			while (wire_next(&tensor, &f))
				if (f.tag == WIRE_LEN(4)) {
					struct wire_reader allocation = wire_reader(f.bytes);

					described = true;
					while (wire_next(&allocation, &f))
						if (f.tag == WIRE_VARINT(1))
							requested = (int64_t)f.value;
						else if (f.tag == WIRE_VARINT(2))
							allocated = (int64_t)f.value;
						else if (f.tag == WIRE_VARINT(6))
							output->address = f.value;
				}
		}
	output->bytes = allocated > requested ? allocated : requested;
	return described;
}

static bool add_outputs(struct model *m, uint32_t row, const struct entry *e)
{
	struct wire_reader r = wire_reader(e->stats);
	struct wire_field f;
	struct exec_output output;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(7) && read_output(f.bytes, &output) &&
			!exec_add_output(&m->execs, row, output))
			return false;
	return true;
}

static bool add_memory(struct model *m, uint32_t row, const struct entry *e, unsigned device_kind)
{
	struct wire_reader r = wire_reader(e->stats);
	struct wire_field f;
	struct exec_memory record = {0};
	struct allocator_sums sums = {0};
	struct exec_sums exec = exec_get_sums(&m->execs, row);
	struct exec_output output;
	int64_t persistent, temp;

	add(&record.micros, e->start_us);
	add(&record.micros, e->duration_us);
	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(6):
			if (!read_allocator(m, row, f.bytes, &record, &sums))
				return false;
			break;
		case WIRE_LEN(7):
			if (read_output(f.bytes, &output))
				add(&record.output_bytes, output.bytes);
			break;
		case WIRE_LEN(12):
			read_memory_stats(f.bytes, device_kind, &record);
			break;
		}
	persistent = record.host_persistent_bytes + record.accelerator_persistent_bytes;
	temp = record.host_temp_bytes + record.accelerator_temp_bytes;
	record.requested_bytes = sums.total;
	add(&record.requested_bytes, persistent);
	add(&record.requested_bytes, temp);
	record.peak_bytes = sums.peak;
	add(&record.peak_bytes, persistent);
	add(&record.peak_bytes, temp);
	record.residual_bytes = sums.live;
	add(&record.residual_bytes, persistent);
	add(&exec.requested_bytes, record.requested_bytes);
	add(&exec.peak_bytes, record.peak_bytes);
	add(&exec.residual_bytes, record.residual_bytes);
	add(&exec.output_bytes, record.output_bytes);
	m->has_negative |= exec_is_negative(&exec);
	return exec_put_sums(&m->execs, row, &exec) &&
		exec_add_memory(&m->execs, row, record) && add_outputs(m, row, e);
}

static bool add_time(struct model *m, uint32_t row, const struct entry *e,
	const struct placed_device *device)
{
	struct exec_sums exec = exec_get_sums(&m->execs, row);
	struct exec_detail *detail = &m->execs.details.at[exec_at(&m->execs, row)->detail];
	int64_t duration = e->duration_us ? e->duration_us : 1, end = e->start_us;
	struct exec_event event = {.device = device->name, .start_us = e->start_us,
		.duration_us = duration};

	add(&end, duration);
	if (detail->start_us == 0 || e->start_us < detail->start_us)
		detail->start_us = e->start_us;
	if (end > detail->end_us)
		detail->end_us = end;
	if (device->kind & DEVICE_STREAM_ALL)
		add(&exec.accelerator_us, duration);
	if (device->kind & DEVICE_CANONICAL) {
		add(&exec.cpu_us, duration);
		exec.run_count++;
	}
	m->has_negative |= exec_is_negative(&exec);
	if (!exec_put_sums(&m->execs, row, &exec))
		return false;
	if (device->kind & DEVICE_STREAM_ALL) {
		event.accelerator = true;
		if (!exec_add_event(&m->execs, row, event))
			return false;
	}
	if (device->kind & DEVICE_CANONICAL) {
		event.accelerator = false;
		return exec_add_event(&m->execs, row, event);
	}
	return true;
}

static bool place_node(struct model *m, uint32_t node, const struct placed_device *device)
{
	m->nodes.device[node] = device->name;
	m->nodes.host_device[node] = device->host;
	return model_add_type(m, node, device->name);
}

/* The node an entry belongs to, made if need be. False when memory is out;
 * *node is NONE for an entry that is no node's. */
static bool node_of_entry(struct model *m, const struct entry *e, int64_t step, uint32_t device,
	uint32_t *node)
{
	uint32_t name = strings_find(&m->strings, e->name);

	*node = name == NONE ? NONE : model_node_of(m, name);
	if (*node != NONE) {
		if (!(m->nodes.flags[*node] & NODE_COVERED)) {
			m->nodes.flags[*node] |= NODE_COVERED;
			m->n_covered++;
		}
		return true;
	}
	if (is_transfer(e->name))
		return keep_transfer(m, e, step, device);
	if (span_equal(e->name, SPAN("_SOURCE")))
		return true;
	name = strings_add(&m->strings, e->name);
	if (name != NONE)
		*node = model_add_node(m, name, name);
	return *node != NONE;
}

static bool apply_entry(struct model *m, const struct entry *e, const struct placed_device *device,
	int64_t step, struct buf *notes)
{
	bool canonical = device->kind & DEVICE_CANONICAL;
	struct exec_detail *detail;
	uint32_t node, row, devices;

	if (!node_of_entry(m, e, step, device->name, &node))
		return false;
	if (node == NONE)
		return true;
	/* A copy that a node is charged with is a copy all the same. */
	if (device->copies && !keep_transfer(m, e, step, device->name))
		return false;
	if (canonical) {
		if (!m->nodes.device[node] && !place_node(m, node, device))
			return false;
		if (m->nodes.device[node] != device->name)
			return true;
	}
	m->nodes.flags[node] |= NODE_CHANGED;
	row = exec_row(m, node, step);
	if (row == NONE || !exec_thaw(m, row))
		return false;
	detail = &m->execs.details.at[exec_at(&m->execs, row)->detail];
	devices = sets_with(&m->sets, &m->strings, detail->devices, device->name);
	if (devices == NONE)
		return false;
	detail->devices = devices;
	if (e->start_us > 0 && !add_time(m, row, e, device))
		return false;
	if (m->nodes.device[node] != device->name)
		return true;
	if (e->start_us <= 0) {
		buf_span(notes, e->name);
		buf_text(notes, " has no start time, skipping\n");
		return true;
	}
	return add_memory(m, row, e, device->kind);
}

static bool place_device(struct model *m, struct span name, struct placed_device *device,
	struct buf *scratch)
{
	struct span lower;

	device_lower(scratch, name);
	device->name = scratch->failed ? NONE : strings_add(&m->strings, buf_get(scratch));
	if (device->name == NONE)
		return false;
	lower = model_text(m, device->name);
	device->kind = device_kind(lower);
	device->copies = span_contains(lower, SPAN("memcpy"));
	device_host(scratch, lower);
	device->host = scratch->failed ? NONE : strings_add(&m->strings, buf_get(scratch));
	return device->host != NONE;
}

static bool apply(struct run_meta *rm, struct model *m, int64_t step, struct buf *notes,
	struct buf *scratch)
{
	struct placed_device device = {0};
	bool has_accelerator = false, has_stream = false;
	size_t entry = 0;

	if (!model_index_names(m) || !model_add_step(m, step) ||
		!execs_reserve(&m->execs, rm->entries.n))
		return false;
	for (size_t d = 0; d < rm->devices.n; d++) {
		if (!place_device(m, rm->devices.at[d].name, &device, scratch))
			return false;
		has_accelerator |= (device.kind & DEVICE_ACCELERATOR) != 0;
		has_stream |= (device.kind & DEVICE_ACCELERATOR) && (device.kind & DEVICE_STREAM_ALL);
		for (; entry < rm->entries.n && rm->entries.at[entry].device == d; entry++) {
			if (!apply_entry(m, &rm->entries.at[entry], &device, step, notes))
				return false;
			if (entry % 4096 == 0)
				model_progress(m, (size_t)(rm->entries.at[entry].stats.at -
							   rm->source.bytes.at), rm->source.bytes.n);
		}
	}
	if (has_accelerator && !has_stream)
		m->misses_accelerator_stream = true;
	return !notes->failed;
}

enum tfprof_status run_meta_apply(struct run_meta *rm, struct model *m, int64_t step,
	struct buf *notes, struct tfprof_error *err)
{
	struct buf scratch = {0};
	bool fine = apply(rm, m, step, notes, &scratch);

	buf_clear(&scratch);
	m->generation++;
	return fine ? TFPROF_OK : error_no_memory(err);
}
