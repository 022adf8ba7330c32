/* Files compressed with gzip or zstd, recognized by their first bytes. */
#ifndef TFPROF_FORMATS_PACKED_H
#define TFPROF_FORMATS_PACKED_H

#include "formats/gzip.h"
#include "formats/zstd.h"

struct packing {
	const char *name, *unpacker; /* "gzip", "gunzip" */
	bool (*has_magic)(struct span bytes);
	enum tfprof_status (*unpack)(struct span packed, size_t limit, const char *name,
		struct buf *out, struct tfprof_error *err);
	bool (*unpack_head)(struct span packed, size_t most, struct buf *out);
};

/* How bytes are packed; NULL: they are not. */
static inline const struct packing *packing_of(struct span bytes)
{
	static const struct packing known[] = {
		{"gzip", "gunzip", gzip_has_magic, gzip_unpack, gzip_unpack_head},
		{"zstd", "unzstd", zstd_has_magic, zstd_unpack, zstd_unpack_head},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].has_magic(bytes))
			return &known[i];
	return NULL;
}

#endif
