/* /api/diff: how the second profile differs from the first in one metric, the option select:
 * the rows below one, a few levels deep. Of a tree, rows of less than a thousandth of the
 * whole are left out. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "server/diff_query.h"
#include "server/find.h"
#include "server/routes.h"
#include "server/table_json.h"

enum { MAX_LEVELS = 100, MAX_ROWS = 2000, MIN_SHARE = 1000 };

struct diff_table {
	size_t n_rows;
	const int64_t *parent, *depth, *base, *new_value;
	struct tfprof_column name, base_name, state, verdict;
	int64_t *end, *n_kids; /* of each row */
	int64_t root, levels;
	bool is_of_types; /* rows are types of operations */
	struct regexes *find;
};

static enum tfprof_status open_columns(struct diff_table *t, tfprof_result *result,
	const char *metric, struct tfprof_error *err)
{
	struct tfprof_column numbers[4];
	const struct {
		const char *prefix, *name;
		struct tfprof_column *column;
	} columns[] = {{"", "parent", &numbers[0]}, {"", "depth", &numbers[1]},
		{metric, "_base", &numbers[2]}, {metric, "_new", &numbers[3]},
		{"", "name", &t->name}, {"", "base_name", &t->base_name}, {"", "state", &t->state},
		{metric, "_verdict", &t->verdict}};
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < sizeof(columns) / sizeof(*columns); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s%s", columns[i].prefix, columns[i].name);
		status = tfprof_result_get_column(result, name, columns[i].column, err);
	}
	if (status != TFPROF_OK)
		return status;
	t->parent = numbers[0].numbers;
	t->depth = numbers[1].numbers;
	t->base = numbers[2].numbers;
	t->new_value = numbers[3].numbers;
	t->n_rows = tfprof_result_get_n_rows(result);
	return TFPROF_OK;
}

/* Rows are in preorder. */
static enum tfprof_status join_rows(struct diff_table *t, struct tfprof_error *err)
{
	t->end = mem_array(t->n_rows + 1, sizeof(*t->end));
	t->n_kids = mem_zero_array(t->n_rows + 1, sizeof(*t->n_kids));
	if (!t->end || !t->n_kids)
		return error_no_memory(err);
	for (size_t i = 0; i < t->n_rows; i++)
		t->end[i] = (int64_t)i + 1;
	for (size_t i = t->n_rows; i-- > 1;) {
		int64_t parent = t->parent[i];

		t->n_kids[parent]++;
		if (t->end[parent] < t->end[i])
			t->end[parent] = t->end[i];
	}
	return TFPROF_OK;
}

static void put_row(const struct diff_table *t, int64_t row, struct json *out)
{
	struct span name = table_json_text(&t->name, row),
		    before = table_json_text(&t->base_name, row);

	json_open_object(out);
	json_put_int(out, "row", row);
	json_put_int(out, "depth", t->depth[row]);
	json_put_int(out, "kids", t->n_kids[row]);
	json_put_string(out, "name", name);
	if (before.n && !span_equal(before, name))
		json_put_string(out, "base_name", before);
	json_put_string(out, "state", table_json_text(&t->state, row));
	json_put_int(out, "base", t->base[row]);
	json_put_int(out, "new", t->new_value[row]);
	json_put_string(out, "verdict", table_json_text(&t->verdict, row));
	if (t->is_of_types && row)
		json_put_text(out, "family", tfprof_op_get_family(name.at, name.n));
	if (t->find && regexes_match(t->find, name))
		json_put_bool(out, "match", true);
	json_close_object(out);
}

static int64_t larger(const struct diff_table *t, int64_t row)
{
	return t->base[row] > t->new_value[row] ? t->base[row] : t->new_value[row];
}

static void put_rows(const struct diff_table *t, bool is_list, struct json *out)
{
	int64_t row = t->root, n_left = MAX_ROWS, least = is_list ? -1 : larger(t, row) / MIN_SHARE;

	json_key(out, "rows");
	json_open_array(out);
	while (row < t->end[t->root] && n_left) {
		int64_t level = t->depth[row] - t->depth[t->root];

		if (row != t->root && (level > t->levels || larger(t, row) <= least)) {
			row = t->end[row];
			continue;
		}
		put_row(t, row++, out);
		n_left--;
	}
	json_close_array(out);
}

/* What the steps of both sides say, if they have any. */
static void put_headline(const tfprof_result *result, struct json *out)
{
	struct tfprof_field headline;

	if (tfprof_result_get_field(result, "headline", &headline) && headline.text)
		json_put_text(out, "headline", headline.text);
}

static enum tfprof_status read_request(const struct call *c, struct diff_table *t,
	struct tfprof_error *err)
{
	enum tfprof_status status =
		call_get_int(c, "root", 0, 0, (int64_t)t->n_rows - 1, &t->root, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "levels", 1, 1, MAX_LEVELS, &t->levels, err);
	return status == TFPROF_OK ? find_compile(c, &t->find, err) : status;
}

enum tfprof_status route_diff(struct call *c, struct json *out, struct tfprof_error *err)
{
	const char *metric = call_get(c, "select"), *view = call_get(c, "view");
	struct diff_table t = {.is_of_types = view && strcmp(view, "op") == 0};
	struct kept *kept = NULL;
	enum tfprof_status status = diff_query(c, &kept, err);

	if (status == TFPROF_OK)
		status = open_columns(&t, kept_get(kept), metric ? metric : "micros", err);
	if (status == TFPROF_OK)
		status = read_request(c, &t, err);
	if (status == TFPROF_OK)
		status = join_rows(&t, err);
	if (status == TFPROF_OK) {
		json_open_object(out);
		put_headline(kept_get(kept), out);
		table_json_put_path(t.parent, &t.name, t.root, out);
		put_rows(&t, strcmp(view, "op") == 0 || strcmp(view, "model") == 0, out);
		json_close_object(out);
	}
	mem_free(t.end);
	mem_free(t.n_kids);
	regexes_free(t.find);
	store_release(c->store, kept);
	return status;
}
