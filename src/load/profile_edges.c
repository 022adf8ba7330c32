#include "load/profile_edges.h"

#include <stdlib.h>

static int by_position(const void *a, const void *b)
{
	const struct profile_edge *x = a, *y = b;

	return (x->position > y->position) - (x->position < y->position);
}

/* Maps may be in any order; in practice they are short and nearly sorted. */
static bool in_order(const struct edge_reader *r)
{
	for (size_t i = 1; i < r->edges.n; i++)
		if (r->edges.at[i - 1].position >= r->edges.at[i].position)
			return false;
	return true;
}

static void find_source(struct edge_reader *r, struct profile_edge *e)
{
	e->source = id_map_find(r->ids, e->source_id);
	if (e->source == NONE && !r->has_unknown_source) {
		r->has_unknown_source = true;
		r->unknown_id = e->source_id;
	}
}

void edge_reader_add(struct edge_reader *r, struct span input)
{
	struct map_entry entry = map_entry_read(&r->decoder, input);
	struct profile_edge edge = {entry.number, NONE, (int32_t)entry.key};

	decoder_alloc(&r->decoder, vec_push(&r->edges, edge));
}

void edge_reader_end(struct edge_reader *r)
{
	if (r->edges.n != r->model->nodes.n_edges[r->node]) /* not as many as were counted */
		decoder_fail(&r->decoder, model_source(r->model, r->node).at);
	if (r->decoder.failed)
		return;
	if (!in_order(r))
		qsort(r->edges.at, r->edges.n, sizeof(*r->edges.at), by_position);
	for (size_t i = 0; i < r->edges.n; i++)
		find_source(r, &r->edges.at[i]);
}

void edge_reader_read(struct edge_reader *r, uint32_t node)
{
	struct wire_reader w = wire_reader(model_source(r->model, node));
	struct wire_field f;

	edge_reader_begin(r, node);
	while (r->edges.n < r->model->nodes.n_edges[node] && !r->decoder.failed &&
		decoder_find(&r->decoder, &w, WIRE_LEN(PROFILE_NODE_INPUTS), &f))
		edge_reader_add(r, f.bytes);
	edge_reader_end(r);
}

void edge_reader_clear(struct edge_reader *r)
{
	vec_clear(&r->edges);
}

enum tfprof_status edge_reader_explain(const struct edge_reader *r, struct tfprof_error *err)
{
	const struct model *m = r->model;
	struct span name;

	/* Then there may be no node yet. */
	if (r->decoder.failed && !r->decoder.bad)
		return error_no_memory(err);
	name = model_name(m, r->node);
	if (r->has_unknown_source)
		return error_set(err, TFPROF_FORMAT,
			"%s: node '%.*s' has an input from node id %lld, which is not in the "
			"profile",
			m->flow.profile, ERROR_SPAN(name), (long long)r->unknown_id);
	return error_set(err, TFPROF_FORMAT, "%s: node '%.*s' is damaged at its byte %zu",
		m->flow.profile, ERROR_SPAN(name),
		(size_t)(r->decoder.bad - model_source(m, r->node).at));
}
