/* /api/tree: the rows below one, a few levels deep, for treemaps and flame graphs. Rows of
 * less than a thousandth of the whole are left out; their parents show the rest. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "server/find.h"
#include "server/gradients.h"
#include "server/routes.h"
#include "server/selection.h"
#include "server/table_json.h"
#include "server/view_query.h"

enum { MAX_LEVELS = 100, DEFAULT_LEVELS = 3, MAX_TREE_ROWS = 2000, MIN_SHARE = 1000 };

struct tree_request {
	struct table_json table;
	const int64_t *total; /* of the metric */
	const int64_t *own;
	int64_t root, levels;
	int64_t least; /* rows with no more than this are left out */
	size_t n_left;
	unsigned char *family; /* of each row below the root: that of most of its total */
	int64_t *backward;     /* of each row below the root: the part of gradients */
	int64_t *gradients;    /* of each row's own number: the part of gradients */
	int64_t *selected;     /* of each row, or NULL */
};

enum { MAX_FAMILIES = 16 };

/* Families of recent types, by the address of the name: a profile has each name once. Without
 * it, finding families takes four fifths of a request. */
struct family_cache {
	const char *op;
	unsigned char family;
};
enum { FAMILY_CACHE_BITS = 10 };

static unsigned char find_family(const char *op, size_t length)
{
	const struct tfprof_family_info *info;
	const char *name = tfprof_op_get_family(op, length);

	for (unsigned char i = 0; (info = tfprof_family_get_info(i)); i++)
		if (strcmp(info->name, name) == 0)
			return i;
	return 0;
}

static unsigned char family_of(tfprof_profile *profile, int64_t node, struct family_cache *cache)
{
	size_t length;
	const char *op = tfprof_profile_get_node_op(profile, (size_t)node, &length);
	struct family_cache *slot;

	if (!op)
		return find_family("", 0);
	slot = &cache[(uint64_t)(uintptr_t)op * 0x9e3779b97f4a7c15u >> (64 - FAMILY_CACHE_BITS)];
	if (slot->op != op)
		*slot = (struct family_cache){op, find_family(op, length)};
	return slot->family;
}

/* Adds up each family's and the gradients' share of every row's total, from the leaves to
 * the root. */
static enum tfprof_status find_families(struct tree_request *t, tfprof_profile *profile,
	struct tfprof_error *err)
{
	int64_t end = t->table.end[t->root];
	size_t n = (size_t)(end - t->root);
	int64_t(*sums)[MAX_FAMILIES] = mem_zero_array(n, sizeof(*sums));
	struct family_cache cache[1 << FAMILY_CACHE_BITS] = {{0}};

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
			sums[i][family_of(profile, node, cache)] += t->own[row];
		for (unsigned char f = 0; f < MAX_FAMILIES; f++) {
			if (sums[i][f] > sums[i][t->family[i]])
				t->family[i] = f;
			if (i)
				sums[above][f] += sums[i][f];
		}
		t->backward[i] += t->gradients[row];
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
	int64_t row = t->root, end = table->end[row];

	while (row < end && t->n_left) {
		int64_t level = table->depth[row] - table->depth[t->root];

		if (row != t->root && (level > t->levels || t->total[row] <= t->least)) {
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
}

static enum tfprof_status put_tree(struct tree_request *t, tfprof_profile *profile,
	struct json *out, struct tfprof_error *err)
{
	enum tfprof_status status = find_families(t, profile, err);

	t->least = t->total[t->root] / MIN_SHARE;
	json_key(out, "rows");
	json_open_array(out);
	if (status == TFPROF_OK)
		put_rows(t, out);
	json_close_array(out);
	return status;
}

static enum tfprof_status read_request(struct call *c, struct tree_request *t,
	struct tfprof_error *err)
{
	const char *name = call_get_metric(c);
	const struct table_json_metric *metric = table_json_metric(&t->table, name);
	enum tfprof_status status =
		call_get_int(c, "root", 0, 0, (int64_t)t->table.n_rows - 1, &t->root, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "levels", DEFAULT_LEVELS, 1, MAX_LEVELS, &t->levels, err);
	if (status != TFPROF_OK)
		return status;
	if (!metric)
		return error_set(err, TFPROF_ARGUMENT, "metric_column=%.100s: no such column",
			name);
	t->own = metric->own;
	t->total = metric->total;
	t->n_left = MAX_TREE_ROWS;
	return TFPROF_OK;
}

/* The selected part of each row, if anything is selected. */
static enum tfprof_status select_rows(struct call *c, struct tree_request *t, tfprof_result *result,
	struct tfprof_error *err)
{
	struct selection selection;
	enum tfprof_status status = selection_open(&selection, c, err);

	if (status == TFPROF_OK)
		status = selection_sum(&selection, &t->table, result, call_get_metric(c), true,
			&t->selected, err);
	t->table.selected = t->selected;
	selection_close(&selection);
	return status;
}

enum tfprof_status route_tree(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct tree_request t = {0};
	struct shown_profile *profile;
	int64_t p;
	enum tfprof_view view;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = view_of_call(c, &view, err);
	if (status == TFPROF_OK)
		status = view_query(c, view, &kept, err);
	if (status == TFPROF_OK)
		status = table_json_open(&t.table, view, kept_get(kept), err);
	if (status == TFPROF_OK)
		status = find_compile(c, &t.table.find, err);
	if (status == TFPROF_OK)
		status = read_request(c, &t, err);
	if (status == TFPROF_OK)
		status = select_rows(c, &t, kept_get(kept), err);
	if (status == TFPROF_OK)
		status = gradients_sum(c, &t.table, kept_get(kept), profile->profile, &t.gradients,
			err);
	if (status == TFPROF_OK) {
		json_open_object(out);
		status = put_tree(&t, profile->profile, out, err);
		table_json_put_path(t.table.parent, &t.table.name, t.root, out);
		json_close_object(out);
	}
	mem_free(t.selected);
	mem_free(t.gradients);
	mem_free(t.family);
	mem_free(t.backward);
	regexes_free(t.table.find);
	store_release(c->store, kept);
	return status;
}
