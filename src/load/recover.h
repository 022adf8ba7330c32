/* What is whole of a message that is damaged or cut short.
 *
 *     fields of the message   [node][node][no##][node][node][no
 *     what is loaded          [node][node]      [node][node]
 *
 * A field is whole if it is well-formed at every depth. One that is not is left out; where
 * its length cannot be right, so is all up to the next place where fields go on. Messages
 * that hold a whole file (a step, a plane of a trace) are gone through field by field
 * themselves. What is left no longer refers to what was dropped: see recover_links.c. */
#ifndef TFPROF_LOAD_RECOVER_H
#define TFPROF_LOAD_RECOVER_H

#include "base/buf.h"
#include "base/vec.h"
#include "load/inputs.h"
#include "model/source.h"
#include "proto/schema.h"

/* Replaces the bytes of a source with its intact parts, if it is damaged. Appends a line
 * that says what was dropped. Of a kind that cannot be recovered nothing changes. */
enum tfprof_status recover(struct source *s, enum input_kind kind, const char *name,
	struct buf *notes, struct tfprof_error *err);

/* Converts a text, or its intact parts, likewise. */
enum tfprof_status recover_text(struct source *s, enum input_kind kind, const char *name,
	struct buf *notes, struct tfprof_error *err);

/* What nodes and entries referred to and no longer do. */
struct recovered_links {
	size_t n_inputs, n_stacks, n_steps;
};

/* Appends the message without references to what it does not have. False on allocation
 * failure. */
bool recover_links(struct span message, enum input_kind kind, struct buf *out,
	struct recovered_links *links);

#endif
