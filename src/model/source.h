/* The bytes of an input: a mapped file, or memory.
 *
 * A file is mapped, not copied (pipes and the like are read). The model keeps
 * the sources whose bytes its columns point into. If another program writes to the
 * file meanwhile, those bytes change, or are no longer there, and reading them
 * crashes: so ask source_check() before. A file that takes the place of the mapped
 * one does no harm. */
#ifndef TFPROF_MODEL_SOURCE_H
#define TFPROF_MODEL_SOURCE_H

#include <sys/stat.h>

#include "base/error.h"
#include "base/span.h"

enum source_owner { SOURCE_BORROWED, SOURCE_MAPPED, SOURCE_HEAP };

struct source {
	struct span bytes;
	enum source_owner owner;
	char *path;                /* if it is mapped: which file, and what it was then */
	struct stat file;
};

/* Opens an input. Memory is borrowed until source_own(). */
enum tfprof_status source_open(struct source *s, const struct tfprof_input *in,
	struct tfprof_error *err);

/* Makes the source independent of the caller's memory. */
enum tfprof_status source_own(struct source *s, struct tfprof_error *err);

/* TFPROF_IO if the file was written to since it was opened. */
enum tfprof_status source_check(const struct source *s, struct tfprof_error *err);

void source_close(struct source *s);

#endif
