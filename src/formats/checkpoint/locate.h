/* Finds the files of a checkpoint from the path a user gives. */
#ifndef TFPROF_FORMATS_CHECKPOINT_LOCATE_H
#define TFPROF_FORMATS_CHECKPOINT_LOCATE_H

#include "base/arena.h"
#include "base/error.h"

struct location {
	const char *path;    /* V2: the prefix; V1: the path given */
	const char **tables; /* V1: its files; NULL for V2 */
	size_t n_tables;
};

/* All strings go to the arena. Checks that files exist only as far as needed to tell
 * the kinds apart. */
enum tfprof_status locate(struct location *where, const char *path, struct arena *arena,
	struct tfprof_error *err);

#endif
