/* The inputs of a saved profile's nodes, node by node, for graph view (node_inputs.h)
 * and for completing the model (profile_flow.c). A ProfileNode identifies the sources
 * of its inputs by id. */
#ifndef TFPROF_LOAD_PROFILE_EDGES_H
#define TFPROF_LOAD_PROFILE_EDGES_H

#include "load/id_map.h"

struct profile_edge {
	int64_t source_id;
	uint32_t source; /* the node of that id */
	int32_t position;
};

/* For some of the nodes: readers of others may work in parallel. */
struct edge_reader {
	const struct model *model;
	const struct id_map *ids;
	struct decoder decoder;
	bool has_unknown_source; /* an edge's source has this id, which no node has: */
	int64_t unknown_id;
	uint32_t node;                  /* being read, or that it failed at */
	VEC(struct profile_edge) edges; /* of that node, by position */
};

static inline bool edge_reader_has_failed(const struct edge_reader *r)
{
	return r->decoder.failed || r->has_unknown_source;
}

/* Reads the edges of a node. There must be as many as were counted when the profile
 * was loaded. */
void edge_reader_read(struct edge_reader *r, uint32_t node);

/* The same for callers that walk over the fields of the node anyway. */
static inline void edge_reader_begin(struct edge_reader *r, uint32_t node)
{
	r->node = node;
	r->edges.n = 0;
}
void edge_reader_add(struct edge_reader *r, struct span input);
void edge_reader_end(struct edge_reader *r);

void edge_reader_clear(struct edge_reader *r);

/* The error message for a failure. */
enum tfprof_status edge_reader_explain(const struct edge_reader *r, struct tfprof_error *err);

/* Prefetches the bytes of a node a few places further on, before `end`. */
PREFETCHES edge_reader_prefetch(const struct model *m, uint32_t node, uint32_t end)
{
	enum { AHEAD = 8, INPUTS = 256 };
	struct span message;

	if (end - node <= AHEAD)
		return;
	message = model_source(m, node + AHEAD); /* inputs follow the name */
	prefetch_bytes(message.at, message.n < INPUTS ? message.n : INPUTS);
}

#endif
