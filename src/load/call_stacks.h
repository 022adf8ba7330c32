/* Call stacks that a file has in a form of its own, as CodeDefs (model/trace.h). They and the
 * texts they name go to a source of their own, since nothing else holds them.
 *
 *     bytes   CodeDef │ CodeDef │ … │ file names, functions and lines
 *
 *     call_stacks_init ── call_stacks_put, frame by frame ── call_stacks_keep ── call_stacks_set
 */
#ifndef TFPROF_LOAD_CALL_STACKS_H
#define TFPROF_LOAD_CALL_STACKS_H

#include "model/trace.h"

/* Where a CodeDef is: from the length of `code` before its first frame to that after its last. */
struct call_stack {
	size_t at, n;
};

struct call_stacks {
	struct strings texts; /* the text of id i is the i-th */
	int64_t first_id;
	struct buf code;
};

/* False on allocation failure. Clear in any case. */
bool call_stacks_init(struct call_stacks *s, const struct model *m);
void call_stacks_clear(struct call_stacks *s);

/* The next frame, outermost first. Its texts are aliased until they are kept. On allocation
 * failure `code` has failed. */
void call_stacks_put(struct call_stacks *s, const struct frame *frame);

/* Makes the model keep all of them, in the last of its sources. */
enum tfprof_status call_stacks_keep(struct call_stacks *s, struct model *m,
	struct tfprof_error *err);
/* The slice of a stack in that source. False on allocation failure. */
bool call_stacks_slice(struct model *m, struct call_stack stack, struct slice *slice);
/* Gives it to a node. */
void call_stacks_set(struct model *m, uint32_t node, struct slice stack);

#endif
