/* Call stacks: decoding a node's CodeDef bytes into frames, outermost first.
 *
 * A frame names its texts by id (file_id …); until the end of 2017 it had the texts themselves
 * (file, function, line). Both are read. */
#ifndef TFPROF_MODEL_TRACE_H
#define TFPROF_MODEL_TRACE_H

#include "model/model.h"

struct frame {
	struct span file, function, source; /* source: the text of the line */
	int32_t line, function_line;
};

typedef VEC(struct frame) frames_vec;
typedef VEC(struct span) spans_vec;

/* Replaces what `frames` held. A text that the profile does not have is "none". */
enum tfprof_status trace_read(const struct model *m, struct span code_def, frames_vec *frames,
	struct tfprof_error *err);

/* trace_read() in two steps: the bytes of each frame, equal ones for equal frames,
 * and what they mean. */
enum tfprof_status trace_split(struct span code_def, spans_vec *frames, struct tfprof_error *err);
enum tfprof_status trace_read_frame(const struct model *m, struct span bytes, struct frame *frame,
	struct tfprof_error *err);

/* Whether a file belongs to Python, TensorFlow or another installed package: its lines are not
 * the user's own. */
bool frame_is_library(struct span file);

/* Adds "train.py:35" to `b`: the innermost line of the user's code that made a node; nothing if
 * there is none. `source` is the text of the line. */
enum tfprof_status trace_put_user_line(struct buf *b, const struct model *m, uint32_t node,
	struct span *source, struct tfprof_error *err);

#endif
