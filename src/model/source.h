/* The bytes of an input: a mapped file, or memory.
 *
 * A file is mapped, not copied (pipes and the like are read). The model keeps
 * the sources whose bytes its columns point into. Another program may write to a
 * mapped file meanwhile (see mapped_file.h): ask source_check() before reading. */
#ifndef TFPROF_MODEL_SOURCE_H
#define TFPROF_MODEL_SOURCE_H

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/span.h"

enum source_owner { SOURCE_BORROWED, SOURCE_MAPPED, SOURCE_HEAP };

struct source {
	struct span bytes;
	enum source_owner owner;
	struct mapped_file file; /* if it is mapped: its bytes are these */
	char *path;
};

/* Opens an input. Memory is borrowed until source_own(). */
enum tfprof_status source_open(struct source *s, const struct tfprof_input *in,
	struct tfprof_error *err);

/* Reads a stream to its end. `name` is for messages. What goes on for longer than this is
 * refused: memory is not to be filled by a device that never ends. */
#define SOURCE_STREAM_LIMIT ((size_t)4 << 30)
enum tfprof_status source_read(struct source *s, int fd, const char *name,
	struct tfprof_error *err);

/* Makes the source independent of the caller's memory. */
enum tfprof_status source_own(struct source *s, struct tfprof_error *err);

/* TFPROF_IO if the file was written to since it was opened. */
enum tfprof_status source_check(const struct source *s, struct tfprof_error *err);

/* Keeps the bytes where they are, whatever happens to the file. False on allocation
 * failure. */
bool source_detach(struct source *s);

/* Transfers bytes that are on the heap to the caller, for mem_free(). */
void *source_take(struct source *s);

void source_close(struct source *s);

#endif
