/* What /api/graph is made of: boxes, each a layer, several alike ones or a node, and the edges
 * between them.
 *
 *     rows ──siblings──> boxes ──nodes──> groups ──edges──> edges between boxes */
#ifndef TFPROF_SERVER_GRAPH_H
#define TFPROF_SERVER_GRAPH_H

#include "server/call.h"
#include "server/siblings.h"
#include "server/table_json.h"

struct box {
	size_t first, n_alike; /* rows: siblings; more than one is a fold */
	int64_t row, total;    /* row: of the first */
	int64_t n_nodes;
	uint32_t id;          /* once it is shown */
	uint32_t n_neighbors; /* other boxes */
	bool has_input, has_output;
};

struct graph_request {
	struct call *call;
	struct table_json table;
	const struct table_json_metric *metric;
	const int64_t *row_of_node;
	size_t n_nodes;
	int64_t root, limit;
	VEC(struct sibling) siblings;
	VEC(struct box) boxes; /* those shown first, by total; the rest folds into one */
	size_t n_shown;
	uint32_t *box_of_row, *groups;
	int64_t *selected; /* by row, or NULL */
	VEC(struct tfprof_edges) edges;
	VEC(char *) shapes; /* of the edges */
	VEC(size_t) around; /* a node that is asked about, and those near it; or empty */
	size_t n_left_out;  /* of these */
	bool failed;
};

/* The children of a scope, and which box each node is in. */
enum tfprof_status graph_find_boxes(struct graph_request *g, tfprof_profile *profile,
	struct tfprof_error *err);

/* Boxes are a node, up to two hops of its inputs and two of its consumers. */
enum tfprof_status graph_find_around(struct graph_request *g, tfprof_profile *profile,
	const char *name, struct tfprof_error *err);

#endif
