/* An Arrow IPC file (Feather V2), which pandas.read_feather(), polars.read_ipc() and
 * pyarrow.ipc.open_file() read, from a stream of the C data interface. */
#ifndef TFPROF_WRITE_ARROW_FILE_H
#define TFPROF_WRITE_ARROW_FILE_H

#include "base/error.h"
#include "base/sink.h"

/* Releases the stream. */
enum tfprof_status arrow_file_write(struct ArrowArrayStream *stream, struct sink *out,
	struct tfprof_error *err);

/* The same for columns that stay where they are until this returns. */
enum tfprof_status arrow_file_write_columns(const struct tfprof_column *const *columns, size_t n,
	struct sink *out, struct tfprof_error *err);

#endif
