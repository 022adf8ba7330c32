/* What a device name says of the process it belongs to.
 *
 *     /job:worker/replica:0/task:1/device:gpu:0/stream:all
 *     └─────── task ──────────────┘ job = worker
 */
#ifndef TFPROF_ADVISE_TASK_H
#define TFPROF_ADVISE_TASK_H

#include "base/buf.h"

/* Up to and with the task number; empty for a device of no task. */
struct span task_of(struct span device);
/* "worker"; empty if the task names no job. */
struct span task_job(struct span task);
/* For people: "/job:worker/task:1", without a replica of 0. An empty one is
 * "this machine". */
void task_put(struct buf *b, struct span task);

#endif
