/* Unpacking Zstandard: one frame or several in a row, as zstd(1) and `cat a.zst b.zst` write
 * them. Bounded like gzip.h. */
#ifndef TFPROF_FORMATS_ZSTD_H
#define TFPROF_FORMATS_ZSTD_H

#include "base/buf.h"
#include "base/error.h"
#include "base/span.h"

bool zstd_has_magic(struct span bytes);

/* Appends what is packed to `out`, at most `limit` bytes. `name` is the file's, for
 * messages. */
enum tfprof_status zstd_unpack(struct span packed, size_t limit, const char *name, struct buf *out,
	struct tfprof_error *err);

/* Appends the first `most` bytes, or what there is of them; false if there is none. */
bool zstd_unpack_head(struct span packed, size_t most, struct buf *out);

#endif
