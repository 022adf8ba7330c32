/* Edges and output shapes of a saved profile.
 *
 * Graph view, input shapes and saving need them, most reports do not: they
 * stay in the bytes of the ProfileNodes until one is asked for. Graph view has
 * no use for shapes: if somebody else has, edges are read again with them. An
 * edge names its source by id there; here by name, like every other edge.
 *
 * Nodes are read in parts, at the same time. How many inputs each has was counted
 * when the profile was loaded: so every part knows where its edges go, and need
 * not read on when it has seen all of a node's. Outputs and shapes it keeps in lists
 * of its own, which are then put together in order. */
#include "load/load.h"

#include <stdlib.h>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "proto/tuple.h"

/* An input of the node being read: its source is known by id only. */
struct raw_edge {
	int64_t source_id;
	struct edge edge;
	uint32_t shape; /* its own input shape, NONE if none was written */
};

struct source_output {
	int64_t source_id;
	int32_t output;
};

/* Ids are the node numbers of the profile that was saved, so nearly always
 * 0…n-1, mostly in that order: then an id is a node. Else a table answers, and
 * what is far from that is searched in a sorted list. */
struct id_map {
	size_t n_same; /* an id below is the node */
	uint32_t *table;
	size_t n_table;
	struct id_node {
		int64_t id;
		uint32_t node;
	} * sorted;
	size_t n_sorted;
};

/* A part: the nodes begin … end - 1. */
struct reader {
	const struct model *model;
	const struct id_map *ids;
	uint32_t begin, end;
	bool with_shapes;
	struct decoder decoder;
	bool has_unknown_source; /* an edge comes from this id, which no node has: */
	int64_t unknown_id;
	uint32_t node; /* being read, or that it failed at */
	/* of the node being read: */
	VEC(struct raw_edge) raw_edges;
	VEC(struct source_output) source_outputs;
	VEC(struct output) input_shapes;
	dims_vec dims;
	/* where its edges go among the model's, and the next one: */
	size_t first_edge, end_edge, next_edge;
	/* of all of its nodes: first_output of the model's nodes points into these
	 * until they are joined */
	VEC(struct output) outputs;
	struct shapes shapes;
	/* edges that carry a shape of their own, for when all outputs are known */
	VEC(struct own_shape {
		size_t edge;
		uint32_t shape;
	})
	own_shapes;
};

static bool has_failed(const struct reader *r)
{
	return r->decoder.failed || r->has_unknown_source;
}

/* ---- ids ---------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	const struct id_node *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* The id others know a node by; `*i` goes along with the nodes, from 0. */
static int64_t key_of(const struct model *m, uint32_t node, size_t *i)
{
	if (*i < m->flow.keys.n && m->flow.keys.at[*i].node == node)
		return m->flow.keys.at[(*i)++].key;
	return m->nodes.id[node];
}

static bool ids_in_order(const struct model *m)
{
	if (m->flow.keys.n)
		return false;
	for (size_t node = 0; node < m->flow.n; node++)
		if (m->nodes.id[node] != (int64_t)node)
			return false;
	return true;
}

static bool id_map_init(struct id_map *map, const struct model *m)
{
	size_t n = m->flow.n, i = 0;

	*map = (struct id_map){.n_same = ids_in_order(m) ? n : 0};
	if (map->n_same)
		return true;
	map->n_table = 2 * n + 64;
	map->table = mem_array(map->n_table, sizeof(*map->table));
	if (!map->table)
		return false;
	memset(map->table, 0xff, map->n_table * sizeof(*map->table));
	for (uint32_t node = 0; node < n; node++) {
		int64_t id = key_of(m, node, &i);

		if (id >= 0 && (uint64_t)id < map->n_table)
			map->table[id] = node;
		else
			map->n_sorted++;
	}
	if (!map->n_sorted)
		return true;
	map->sorted = mem_array(map->n_sorted, sizeof(*map->sorted));
	if (!map->sorted)
		return false;
	map->n_sorted = i = 0;
	for (uint32_t node = 0; node < n; node++) {
		int64_t id = key_of(m, node, &i);

		if (id < 0 || (uint64_t)id >= map->n_table)
			map->sorted[map->n_sorted++] = (struct id_node){id, node};
	}
	qsort(map->sorted, map->n_sorted, sizeof(*map->sorted), by_id);
	return true;
}

