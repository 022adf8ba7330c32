/* Edges, outputs and shapes of a saved profile: what makes a loaded model complete.
 *
 * Input shapes, messages, advice and saving need them, reports do not: they stay in
 * the bytes of the ProfileNodes until one is asked for.
 *
 * Nodes are read in parts, in parallel. How many inputs each has was counted when the
 * profile was loaded, so every part knows where its edges go. Outputs and shapes it
 * keeps in lists of its own, which are then put together in order. */
#include "load/load.h"
#include "model/run_shapes.h"

#include <stdlib.h>

#include "base/parallel.h"
#include "load/profile_edges.h"
#include "proto/tuple.h"

struct source_output {
	int64_t source_id;
	int32_t output;
};

/* A part: nodes begin … end - 1. */
struct reader {
	struct model *model;
	struct edge_reader edges;
	uint32_t begin, end;
	/* of the node being read: */
	VEC(struct source_output) source_outputs;
	VEC(struct output) input_shapes;
	dims_vec dims;
	/* where its edges go among the model's, and the next one: */
	size_t first_edge, next_edge;
	/* of all of its nodes: */
	VEC(struct output) outputs; /* with shapes of the reader's own … */
	struct shapes shapes;
	uint32_t *shape_ids; /* … which are these of the model */
	/* edges that carry a shape of their own, for when all outputs are known */
	VEC(struct own_shape {
		size_t edge;
		uint32_t shape;
	})
	own_shapes;
};

static struct decoder *decoder(struct reader *r)
{
	return &r->edges.decoder;
}

/* ---- shapes -------------------------------------------------------------- */

static void add_dim(void *context, int64_t size)
{
	struct reader *r = context;

	decoder_alloc(decoder(r), vec_push(&r->dims, size));
}

/* A map entry { slot, Tuple of dimensions }. */
static struct output read_shape(struct reader *r, struct span message)
{
	struct map_entry entry = map_entry_read(decoder(r), message);
	struct output output = {.slot = (int32_t)entry.key};

	r->dims.n = 0;
	tuple_read(decoder(r), entry.value, add_dim, r);
	output.shape = shapes_add(&r->shapes, r->dims.at, r->dims.n);
	decoder_alloc(decoder(r), output.shape != NONE);
	return output;
}

static void read_source_output(struct reader *r, struct span message)
{
	struct map_entry entry = map_entry_read(decoder(r), message);
	struct source_output output = {entry.key, (int32_t)entry.number};

	/* Edges have output 0 by default. */
	if (output.output)
		decoder_alloc(decoder(r), vec_push(&r->source_outputs, output));
}

static int by_source(const void *a, const void *b)
{
	const struct source_output *x = a, *y = b;

	return (x->source_id > y->source_id) - (x->source_id < y->source_id);
}

/* ---- edges --------------------------------------------------------------- */

static int32_t output_of(const struct reader *r, const struct profile_edge *e)
{
	struct source_output key = {e->source_id, 0}, *hit = NULL;

	if (r->source_outputs.n)
		hit = bsearch(&key, r->source_outputs.at, r->source_outputs.n, sizeof(key),
			by_source);
	return hit ? hit->output : 0;
}

/* The input shape written with the edge; NONE if there is none. */
static uint32_t own_shape_of(const struct reader *r, const struct profile_edge *e)
{
	uint32_t shape = NONE;

	for (size_t i = 0; i < r->input_shapes.n; i++)
		if (r->input_shapes.at[i].slot == e->position)
			shape = r->input_shapes.at[i].shape;
	return shape;
}

static void add_edge(struct reader *r, const struct profile_edge *e)
{
	struct model *m = r->model;
	struct own_shape own = {r->next_edge, own_shape_of(r, e)};

	if (own.shape != NONE)
		decoder_alloc(decoder(r), vec_push(&r->own_shapes, own));
	m->edges.at[r->next_edge++] =
		(struct edge){m->nodes.name[e->source], e->position, output_of(r, e)};
}

/* ---- nodes --------------------------------------------------------------- */

static void read_field(struct reader *r, const struct wire_field *f)
{
	switch (f->tag) {
	case WIRE_LEN(PROFILE_NODE_INPUTS): edge_reader_add(&r->edges, f->bytes); break;
	case WIRE_LEN(PROFILE_NODE_SRC_OUTPUT_INDEX): read_source_output(r, f->bytes); break;
	case WIRE_LEN(PROFILE_NODE_OUTPUT_SHAPES):
		decoder_alloc(decoder(r), vec_push(&r->outputs, read_shape(r, f->bytes)));
		break;
	case WIRE_LEN(PROFILE_NODE_INPUT_SHAPES):
		decoder_alloc(decoder(r), vec_push(&r->input_shapes, read_shape(r, f->bytes)));
		break;
	}
}

static void read_node(struct reader *r, uint32_t node)
{
	struct wire_reader w = wire_reader(model_source(r->model, node));
	size_t first_output = r->outputs.n;
	struct wire_field f;

	r->source_outputs.n = r->input_shapes.n = 0;
	edge_reader_begin(&r->edges, node);
	while (decoder_next(decoder(r), &w, &f))
		read_field(r, &f);
	edge_reader_end(&r->edges);
	r->model->nodes.n_outputs[node] = (uint32_t)(r->outputs.n - first_output);
	if (r->source_outputs.n > 1)
		qsort(r->source_outputs.at, r->source_outputs.n, sizeof(*r->source_outputs.at),
			by_source);
	for (size_t i = 0; !edge_reader_has_failed(&r->edges) && i < r->edges.edges.n; i++)
		add_edge(r, &r->edges.edges.at[i]);
}

