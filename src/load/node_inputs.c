/* The inputs of an incomplete model are in the bytes of its profile. They are read
 * from there without completing the model, which takes three times as long, because
 * shapes are not needed. */
#include "load/node_inputs.h"

#include "base/parallel.h"
#include "load/profile_edges.h"

/* A part: the nodes begin … end - 1. */
struct part {
	struct edge_reader reader;
	struct node_inputs *inputs;
	uint32_t begin, end;
};

/* An edge names its source; of two nodes with one name, the later one is meant. */
static uint32_t node_of_name(const struct model *m, uint32_t node)
{
	return model_node_of(m, m->nodes.name[node]);
}

static void read_from_profile(struct part *p, uint32_t node, uint32_t *source)
{
	const struct model *m = p->reader.model;

	edge_reader_prefetch(m, node, p->end); /* else graph_first takes 70 % longer */
	edge_reader_read(&p->reader, node);
	for (size_t i = 0; !edge_reader_has_failed(&p->reader) && i < p->reader.edges.n; i++)
		source[i] = node_of_name(m, p->reader.edges.at[i].source);
}

static void read_from_edges(const struct model *m, uint32_t node, uint32_t *source)
{
	const struct edge *edges = m->edges.n ? m->edges.at + m->nodes.first_edge[node] : NULL;

	for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++)
		source[i] = model_node_of(m, edges[i].source);
}

static void read_part(void *context, size_t i)
{
	struct part *p = (struct part *)context + i;
	const struct model *m = p->reader.model;
	size_t n_pending = m->flow.is_pending ? m->flow.n : 0;

	for (uint32_t node = p->begin; node < p->end && !edge_reader_has_failed(&p->reader);
		node++) {
		uint32_t *source = p->inputs->source + p->inputs->first[node];

		if (node < n_pending)
			read_from_profile(p, node, source);
		else
			read_from_edges(m, node, source);
	}
}

static bool make_room(struct node_inputs *in, const struct model *m, struct arena *arena)
{
	size_t n = m->nodes.n, at = 0;

	in->first = arena_array(arena, n + 1, sizeof(*in->first));
	for (size_t node = 0; in->first && node < n; node++) {
		in->first[node] = (uint32_t)at;
		at += m->nodes.n_edges[node];
	}
	if (!in->first || at >= NONE)
		return false;
	in->first[n] = (uint32_t)at;
	in->n = at;
	in->source = arena_array(arena, at, sizeof(*in->source));
	return in->source;
}

static enum tfprof_status read_all(struct node_inputs *in, const struct model *m,
	const struct id_map *ids, struct tfprof_error *err)
{
	enum { LEAST_PART = 8192 };
	struct part part[PARALLEL_MAX] = {0};
	size_t parts = parallel_parts(m->nodes.n, LEAST_PART);
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; i < parts; i++)
		part[i] = (struct part){{.model = m, .ids = ids}, in,
			(uint32_t)parallel_begin(m->nodes.n, parts, i),
			(uint32_t)parallel_begin(m->nodes.n, parts, i + 1)};
	parallel_run(parts, read_part, part);
	for (size_t i = 0; i < parts; i++) {
		if (status == TFPROF_OK && edge_reader_has_failed(&part[i].reader))
			status = edge_reader_explain(&part[i].reader, err);
		edge_reader_clear(&part[i].reader);
	}
	return status;
}

enum tfprof_status node_inputs_read(struct node_inputs *in, const struct model *m,
	struct arena *arena, struct tfprof_error *err)
{
	struct id_map ids = {0};
	enum tfprof_status status = TFPROF_OK;

	if (!make_room(in, m, arena) || (m->flow.is_pending && !id_map_init(&ids, m)))
		status = error_no_memory(err);
	else
		status = read_all(in, m, &ids, err);
	id_map_clear(&ids);
	return status;
}
