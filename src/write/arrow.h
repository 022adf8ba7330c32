/* Columns as a stream of the Arrow C data interface, which pyarrow, polars, DuckDB
 * and others take. Numbers and text are shared with whoever owns the columns, not
 * copied; 32-bit offsets are made for each batch. */
#ifndef TFPROF_WRITE_ARROW_H
#define TFPROF_WRITE_ARROW_H

#include "base/error.h"
#include "base/vec.h"

/* What is exported, and who keeps it: `owner` is used once by the stream and once by
 * each array that shares its memory. */
struct arrow_table {
	VEC(struct tfprof_column) columns;
	void *owner;
	void (*use)(void *owner);
	void (*release)(void *owner);
};

/* Takes the list of columns, also on failure. */
enum tfprof_status arrow_export(struct arrow_table *table, struct ArrowArrayStream *stream,
	struct tfprof_error *err);

#endif
