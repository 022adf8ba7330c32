/* /api/find: what a regex finds among operations, layers and lines, largest first. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/find.h"
#include "server/ranked.h"
#include "server/routes.h"
#include "server/table_json.h"
#include "server/view_query.h"

enum { DEFAULT_FOUND = 8, MAX_FOUND = 100 };

static enum tfprof_status collect(const struct table_json *t, const int64_t *values,
	struct regexes *regexes, ranked_vec *found, struct tfprof_error *err)
{
	for (int64_t row = 1; row < (int64_t)t->n_rows; row++) {
		struct ranked hit = {row, values[row]};

		if (regexes_match(regexes, table_json_name(t, row)) && !vec_push(found, hit))
			return error_no_memory(err);
	}
	ranked_sort(found);
	return regexes_check(regexes, err);
}

static void put_found(const struct table_json *t, const ranked_vec *found, int64_t limit,
	const char *key, struct json *out)
{
	json_key(out, key);
	json_open_object(out);
	json_put_int(out, "total", (int64_t)found->n);
	json_key(out, "rows");
	json_open_array(out);
	for (size_t i = 0; i < found->n && (int64_t)i < limit; i++)
		table_json_put(t, found->at[i].id, out);
	json_close_array(out);
	json_close_object(out);
}

struct finder {
	struct call *call;
	struct regexes *regexes;
	const char *column; /* of the metric */
	int64_t limit;
};

static enum tfprof_status find_in(struct finder *f, enum tfprof_view view, const char *key,
	struct json *out, struct tfprof_error *err)
{
	const struct table_json_metric *metric;
	struct kept *kept = NULL;
	struct table_json t;
	ranked_vec found = {0};
	enum tfprof_status status = view_query(f->call, view, &kept, err);

	if (status == TFPROF_OK)
		status = table_json_open(&t, view, kept_get(kept), err);
	if (status == TFPROF_UNSUPPORTED) /* no call stacks: no lines */
		return TFPROF_OK;
	if (status == TFPROF_OK) {
		metric = table_json_metric(&t, f->column);
		status = metric ? collect(&t, view == TFPROF_OP ? metric->own : metric->total,
					  f->regexes, &found, err)
				: error_set(err, TFPROF_ARGUMENT,
					  "metric_column=%.100s: no such column", f->column);
	}
	if (status == TFPROF_OK)
		put_found(&t, &found, f->limit, key, out);
	vec_clear(&found);
	store_release(f->call->store, kept);
	return status;
}

enum tfprof_status route_find(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct finder f = {.call = c, .column = call_get_metric(c)};
	enum tfprof_status status =
		call_get_int(c, "limit", DEFAULT_FOUND, 0, MAX_FOUND, &f.limit, err);

	if (status == TFPROF_OK)
		status = find_compile(c, &f.regexes, err);
	if (status == TFPROF_OK && !f.regexes)
		status = error_set(err, TFPROF_ARGUMENT, "find: expected a regular expression");
	if (status == TFPROF_OK) {
		json_open_object(out);
		status = find_in(&f, TFPROF_OP, "operations", out, err);
		if (status == TFPROF_OK)
			status = find_in(&f, TFPROF_SCOPE, "layers", out, err);
		if (status == TFPROF_OK)
			status = find_in(&f, TFPROF_CODE, "lines", out, err);
		json_close_object(out);
	}
	regexes_free(f.regexes);
	return status;
}
