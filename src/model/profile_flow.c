/* Edges and output shapes of a saved profile.
 *
 * Graph view, input shapes and saving need them, most reports do not: they
 * stay in the bytes of the ProfileNodes until one is asked for. An edge names
 * its source by id there; here by name, like every other edge. */
#include "model/model.h"

#include <stdlib.h>

#include "proto/wire.h"

/* An input of the node being read: its source is known by id only. */
struct raw_edge {
	int64_t source_id;
	struct edge edge;
	uint32_t shape;            /* its own input shape, NONE if none was written */
};

struct source_output {
	int64_t source_id;
	int32_t output;
};

/* Ids are the node numbers of the profile that was saved, so nearly always
 * 0…n-1: a table answers. Anything else is searched in a sorted list. */
struct id_map {
	uint32_t *table;
	size_t n_table;
	struct id_node {
		int64_t id;
		uint32_t node;
	} *sorted;
	size_t n_sorted;
};

struct reader {
	struct model *model;
	struct id_map ids;
	const char *bad;           /* malformed here; NULL: memory is out */
	int64_t unknown_id;        /* … or a source that is not there */
	bool is_unknown;
	/* of the node being read: */
	VEC(struct raw_edge) edges;
	VEC(struct source_output) outputs;
	VEC(struct output) input_shapes;
	dims_vec dims;
	/* edges that carry a shape of their own, for when all outputs are known */
	VEC(struct own_shape {
		size_t edge;
		uint32_t shape;
	}) own_shapes;
};

static bool fail(struct reader *r, const char *bad)
{
	r->bad = bad;
	return false;
}

/* ---- ids ---------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	const struct id_node *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static bool id_map_init(struct id_map *map, const int64_t *ids, size_t n)
{
	*map = (struct id_map){.n_table = 2 * n + 64};
	map->table = mem_array(map->n_table, sizeof(*map->table));
	if (!map->table)
		return false;
	memset(map->table, 0xff, map->n_table * sizeof(*map->table));
	for (size_t i = 0; i < n; i++)
		if (ids[i] >= 0 && (uint64_t)ids[i] < map->n_table)
			map->table[ids[i]] = (uint32_t)i;
		else
			map->n_sorted++;
	if (!map->n_sorted)
		return true;
	map->sorted = mem_array(map->n_sorted, sizeof(*map->sorted));
	if (!map->sorted)
		return false;
	map->n_sorted = 0;
	for (size_t i = 0; i < n; i++)
		if (ids[i] < 0 || (uint64_t)ids[i] >= map->n_table)
			map->sorted[map->n_sorted++] = (struct id_node){ids[i], (uint32_t)i};
	qsort(map->sorted, map->n_sorted, sizeof(*map->sorted), by_id);
	return true;
}

static uint32_t id_map_find(const struct id_map *map, int64_t id)
{
	struct id_node key = {id, 0}, *hit;

	if (id >= 0 && (uint64_t)id < map->n_table)
		return map->table[id];
	hit = map->n_sorted ? bsearch(&key, map->sorted, map->n_sorted, sizeof(key), by_id) : NULL;
	return hit ? hit->node : NONE;
}

/* ---- fields of a node ---------------------------------------------------- */

/* A map entry { key = 1: int, value = 2: int }. */
static bool read_int_entry(struct reader *r, struct span entry, int64_t *key, int64_t *value)
{
	struct wire_reader w = wire_reader(entry);
	struct wire_field f;

	*key = *value = 0;
	while (wire_next(&w, &f))
		if (f.tag == WIRE_VARINT(1))
			*key = (int64_t)f.value;
		else if (f.tag == WIRE_VARINT(2))
			*value = (int64_t)f.value;
	return w.bad ? fail(r, w.bad) : true;
}

static bool read_dims(struct reader *r, struct span tuple)
{
	struct wire_reader w = wire_reader(tuple), packed;
	struct wire_field f;
	uint64_t value;

	r->dims.n = 0;
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_VARINT(1) && !vec_push(&r->dims, (int64_t)f.value))
			return fail(r, NULL);
		if (f.tag != WIRE_LEN(1))
			continue;
		packed = wire_reader(f.bytes);
		while (wire_packed_next(&packed, &value))
			if (!vec_push(&r->dims, (int64_t)value))
				return fail(r, NULL);
		if (packed.bad)
			return fail(r, packed.bad);
	}
	return w.bad ? fail(r, w.bad) : true;
}

