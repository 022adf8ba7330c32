#include "formats/zstd.h"

#include <zstd.h>
#include <zstd_errors.h>

/* A frame may ask for a window of this size: as much as zstd(1) allows by default. */
enum { MAX_WINDOW_LOG = 27 };

bool zstd_has_magic(struct span bytes)
{
	return span_starts(bytes, SPAN("\x28\xb5\x2f\xfd"));
}

enum outcome { WHOLE, BEYOND_LIMIT, CUT_SHORT, LARGE_WINDOW, DAMAGED, OUT_OF_MEMORY };

static enum outcome unpack_all(ZSTD_DStream *stream, struct span packed, size_t limit,
	struct buf *out, const char **reason)
{
	enum { PIECE = 1 << 18 };
	ZSTD_inBuffer in = {packed.at, packed.n, 0};
	size_t left = 1; /* 0: at the end of a frame */

	while (out->n <= limit) {
		ZSTD_outBuffer to;

		if (!buf_reserve(out, PIECE))
			return OUT_OF_MEMORY;
		to = (ZSTD_outBuffer){out->at + out->n, PIECE, 0};
		left = ZSTD_decompressStream(stream, &to, &in);
		if (ZSTD_isError(left)) {
			*reason = ZSTD_getErrorName(left);
			return ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge
				? LARGE_WINDOW
				: DAMAGED;
		}
		out->n += to.pos;
		if (in.pos == in.size && to.pos < to.size)
			return left ? CUT_SHORT : WHOLE;
	}
	return BEYOND_LIMIT;
}

static enum outcome unpack(struct span packed, size_t limit, struct buf *out, const char **reason)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	enum outcome outcome;

	if (!stream)
		return OUT_OF_MEMORY;
	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, MAX_WINDOW_LOG);
	outcome = unpack_all(stream, packed, limit, out, reason);
	ZSTD_freeDStream(stream);
	return outcome;
}

enum tfprof_status zstd_unpack(struct span packed, size_t limit, const char *name, struct buf *out,
	struct tfprof_error *err)
{
	const char *reason = "";

	switch (unpack(packed, limit, out, &reason)) {
	case WHOLE: return TFPROF_OK;
	case BEYOND_LIMIT:
		return error_set(err, TFPROF_FORMAT,
			"%.400s: it unpacks to more than %zu bytes, the limit for %zu compressed "
			"ones: "
			"if that is intended, unpack it first (unzstd)",
			name, limit, packed.n);
	case CUT_SHORT:
		return error_set(err, TFPROF_FORMAT,
			"%.400s: the zstd data ends after %zu bytes of content: the file is cut "
			"short",
			name, out->n);
	case LARGE_WINDOW:
		return error_set(err, TFPROF_UNSUPPORTED,
			"%.400s: it was packed with a window of more than %d MB (zstd --long): "
			"unpack it first (unzstd --long=31)",
			name, (1 << MAX_WINDOW_LOG) >> 20);
	case DAMAGED:
		return error_set(err, TFPROF_FORMAT,
			"%.400s: the zstd data is damaged after %zu bytes of content: %s", name,
			out->n, reason);
	case OUT_OF_MEMORY: break;
	}
	return error_no_memory(err);
}

bool zstd_unpack_head(struct span packed, size_t most, struct buf *out)
{
	const char *reason;

	unpack(packed, most, out, &reason);
	if (out->n > most)
		out->n = most;
	return out->n && !out->failed;
}
