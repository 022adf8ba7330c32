/* The lines of Python that a compiled program was made from (StackFrameIndexProto). */
#ifndef TFPROF_HLO_FRAMES_H
#define TFPROF_HLO_FRAMES_H

#include "base/vec.h"
#include "proto/decoder.h"

/* A line of Python and its caller. */
struct hlo_frame {
	struct span file, function;
	int64_t line;
	uint32_t parent; /* from 1 on; 0: none */
};

typedef VEC(struct hlo_frame) hlo_frames;

void hlo_frames_read(hlo_frames *frames, struct decoder *d, struct span message);

/* The innermost frame outside of installed packages, for a frame from 1 on; if all are inside, the
 * frame itself. 0 if there is none. */
uint32_t hlo_frames_find_own(const hlo_frames *frames, uint32_t frame);

#endif