/* A map entry { slot, Tuple { dims = 1 } }. */
static bool read_shape_entry(struct reader *r, struct span entry, struct output *output)
{
	struct wire_reader w = wire_reader(entry);
	struct wire_field f;
	struct span tuple = {entry.at, 0};

	output->slot = 0;
	while (wire_next(&w, &f))
		if (f.tag == WIRE_VARINT(1))
			output->slot = (int32_t)f.value;
		else if (f.tag == WIRE_LEN(2))
			tuple = f.bytes;
	if (w.bad)
		return fail(r, w.bad);
	if (!read_dims(r, tuple))
		return false;
	output->shape = shapes_add(&r->model->shapes, r->dims.at, r->dims.n);
	return output->shape != NONE ? true : fail(r, NULL);
}

static bool read_field(struct reader *r, const struct wire_field *f)
{
	struct output output;
	int64_t key, value;

	switch (f->tag) {
	case WIRE_LEN(2):
		if (!read_int_entry(r, f->bytes, &key, &value))
			return false;
		return vec_push(&r->edges, ((struct raw_edge){value, {0, (int32_t)key, 0}, NONE}))
			? true : fail(r, NULL);
	case WIRE_LEN(14):
		if (!read_int_entry(r, f->bytes, &key, &value))
			return false;
		/* 0 is what an edge has anyway. */
		return !(int32_t)value ||
				vec_push(&r->outputs, ((struct source_output){key, (int32_t)value}))
			? true : fail(r, NULL);
	case WIRE_LEN(15):
		return read_shape_entry(r, f->bytes, &output) &&
			(vec_push(&r->model->outputs, output) || fail(r, NULL));
	case WIRE_LEN(16):
		return read_shape_entry(r, f->bytes, &output) &&
			(vec_push(&r->input_shapes, output) || fail(r, NULL));
	}
	return true;
}

/* ---- edges --------------------------------------------------------------- */

static int by_position(const void *a, const void *b)
{
	const struct raw_edge *x = a, *y = b;

	return (x->edge.position > y->edge.position) - (x->edge.position < y->edge.position);
}

static int by_source(const void *a, const void *b)
{
	const struct source_output *x = a, *y = b;

	return (x->source_id > y->source_id) - (x->source_id < y->source_id);
}

/* Maps come in any order; in practice nearly sorted and short. */
static bool in_order(const struct reader *r)
{
	for (size_t i = 1; i < r->edges.n; i++)
		if (r->edges.at[i - 1].edge.position >= r->edges.at[i].edge.position)
			return false;
	return true;
}

static void find_own_shape(const struct reader *r, struct raw_edge *e)
{
	for (size_t i = 0; i < r->input_shapes.n; i++)
		if (r->input_shapes.at[i].slot == e->edge.position)
			e->shape = r->input_shapes.at[i].shape;
}

static void find_output(const struct reader *r, struct raw_edge *e)
{
	struct source_output key = {e->source_id, 0}, *hit;

	hit = bsearch(&key, r->outputs.at, r->outputs.n, sizeof(key), by_source);
	if (hit)
		e->edge.output = hit->output;
}

static bool add_edge(struct reader *r, struct raw_edge *e)
{
	struct model *m = r->model;
	uint32_t source = id_map_find(&r->ids, e->source_id);

	if (source == NONE) {
		r->unknown_id = e->source_id;
		r->is_unknown = true;
		return false;
	}
	e->edge.source = m->nodes.name[source];
	if (r->outputs.n)
		find_output(r, e);
	if (r->input_shapes.n)
		find_own_shape(r, e);
	if (e->shape != NONE &&
		!vec_push(&r->own_shapes, ((struct own_shape){m->edges.n, e->shape})))
		return fail(r, NULL);
	return vec_push(&m->edges, e->edge) ? true : fail(r, NULL);
}

