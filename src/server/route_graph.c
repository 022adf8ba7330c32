/* /api/graph: the children of a scope as boxes, and what flows between them. Scopes named in
 * `open` (comma-separated) show their children in their place. Of too many boxes the cheapest
 * become one. Boxes joined to nearly everything, and tiny ones, are set aside: their edges
 * would hide the others. With `around`, a node's number or name, boxes are that node and its
 * neighbours. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "model/gradient.h"
#include "server/find.h"
#include "server/routes.h"
#include "server/selection.h"

enum { MAX_BOXES = 120, DEFAULT_BOXES = 60 };
enum { MIN_HUB = 6, TINY_NODES = 2, TINY_SHARE = 1000 };

struct box {
	int64_t row, total;
	int64_t n_nodes;
	uint32_t id;          /* once it is shown */
	uint32_t n_neighbors; /* other boxes */
};

struct graph_request {
	struct call *call;
	struct table_json table;
	const struct table_json_metric *metric;
	const int64_t *row_of_node;
	size_t n_nodes;
	int64_t root, limit;
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

/* ---- boxes ---------------------------------------------------------------- */

static bool is_open(const struct graph_request *g, int64_t row)
{
	const char *open = call_get(g->call, "open");
	struct span name = table_json_name(&g->table, row);

	while (open && *open) {
		size_t n = strcspn(open, ",");

		if (span_equal((struct span){open, n}, name))
			return g->table.end[row] > row + 1;
		open += n + (open[n] == ',');
	}
	return false;
}

static int by_total(const void *a, const void *b)
{
	const struct box *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

static enum tfprof_status find_boxes(struct graph_request *g, struct tfprof_error *err)
{
	const struct table_json *t = &g->table;
	int64_t row = g->root + 1;

	while (row < t->end[g->root]) {
		if (is_open(g, row)) {
			row++;
			continue;
		}
		if (!vec_push(&g->boxes,
			    ((struct box){.row = row, .total = g->metric->total[row]})))
			return error_no_memory(err);
		row = t->end[row];
	}
	if (g->boxes.n)
		qsort(g->boxes.at, g->boxes.n, sizeof(*g->boxes.at), by_total);
	g->n_shown = g->boxes.n > (size_t)g->limit ? (size_t)g->limit - 1 : g->boxes.n;
	for (size_t i = 0; i < g->boxes.n; i++)
		g->boxes.at[i].id = (uint32_t)(i < g->n_shown ? i : g->n_shown);
	return TFPROF_OK;
}

/* Which box every row and node is in. Gradients are part of their box but their edges, which
 * lead back, are not drawn while they are shown with their layer. */
static enum tfprof_status assign_nodes(struct graph_request *g, tfprof_profile *profile,
	struct tfprof_error *err)
{
	const struct table_json *t = &g->table;
	const char *fold = call_get(g->call, "fold_gradients");
	bool folds = fold && strcmp(fold, "true") == 0;

	g->box_of_row = mem_array(t->n_rows + 1, sizeof(*g->box_of_row));
	g->groups = mem_array(g->n_nodes + 1, sizeof(*g->groups));
	if (!g->box_of_row || !g->groups)
		return error_no_memory(err);
	memset(g->box_of_row, 0xff, (t->n_rows + 1) * sizeof(*g->box_of_row));
	for (size_t i = 0; i < g->boxes.n; i++)
		for (int64_t row = g->boxes.at[i].row; row < t->end[g->boxes.at[i].row]; row++)
			g->box_of_row[row] = (uint32_t)i;
	for (size_t node = 0; node < g->n_nodes; node++) {
		int64_t row = g->row_of_node[node];
		uint32_t box = row < 0 ? UINT32_MAX : g->box_of_row[row];
		struct span name;
		struct gradient parsed;

		g->groups[node] = TFPROF_NO_GROUP;
		if (box == UINT32_MAX)
			continue;
		g->boxes.at[box].n_nodes++;
		name.at = tfprof_profile_get_node_name(profile, node, &name.n);
		if (!folds || !gradient_parse(name, &parsed))
			g->groups[node] = g->boxes.at[box].id;
	}
	return TFPROF_OK;
}

/* ---- around a node ---------------------------------------------------------- */

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
			((struct box){.row = row,
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

/* Boxes are the node, up to two hops of what it takes and two of who takes it. */
static enum tfprof_status find_around(struct graph_request *g, tfprof_profile *profile,
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

/* ---- edges ---------------------------------------------------------------- */

static int keep_edge(void *context, const struct tfprof_edges *edges)
{
	struct graph_request *g = context;
	char *shape = strdup(edges->largest_shape);
	uint32_t ends[] = {edges->from, edges->to};

	if (!shape || !vec_push(&g->shapes, shape)) {
		free(shape);
		g->failed = true;
		return 1;
	}
	g->failed |= !vec_push(&g->edges, *edges);
	for (size_t i = 0; i < 2 && edges->n_tensors; i++)
		if (ends[i] < g->n_shown)
			g->boxes.at[ends[i]].n_neighbors++;
	return g->failed;
}

static int compare_counts(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* From how many neighbors on a box is a hub. */
static uint32_t find_hub_limit(const struct graph_request *g)
{
	uint32_t counts[MAX_BOXES], median;

	if (!g->n_shown)
		return MIN_HUB;
	for (size_t i = 0; i < g->n_shown; i++)
		counts[i] = g->boxes.at[i].n_neighbors;
	qsort(counts, g->n_shown, sizeof(*counts), compare_counts);
	median = counts[g->n_shown / 2];
	return 2 * median > MIN_HUB ? 2 * median : MIN_HUB;
}

static bool is_aside(const struct graph_request *g, const struct box *b, uint32_t hub_limit)
{
	if (g->around.n)
		return false;
	return b->n_neighbors > hub_limit ||
		(b->n_nodes <= TINY_NODES && b->total <= g->metric->total[g->root] / TINY_SHARE);
}

/* ---- writing ---------------------------------------------------------------- */

static void put_boxes(const struct graph_request *g, struct json *out)
{
	uint32_t hub_limit = find_hub_limit(g);

	json_key(out, "boxes");
	json_open_array(out);
	for (size_t i = 0; i < g->n_shown; i++) {
		const struct box *b = &g->boxes.at[i];

		table_json_begin(&g->table, b->row, out);
		json_put_int(out, "id", (int64_t)i);
		json_put_int(out, "nodes", b->n_nodes);
		json_put_bool(out, "aside", is_aside(g, b, hub_limit));
		json_close_object(out);
	}
	json_close_array(out);
}

static void put_rest(const struct graph_request *g, struct json *out)
{
	int64_t n_nodes = 0, total = 0, selected = 0;

	if (g->n_left_out)
		json_put_int(out, "left_out", (int64_t)g->n_left_out);
	if (g->n_shown == g->boxes.n)
		return;
	for (size_t i = g->n_shown; i < g->boxes.n; i++) {
		n_nodes += g->boxes.at[i].n_nodes;
		total += g->boxes.at[i].total;
		selected += g->selected ? g->selected[g->boxes.at[i].row] : 0;
	}
	json_key(out, "rest");
	json_open_object(out);
	json_put_int(out, "id", (int64_t)g->n_shown);
	json_put_int(out, "boxes", (int64_t)(g->boxes.n - g->n_shown));
	json_put_int(out, "nodes", n_nodes);
	json_put_int(out, "value", total);
	if (g->selected)
		json_put_int(out, "selected", selected);
	json_close_object(out);
}

static void put_edges(const struct graph_request *g, struct json *out)
{
	json_key(out, "edges");
	json_open_array(out);
	for (size_t i = 0; i < g->edges.n; i++) {
		const struct tfprof_edges *e = &g->edges.at[i];

		json_open_object(out);
		json_put_int(out, "from", e->from);
		json_put_int(out, "to", e->to);
		json_put_int(out, "tensors", (int64_t)e->n_tensors);
		json_put_int(out, "controls", (int64_t)e->n_controls);
		json_put_int(out, "elements", e->n_elements);
		json_put_text(out, "shape", g->shapes.at[i]);
		json_close_object(out);
	}
	json_close_array(out);
}

static enum tfprof_status find_root(struct graph_request *g, struct tfprof_error *err)
{
	const char *scope = call_get(g->call, "scope");

	if (!scope || !*scope)
		return TFPROF_OK;
	for (size_t row = 1; row < g->table.n_rows; row++)
		if (span_equal(table_json_name(&g->table, (int64_t)row), span_of(scope))) {
			g->root = (int64_t)row;
			return TFPROF_OK;
		}
	return error_set(err, TFPROF_ARGUMENT, "scope=%.200s: no such layer", scope);
}

static enum tfprof_status open_table(struct graph_request *g, tfprof_result *result,
	struct tfprof_error *err)
{
	const char *metric = call_get(g->call, "metric_column");
	enum tfprof_status status = table_json_open(&g->table, TFPROF_SCOPE, result, err);

	if (status == TFPROF_OK)
		status = tfprof_result_get_node_rows(result, &g->row_of_node, &g->n_nodes, err);
	if (status == TFPROF_OK)
		status =
			call_get_int(g->call, "limit", DEFAULT_BOXES, 2, MAX_BOXES, &g->limit, err);
	if (status != TFPROF_OK)
		return status;
	g->metric = table_json_metric(&g->table, metric ? metric : "exec_micros");
	if (!g->metric)
		return error_set(err, TFPROF_ARGUMENT, "metric_column=%.100s: no such column",
			metric);
	if (!g->table.n_rows)
		return error_set(err, TFPROF_ARGUMENT, "nothing matches these options");
	return find_root(g, err);
}

static enum tfprof_status select_rows(struct graph_request *g, tfprof_result *result,
	struct tfprof_error *err)
{
	struct selection selection;
	enum tfprof_status status = selection_open(&selection, g->call, err);

	if (status == TFPROF_OK)
		status = selection_sum(&selection, &g->table, result, g->metric->name, true,
			&g->selected, err);
	g->table.selected = g->selected;
	selection_close(&selection);
	return status;
}

static void clear(struct graph_request *g)
{
	for (size_t i = 0; i < g->shapes.n; i++)
		free(g->shapes.at[i]);
	vec_clear(&g->shapes);
	vec_clear(&g->edges);
	vec_clear(&g->boxes);
	vec_clear(&g->around);
	mem_free(g->box_of_row);
	mem_free(g->groups);
	mem_free(g->selected);
	regexes_free(g->table.find);
}

enum tfprof_status route_graph(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct graph_request g = {.call = c};
	const char *around = call_get(c, "around");
	struct shown_profile *profile;
	struct kept *kept = NULL;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = view_query(c, TFPROF_SCOPE, &kept, err);
	if (status == TFPROF_OK)
		status = open_table(&g, kept_get(kept), err);
	if (status == TFPROF_OK)
		status = select_rows(&g, kept_get(kept), err);
	if (status == TFPROF_OK)
		status = find_compile(c, &g.table.find, err);
	if (status == TFPROF_OK && around) {
		status = find_around(&g, profile->profile, around, err);
	} else if (status == TFPROF_OK) {
		status = find_boxes(&g, err);
		if (status == TFPROF_OK)
			status = assign_nodes(&g, profile->profile, err);
	}
	if (status == TFPROF_OK)
		status = tfprof_profile_find_edges(profile->profile, g.groups, keep_edge, &g, err);
	if (status == TFPROF_OK && g.failed)
		status = error_no_memory(err);
	if (status == TFPROF_OK) {
		json_open_object(out);
		json_key(out, "root");
		table_json_put(&g.table, g.root, out);
		put_boxes(&g, out);
		put_rest(&g, out);
		put_edges(&g, out);
		json_close_object(out);
	}
	clear(&g);
	store_release(c->store, kept);
	return status;
}
