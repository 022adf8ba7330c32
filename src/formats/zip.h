/* Reads members of zip archives that are stored or deflated, as Keras writes them.
 *
 * By hand: Debian's libzip brings along gnutls, bzip2, lzma and zstd for one directory and
 * a call of zlib, which is used here already. */
#ifndef TFPROF_FORMATS_ZIP_H
#define TFPROF_FORMATS_ZIP_H

#include "base/buf.h"
#include "base/error.h"

/* Finds a member: `*bytes` is its content, in the archive itself or unpacked into `room`, which
 * takes at most `most` bytes: a few may unpack to gigabytes.
 * TFPROF_UNSUPPORTED if there is none of that name. The error is without the file's name. */
enum tfprof_status zip_get(struct span archive, const char *name, size_t most, struct buf *room,
	struct span *bytes, struct tfprof_error *err);

#endif
