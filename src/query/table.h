/* Builds the typed columns of a table, with their memory.
 *
 *     TEXT    offsets[i] … offsets[i + 1]         in one buffer of bytes
 *     TEXTS   lists[i] … lists[i + 1]             items, each like a TEXT
 */
#ifndef TFPROF_QUERY_TABLE_H
#define TFPROF_QUERY_TABLE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

struct table_column {
	struct tfprof_column view; /* as returned to callers; `name` NULL: not made yet */
	int64_t *numbers;
	double *doubles;
	VEC(int64_t) lists, offsets;
	struct buf bytes;
};

void table_column_clear(struct table_column *c);

/* Starts a column of `n` rows. The caller fills in numbers and doubles, and puts texts
 * in row order. False on allocation failure. */
bool table_column_init(struct table_column *c, const struct tfprof_column_info *info, size_t n);

/* Ends a text written to `bytes`. */
static inline void table_end_text(struct table_column *c)
{
	if (!vec_push(&c->offsets, (int64_t)c->bytes.n))
		c->bytes.failed = true;
}

/* Ends the list of texts of a row. */
static inline void table_end_list(struct table_column *c)
{
	if (!vec_push(&c->lists, (int64_t)c->offsets.n - 1))
		c->bytes.failed = true;
}

static inline void table_put_text(struct table_column *c, struct span text)
{
	buf_span(&c->bytes, text);
	table_end_text(c);
}

/* Makes the column ready to be returned; on failure it is cleared. */
enum tfprof_status table_column_finish(struct table_column *c, struct tfprof_error *err);

/* A whole table, for what has no query: the advisor's findings, events. */
struct column_table {
	const struct tfprof_column_info *infos;
	struct table_column *columns;
	size_t n_columns, n_rows;
};

/* Starts all columns. False on allocation failure; clear in any case. */
bool column_table_init(struct column_table *t, const struct tfprof_column_info *infos,
	size_t n_columns, size_t n_rows);
/* Makes all columns ready to be handed out. */
enum tfprof_status column_table_finish(struct column_table *t, struct tfprof_error *err);
void column_table_clear(struct column_table *t);
/* NULL if no column has this name. */
const struct tfprof_column *column_table_find(const struct column_table *t, const char *name);

/* ---- reading ---- */

static inline struct span table_text(const struct tfprof_column *c, size_t i)
{
	return (struct span){c->bytes + c->offsets[i], (size_t)(c->offsets[i + 1] - c->offsets[i])};
}

/* The texts of a row, joined. */
void table_join(const struct tfprof_column *c, size_t row, const char *separator, struct buf *b);

#endif
