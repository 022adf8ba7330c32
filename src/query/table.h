/* Builds the typed columns of a table, with their memory.
 *
 *     TEXT    offsets[i] … offsets[i + 1]         in one buffer of bytes
 *     TEXTS   lists[i] … lists[i + 1]             items, each like a TEXT
 */
#ifndef TFPROF_QUERY_TABLE_H
#define TFPROF_QUERY_TABLE_H

#include <math.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

struct table_column {
	struct tfprof_column view; /* as returned to callers; `name` NULL: not made yet */
	int64_t *numbers;
	double *doubles;
	VEC(int64_t) lists, offsets;
	struct buf bytes;
	bool is_too_long; /* a text was left out: there would be more than TABLE_TEXT_MAX bytes */
};

/* A name comes with each row that it names, so that a small file can have terabytes of them. */
#define TABLE_TEXT_MAX ((size_t)2000000000)

void table_column_clear(struct table_column *c);
/* Bytes of memory it holds. */
size_t table_column_count_bytes(const struct table_column *c);

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
	c->is_too_long |= text.n > TABLE_TEXT_MAX || c->bytes.n > TABLE_TEXT_MAX - text.n;
	if (!c->is_too_long)
		buf_span(&c->bytes, text);
	table_end_text(c);
}

/* Makes the column ready to be returned; on failure it is cleared. */
enum tfprof_status table_column_finish(struct table_column *c, struct tfprof_error *err);

/* A whole table, for what has no query. Either flat, with all rows at once:
 *
 *     column_table_init(t, infos, n, n_rows), fill in columns[…], column_table_finish()
 *
 * or a tree that grows in pre-order, in which what is not set has no value:
 *
 *     column_table_init_tree(t, infos, n)
 *     root = column_table_add_row(t, TABLE_NO_PARENT, SPAN("step"))
 *     row = column_table_add_row(t, root, SPAN("step 0"))     parents before children
 *     table_set_double(t, row, WALL, 21.5)                    WALL: an index of `infos`
 *     column_table_finish(t)
 *
 * Numbers can be set in any row until then, texts only in the row added last. Failures
 * to allocate stick: column_table_finish() reports them. */
struct column_table {
	struct table_column *columns; /* a tree has parent, depth and name before its own */
	size_t n_columns, n_rows;
	size_t capacity; /* rows that a tree has room for */
	bool is_tree, failed;
	const char *named_by; /* the column that names a row of a flat table; NULL: "name" */
};

enum { TREE_PARENT, TREE_DEPTH, TREE_NAME, N_TREE_COLUMNS };
#define TABLE_NO_PARENT SIZE_MAX

/* Starts all columns. False on allocation failure; clear in any case. */
bool column_table_init(struct column_table *t, const struct tfprof_column_info *infos,
	size_t n_columns, size_t n_rows);
/* The columns of a tree have no value where none is set. */
bool column_table_init_tree(struct column_table *t, const struct tfprof_column_info *infos,
	size_t n_columns);
/* Returns the number of the row. */
size_t column_table_add_row(struct column_table *t, size_t parent, struct span name);
void table_set_int(struct column_table *t, size_t row, size_t column, int64_t value);
void table_set_double(struct column_table *t, size_t row, size_t column, double value);
void table_set_text(struct column_table *t, size_t row, size_t column, struct span text);

/* Ends the texts of the last row that were not set; finishing does that, too. */
void column_table_end(struct column_table *t);

/* Makes all columns ready to be handed out. */
enum tfprof_status column_table_finish(struct column_table *t, struct tfprof_error *err);
void column_table_clear(struct column_table *t);
/* Bytes of memory its columns hold. */
size_t column_table_count_bytes(const struct column_table *t);
/* NULL if no column has this name. */
const struct tfprof_column *column_table_find(const struct column_table *t, const char *name);

/* ---- reading ---- */

/* Whether a cell has no value: a negative number, NaN or an empty text of a column that is
 * nullable. A column of numbers that may be negative is of doubles. */
static inline bool table_is_null(const struct tfprof_column *c, size_t row)
{
	if (!c->is_nullable)
		return false;
	switch (c->type) {
	case TFPROF_COLUMN_DOUBLE: return isnan(c->doubles[row]);
	case TFPROF_COLUMN_TEXT: return c->offsets[row] == c->offsets[row + 1];
	case TFPROF_COLUMN_TEXTS: return false;
	default: return c->numbers[row] < 0;
	}
}

static inline struct span table_text(const struct tfprof_column *c, size_t i)
{
	return (struct span){c->bytes + c->offsets[i], (size_t)(c->offsets[i + 1] - c->offsets[i])};
}

/* The texts of a row, joined. */
void table_join(const struct tfprof_column *c, size_t row, const char *separator, struct buf *b);

#endif
