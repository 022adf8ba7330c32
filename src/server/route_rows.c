/* /api/rows: the children of a row, or the rows of a list, page by page. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/find.h"
#include "server/routes.h"
#include "server/selection.h"
#include "server/table_json.h"
#include "server/view_query.h"

enum { MAX_ROWS = 500, DEFAULT_ROWS = 100 };

struct page {
	int64_t parent, offset, limit, flat;
};

static enum tfprof_status read_page(const struct call *c, struct page *page,
	struct tfprof_error *err)
{
	enum tfprof_status status = call_get_int(c, "parent", 0, 0, INT64_MAX, &page->parent, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "offset", 0, 0, INT64_MAX, &page->offset, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "limit", DEFAULT_ROWS, 0, MAX_ROWS, &page->limit, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "flat", 0, 0, 1, &page->flat, err);
	return status;
}

/* Writes the rows below page->parent, its children or everything, and counts all. */
static void put_rows(const struct table_json *t, const struct page *page, struct json *out)
{
	int64_t end = t->n_rows ? t->end[page->parent] : 0, total = 0;

	json_key(out, "rows");
	json_open_array(out);
	for (int64_t row = page->parent + 1; row < end; row = page->flat ? row + 1 : t->end[row]) {
		if (total >= page->offset && total < page->offset + page->limit)
			table_json_put(t, row, out);
		total++;
	}
	json_close_array(out);
	json_put_int(out, "total", total);
}

enum tfprof_status route_rows(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct table_json t = {0};
	struct selection selection = {0};
	int64_t *selected = NULL;
	struct page page;
	enum tfprof_view view;
	enum tfprof_status status = read_page(c, &page, err);

	if (status == TFPROF_OK)
		status = view_of_call(c, &view, err);
	if (status == TFPROF_OK)
		status = view_query(c, view, &kept, err);
	if (status == TFPROF_OK)
		status = table_json_open(&t, view, kept_get(kept), err);
	if (status == TFPROF_OK)
		status = find_compile(c, &t.find, err);
	if (status == TFPROF_OK && (size_t)page.parent >= t.n_rows && t.n_rows)
		status = error_set(err, TFPROF_ARGUMENT, "parent: there are %zu rows", t.n_rows);
	if (status == TFPROF_OK)
		status = selection_open(&selection, c, err);
	if (status == TFPROF_OK)
		status = selection_sum(&selection, &t, kept_get(kept), call_get_metric(c), true,
			&selected, err);
	if (status == TFPROF_OK) {
		t.selected = selected;
		json_open_object(out);
		json_key(out, "root");
		if (t.n_rows)
			table_json_put(&t, page.parent, out);
		else
			json_null(out);
		put_rows(&t, &page, out);
		json_close_object(out);
	}
	regexes_free(t.find);
	mem_free(selected);
	selection_close(&selection);
	store_release(c->store, kept);
	return status;
}
