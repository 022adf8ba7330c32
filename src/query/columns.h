/* The result of a query as typed columns, each made on first use:
 *
 *     row i   the i-th shown node; row 0 is the root
 *     name, parent, depth, end (of its subtree), node
 *     each metric: own and total
 *     texts and lists of texts: offsets into one buffer
 */
#ifndef TFPROF_QUERY_COLUMNS_H
#define TFPROF_QUERY_COLUMNS_H

#include "query/query.h"
#include "query/table.h"

/* Columns before, between and after the metrics:
 * id, name, type, words of select that show it, whether it is exported only if
 * requested by name */
/* clang-format off */
#define LEADING_COLUMNS(X)                                                     \
	X(NAME, "name", TEXT, 0, false)                                        \
	X(PARENT, "parent", INT64, 0, false)                                   \
	X(DEPTH, "depth", INT64, 0, false)                                     \
	X(ACCOUNTED, "accounted", BOOL, 0, false)
#define SHAPE_COLUMN(X)                                                        \
	X(SHAPE, "shape", TEXT, SELECT(PARAMS), false)
#define TRAILING_COLUMNS(X)                                                    \
	X(DEFINITION_COUNT, "definition_count", INT64, SELECT(OCCURRENCE), false) \
	X(TOTAL_DEFINITION_COUNT, "total_definition_count", INT64, SELECT(OCCURRENCE), false) \
	X(DEVICE, "device", TEXTS, SELECT(DEVICE), false)                      \
	X(OP_TYPES, "op_types", TEXTS, SELECT(OP_TYPES), false)                \
	X(KIND, "kind", TEXT, SELECT(KIND), true)                              \
	X(THREADS, "threads", DOUBLE, SELECT(THREADS), true)                   \
	X(KERNEL_COUNT, "kernel_count", INT64, 0, true)                        \
	X(LAUNCH_MICROS, "launch_micros", INT64, 0, true)                      \
	X(INPUT_SHAPES, "input_shapes", TEXTS, SELECT(INPUT_SHAPES), false)    \
	X(TENSOR_VALUE, "tensor_value", TEXT, SELECT(TENSOR_VALUE), true)      \
	X(END, "end", INT64, 0, true)                                          \
	X(NODE, "node", INT64, 0, true)                                        \
	X(OP, "op", TEXT, 0, true)                                             \
	X(PATH, "path", TEXT, 0, true)                                         \
	X(LINE, "line", INT64, 0, true)                                        \
	X(FUNCTION, "function", TEXT, 0, true)
/* clang-format on */

enum column_id {
#define X(id, ...) COLUMN_##id,
	LEADING_COLUMNS(X)
#undef X
#define X(id, ...) COLUMN_OWN_##id, COLUMN_TOTAL_##id,
		METRICS_BEFORE_SHAPE(X)
#undef X
#define X(id, ...) COLUMN_##id,
			SHAPE_COLUMN(X)
#undef X
#define X(id, ...) COLUMN_OWN_##id, COLUMN_TOTAL_##id,
				METRICS_AFTER_SHAPE(X)
#undef X
#define X(id, ...) COLUMN_##id,
					TRAILING_COLUMNS(X)
#undef X
						N_COLUMNS
};

struct columns {
	struct table_column at[N_COLUMNS];
	int64_t *row_of_node; /* by node; NULL until columns_map_nodes() */
	size_t n_nodes;
};

void columns_clear(struct columns *c);
/* Bytes of memory of the columns made so far. */
size_t columns_count_bytes(const struct columns *c);

/* N_COLUMNS if no column has this name. */
enum column_id column_find(const char *name);
/* The metrics a column needs, as bits. */
unsigned column_metrics(enum column_id id);
/* Whether some word of select shows a column. */
bool column_is_selectable(enum column_id id);
/* Whether the options select a column; leading columns are never selected. */
bool column_is_selected(enum column_id id, const struct tfprof_options *o);

/* Makes columns unless they exist; the query must have the metrics they need. Columns
 * of metrics are filled in one pass. */
enum tfprof_status columns_make(struct columns *c, struct query *q, const enum column_id *ids,
	size_t n, struct tfprof_error *err);
/* What the time of a row is spent on (hlo/kind.h), or most of it. */
void query_put_kind(const struct query *q, uint32_t row, struct buf *b);
/* How many threads work for a row at a time, in tree views with all below it; NAN if it has no time
 * of threads. The query must have the metrics of THREADS_METRICS. */
double query_get_threads(const struct query *q, uint32_t row);

/* Finds the row of each node; -1 if it has none. */
enum tfprof_status columns_map_nodes(struct columns *c, const struct query *q,
	struct tfprof_error *err);

#endif
