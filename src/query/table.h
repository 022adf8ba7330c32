/* Columns of a table while they are made: typed, with their memory.
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
	struct tfprof_column view; /* as it is handed out; `name` NULL: not made yet */
	int64_t *numbers;
	double *doubles;
	VEC(int64_t) lists, offsets;
	struct buf bytes;
};

void table_column_clear(struct table_column *c);

/* Starts a column of `n` rows. Numbers and doubles are filled in by the caller, texts
 * put in order. False on allocation failure. */
bool table_column_init(struct table_column *c, const struct tfprof_column_info *info, size_t n);

/* Ends a text that was written to `bytes`. */
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

/* Makes the column ready to be handed out; on failure it is cleared. */
enum tfprof_status table_column_finish(struct table_column *c, struct tfprof_error *err);

/* ---- reading ---- */

static inline struct span table_text(const struct tfprof_column *c, size_t i)
{
	return (struct span){c->bytes + c->offsets[i], (size_t)(c->offsets[i + 1] - c->offsets[i])};
}

/* The texts of a row, joined. */
void table_join(const struct tfprof_column *c, size_t row, const char *separator, struct buf *b);

#endif