static void read_part(void *context, size_t part)
{
	struct reader *r = (struct reader *)context + part;

	decoder_alloc(decoder(r), shapes_init(&r->shapes));
	for (uint32_t node = r->begin; node < r->end && !edge_reader_has_failed(&r->edges);
		node++) {
		/* else op_message of loops takes 12 % longer */
		edge_reader_prefetch(r->model, node, r->end);
		read_node(r, node);
	}
}

/* Room for the edges of all parts. */
static bool make_room(struct model *m, struct reader *readers, size_t parts)
{
	size_t at = m->edges.n;

	for (size_t i = 0; i < parts; i++) {
		readers[i].first_edge = readers[i].next_edge = at;
		for (uint32_t node = readers[i].begin; node < readers[i].end; node++)
			at += m->nodes.n_edges[node];
	}
	return at < NONE && vec_reserve(&m->edges, at - m->edges.n);
}

/* ---- putting together ------------------------------------------------------ */

/* Maps the shapes of a part to ids of the model. */
static bool translate_shapes(struct model *m, struct reader *r)
{
	r->shape_ids = mem_array(r->shapes.at.n, sizeof(*r->shape_ids));
	for (uint32_t i = 0; r->shape_ids && i < r->shapes.at.n; i++) {
		const struct shape *shape = shapes_get(&r->shapes, i);

		r->shape_ids[i] = shape->n ? shapes_add(&m->shapes, shape->dims, shape->n) : 0;
		if (r->shape_ids[i] == NONE)
			return false;
	}
	return r->shape_ids;
}

static bool prepare_to_join(struct model *m, struct reader *readers, size_t parts)
{
	size_t n_outputs = 0;

	for (size_t i = 0; i < parts; i++) {
		n_outputs += readers[i].outputs.n;
		if (!translate_shapes(m, &readers[i]))
			return false;
	}
	return n_outputs < NONE - m->outputs.n && vec_reserve(&m->outputs, n_outputs);
}

static void join(struct model *m, const struct reader *r)
{
	size_t edge = r->first_edge, output = m->outputs.n;

	for (size_t i = 0; i < r->outputs.n; i++)
		m->outputs.at[m->outputs.n++] = (struct output){r->outputs.at[i].slot,
			r->shape_ids[r->outputs.at[i].shape]};
	for (uint32_t node = r->begin; node < r->end; node++) {
		m->nodes.first_edge[node] = (uint32_t)edge;
		m->nodes.first_output[node] = (uint32_t)output;
		edge += m->nodes.n_edges[node];
		output += m->nodes.n_outputs[node];
	}
	m->edges.n = edge;
}

/* An edge with its own shape leads to the source's output of that shape if the saved
 * index leads to another. An unknown shape may be that of an output that was never
 * described: one after all others. */
static void set_output(struct model *m, struct edge *e, uint32_t shape)
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

static void set_outputs(struct model *m, const struct reader *r)
{
	for (size_t i = 0; i < r->own_shapes.n; i++)
		set_output(m, &m->edges.at[r->own_shapes.at[i].edge],
			r->shape_ids[r->own_shapes.at[i].shape]);
}

/* ---- all of it -------------------------------------------------------------- */

static enum tfprof_status read_all(struct model *m, struct reader *readers, size_t parts,
	struct tfprof_error *err)
{
	if (!make_room(m, readers, parts))
		return error_no_memory(err);
	parallel_run(parts, read_part, readers);
	for (size_t i = 0; i < parts; i++)
		if (edge_reader_has_failed(&readers[i].edges))
			return edge_reader_explain(&readers[i].edges, err);
	if (!prepare_to_join(m, readers, parts))
		return error_no_memory(err);
	for (size_t i = 0; i < parts; i++)
		join(m, &readers[i]);
	for (size_t i = 0; i < parts; i++)
		set_outputs(m, &readers[i]);
	return TFPROF_OK;
}

static void reader_clear(struct reader *r)
{
	edge_reader_clear(&r->edges);
	vec_clear(&r->source_outputs);
	vec_clear(&r->input_shapes);
	vec_clear(&r->dims);
	vec_clear(&r->outputs);
	vec_clear(&r->own_shapes);
	shapes_clear(&r->shapes);
	mem_free(r->shape_ids);
}

static enum tfprof_status complete(struct model *m, const struct id_map *ids,
	struct tfprof_error *err)
{
	enum { LEAST_PART = 8192 };
	size_t n = m->flow.n, parts = parallel_parts(n, LEAST_PART);
	struct reader *readers = mem_zero_array(parts, sizeof(*readers));
	enum tfprof_status status;

	if (!readers)
		return error_no_memory(err);
	for (size_t i = 0; i < parts; i++) {
		readers[i].model = m;
		readers[i].edges = (struct edge_reader){.model = m, .ids = ids};
		readers[i].begin = (uint32_t)parallel_begin(n, parts, i);
		readers[i].end = (uint32_t)parallel_begin(n, parts, i + 1);
	}
	status = read_all(m, readers, parts, err);
	for (size_t i = 0; i < parts; i++)
		reader_clear(&readers[i]);
	mem_free(readers);
	return status;
}

enum tfprof_status model_complete(struct model *m, struct tfprof_error *err)
{
	struct id_map ids = {0};
	enum tfprof_status status;

	if (!run_shapes_prepare(m))
		return error_no_memory(err);
	if (!m->flow.is_pending)
		return TFPROF_OK;
	if (!model_index_names(m) || !id_map_init(&ids, m))
		status = error_no_memory(err);
	else
		status = complete(m, &ids, err);
	id_map_clear(&ids);
	if (status == TFPROF_OK) {
		vec_clear(&m->flow.keys);
		m->flow.is_pending = false;
	} else {
		memset(m->nodes.n_outputs, 0, m->flow.n * sizeof(*m->nodes.n_outputs));
	}
	return status;
}
