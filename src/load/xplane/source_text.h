/* The text of lines of Python that a trace names by file and number only, if the files are
 * still here as they were when it was recorded. */
#ifndef TFPROF_LOAD_XPLANE_SOURCE_TEXT_H
#define TFPROF_LOAD_XPLANE_SOURCE_TEXT_H

#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct source_file {
	char *bytes;
	VEC(uint32_t) lines; /* where they begin, and where the last one ends */
};

/* Zero, but for .recorded_ns, is empty. */
struct source_texts {
	int64_t recorded_ns; /* files changed after that are not read; 0: not known */
	VEC(struct source_file) files;
	VEC(uint32_t) file_of; /* by id of a path: its place + 1; 0: not looked for */
	size_t n_bytes;
};

/* Without the spaces around it; empty if it is not known, or of an installed package. Only
 * regular files *.py with an absolute path are read. Borrowed until they are cleared. */
struct span source_texts_get(struct source_texts *t, uint32_t path_id, struct span path,
	int64_t line);
void source_texts_clear(struct source_texts *t);

#endif
