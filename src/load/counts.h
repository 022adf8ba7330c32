/* What a loader met in an input that the model did not take, for a note to the user. */
#ifndef TFPROF_LOAD_COUNTS_H
#define TFPROF_LOAD_COUNTS_H

#include <stdint.h>

#include "base/buf.h"
#include "load/audit.h"

/* Not counted by this loader. */
#define UNCOUNTED SIZE_MAX

struct load_counts {
	size_t n_entries;  /* nodes, or entries for nodes, or UNCOUNTED */
	size_t n_outside;  /* of them, of no node that was known */
	size_t n_dangling; /* inputs of nodes that name no node */
	size_t n_nameless; /* nodes and devices without names */
	size_t n_unread;   /* events of a trace that cannot be right */
	struct field_counts fields;
};

/* Whether some of the input was ignored. */
bool counts_has_ignored(const struct load_counts *c);

/* Appends what stands before it, a number that is not 0 and what it is of. A comma stands
 * before the next. */
void counts_put_phrase(struct buf *notes, const char **before, size_t n, const char *one,
	const char *several);

/* Appends one line, or nothing. `outside` says what became of entries outside. */
void counts_put(const struct load_counts *c, const char *name, const char *outside,
	struct buf *notes);

#endif
