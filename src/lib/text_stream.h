/* Text for stdout: kept by the result, or passed on in pieces while it is made.
 *
 *     sink → first megabyte, held back → [inputs unchanged?] → write function
 *
 * A failure before the first piece is passed on leaves nothing of the text behind: all
 * failures of a text that is shorter than what is held back. */
#ifndef TFPROF_LIB_TEXT_STREAM_H
#define TFPROF_LIB_TEXT_STREAM_H

#include "base/sink.h"
#include "model/model.h"

enum { TEXT_STREAM_HELD = 1 << 20 };

struct text_stream {
	tfprof_write_fn *write; /* NULL: the text is kept */
	void *context;
	bool is_terminal;          /* see struct sink */
	bool has_colour;           /* likewise */
	const struct model *model; /* whose inputs must be unchanged */
	struct buf held;
	bool has_begun;
	enum tfprof_status failed; /* other than of writing */
	struct tfprof_error error;
};

/* Opens a sink that passes text on. Commit passes nothing on that is still held back. */
enum tfprof_status text_stream_open(struct text_stream *s, struct sink *out,
	struct tfprof_error *err);
/* Why the sink failed, if it was not for writing: `status` otherwise. */
enum tfprof_status text_stream_check(const struct text_stream *s, enum tfprof_status status,
	struct tfprof_error *err);
/* Passes on what is held back and then `rest`. */
enum tfprof_status text_stream_finish(struct text_stream *s, struct span rest,
	struct tfprof_error *err);
void text_stream_clear(struct text_stream *s);

#endif
