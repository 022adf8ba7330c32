/* What a loader met in an input that the model did not take, for a note to the user. */
#ifndef TFPROF_LOAD_COUNTS_H
#define TFPROF_LOAD_COUNTS_H

#include <stdint.h>

#include "base/buf.h"
#include "proto/schema.h"

/* Not counted by this loader. */
#define UNCOUNTED SIZE_MAX

struct load_counts {
	size_t n_entries;  /* nodes, or entries for nodes, or UNCOUNTED */
	size_t n_outside;  /* of them, of no node that was known */
	size_t n_unknown;  /* top-level fields that the message does not have */
	size_t n_dangling; /* inputs of nodes that name no node */
};

/* Whether a message has no such field; costs a search, so ask about what is not read. */
bool counts_is_unknown(const struct schema_message *type, uint32_t tag);

/* Appends one line, or nothing. `outside` says what became of entries outside. */
void counts_put(const struct load_counts *c, const char *name, const char *outside,
	struct buf *notes);

#endif
