/* Exports columns as a stream of the Arrow C data interface, for pyarrow, polars,
 * DuckDB and others. Numbers and text are shared with the owner of the columns, not
 * copied; 32-bit offsets are made per batch. */
#ifndef TFPROF_WRITE_ARROW_H
#define TFPROF_WRITE_ARROW_H

#include "base/error.h"
#include "base/vec.h"

/* The columns to export and their owner, which is used once by the stream and once by
 * each array that shares its memory. */
struct arrow_table {
	VEC(struct tfprof_column) columns;
	void *owner;
	void (*use)(void *owner);
	void (*release)(void *owner);
};

/* Takes ownership of the list of columns, even on failure. */
enum tfprof_status arrow_export(struct arrow_table *table, struct ArrowArrayStream *stream,
	struct tfprof_error *err);

#endif