static uint32_t id_map_find(const struct id_map *map, int64_t id)
{
	struct id_node key = {id, 0}, *hit;

	if (id >= 0 && (uint64_t)id < map->n_same)
		return (uint32_t)id;
	if (id >= 0 && (uint64_t)id < map->n_table)
		return map->table[id];
	hit = map->n_sorted ? bsearch(&key, map->sorted, map->n_sorted, sizeof(key), by_id) : NULL;
	return hit ? hit->node : NONE;
}

/* ---- fields of a node ---------------------------------------------------- */

/* A map entry { slot, Tuple of dimensions }. */
static struct output read_shape(struct reader *r, struct span message)
{
	struct map_entry entry = map_entry_read(&r->decoder, message);
	struct tuple dims = tuple(entry.value);
	struct output output = {.slot = (int32_t)entry.key};
	int64_t size;

	r->dims.n = 0;
	while (tuple_next(&r->decoder, &dims, &size))
		decoder_alloc(&r->decoder, vec_push(&r->dims, size));
	output.shape = shapes_add(&r->shapes, r->dims.at, r->dims.n);
	decoder_alloc(&r->decoder, output.shape != NONE);
	return output;
}

static void read_input(struct reader *r, struct span message)
{
	struct map_entry entry = map_entry_read(&r->decoder, message);
	struct raw_edge edge = {entry.number, {0, (int32_t)entry.key, 0}, NONE};

	decoder_alloc(&r->decoder, vec_push(&r->raw_edges, edge));
}

static void read_source_output(struct reader *r, struct span message)
{
	struct map_entry entry = map_entry_read(&r->decoder, message);
	struct source_output output = {entry.key, (int32_t)entry.number};

	/* 0 is what an edge has anyway. */
	if (output.output)
		decoder_alloc(&r->decoder, vec_push(&r->source_outputs, output));
}

static void read_field(struct reader *r, const struct wire_field *f)
{
	if (f->tag == WIRE_LEN(PROFILE_NODE_INPUTS))
		read_input(r, f->bytes);
	if (!r->with_shapes)
		return;
	switch (f->tag) {
	case WIRE_LEN(PROFILE_NODE_SRC_OUTPUT_INDEX): read_source_output(r, f->bytes); break;
	case WIRE_LEN(PROFILE_NODE_OUTPUT_SHAPES):
		decoder_alloc(&r->decoder, vec_push(&r->outputs, read_shape(r, f->bytes)));
		break;
	case WIRE_LEN(PROFILE_NODE_INPUT_SHAPES):
		decoder_alloc(&r->decoder, vec_push(&r->input_shapes, read_shape(r, f->bytes)));
		break;
	}
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
	for (size_t i = 1; i < r->raw_edges.n; i++)
		if (r->raw_edges.at[i - 1].edge.position >= r->raw_edges.at[i].edge.position)
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

	hit = bsearch(&key, r->source_outputs.at, r->source_outputs.n, sizeof(key), by_source);
	if (hit)
		e->edge.output = hit->output;
}

static void add_edge(struct reader *r, struct raw_edge *e)
{
	uint32_t source = id_map_find(r->ids, e->source_id);

	if (source == NONE) {
		r->has_unknown_source = true;
		r->unknown_id = e->source_id;
		return;
	}
	e->edge.source = r->model->nodes.name[source];
	if (r->source_outputs.n)
		find_output(r, e);
	if (r->input_shapes.n)
		find_own_shape(r, e);
	if (e->shape != NONE)
		decoder_alloc(&r->decoder,
			vec_push(&r->own_shapes, ((struct own_shape){r->next_edge, e->shape})));
	mem_prepare_ahead(r->model->edges.at, sizeof(e->edge), r->next_edge, r->first_edge,
		r->end_edge);
	r->model->edges.at[r->next_edge++] = e->edge;
}

