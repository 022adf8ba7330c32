/* Model → ProfileProto. What was loaded as bytes is written as the same bytes, so
 * loading and writing again is a fixed point. */
#include <stdlib.h>

#include "base/parallel.h"
#include "write/saved_profile.h"
#include "model/attrs.h"
#include "model/executed.h"
#include "model/profile_fields.h"
#include "model/record.h"
#include "proto/fields.h"
#include "proto/wire_write.h"
#include "model/step_float_ops.h"

struct id_node {
	int64_t id;
	uint32_t node;
};

struct writer {
	const struct model *model;
	struct buf *out;
	char *reserved; /* memory reserved in `out` */
	size_t n_reserved;
	struct id_node *order; /* nodes in the order written */
	int64_t *id;           /* by node: its id in the profile */
	bool keeps_ids;        /* ids are those of the model */
	uint32_t *seen_by;     /* by source: the node (+1) that wrote its output index */
	int32_t *seen_output;
};

static void put_string(struct writer *w, uint32_t number, uint32_t string)
{
	if (string)
		wire_put_bytes(w->out, number, model_text(w->model, string));
}

static void put_int_entry(struct buf *b, uint32_t number, int64_t key, int64_t value)
{
	size_t open = wire_open(b, number);

	wire_put_int(b, MAP_KEY, key);
	wire_put_int(b, MAP_VALUE, value);
	wire_close(b, open);
}

static void put_packed(struct buf *b, uint32_t number, const int64_t *values, size_t n)
{
	size_t open;

	if (!n)
		return;
	open = wire_open(b, number);
	for (size_t i = 0; i < n; i++)
		wire_put_varint(b, (uint64_t)values[i]);
	wire_close(b, open);
}

static void put_shape_entry(struct writer *w, uint32_t number, int64_t key, uint32_t shape)
{
	const struct shape *s = shapes_get(&w->model->shapes, shape);
	size_t entry = wire_open(w->out, number), tuple;

	wire_put_int(w->out, MAP_KEY, key);
	tuple = wire_open(w->out, MAP_VALUE);
	put_packed(w->out, TUPLE_INT64_VALUES, s->dims, s->n);
	wire_close(w->out, tuple);
	wire_close(w->out, entry);
}

/* ---- edges ------------------------------------------------------------- */

static const struct edge *edges_of(const struct model *m, uint32_t node)
{
	return m->edges.at + m->nodes.first_edge[node];
}

static void put_inputs(struct writer *w, uint32_t node)
{
	const struct model *m = w->model;

	for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
		const struct edge *e = &edges_of(m, node)[i];
		uint32_t source = model_node_of(m, e->source);

		if (source != NONE)
			put_int_entry(w->out, PROFILE_NODE_INPUTS, e->position, w->id[source]);
	}
}

/* The format keeps one output index per source: the first edge's. Returns whether an
 * edge has a different one. */
static bool put_source_outputs(struct writer *w, uint32_t node)
{
	const struct model *m = w->model;
	bool ambiguous = false;

	for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
		const struct edge *e = &edges_of(m, node)[i];
		uint32_t source = model_node_of(m, e->source);

		if (source == NONE)
			continue;
		if (w->seen_by[source] == node + 1) {
			ambiguous |= w->seen_output[source] != e->output;
			continue;
		}
		w->seen_by[source] = node + 1;
		w->seen_output[source] = e->output;
		put_int_entry(w->out, PROFILE_NODE_SRC_OUTPUT_INDEX, w->id[source], e->output);
	}
	return ambiguous;
}

static void put_input_shapes(struct writer *w, uint32_t node)
{
	const struct model *m = w->model;

	for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
		const struct edge *e = &edges_of(m, node)[i];

		if (model_node_of(m, e->source) != NONE)
			put_shape_entry(w, PROFILE_NODE_INPUT_SHAPES, e->position,
				model_edge_shape(m, e));
	}
}

/* ---- execs ------------------------------------------------------------- */

/* The map entry of a device's times, opened for the first of them. */
struct times_entry {
	uint32_t tag, device;
	size_t entry, times;
};

static void open_times(struct writer *w, struct times_entry *t)
{
	if (t->times)
		return;
	t->entry = wire_open(w->out, t->tag >> 3);
	wire_put_bytes(w->out, MAP_KEY, model_text(w->model, t->device));
	t->times = wire_open(w->out, MAP_VALUE);
}

