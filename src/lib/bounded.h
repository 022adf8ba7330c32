/* JSON of a bounded size, for readers that pay by the byte:
 *
 *     writer → temporary file → up to max_bytes → the output
 *
 * An answer that fits is copied, and the file removed. Of one that does not, as many rows are
 * written as fit, then a member "cut" that says how many rows were left out and where the file
 * with all of them is. */
#ifndef TFPROF_LIB_BOUNDED_H
#define TFPROF_LIB_BOUNDED_H

#include "base/sink.h"

struct bounded {
	struct sink whole; /* for the writer; bounded_copy() commits it, the caller abandons it */
	char *path;
	int fd;
};

/* On success, the caller ends with bounded_close(), which removes the file unless an answer
 * names it. */
enum tfprof_status bounded_open(struct bounded *b, struct tfprof_error *err);
enum tfprof_status bounded_copy(struct bounded *b, size_t max_bytes, struct sink *out,
	struct tfprof_error *err);
void bounded_close(struct bounded *b);

#endif
