/* Decoding ExecProfile, the message an exec has in a saved profile, and the
 * messages in it that records have, too. */
#ifndef TFPROF_MODEL_EXEC_PROFILE_H
#define TFPROF_MODEL_EXEC_PROFILE_H

#include "model/exec.h"
#include "proto/decoder.h"

struct exec_sums exec_profile_sums(struct decoder *d, struct span message);
struct exec_extent exec_profile_extent(struct decoder *d, struct span message);

/* Passes the visitor what it has functions for; false if that ended the visit. */
bool exec_profile_visit(struct decoder *d, struct span message, const struct exec_visitor *v);

/* The Tuple { start, duration } of a time. */
void exec_profile_time(struct decoder *d, struct span message, struct exec_time *time);

/* An AllocationRecord. */
struct exec_allocation exec_profile_allocation(struct decoder *d, struct span message);

#endif