/* The runs of a trace. Readers add durations up, so these are own times, without nested runs. */
static void put_runs(struct writer *w, const struct exec_detail *d, struct times_entry *t)
{
	const struct execs *x = &w->model->execs;

	for (uint32_t i = d->first_run; i != NONE; i = x->runs.at[i].next) {
		const struct exec_run *run = &x->runs.at[i];
		const struct exec_lane *lane = &x->lanes.at[run->lane];
		size_t time, values;

		if (lane->device != t->device ||
			lane->is_accelerator != (t->tag == RECORD_ACCELERATOR))
			continue;
		open_times(w, t);
		time = wire_open(w->out, EXEC_TIME_TIMES);
		values = wire_open(w->out, TUPLE_INT64_VALUES);
		wire_put_varint(w->out, (uint64_t)run->start_us);
		wire_put_varint(w->out, (uint64_t)run->own_us);
		wire_close(w->out, values);
		wire_close(w->out, time);
	}
}

/* The times of a device, copied from the records. */
static void put_times(struct writer *w, const struct exec_detail *d, uint32_t tag, uint32_t device)
{
	const struct model *m = w->model;
	struct times_entry t = {tag, device, 0, 0};

	for (uint32_t i = d->first; i != NONE; i = m->execs.records.at[i].next) {
		const struct exec_record *record = &m->execs.records.at[i];
		struct wire_reader r = wire_reader(record->bytes);
		struct wire_field f;

		while (record->device == device && wire_next(&r, &f)) {
			if (f.tag != tag)
				continue;
			open_times(w, &t);
			wire_put_bytes(w->out, EXEC_TIME_TIMES, f.bytes);
		}
	}
	put_runs(w, d, &t);
	if (t.times) {
		wire_close(w->out, t.times);
		wire_close(w->out, t.entry);
	}
}

static void put_fields(struct writer *w, const struct exec_detail *d, uint32_t tag)
{
	const struct execs *x = &w->model->execs;

	for (uint32_t i = d->first; i != NONE; i = x->records.at[i].next) {
		struct wire_reader r = wire_reader(x->records.at[i].bytes);
		struct wire_field f;

		while (wire_next(&r, &f))
			if (f.tag == tag)
				wire_put_bytes(w->out, tag >> 3, f.bytes);
	}
}

static void put_detail(struct writer *w, uint32_t row)
{
	const struct model *m = w->model;
	struct exec_detail detail = exec_get_detail(&m->execs, row), *d = &detail;
	const struct string_set *devices = sets_get(&m->sets, d->devices);
	struct exec_sums sums = exec_get_sums(&m->execs, row);

	wire_put_nonzero(w->out, EXEC_PROFILE_RUN_COUNT, sums.run_count);
	wire_put_nonzero(w->out, EXEC_PROFILE_ALL_START_MICROS, d->start_us);
	wire_put_nonzero(w->out, EXEC_PROFILE_LATEST_END_MICROS, d->end_us);
	for (uint32_t i = 0; i < devices->n; i++)
		put_times(w, d, RECORD_ACCELERATOR, devices->at[i]);
	for (uint32_t i = 0; i < devices->n; i++)
		put_times(w, d, RECORD_CPU, devices->at[i]);
	for (uint32_t i = 0; i < devices->n; i++)
		wire_put_bytes(w->out, EXEC_PROFILE_DEVICES, model_text(m, devices->at[i]));
	put_fields(w, d, RECORD_MEMORY);
	put_fields(w, d, RECORD_ALLOCATION);
	wire_put_nonzero(w->out, EXEC_PROFILE_BUSY_MICROS, sums.busy_us);
	wire_put_nonzero(w->out, EXEC_PROFILE_WAITING_MICROS, sums.waiting_us);
}

static void put_execs(struct writer *w, uint32_t node)
{
	const struct model *m = w->model;

	for (uint32_t row = m->nodes.first_exec[node]; row != NONE;
		row = exec_at(&m->execs, row)->next) {
		const struct exec *exec = exec_at(&m->execs, row);
		size_t entry = wire_open(w->out, PROFILE_NODE_EXECS);

		wire_put_int(w->out, MAP_KEY, exec->step);
		if (exec->has == EXEC_HAS_RAW) {
			wire_put_bytes(w->out, MAP_VALUE, exec_get_raw(m, row));
		} else {
			size_t value = wire_open(w->out, MAP_VALUE);

			put_detail(w, row);
			wire_close(w->out, value);
		}
		wire_close(w->out, entry);
	}
}

/* ---- nodes ------------------------------------------------------------- */

/* TensorFlow's format does not record which inputs are control inputs: a field of our
 * own keeps where they begin. */
static void put_attrs(struct writer *w, uint32_t node)
{
	struct attrs attrs = attrs_of(w->model, node);
	struct span attr;

	while (attrs_next(&attrs, &attr))
		wire_put_bytes(w->out, PROFILE_NODE_ATTRS, attr);
	if (attrs.first_control != INT32_MAX)
		wire_put_int(w->out, PROFILE_NODE_FIRST_CONTROL, attrs.first_control);
}

