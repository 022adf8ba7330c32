/* What code view calls the work of a trace that has no line of Python, so that lines add up to
 * operations. */
#ifndef TFPROF_VIEW_LINELESS_H
#define TFPROF_VIEW_LINELESS_H

#include "model/model.h"
#include "model/trace.h"

#define LINELESS_KINDS(X)            \
	X(INPUT, "(input pipeline)") \
	X(EAGER, "(eager)")          \
	X(FRAMEWORK, "(framework)")  \
	X(OTHER, "(no line)")

enum lineless {
#define X(id, label) LINELESS_##id,
	LINELESS_KINDS(X)
#undef X
		N_LINELESS
};

extern const char *const lineless_labels[N_LINELESS];

/* The kind of a node that has no line, by its name and type. */
enum lineless lineless_of(const struct model *m, uint32_t node);

/* Whether a frame of code view stands for one of these kinds, and is none of Python. */
bool lineless_is_frame(const struct frame *frame);

#endif