static void add_edges(struct reader *r, uint32_t node)
{
	if (r->raw_edges.n != r->model->nodes.n_edges[node]) /* others were counted */
		decoder_fail(&r->decoder, r->model->nodes.source[node]);
	if (r->decoder.failed)
		return;
	r->model->nodes.first_edge[node] = (uint32_t)r->next_edge;
	if (!in_order(r))
		qsort(r->raw_edges.at, r->raw_edges.n, sizeof(*r->raw_edges.at), by_position);
	if (r->source_outputs.n > 1)
		qsort(r->source_outputs.at, r->source_outputs.n, sizeof(*r->source_outputs.at),
			by_source);
	for (size_t i = 0; i < r->raw_edges.n && !has_failed(r); i++)
		add_edge(r, &r->raw_edges.at[i]);
}

static void read_node(struct reader *r, uint32_t node)
{
	const struct nodes *nodes = &r->model->nodes;
	struct wire_reader w = wire_reader(model_source(r->model, node));
	struct wire_field f;
	size_t first_output = r->outputs.n;

	r->raw_edges.n = r->source_outputs.n = r->input_shapes.n = 0;
	while ((r->with_shapes || r->raw_edges.n < nodes->n_edges[node]) &&
		decoder_next(&r->decoder, &w, &f))
		read_field(r, &f);
	if (r->with_shapes) {
		nodes->first_output[node] = (uint32_t)first_output;
		nodes->n_outputs[node] = (uint32_t)(r->outputs.n - first_output);
	}
	add_edges(r, node);
}

/* Inputs come right behind the name. */
PREFETCHES prefetch_inputs(const struct reader *r, uint32_t node)
{
	enum { AHEAD = 8, INPUTS = 256 };

	if (r->end - node > AHEAD)
		prefetch_bytes(r->model->nodes.source[node + AHEAD], INPUTS);
}

static void read_part(void *context, size_t part)
{
	struct reader *r = (struct reader *)context + part;

	decoder_alloc(&r->decoder, shapes_init(&r->shapes));
	for (uint32_t node = r->begin; node < r->end && !has_failed(r); node++) {
		prefetch_inputs(r, node);
		r->node = node;
		read_node(r, node);
	}
}

/* Room for the edges of all parts, unless they have been read before: then they are
 * written over, with the output each comes from. */
static bool make_edges(struct model *m, struct reader *readers, size_t parts)
{
	size_t at = m->flow.edges_pending ? m->edges.n : m->flow.first_edge;

	m->flow.first_edge = at;
	for (size_t i = 0; i < parts; i++) {
		readers[i].first_edge = readers[i].next_edge = at;
		for (uint32_t node = readers[i].begin; node < readers[i].end; node++)
			at += m->nodes.n_edges[node];
		readers[i].end_edge = at;
	}
	if (!m->flow.edges_pending)
		return true;
	if (at >= NONE || !vec_reserve(&m->edges, at - m->edges.n))
		return false;
	m->edges.n = at;
	return true;
}

/* ---- putting together ------------------------------------------------------ */

/* The model's ids of a part's shapes. */
static uint32_t *translate_shapes(struct model *m, const struct shapes *shapes)
{
	uint32_t *ids = mem_array(shapes->at.n, sizeof(*ids));

	for (uint32_t i = 0; ids && i < shapes->at.n; i++) {
		const struct shape *shape = shapes_get(shapes, i);

		ids[i] = shape->n ? shapes_add(&m->shapes, shape->dims, shape->n) : 0;
		if (ids[i] == NONE) {
			mem_free(ids);
			return NULL;
		}
	}
	return ids;
}

