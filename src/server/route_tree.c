/* /api/tree: the rows below one, a few levels deep, for treemaps and flame graphs. Rows of
 * less than a thousandth of the whole are left out; their parents show the rest. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "model/gradient.h"
#include "server/find.h"
#include "server/routes.h"
#include "server/table_json.h"
#include "server/view_query.h"

enum { MAX_LEVELS = 100, DEFAULT_LEVELS = 3, MAX_TREE_ROWS = 2000, MIN_SHARE = 1000 };

struct tree_request {
	struct table_json table;
	const int64_t *total; /* of the metric */
	int64_t root, levels;
	size_t n_left;
	unsigned char *family; /* of each row below the root: that of most of its total */
	int64_t *backward;     /* of each row below the root: the part of gradients */
};

enum { MAX_FAMILIES = 16 };

static unsigned char find_family(tfprof_profile *profile, int64_t node)
{
	const struct tfprof_family_info *info;
	size_t length;
	const char *op = tfprof_profile_get_node_op(profile, (size_t)node, &length);
	const char *name = tfprof_op_get_family(op ? op : "", op ? length : 0);

	for (unsigned char i = 0; (info = tfprof_family_get_info(i)); i++)
		if (strcmp(info->name, name) == 0)
			return i;
	return 0;
}

static bool is_gradient(const struct table_json *t, int64_t row)
{
	struct span name = table_json_name(t, row), tail = SPAN(" (gradient)");
	struct gradient g;

	if (t->node[row] >= 0)
		return gradient_parse(name, &g);
	/* a line of code view */
	return name.n > tail.n &&
		span_equal((struct span){name.at + name.n - tail.n, tail.n}, tail);
}

/* Adds up each family's and the gradients' share of every row's total, from the leaves to
 * the root. */
static enum tfprof_status find_families(struct tree_request *t, tfprof_profile *profile,
	const int64_t *own, struct tfprof_error *err)
{
	int64_t end = t->table.end[t->root];
	size_t n = (size_t)(end - t->root);
	int64_t(*sums)[MAX_FAMILIES] = mem_zero_array(n, sizeof(*sums));

	t->family = mem_zero_array(n, 1);
	t->backward = mem_zero_array(n, sizeof(*t->backward));
	if (!sums || !t->family || !t->backward) {
		mem_free(sums);
		return error_no_memory(err);
	}
	for (size_t i = n; i-- > 0;) {
		int64_t row = t->root + (int64_t)i, node = t->table.node[row];
		size_t above = (size_t)(t->table.parent[row] - t->root);

		if (node >= 0)
			sums[i][find_family(profile, node)] += own[row];
		for (unsigned char f = 0; f < MAX_FAMILIES; f++) {
			if (sums[i][f] > sums[i][t->family[i]])
				t->family[i] = f;
			if (i)
				sums[above][f] += sums[i][f];
		}
		if (is_gradient(&t->table, row))
			t->backward[i] += own[row];
		if (i)
			t->backward[above] += t->backward[i];
	}
	mem_free(sums);
	return TFPROF_OK;
}

/* Writes rows in preorder, each with the number of levels below the root; the page puts
 * the tree together by depth. */
static void put_rows(struct tree_request *t, struct json *out)
{
	const struct table_json *table = &t->table;
	int64_t least = t->total[t->root] / MIN_SHARE, row = t->root, end = table->end[row];

	json_open_array(out);
	while (row < end && t->n_left) {
		int64_t level = table->depth[row] - table->depth[t->root];

		if (row != t->root && (level > t->levels || t->total[row] <= least)) {
			row = table->end[row];
			continue;
		}
		table_json_begin(table, row, out);
		json_put_text(out, "family",
			tfprof_family_get_info(t->family[row - t->root])->name);
		json_put_int(out, "backward", t->backward[row - t->root]);
		json_close_object(out);
		t->n_left--;
		row++;
	}
	json_close_array(out);
}

static enum tfprof_status read_request(struct call *c, struct tree_request *t,
	struct tfprof_error *err)
{
	struct shown_profile *profile;
	int64_t p;
	const char *name = call_get(c, "metric_column");
	const struct table_json_metric *metric =
		table_json_metric(&t->table, name ? name : "exec_micros");
	enum tfprof_status status = call_get_int(c, "root", 0, 0, INT64_MAX, &t->root, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "levels", DEFAULT_LEVELS, 1, MAX_LEVELS, &t->levels, err);
	if (status != TFPROF_OK)
		return status;
	if (!metric)
		return error_set(err, TFPROF_ARGUMENT, "metric_column=%.100s: no such column",
			name);
	if ((size_t)t->root >= t->table.n_rows)
		return error_set(err, TFPROF_ARGUMENT, "root: there are %zu rows", t->table.n_rows);
	t->total = metric->total;
	t->n_left = MAX_TREE_ROWS;
	status = view_profile(c, &profile, &p, err);
	return status == TFPROF_OK ? find_families(t, profile->profile, metric->own, err) : status;
}

/* The rows above the root, outermost first: for going up. */
static void put_path(const struct tree_request *t, struct json *out)
{
	int64_t path[64];
	size_t n = 0;

	for (int64_t row = t->root; row > 0 && n < sizeof(path) / sizeof(*path);
		row = t->table.parent[row])
		path[n++] = row;
	json_open_array(out);
	while (n) {
		json_open_object(out);
		json_put_int(out, "row", path[--n]);
		json_put_string(out, "name", table_json_name(&t->table, path[n]));
		json_close_object(out);
	}
	json_close_array(out);
}

enum tfprof_status route_tree(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct tree_request t = {0};
	enum tfprof_view view;
	enum tfprof_status status = view_of_call(c, &view, err);

	if (status == TFPROF_OK)
		status = view_query(c, view, &kept, err);
	if (status == TFPROF_OK)
		status = table_json_open(&t.table, view, kept_get(kept), err);
	if (status == TFPROF_OK)
		status = find_compile(c, &t.table.find, err);
	if (status == TFPROF_OK)
		status = read_request(c, &t, err);
	if (status == TFPROF_OK) {
		json_open_object(out);
		json_key(out, "rows");
		put_rows(&t, out);
		json_key(out, "path");
		put_path(&t, out);
		json_close_object(out);
	}
	mem_free(t.family);
	mem_free(t.backward);
	regexes_free(t.table.find);
	store_release(c->store, kept);
	return status;
}
