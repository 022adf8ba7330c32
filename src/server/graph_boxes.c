#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "model/gradient.h"
#include "server/graph.h"

static bool is_open_name(const struct graph_request *g, struct span name)
{
	const char *open = call_get(g->call, "open");

	while (open && *open) {
		size_t n = strcspn(open, ",");

		if (span_equal((struct span){open, n}, name))
			return true;
		open += n + (open[n] == ',');
	}
	return false;
}

static bool is_open(const struct graph_request *g, int64_t row)
{
	return g->table.end[row] > row + 1 && is_open_name(g, table_json_name(&g->table, row));
}

static int by_total(const void *a, const void *b)
{
	const struct box *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first); /* 9 before 10 */
}

/* Finds the rows that may become boxes, including open ones, which are siblings too. */
static enum tfprof_status find_siblings(struct graph_request *g, struct tfprof_error *err)
{
	const struct table_json *t = &g->table;
	int64_t row = g->root + 1;

	while (row < t->end[g->root]) {
		if (!vec_push(&g->siblings,
			    ((struct sibling){.name = table_json_name(t, row),
				    .row = row,
				    .parent = t->parent[row],
				    .number = {NULL, 0}})))
			return error_no_memory(err);
		row = is_open(g, row) ? row + 1 : t->end[row];
	}
	return TFPROF_OK;
}

/* A fold is closed unless it, or one of its members, is to be open. */
static bool is_open_fold(struct graph_request *g, const struct sibling *at, size_t n)
{
	struct buf name = {0};
	bool is_open_one = false;

	siblings_put_name(&name, at, n);
	is_open_one = is_open_name(g, buf_get(&name));
	for (size_t i = 0; i < n && !is_open_one; i++)
		is_open_one = is_open(g, at[i].row);
	g->failed |= name.failed;
	buf_clear(&name);
	return is_open_one;
}

static void add_box(struct graph_request *g, size_t first, size_t n)
{
	struct box box = {.first = first, .n_alike = n, .row = g->siblings.at[first].row};

	if (n == 1 && is_open(g, box.row))
		return;
	for (size_t i = 0; i < n; i++)
		box.total += g->metric->total[g->siblings.at[first + i].row];
	g->failed |= !vec_push(&g->boxes, box);
}

static enum tfprof_status find_boxes(struct graph_request *g, struct tfprof_error *err)
{
	const char *fold = call_get(g->call, "fold_alike");
	enum tfprof_status status = find_siblings(g, err);

	if (status != TFPROF_OK)
		return status;
	if (!fold || strcmp(fold, "false") != 0)
		siblings_sort(g->siblings.at, g->siblings.n);
	for (size_t i = 0, n; i < g->siblings.n; i += n) {
		const struct sibling *first = &g->siblings.at[i];

		n = siblings_count_alike(first, g->siblings.n - i);
		if (n > 1 && !is_open_fold(g, first, n)) {
			add_box(g, i, n);
			continue;
		}
		for (size_t k = 0; k < n; k++)
			add_box(g, i + k, 1);
	}
	if (g->failed)
		return error_no_memory(err);
	if (g->boxes.n)
		qsort(g->boxes.at, g->boxes.n, sizeof(*g->boxes.at), by_total);
	g->n_shown = g->boxes.n > (size_t)g->limit ? (size_t)g->limit - 1 : g->boxes.n;
	for (size_t i = 0; i < g->boxes.n; i++)
		g->boxes.at[i].id = (uint32_t)(i < g->n_shown ? i : g->n_shown);
	return TFPROF_OK;
}

static void mark_rows(struct graph_request *g, size_t box)
{
	const struct box *b = &g->boxes.at[box];
	const struct table_json *t = &g->table;

	for (size_t i = 0; i < b->n_alike; i++) {
		int64_t first = g->siblings.at[b->first + i].row;

		for (int64_t row = first; row < t->end[first]; row++)
			g->box_of_row[row] = (uint32_t)box;
	}
}

/* Finds the box of every row and node. While gradients are shown with their layer, they are part
 * of its box, but their edges, which lead back, are not drawn. */
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
		mark_rows(g, i);
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

enum tfprof_status graph_find_boxes(struct graph_request *g, tfprof_profile *profile,
	struct tfprof_error *err)
{
	enum tfprof_status status = find_boxes(g, err);

	return status == TFPROF_OK ? assign_nodes(g, profile, err) : status;
}
