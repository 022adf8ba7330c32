/* Unpacking gzip: one member or several in a row, as gzip(1) and `cat a.gz b.gz` write
 * them. Unpacking is bounded, because a small file can unpack to a thousand times its
 * size. */
#ifndef TFPROF_FORMATS_GZIP_H
#define TFPROF_FORMATS_GZIP_H

#include "base/buf.h"
#include "base/error.h"
#include "base/span.h"

bool gzip_has_magic(struct span bytes);

/* What `n` packed bytes may unpack to: 64 MiB and 100 times their size, at most 2 GiB,
 * which is also the largest message of protobuf. Real profiles shrink to a tenth. */
size_t gzip_get_limit(size_t n);

/* Appends what is packed to `out`. `name` is the file's, for messages. */
enum tfprof_status gzip_unpack(struct span packed, size_t limit, const char *name, struct buf *out,
	struct tfprof_error *err);

/* Appends the first `most` bytes, or what there is of them. False if it is no gzip, on
 * damage before the first byte, and on allocation failure. */
bool gzip_unpack_head(struct span packed, size_t most, struct buf *out);

#endif
