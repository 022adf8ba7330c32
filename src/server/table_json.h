/* Rows of a result as JSON objects:
 *
 *     {"row": 3, "node": 17, "name": "conv1", "depth": 2, "kids": 4,
 *      "own": {"exec_micros": 12, …}, "total": {…}, "device": […], …}
 *
 * Zeros are omitted. While something is selected, `selected` is the part
 * of the metric's total that belongs to it. */
#ifndef TFPROF_SERVER_TABLE_JSON_H
#define TFPROF_SERVER_TABLE_JSON_H

#include <tfprof/tfprof.h>

#include "query/regex.h"
#include "write/json.h"

enum { TABLE_JSON_MAX_METRICS = 32 };

struct table_json {
	enum tfprof_view view;
	size_t n_rows;
	const int64_t *parent, *depth, *end, *node;
	struct tfprof_column name, shape, device, op_types, definitions, path, line, function;
	struct regexes *find;    /* marks rows whose name it matches; NULL: none */
	const int64_t *selected; /* by row: the selected part of its total; or NULL */
	size_t n_metrics;
	struct table_json_metric {
		const char *name;
		const int64_t *own, *total;
	} metrics[TABLE_JSON_MAX_METRICS];
};

/* Borrows columns of the result. */
enum tfprof_status table_json_open(struct table_json *t, enum tfprof_view view,
	tfprof_result *result, struct tfprof_error *err);

/* The columns of a metric ("exec_micros"); NULL if there is none of this name. */
const struct table_json_metric *table_json_metric(const struct table_json *t, const char *name);

struct span table_json_text(const struct tfprof_column *column, int64_t item);
struct span table_json_name(const struct table_json *t, int64_t row);
struct span table_json_path(const struct table_json *t, int64_t row);

/* Without the closing brace, for callers that add members. */
void table_json_begin(const struct table_json *t, int64_t row, struct json *out);
void table_json_put(const struct table_json *t, int64_t row, struct json *out);
/* "path": the rows above a row, outermost first, and itself; the root has none. */
void table_json_put_path(const int64_t *parent, const struct tfprof_column *names, int64_t row,
	struct json *out);

#endif