static bool has_type(const struct string_set *types, uint32_t type)
{
	for (uint32_t i = 0; i < types->n; i++)
		if (types->at[i] == type)
			return true;
	return false;
}

/* What it ran as, in fields of our own: types would count in TensorFlow's profiler. */
static void put_executed(struct writer *w, uint32_t node)
{
	const struct model *m = w->model;
	const struct string_set *types = sets_get(&m->sets, m->nodes.types[node]);
	const struct string_set *all = sets_get(&m->sets, m->nodes.executed_types[node]);
	uint32_t last = model_executed(m, node), placed = m->nodes.placed[node];
	bool ran_as_other = m->nodes.executed[node];

	for (uint32_t i = 0; i < all->n; i++)
		if (all->at[i] != last && all->at[i] != placed && !has_type(types, all->at[i])) {
			put_string(w, PROFILE_NODE_EXECUTED, all->at[i]);
			ran_as_other = true;
		}
	if (ran_as_other)
		put_string(w, PROFILE_NODE_EXECUTED, last);
	put_string(w, PROFILE_NODE_PLACED, placed);
	if (m->nodes.flags[node] & NODE_UNDEFINED)
		wire_put_int(w->out, PROFILE_NODE_UNDEFINED, 1);
}

/* A node unchanged since loading is written as loaded, plus the call stack, possibly
 * empty, that a loaded node always has. */
static void put_unchanged(struct writer *w, uint32_t node)
{
	static const char empty_trace[] = {(char)WIRE_LEN(PROFILE_NODE_TRACE), 0};
	const struct nodes *nodes = &w->model->nodes;
	struct span source = model_source(w->model, node);
	size_t extra = nodes->trace[node].bits ? 0 : sizeof(empty_trace);
	size_t size = source.n + extra;

	wire_put_varint(w->out, WIRE_LEN(PROFILE_NODES));
	wire_put_varint(w->out,
		1 + wire_varint_size((uint64_t)w->id[node]) + 1 + wire_varint_size(size) + size);
	wire_put_int(w->out, MAP_KEY, w->id[node]);
	wire_put_varint(w->out, WIRE_LEN(MAP_VALUE));
	wire_put_varint(w->out, size);
	buf_span(w->out, source);
	buf_put(w->out, empty_trace, extra);
}

static bool is_unchanged(const struct writer *w, uint32_t node)
{
	return (w->model->nodes.flags[node] & (NODE_FROM_PROFILE | NODE_CHANGED)) ==
		NODE_FROM_PROFILE &&
		w->keeps_ids;
}

static void put_node(struct writer *w, uint32_t node)
{
	const struct model *m = w->model;
	const struct nodes *nodes = &m->nodes;
	const struct string_set *types = sets_get(&m->sets, nodes->types[node]);
	const struct shape *shape = shapes_get(&m->shapes, nodes->shape[node]);
	size_t entry = wire_open(w->out, PROFILE_NODES), value;
	bool ambiguous;

	wire_put_int(w->out, MAP_KEY, w->id[node]);
	value = wire_open(w->out, MAP_VALUE);
	put_string(w, PROFILE_NODE_NAME, nodes->name[node]);
	put_inputs(w, node);
	put_packed(w->out, PROFILE_NODE_SHAPE, shape->dims, shape->n);
	for (uint32_t i = 0; i < types->n; i++)
		wire_put_bytes(w->out, PROFILE_NODE_OP_TYPES, model_text(m, types->at[i]));
	put_string(w, PROFILE_NODE_CANONICAL_DEVICE, nodes->device[node]);
	put_string(w, PROFILE_NODE_HOST_DEVICE, nodes->host_device[node]);
	wire_put_nonzero(w->out, PROFILE_NODE_FLOAT_OPS, step_float_ops_average(m, node));
	put_string(w, PROFILE_NODE_OP, nodes->op[node]);
	if (nodes->flags[node] & NODE_HAS_TRACE)
		wire_put_bytes(w->out, PROFILE_NODE_TRACE, model_trace(w->model, node));
	put_attrs(w, node);
	put_execs(w, node);
	wire_put_nonzero(w->out, PROFILE_NODE_ID, w->id[node]);
	ambiguous = put_source_outputs(w, node);
	for (uint32_t i = 0; i < nodes->n_outputs[node]; i++) {
		const struct output *output = &m->outputs.at[nodes->first_output[node] + i];

		put_shape_entry(w, PROFILE_NODE_OUTPUT_SHAPES, output->slot, output->shape);
	}
	if (ambiguous)
		put_input_shapes(w, node);
	put_executed(w, node);
	wire_close(w->out, value);
	wire_close(w->out, entry);
}

static int by_id(const void *a, const void *b)
{
	const struct id_node *x = a, *y = b;

	return x->id != y->id ? (x->id > y->id) - (x->id < y->id)
			      : (x->node > y->node) - (x->node < y->node);
}

