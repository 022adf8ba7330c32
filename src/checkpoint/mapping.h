/* A file's bytes, mapped read-only. Nothing is read before it is looked at, so
 * a checkpoint of many gigabytes opens at once. */
#ifndef TFPROF_CHECKPOINT_MAPPING_H
#define TFPROF_CHECKPOINT_MAPPING_H

#include "base/error.h"
#include "base/span.h"

/* `bytes` is never NULL, even of an empty file. Release with mapping_close. */
enum tfprof_status mapping_open(struct span *bytes, const char *path, struct tfprof_error *err);
void mapping_close(struct span bytes);

#endif
