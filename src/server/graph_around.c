#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "server/graph.h"
#include "server/view_query.h"

enum { MAX_HOPS = 2, MAX_LINKS = 12 };

/* The next nodes in one direction, as they are found. */
struct hop {
	struct graph_request *g;
	size_t n_links;
};

static void add_node_box(struct graph_request *g, size_t node)
{
	int64_t row = node < g->n_nodes ? g->row_of_node[node] : -1;

	if (row < 0 || g->groups[node] != TFPROF_NO_GROUP || g->failed)
		return;
	if (g->boxes.n >= (size_t)g->limit) {
		g->n_left_out++;
		return;
	}
	g->groups[node] = (uint32_t)g->boxes.n;
	g->failed |= !vec_push(&g->around, node) ||
		!vec_push(&g->boxes,
			((struct box){.n_alike = 1,
				.row = row,
				.total = g->metric->total[row],
				.n_nodes = 1,
				.id = (uint32_t)g->boxes.n}));
}

static int add_link(void *context, const struct tfprof_link *link)
{
	struct hop *hop = context;

	if (link->is_control)
		return 0;
	if (hop->n_links++ < MAX_LINKS)
		add_node_box(hop->g, link->node);
	else
		hop->g->n_left_out++;
	return hop->g->failed;
}

/* Follows inputs, or consumers, from the first node. */
static enum tfprof_status follow(struct graph_request *g, tfprof_profile *profile, bool inputs,
	struct tfprof_error *err)
{
	size_t begin = 0, end = 1;
	enum tfprof_status status = TFPROF_OK;

	for (int i = 0; i < MAX_HOPS; i++) {
		size_t next = g->around.n;

		for (size_t k = begin; status == TFPROF_OK && k < end; k++) {
			struct hop hop = {g, 0};
			struct tfprof_node_visitor visitor = {.input = inputs ? add_link : NULL,
				.consumer = inputs ? NULL : add_link,
				.context = &hop};

			status = tfprof_profile_visit_node(profile, g->around.at[k], NULL, &visitor,
				err);
		}
		begin = next;
		end = g->around.n;
	}
	return status;
}

enum tfprof_status graph_find_around(struct graph_request *g, tfprof_profile *profile,
	const char *name, struct tfprof_error *err)
{
	size_t node = view_find_node(profile, name);
	enum tfprof_status status;

	if (node == SIZE_MAX)
		return error_set(err, TFPROF_ARGUMENT, "around=%.200s: no such node", name);
	g->groups = mem_array(g->n_nodes + 1, sizeof(*g->groups));
	if (!g->groups)
		return error_no_memory(err);
	memset(g->groups, 0xff, (g->n_nodes + 1) * sizeof(*g->groups));
	add_node_box(g, node);
	if (!g->around.n)
		return error_set(err, TFPROF_ARGUMENT, "around=%.200s: hidden by these options",
			name);
	status = follow(g, profile, true, err);
	if (status == TFPROF_OK)
		status = follow(g, profile, false, err);
	g->n_shown = g->boxes.n;
	return status == TFPROF_OK && g->failed ? error_no_memory(err) : status;
}
