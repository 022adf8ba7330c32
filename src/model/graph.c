/* GraphDef → nodes. Only names that are new are added; the first definition of
 * a name wins. */
#include "model/input.h"
#include "model/model.h"
#include "proto/wire.h"

/* The dimensions of a TensorShapeProto: rank 0 is [1], unknown rank is empty.
 * False with *bad set where it is malformed, with NULL when memory is out. */
static bool read_shape_dims(struct span message, dims_vec *dims, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	bool unknown_rank = false;

	dims->n = 0;
	while (wire_next(&r, &f)) {
		if (f.tag == WIRE_VARINT(3)) {
			unknown_rank = f.value != 0;
		} else if (f.tag == WIRE_LEN(2)) {
			struct wire_reader inner = wire_reader(f.bytes);
			int64_t size = 0;

			while (wire_next(&inner, &f))
				if (f.tag == WIRE_VARINT(1))
					size = (int64_t)f.value;
			if (inner.bad) {
				*bad = inner.bad;
				return false;
			}
			if (!vec_push(dims, size)) {
				*bad = NULL;
				return false;
			}
		}
	}
	if (r.bad) {
		*bad = r.bad;
		return false;
	}
	if (dims->n == 0 && !unknown_rank && !vec_push(dims, 1)) {
		*bad = NULL;
		return false;
	}
	return true;
}

struct loader {
	struct model *model;
	dims_vec dims;
	const char *bad;       /* malformed here; NULL: memory is out */
	size_t inputs_seen;
};

static bool fail(struct loader *l, const char *bad)
{
	l->bad = bad;
	return false;
}

static bool add_shape(struct loader *l, struct span message, uint32_t *id)
{
	if (!read_shape_dims(message, &l->dims, &l->bad))
		return false;
	*id = shapes_add(&l->model->shapes, l->dims.at, l->dims.n);
	return *id != NONE ? true : fail(l, NULL);
}

/* AttrValue.list { shape = 7 } */
static bool read_output_shapes(struct loader *l, uint32_t node, struct span list)
{
	struct model *m = l->model;
	struct wire_reader r = wire_reader(list);
	struct wire_field f;
	struct output output = {0};

	while (wire_next(&r, &f)) {
		if (f.tag != WIRE_LEN(7))
			continue;
		if (!add_shape(l, f.bytes, &output.shape))
			return false;
		if (!vec_push(&m->outputs, output))
			return fail(l, NULL);
		output.slot++;
	}
	m->nodes.n_outputs[node] = (uint32_t)output.slot;
	return r.bad ? fail(l, r.bad) : true;
}

/* The member of AttrValue's oneof that counts is the last one. */
static bool read_attr_value(struct loader *l, struct span value, struct wire_field *member)
{
	struct wire_reader r = wire_reader(value);
	struct wire_field f;

	member->tag = 0;
	while (wire_next(&r, &f))
		*member = f;
	return r.bad ? fail(l, r.bad) : true;
}

static bool read_attr(struct loader *l, uint32_t node, struct span entry)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f, member;
	struct span key = {"", 0}, value = {"", 0};
	struct model *m = l->model;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(1))
			key = f.bytes;
		else if (f.tag == WIRE_LEN(2))
			value = f.bytes;
	if (r.bad)
		return fail(l, r.bad);
	if (span_equal(key, SPAN("shape"))) {
		if (!read_attr_value(l, value, &member))
			return false;
		if (member.tag == WIRE_LEN(7))
			return add_shape(l, member.bytes, &m->nodes.shape[node]);
	} else if (span_equal(key, SPAN("_output_shapes"))) {
		if (!read_attr_value(l, value, &member))
			return false;
		if (member.tag == WIRE_LEN(1)) {
			/* A later entry of the same key replaces an earlier one. */
			m->outputs.n = m->nodes.first_output[node];
			return read_output_shapes(l, node, member.bytes);
		}
	}
	return true;
}

/* "name", "name:2" or "^name" */
static bool read_input(struct loader *l, uint32_t node, struct span text)
{
	struct model *m = l->model;
	struct edge edge = {.position = (int32_t)l->inputs_seen++};
	const char *colon;

	if (text.n && text.at[0] == '^') {
		text.at++;
		text.n--;
	}
	colon = text.n ? memchr(text.at, ':', text.n) : NULL;
	if (colon) {
		int64_t output = 0;

		for (const char *c = colon + 1; c < text.at + text.n; c++) {
			if (*c < '0' || *c > '9' || output > INT32_MAX / 10) {
				output = 0;
				break;
			}
			output = output * 10 + (*c - '0');
		}
		edge.output = (int32_t)output;
		text.n = (size_t)(colon - text.at);
	}
	edge.source = strings_alias(&m->strings, text);
	if (edge.source == NONE || m->edges.n >= NONE - 1 || !vec_push(&m->edges, edge))
		return fail(l, NULL);
	m->nodes.n_edges[node]++;
	return true;
}

static bool read_node(struct loader *l, struct span message)
{
	struct model *m = l->model;
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct span name = {"", 0}, op = {"", 0};
	uint32_t name_id, op_id, node;
	bool fine = true;

	/* Names come first in practice, but nothing promises it. */
	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(1))
			name = f.bytes;
		else if (f.tag == WIRE_LEN(2))
			op = f.bytes;
	if (r.bad)
		return fail(l, r.bad);
	name_id = strings_alias(&m->strings, name);
	op_id = strings_alias(&m->strings, op);
	if (name_id == NONE || op_id == NONE)
		return fail(l, NULL);
	if (model_node_of(m, name_id) != NONE)
		return true;
	node = model_add_node(m, name_id, op_id);
	if (node == NONE)
		return fail(l, NULL);
	m->nodes.source[node] = message.at;
	l->inputs_seen = 0;
	r = wire_reader(message);
	while (fine && wire_next(&r, &f))
		if (f.tag == WIRE_LEN(3))
			fine = read_input(l, node, f.bytes);
		else if (f.tag == WIRE_LEN(5))
			fine = read_attr(l, node, f.bytes);
	return fine;
}

static bool read_graph(struct loader *l, struct span graph)
{
	struct wire_reader r = wire_reader(graph);
	struct wire_field f;
	size_t n = 0;

	while (wire_next(&r, &f)) {
		if (f.tag != WIRE_LEN(1))
			continue;
		if (!read_node(l, f.bytes))
			return false;
		if (++n % 4096 == 0)
			model_progress(l->model, (size_t)(r.at - graph.at), graph.n);
	}
	return r.bad ? fail(l, r.bad) : true;
}

enum tfprof_status model_add_graph(struct model *m, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	struct source source;
	struct loader l = {.model = m};
	size_t n_nodes = m->nodes.n, n_edges = m->edges.n, n_outputs = m->outputs.n;
	enum tfprof_status status = input_open(&source, in, INPUT_GRAPH, err);
	bool read;

	if (status == TFPROF_OK && !model_index_names(m))
		status = error_no_memory(err);
	/* Kept before it is read: interned names point into it from the first
	 * node on, also if a later one turns out to be damaged. */
	if (status == TFPROF_OK)
		status = model_keep(m, &source, err);
	if (status != TFPROF_OK) {
		source_close(&source);
		return status;
	}
	source = m->sources.at[m->sources.n - 1];
	read = read_graph(&l, source.bytes);
	vec_clear(&l.dims);
	if (!read) {
		model_truncate_nodes(m, n_nodes, n_edges, n_outputs);
		return l.bad ? input_malformed(in, INPUT_GRAPH, &source, l.bad, err)
			     : error_no_memory(err);
	}
	m->generation++;
	return TFPROF_OK;
}