/* Nodes in order of their ids. Ids are unique, unless nodes were added to a profile
 * with odd ids: then all are renumbered. */
static struct id_node *order_nodes(struct writer *w)
{
	const struct model *m = w->model;
	struct id_node *order = mem_array(m->nodes.n, sizeof(*order));
	bool sorted = true, unique = true;

	if (!order)
		return NULL;
	for (size_t i = 0; i < m->nodes.n; i++) {
		order[i] = (struct id_node){m->nodes.id[i], (uint32_t)i};
		sorted &= i == 0 || order[i - 1].id < order[i].id;
	}
	if (!sorted)
		qsort(order, m->nodes.n, sizeof(*order), by_id);
	for (size_t i = 1; i < m->nodes.n; i++)
		unique &= order[i - 1].id != order[i].id;
	for (size_t i = 0; i < m->nodes.n; i++)
		w->id[order[i].node] = unique ? order[i].id : (int64_t)i;
	w->keeps_ids = unique;
	return order;
}

static void put_trailer(struct writer *w)
{
	const struct model *m = w->model;

	wire_put_nonzero(w->out, PROFILE_HAS_TRACE, m->has_trace);
	put_packed(w->out, PROFILE_STEPS, m->steps.at, m->steps.n);
	for (size_t i = 0; i < m->trace_strings.n; i++) {
		size_t entry = wire_open(w->out, PROFILE_ID_TO_STRING);

		wire_put_int(w->out, MAP_KEY, m->trace_strings.at[i].id);
		wire_put_bytes(w->out, MAP_VALUE, m->trace_strings.at[i].text);
		wire_close(w->out, entry);
	}
	wire_put_nonzero(w->out, PROFILE_MISS_ACCELERATOR_STREAM, m->misses_accelerator_stream);
	wire_put_nonzero(w->out, PROFILE_RECORDED, m->numbers_version);
	wire_put_nonzero(w->out, PROFILE_ASSUMES_BATCH, m->assumes_batch);
	wire_put_nonzero(w->out, PROFILE_OF_LAYERS, m->is_of_layers);
	wire_put_nonzero(w->out, PROFILE_WITHOUT_EDGES,
		model_has_graph(m) && m->nodes.n && !m->edges.n);
	for (size_t i = 0; i < m->transfers.n; i++) {
		const struct transfer *t = &m->transfers.at[i];
		size_t record = wire_open(w->out, PROFILE_TRANSFER);

		wire_put_nonzero(w->out, TRANSFER_STEP, t->step);
		wire_put_bytes(w->out, TRANSFER_DEVICE, model_text(m, t->device));
		wire_put_bytes(w->out, TRANSFER_STATS, t->stats);
		wire_close(w->out, record);
	}
}

/* Reserves about as much as was read at once: growing step by step would copy it
 * several times. The rest is added as needed. */
static size_t reserve_output(const struct model *m, struct buf *out)
{
	size_t total = 0;

	for (size_t i = 0; i < m->nodes.n; i++)
		total += model_source(m, (uint32_t)i).n + model_trace(m, (uint32_t)i).n + 32;
	return buf_reserve(out, total) ? total : 0;
}

static void put_nodes(struct writer *w)
{
	for (size_t i = 0; i < w->model->nodes.n; i++)
		if (is_unchanged(w, w->order[i].node))
			put_unchanged(w, w->order[i].node);
		else
			put_node(w, w->order[i].node);
}

/* Page faults cost as much as copying, so another thread pre-faults the memory: without
 * it, serialize takes 50 % longer. */
static void write_part(void *context, size_t part)
{
	struct writer *w = context;

	if (part == 0)
		put_nodes(w);
	else
		mem_prefault(w->reserved, w->n_reserved);
}

void model_write_profile(const struct model *m, struct buf *out)
{
	struct writer w = {.model = m, .out = out};
	enum { MIN_BYTES = 4 << 20 };

	w.id = mem_array(m->nodes.n, sizeof(*w.id));
	w.seen_by = mem_zero(m->nodes.n * sizeof(*w.seen_by));
	w.seen_output = mem_array(m->nodes.n, sizeof(*w.seen_output));
	if (w.id && w.seen_by && w.seen_output)
		w.order = order_nodes(&w);
	if (w.order) {
		w.n_reserved = reserve_output(m, out);
		w.reserved = w.n_reserved ? out->at + out->n : NULL;
		parallel_run(parallel_parts(w.n_reserved, MIN_BYTES) > 1 ? 2 : 1, write_part, &w);
		put_trailer(&w);
	} else {
		out->failed = true;
	}
	mem_free(w.order);
	mem_free(w.id);
	mem_free(w.seen_by);
	mem_free(w.seen_output);
}
