/* One sentence on the accelerators of traces. */
#ifndef TFPROF_ASK_ACCELERATORS_H
#define TFPROF_ASK_ACCELERATORS_H

#include "base/buf.h"
#include "model/model.h"

/* Which they are, what they ran, and what limits them. Nothing if there are none. */
void accelerators_put_headline(const struct model *m, struct buf *b);

#endif