static bool add_edges(struct reader *r, uint32_t node)
{
	struct model *m = r->model;

	if (!in_order(r))
		qsort(r->edges.at, r->edges.n, sizeof(*r->edges.at), by_position);
	if (r->outputs.n > 1)
		qsort(r->outputs.at, r->outputs.n, sizeof(*r->outputs.at), by_source);
	if (m->edges.n + r->edges.n >= NONE)
		return fail(r, NULL);
	m->nodes.first_edge[node] = (uint32_t)m->edges.n;
	for (size_t i = 0; i < r->edges.n; i++)
		if (!add_edge(r, &r->edges.at[i]))
			return false;
	m->nodes.n_edges[node] = (uint32_t)r->edges.n;
	return true;
}

static bool read_node(struct reader *r, uint32_t node)
{
	struct model *m = r->model;
	struct wire_reader w = wire_reader(m->nodes.source[node]);
	struct wire_field f;
	size_t first_output = m->outputs.n;

	r->edges.n = r->outputs.n = r->input_shapes.n = 0;
	while (wire_next(&w, &f))
		if (!read_field(r, &f))
			return false;
	m->nodes.first_output[node] = (uint32_t)first_output;
	m->nodes.n_outputs[node] = (uint32_t)(m->outputs.n - first_output);
	return add_edges(r, node);
}

/* An edge that carries its own shape goes to the source's output of that
 * shape, if the saved index points at another. An unknown shape may be that of
 * an output that was never described: one behind all others. */
static void settle_output(struct model *m, struct edge *e, uint32_t shape)
{
	uint32_t source = model_node_of(m, e->source);
	int32_t behind = 0;

	if (model_edge_shape(m, e) == shape)
		return;
	for (uint32_t i = 0; i < m->nodes.n_outputs[source]; i++) {
		const struct output *output = &m->outputs.at[m->nodes.first_output[source] + i];

		if (output->shape == shape) {
			e->output = output->slot;
			return;
		}
		if (output->slot >= behind && output->slot < INT32_MAX)
			behind = output->slot + 1;
	}
	if (!shape)
		e->output = behind;
}

static enum tfprof_status explain(const struct reader *r, uint32_t node, struct tfprof_error *err)
{
	const struct model *m = r->model;
	struct span name = model_name(m, node);

	if (r->is_unknown)
		return error_set(err, TFPROF_FORMAT,
			"%s: node '%.*s' has an input from node id %lld, which is not in the profile",
			m->flow.profile, ERROR_SPAN(name), (long long)r->unknown_id);
	if (r->bad)
		return error_set(err, TFPROF_FORMAT, "%s: node '%.*s' is damaged at its byte %zu",
			m->flow.profile, ERROR_SPAN(name), (size_t)(r->bad - m->nodes.source[node].at));
	return error_no_memory(err);
}

enum tfprof_status model_read_flow(struct model *m, struct tfprof_error *err)
{
	struct reader r = {.model = m};
	size_t n_edges = m->edges.n, n_outputs = m->outputs.n, n = m->flow.ids.n;
	enum tfprof_status status = TFPROF_OK;

	if (!m->flow.is_pending)
		return TFPROF_OK;
	if (!model_index_names(m) || !id_map_init(&r.ids, m->flow.ids.at, n))
		status = error_no_memory(err);
	for (uint32_t node = 0; status == TFPROF_OK && node < n; node++)
		if (!read_node(&r, node))
			status = explain(&r, node, err);
	for (size_t i = 0; status == TFPROF_OK && i < r.own_shapes.n; i++)
		settle_output(m, &m->edges.at[r.own_shapes.at[i].edge], r.own_shapes.at[i].shape);
	if (status == TFPROF_OK) {
		m->flow.is_pending = false;
		vec_clear(&m->flow.ids);
	} else {
		for (size_t node = 0; node < n; node++)
			m->nodes.n_edges[node] = m->nodes.n_outputs[node] = 0;
		m->edges.n = n_edges;
		m->outputs.n = n_outputs;
	}
	mem_free(r.ids.table);
	mem_free(r.ids.sorted);
	vec_clear(&r.edges);
	vec_clear(&r.outputs);
	vec_clear(&r.input_shapes);
	vec_clear(&r.dims);
	vec_clear(&r.own_shapes);
	return status;
}
