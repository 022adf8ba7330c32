/* What TFPROF_DEBUG=steps,join prints of a trace (base/debug.h). */
#ifndef TFPROF_LOAD_XPLANE_EXPLAIN_H
#define TFPROF_LOAD_XPLANE_EXPLAIN_H

#include "load/xplane/apply.h"

void explain_steps(const struct trace *t, const char *path);
/* Call when operations have been added. */
void explain_join(const struct apply *a);

#endif
