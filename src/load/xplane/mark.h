/* Whether bytes are a trace. */
#ifndef TFPROF_LOAD_XPLANE_MARK_H
#define TFPROF_LOAD_XPLANE_MARK_H

#include "base/span.h"

/* Also of the beginning of one. */
bool xplane_has_mark(struct span bytes);

#endif
