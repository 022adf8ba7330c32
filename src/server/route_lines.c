/* /api/lines: the lines of Python with the highest own cost in code view, wherever they are called
 * from: a line stands in the tree once for each way to it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "server/gradients.h"
#include "server/routes.h"
#include "server/selection.h"
#include "server/view_query.h"

enum { MAX_LINES = 200 };

struct line_sum {
	struct span path;
	int64_t line;
	int64_t row; /* one of those it is made of */
	int64_t own, backward, selected;
	int64_t n_rows; /* places in the tree */
};

typedef VEC(struct line_sum) line_sums;

static int by_place(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;
	size_t n = x->path.n < y->path.n ? x->path.n : y->path.n;
	int order = memcmp(x->path.at, y->path.at, n);

	if (order == 0)
		order = (x->path.n > y->path.n) - (x->path.n < y->path.n);
	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int by_own(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;

	return x->own != y->own ? (x->own < y->own) - (x->own > y->own) : by_place(a, b);
}

static void sort(line_sums *lines, int (*compare)(const void *, const void *))
{
	if (lines->n)
		qsort(lines->at, lines->n, sizeof(*lines->at), compare);
}

/* Adds up what is of one line. */
static void merge(line_sums *lines)
{
	size_t n = 0;

	sort(lines, by_place);
	for (size_t i = 0; i < lines->n; i++) {
		const struct line_sum *from = &lines->at[i];
		struct line_sum *to = n ? &lines->at[n - 1] : NULL;

		if (!to || to->line != from->line || !span_equal(to->path, from->path)) {
			lines->at[n++] = *from;
			continue;
		}
		to->own += from->own;
		to->backward += from->backward;
		to->selected += from->selected;
		to->n_rows++;
	}
	lines->n = n;
	sort(lines, by_own);
}

static bool collect(const struct table_json *t, const struct table_json_metric *metric,
	const int64_t *gradients, const int64_t *selected, line_sums *lines)
{
	for (size_t row = 1; row < t->n_rows; row++) {
		int64_t line = t->line.numbers ? t->line.numbers[row] : 0;

		if (metric->own[row] > 0 &&
			!vec_push(lines,
				((struct line_sum){table_json_path(t, (int64_t)row), line,
					(int64_t)row, metric->own[row], gradients[row],
					selected ? selected[row] : 0, 1})))
			return false;
	}
	return true;
}

static void put_lines(const struct table_json *t, const line_sums *lines, int64_t limit,
	bool has_selection, struct json *out)
{
	json_open_object(out);
	json_put_int(out, "total", (int64_t)lines->n);
	json_key(out, "lines");
	json_open_array(out);
	for (size_t i = 0; i < lines->n && (int64_t)i < limit; i++) {
		const struct line_sum *l = &lines->at[i];

		json_open_object(out);
		json_put_string(out, "name", table_json_name(t, l->row));
		json_put_string(out, "path", l->path);
		json_put_int(out, "line", l->line);
		json_put_int(out, "own", l->own);
		json_put_int(out, "backward", l->backward);
		json_put_int(out, "places", l->n_rows);
		if (has_selection)
			json_put_int(out, "selected", l->selected);
		json_close_object(out);
	}
	json_close_array(out);
	json_close_object(out);
}

enum tfprof_status route_lines(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct shown_profile *profile;
	struct selection selection = {0};
	struct table_json t;
	const struct table_json_metric *metric = NULL;
	int64_t p, limit = 0, *gradients = NULL, *selected = NULL;
	line_sums lines = {0};
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "limit", 20, 1, MAX_LINES, &limit, err);
	if (status == TFPROF_OK)
		status = view_query(c, TFPROF_CODE, &kept, err);
	if (status == TFPROF_OK)
		status = table_json_open(&t, TFPROF_CODE, kept_get(kept), err);
	if (status == TFPROF_OK && !(metric = table_json_metric(&t, call_get_metric(c))))
		status = error_set(err, TFPROF_ARGUMENT, "metric_column=%.100s: no such column",
			call_get_metric(c));
	if (status == TFPROF_OK)
		status = gradients_sum(c, &t, kept_get(kept), profile->profile, &gradients, err);
	if (status == TFPROF_OK)
		status = selection_open(&selection, c, err);
	if (status == TFPROF_OK)
		status = selection_sum(&selection, &t, kept_get(kept), metric->name, false,
			&selected, err);
	if (status == TFPROF_OK && !collect(&t, metric, gradients, selected, &lines))
		status = error_no_memory(err);
	if (status == TFPROF_OK) {
		merge(&lines);
		put_lines(&t, &lines, limit, selected, out);
	}
	vec_clear(&lines);
	mem_free(gradients);
	mem_free(selected);
	selection_close(&selection);
	store_release(c->store, kept);
	return status;
}
