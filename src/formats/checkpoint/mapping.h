/* Checkpoint files are mapped, so one of many gigabytes opens instantly. */
#ifndef TFPROF_FORMATS_CHECKPOINT_MAPPING_H
#define TFPROF_FORMATS_CHECKPOINT_MAPPING_H

#include "base/error.h"
#include "base/mapped_file.h"

/* The bytes are never NULL, even on failure. */
enum tfprof_status mapping_open(struct mapped_file *file, const char *path,
	struct tfprof_error *err);

#endif
