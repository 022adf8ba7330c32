#include "formats/gzip.h"

#include <limits.h>

#include <zlib.h>

bool gzip_has_magic(struct span bytes)
{
	return span_starts(bytes, SPAN("\x1f\x8b"));
}

size_t gzip_get_limit(size_t n)
{
	const size_t least = (size_t)64 << 20, most = (size_t)2 << 30;

	return n < (most - least) / 100 ? least + 100 * n : most;
}

/* The stream counts in unsigned int, so what is packed goes in by pieces. */
static void feed(z_stream *z, struct span *packed)
{
	size_t n = packed->n < INT_MAX ? packed->n : INT_MAX;

	if (z->avail_in)
		return;
	z->next_in = (Bytef *)(uintptr_t)packed->at;
	z->avail_in = (uInt)n;
	packed->at += n;
	packed->n -= n;
}

/* Zeros after the end are padding, as on tapes. */
static bool is_padding(const z_stream *z, struct span rest)
{
	for (uInt i = 0; i < z->avail_in; i++)
		if (z->next_in[i])
			return false;
	for (size_t i = 0; i < rest.n; i++)
		if (rest.at[i])
			return false;
	return true;
}

/* Z_STREAM_END at the end of all members, Z_OK if there is more than `limit`, or an
 * error. */
static int inflate_all(z_stream *z, struct span packed, size_t limit, struct buf *out)
{
	enum { PIECE = 1 << 18 };
	int code = Z_OK;

	while (out->n <= limit) {
		feed(z, &packed);
		if (code == Z_STREAM_END) {
			if (is_padding(z, packed))
				return Z_STREAM_END;
			code = inflateReset(z);
		}
		if (!buf_reserve(out, PIECE))
			return Z_MEM_ERROR;
		z->next_out = (Bytef *)out->at + out->n;
		z->avail_out = PIECE;
		code = inflate(z, Z_NO_FLUSH);
		out->n += PIECE - z->avail_out;
		if (code != Z_OK && code != Z_STREAM_END)
			return code;
	}
	return Z_OK;
}

enum tfprof_status gzip_unpack(struct span packed, size_t limit, const char *name, struct buf *out,
	struct tfprof_error *err)
{
	z_stream z = {0};
	int code = inflateInit2(&z, MAX_WBITS + 16);

	if (code == Z_OK) {
		code = inflate_all(&z, packed, limit, out);
		inflateEnd(&z);
	}
	switch (code) {
	case Z_STREAM_END: return TFPROF_OK;
	case Z_OK:
		return error_set(err, TFPROF_FORMAT,
			"%.400s: it unpacks to more than %zu bytes, the limit for %zu compressed "
			"ones: "
			"if that is intended, unpack it first (gunzip)",
			name, limit, packed.n);
	case Z_MEM_ERROR: return error_no_memory(err);
	case Z_BUF_ERROR:
		return error_set(err, TFPROF_FORMAT,
			"%.400s: the gzip data ends after %zu bytes of content: the file is cut "
			"short",
			name, out->n);
	default:
		return error_set(err, TFPROF_FORMAT,
			"%.400s: the gzip data is damaged after %zu bytes of content%s%s", name,
			out->n, z.msg ? ": " : "", z.msg ? z.msg : "");
	}
}

bool gzip_unpack_head(struct span packed, size_t most, struct buf *out)
{
	z_stream z = {0};

	if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
		return false;
	inflate_all(&z, packed, most, out);
	inflateEnd(&z);
	if (out->n > most)
		out->n = most;
	return out->n && !out->failed;
}
