/* The columns written by CSV and JSON, with plain numbers, made before the first row.
 * They are described in docs/output.md. */
#ifndef TFPROF_WRITE_ROWS_H
#define TFPROF_WRITE_ROWS_H

#include "write/writer.h"

struct rows {
	const struct tfprof_column *columns[N_COLUMNS];
	size_t n;
	struct buf text; /* of rows_text() */
};

/* The columns of `first`, then those selected by the options. Call rows_end() in any
 * case. */
enum tfprof_status rows_init(struct rows *rows, const struct writing *w,
	const enum column_id *first, size_t n_first, struct tfprof_error *err);
/* Returns `status`, or a failure that stuck. */
enum tfprof_status rows_end(struct rows *rows, enum tfprof_status status, struct tfprof_error *err);

/* The text of a row, or its texts joined by `|`. Valid until the next call. */
struct span rows_text(struct rows *rows, const struct tfprof_column *c, size_t row);

#endif