static bool join_outputs(struct model *m, struct reader *r)
{
	size_t before = m->outputs.n;
	uint32_t *ids;

	if (before + r->outputs.n >= NONE || !vec_reserve(&m->outputs, r->outputs.n))
		return false;
	ids = translate_shapes(m, &r->shapes);
	if (!ids)
		return false;
	for (size_t i = 0; i < r->outputs.n; i++)
		m->outputs.at[before + i] =
			(struct output){r->outputs.at[i].slot, ids[r->outputs.at[i].shape]};
	m->outputs.n += r->outputs.n;
	for (uint32_t node = r->begin; node < r->end; node++)
		m->nodes.first_output[node] += (uint32_t)before;
	for (size_t i = 0; i < r->own_shapes.n; i++)
		r->own_shapes.at[i].shape = ids[r->own_shapes.at[i].shape];
	mem_free(ids);
	return true;
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

static enum tfprof_status explain(const struct reader *r, struct tfprof_error *err)
{
	const struct model *m = r->model;
	struct span name = model_name(m, r->node);

	if (r->decoder.failed && !r->decoder.bad)
		return error_no_memory(err);
	if (r->has_unknown_source)
		return error_set(err, TFPROF_FORMAT,
			"%s: node '%.*s' has an input from node id %lld, which is not in the "
			"profile",
			m->flow.profile, ERROR_SPAN(name), (long long)r->unknown_id);
	return error_set(err, TFPROF_FORMAT, "%s: node '%.*s' is damaged at its byte %zu",
		m->flow.profile, ERROR_SPAN(name),
		(size_t)(r->decoder.bad - m->nodes.source[r->node]));
}

static void reader_clear(struct reader *r)
{
	vec_clear(&r->raw_edges);
	vec_clear(&r->source_outputs);
	vec_clear(&r->input_shapes);
	vec_clear(&r->dims);
	vec_clear(&r->outputs);
	vec_clear(&r->own_shapes);
	shapes_clear(&r->shapes);
}

static enum tfprof_status read_all(struct model *m, struct reader *readers, size_t parts,
	struct tfprof_error *err)
{
	if (!make_edges(m, readers, parts))
		return error_no_memory(err);
	parallel_run(parts, read_part, readers);
	for (size_t i = 0; i < parts; i++)
		if (has_failed(&readers[i]))
			return explain(&readers[i], err);
	for (size_t i = 0; readers->with_shapes && i < parts; i++)
		if (!join_outputs(m, &readers[i]))
			return error_no_memory(err);
	for (size_t i = 0; i < parts; i++)
		for (size_t k = 0; k < readers[i].own_shapes.n; k++) {
			struct own_shape *own = &readers[i].own_shapes.at[k];

			settle_output(m, &m->edges.at[own->edge], own->shape);
		}
	return TFPROF_OK;
}

/* Leaves what was there before. */
static void give_up(struct model *m, size_t n_edges, size_t n_outputs)
{
	for (size_t node = 0; node < m->flow.n; node++)
		m->nodes.n_outputs[node] = 0;
	m->edges.n = n_edges;
	m->outputs.n = n_outputs;
}

enum tfprof_status model_read_flow(struct model *m, bool shapes, struct tfprof_error *err)
{
	enum { LEAST_PART = 8192 };
	struct reader readers[PARALLEL_MAX] = {0};
	struct id_map ids = {0};
	size_t n_edges = m->edges.n, n_outputs = m->outputs.n, n = m->flow.n;
	size_t parts = parallel_parts(n, LEAST_PART);
	enum tfprof_status status = TFPROF_OK;

	if (shapes ? !m->flow.shapes_pending : !m->flow.edges_pending)
		return TFPROF_OK;
	for (size_t i = 0; i < parts; i++) {
		readers[i].model = m;
		readers[i].ids = &ids;
		readers[i].begin = (uint32_t)parallel_begin(n, parts, i);
		readers[i].end = (uint32_t)parallel_begin(n, parts, i + 1);
		readers[i].with_shapes = shapes;
	}
	if (!id_map_init(&ids, m))
		status = error_no_memory(err);
	else
		status = read_all(m, readers, parts, err);
	if (status == TFPROF_OK) {
		m->flow.edges_pending = false;
		m->flow.shapes_pending = !shapes;
	} else {
		give_up(m, n_edges, n_outputs);
	}
	if (!m->flow.shapes_pending)
		vec_clear(&m->flow.keys);
	for (size_t i = 0; i < parts; i++)
		reader_clear(&readers[i]);
	mem_free(ids.table);
	mem_free(ids.sorted);
	return status;
}
