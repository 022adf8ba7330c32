/* /api/graph: the children of a scope as boxes, and what flows between them. Scopes named in
 * `open` (comma-separated) show their children in their place. Of too many boxes the cheapest
 * become one, and so do many that differ in digits only (siblings.h), unless `open` names them
 * or `fold_alike` is false. Boxes joined to nearly everything, and tiny ones, are set aside: their
 * edges would hide the others. With `around`, a node's number or name, boxes are that node and its
 * neighbours. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/median.h"
#include "base/mem.h"
#include "server/find.h"
#include "server/graph.h"
#include "server/routes.h"
#include "server/selection.h"

enum { MAX_BOXES = 120, DEFAULT_BOXES = 60 };
enum {
	MIN_HUB = 6,
	MAX_BETWEEN = 40,
	MAX_SOURCES = 6,
	MAX_GIVERS = 3,
	TINY_NODES = 2,
	TINY_SHARE = 1000,
	LARGE_SHARE = 10
};

/* ---- edges ---------------------------------------------------------------- */

static int keep_edge(void *context, const struct tfprof_edges *edges)
{
	struct graph_request *g = context;
	char *shape = span_copy(span_of(edges->largest_shape));
	uint32_t ends[] = {edges->from, edges->to};

	if (!shape || !vec_push(&g->shapes, shape)) {
		mem_free(shape);
		g->failed = true;
		return 1;
	}
	g->failed |= !vec_push(&g->edges, *edges);
	for (size_t i = 0; i < 2 && edges->n_tensors; i++)
		if (ends[i] < g->n_shown) {
			g->boxes.at[ends[i]].n_neighbors++;
			g->boxes.at[ends[i]].has_input |= i == 1;
			g->boxes.at[ends[i]].has_output |= i == 0;
		}
	return g->failed;
}

/* From how many neighbors on a box is a hub. */
static uint32_t find_hub_limit(const struct graph_request *g)
{
	int64_t counts[MAX_BOXES];
	uint32_t median;

	if (!g->n_shown)
		return MIN_HUB;
	for (size_t i = 0; i < g->n_shown; i++)
		counts[i] = g->boxes.at[i].n_neighbors;
	median = (uint32_t)median_of_ints(counts, g->n_shown);
	return 2 * median > MIN_HUB ? 2 * median : MIN_HUB;
}

static bool is_source(const struct box *b)
{
	return b->has_output && !b->has_input;
}

/* Few boxes that only give are the model's inputs; many are its variables. */
static bool has_few_sources(const struct graph_request *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_shown; i++)
		n += is_source(&g->boxes.at[i]);
	return n <= MAX_SOURCES;
}

/* Few lead to an output of the model; many to a node that only waits for them. */
static bool is_output(const struct box *b)
{
	return b->has_input && !b->has_output && b->n_neighbors <= MAX_GIVERS;
}

/* Of few boxes, those between others stay, and what comes out: without them the flow would have
 * gaps. */
static bool is_tiny(const struct graph_request *g, const struct box *b)
{
	bool is_in_flow = g->n_shown <= MAX_BETWEEN &&
		((b->has_input && b->has_output) || is_output(b) ||
			(is_source(b) && has_few_sources(g)));

	return !is_in_flow && b->n_nodes <= (int64_t)(TINY_NODES * b->n_alike) &&
		b->total <= g->metric->total[g->root] / TINY_SHARE;
}

/* What costs most is drawn in any case. */
static bool is_aside(const struct graph_request *g, const struct box *b, uint32_t hub_limit)
{
	if (g->around.n)
		return false;
	/* What most nodes are in is the computation, whatever the metric says of it. */
	if (b->n_nodes > (int64_t)(g->n_nodes / LARGE_SHARE))
		return false;
	return (b->n_neighbors > hub_limit &&
		       b->total <= g->metric->total[g->root] / LARGE_SHARE) ||
		is_tiny(g, b);
}

/* ---- writing ---------------------------------------------------------------- */

static int64_t sum_of_fold(const struct graph_request *g, const struct box *b,
	const int64_t *column)
{
	int64_t sum = 0;

	for (size_t i = 0; i < b->n_alike; i++)
		sum += column[g->siblings.at[b->first + i].row];
	return sum;
}

static bool is_match(const struct graph_request *g, const struct box *b)
{
	for (size_t i = 0; g->table.find && i < b->n_alike; i++)
		if (regexes_match(g->table.find, g->siblings.at[b->first + i].name))
			return true;
	return false;
}

/* Like a row, without the closing brace: the sums of the rows it stands for. */
static void begin_fold(const struct graph_request *g, const struct box *b, struct json *out)
{
	const struct table_json *t = &g->table;
	struct buf name = {0};

	siblings_put_name(&name, &g->siblings.at[b->first], b->n_alike);
	json_open_object(out);
	json_put_int(out, "row", b->row);
	json_put_string(out, "name", buf_get(&name));
	json_put_int(out, "depth", t->depth[b->row]);
	json_put_int(out, "kids", (int64_t)b->n_alike);
	json_put_int(out, "alike", (int64_t)b->n_alike);
	json_key(out, "own");
	json_open_object(out);
	json_close_object(out);
	json_key(out, "total");
	json_open_object(out);
	for (size_t i = 0; i < t->n_metrics; i++)
		json_put_int(out, t->metrics[i].name, sum_of_fold(g, b, t->metrics[i].total));
	json_close_object(out);
	if (is_match(g, b))
		json_put_bool(out, "match", true);
	if (g->selected)
		json_put_int(out, "selected", sum_of_fold(g, b, g->selected));
	buf_clear(&name);
}

static void put_boxes(const struct graph_request *g, struct json *out)
{
	uint32_t hub_limit = find_hub_limit(g);

	json_key(out, "boxes");
	json_open_array(out);
	for (size_t i = 0; i < g->n_shown; i++) {
		const struct box *b = &g->boxes.at[i];

		if (b->n_alike > 1)
			begin_fold(g, b, out);
		else
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
		selected += g->selected ? sum_of_fold(g, &g->boxes.at[i], g->selected) : 0;
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
		json_put_int(out, "bytes", e->n_bytes);
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
	const char *metric = call_get_metric(g->call);
	enum tfprof_status status = table_json_open(&g->table, TFPROF_SCOPE, result, err);

	if (status == TFPROF_OK)
		status = tfprof_result_get_node_rows(result, &g->row_of_node, &g->n_nodes, err);
	if (status == TFPROF_OK)
		status =
			call_get_int(g->call, "limit", DEFAULT_BOXES, 2, MAX_BOXES, &g->limit, err);
	if (status != TFPROF_OK)
		return status;
	g->metric = table_json_metric(&g->table, metric);
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
		mem_free(g->shapes.at[i]);
	vec_clear(&g->shapes);
	vec_clear(&g->edges);
	vec_clear(&g->boxes);
	vec_clear(&g->siblings);
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
		status = graph_find_around(&g, profile->profile, around, err);
	} else if (status == TFPROF_OK) {
		status = graph_find_boxes(&g, profile->profile, err);
	}
	if (status == TFPROF_OK)
		status = tfprof_profile_find_edges(profile->profile, g.groups, g.n_nodes, keep_edge,
			&g, err);
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
