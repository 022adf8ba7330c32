/* Comparisons of the two profiles that are shown: the second against the first. */
#ifndef TFPROF_SERVER_DIFF_QUERY_H
#define TFPROF_SERVER_DIFF_QUERY_H

#include "server/view_query.h"

/* Whether a call is about the comparison, not about a profile. */
bool diff_is_asked(const struct call *c);

/* What `tfprof diff VIEW BASE NEW` compares with the call's view, options and order; view
 * "model" compares what two model files cost. Release it with store_release(). */
enum tfprof_status diff_query(struct call *c, struct kept **kept, struct tfprof_error *err);

#endif
