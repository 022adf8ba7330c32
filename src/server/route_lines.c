/* /api/lines: the lines of Python with the highest own cost in code view, wherever they are called
 * from: a line stands in the tree once for each way to it. With `calls=1` also those whose cost is
 * in lines that they call, with every number, and the files and
 * functions they are in.
 *
 *     {"total": 7, "lines": [{"path": "/a/model.py", "line": 12, "own": 80, …}, …],
 *      "files": [{"path": "/a/model.py", "own": 250, "backward": 100, "lines": 5}, …]} */
#include <stdlib.h>
#include <string.h>

#include "base/clamped.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "server/gradients.h"
#include "server/routes.h"
#include "server/selection.h"
#include "server/view_query.h"

enum { MAX_LINES = 20000 };

struct line_sum {
	struct span path, function;
	int64_t line;
	int64_t row; /* one of those it is made of */
	int64_t own, backward, selected;
	int64_t total;  /* with what it calls; of a line that calls itself, the outermost call */
	int64_t n_rows; /* places in the tree */
	int64_t metrics[TABLE_JSON_MAX_METRICS]; /* own */
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
		add_clamped(&to->own, from->own);
		add_clamped(&to->backward, from->backward);
		add_clamped(&to->selected, from->selected);
		add_clamped(&to->total, from->total);
		to->n_rows++;
		for (size_t k = 0; k < TABLE_JSON_MAX_METRICS; k++)
			add_clamped(&to->metrics[k], from->metrics[k]);
	}
	lines->n = n;
	sort(lines, by_own);
}

static bool is_same_line(const struct table_json *t, int64_t a, int64_t b)
{
	return t->line.numbers[a] == t->line.numbers[b] &&
		span_equal(table_json_path(t, a), table_json_path(t, b));
}

/* Whether a call of the same line is above. */
static bool is_within_itself(const struct table_json *t, int64_t row)
{
	for (int64_t above = t->parent[row]; above > 0; above = t->parent[above])
		if (is_same_line(t, above, row))
			return true;
	return false;
}

static struct line_sum sum_of_row(const struct table_json *t,
	const struct table_json_metric *metric, int64_t row)
{
	struct line_sum sum = {.path = table_json_path(t, row),
		.function = table_json_text(&t->function, row),
		.line = t->line.numbers ? t->line.numbers[row] : 0,
		.row = row,
		.own = metric->own[row],
		.n_rows = 1};

	for (size_t k = 0; k < t->n_metrics; k++)
		sum.metrics[k] = t->metrics[k].own[row];
	return sum;
}

static bool collect(const struct table_json *t, const struct table_json_metric *metric,
	const int64_t *gradients, const int64_t *selected, bool with_calls, line_sums *lines)
{
	for (int64_t row = 1; row < (int64_t)t->n_rows; row++) {
		struct line_sum sum;

		if (metric->own[row] <= 0 && !(with_calls && metric->total[row] > 0))
			continue;
		sum = sum_of_row(t, metric, row);
		sum.backward = gradients[row];
		sum.selected = selected ? selected[row] : 0;
		sum.total = with_calls && !is_within_itself(t, row) ? metric->total[row] : 0;
		if (!vec_push(lines, sum))
			return false;
	}
	return true;
}

/* ---- writing ------------------------------------------------------------------ */

static void put_calls(const struct table_json *t, const struct line_sum *l, struct json *out)
{
	json_put_string(out, "function", l->function);
	json_put_int(out, "total", l->total);
	json_key(out, "metrics");
	json_open_object(out);
	for (size_t k = 0; k < t->n_metrics; k++)
		if (l->metrics[k])
			json_put_int(out, t->metrics[k].name, l->metrics[k]);
	json_close_object(out);
}

static void put_lines(const struct table_json *t, const line_sums *lines, int64_t limit,
	bool has_selection, bool with_calls, struct json *out)
{
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
		if (with_calls)
			put_calls(t, l, out);
		json_close_object(out);
	}
	json_close_array(out);
}

static int by_function(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;
	size_t n = x->function.n < y->function.n ? x->function.n : y->function.n;
	int order = span_equal(x->path, y->path) ? 0 : by_place(a, b);

	if (order == 0)
		order = memcmp(x->function.at, y->function.at, n);
	if (order == 0)
		order = (x->function.n > y->function.n) - (x->function.n < y->function.n);
	return order ? order : by_place(a, b);
}

static bool is_same_group(const struct line_sum *a, const struct line_sum *b, bool of_functions)
{
	return span_equal(a->path, b->path) &&
		(!of_functions || span_equal(a->function, b->function));
}

/* Of lines sorted by place, or by function: each begins with its first line. */
static bool sum_groups(const line_sums *lines, bool of_functions, line_sums *groups)
{
	for (size_t i = 0; i < lines->n; i++) {
		const struct line_sum *l = &lines->at[i];
		struct line_sum *to = groups->n ? &groups->at[groups->n - 1] : NULL;

		if (!to || !is_same_group(to, l, of_functions)) {
			struct line_sum first = {.path = l->path,
				.function = l->function,
				.line = l->line,
				.row = l->row};

			if (!vec_push(groups, first))
				return false;
			to = &groups->at[groups->n - 1];
		}
		add_clamped(&to->own, l->own);
		add_clamped(&to->backward, l->backward);
		to->n_rows++;
	}
	return true;
}

/* "files", or "functions": the most expensive first. */
static bool put_groups(line_sums *lines, bool of_functions, struct json *out)
{
	line_sums groups = {0};
	bool ok;

	sort(lines, of_functions ? by_function : by_place);
	ok = sum_groups(lines, of_functions, &groups);
	sort(&groups, by_own);
	json_key(out, of_functions ? "functions" : "files");
	json_open_array(out);
	for (size_t i = 0; ok && i < groups.n; i++) {
		json_open_object(out);
		json_put_string(out, "path", groups.at[i].path);
		if (of_functions)
			json_put_string(out, "name", groups.at[i].function);
		json_put_int(out, "line", groups.at[i].line);
		json_put_int(out, "own", groups.at[i].own);
		json_put_int(out, "backward", groups.at[i].backward);
		json_put_int(out, "lines", groups.at[i].n_rows);
		json_close_object(out);
	}
	json_close_array(out);
	vec_clear(&groups);
	return ok;
}

enum tfprof_status route_lines(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct shown_profile *profile;
	struct selection selection = {0};
	struct table_json t;
	const struct table_json_metric *metric = NULL;
	int64_t p, limit = 0, *gradients = NULL, *selected = NULL;
	const char *calls = call_get(c, "calls");
	bool with_calls = calls && strcmp(calls, "1") == 0;
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
	if (status == TFPROF_OK && !collect(&t, metric, gradients, selected, with_calls, &lines))
		status = error_no_memory(err);
	if (status == TFPROF_OK) {
		merge(&lines);
		json_open_object(out);
		put_lines(&t, &lines, limit, selected, with_calls, out);
		if (with_calls &&
			!(put_groups(&lines, false, out) && put_groups(&lines, true, out)))
			status = error_no_memory(err);
		json_close_object(out);
	}
	vec_clear(&lines);
	mem_free(gradients);
	mem_free(selected);
	selection_close(&selection);
	store_release(c->store, kept);
	return status;
}
