/* Takes back what a loader has added when it fails halfway.
 *
 *     model_undo_begin ── add nodes, steps, execs, stacks ── model_undo_end
 *                                                          \ model_undo: as before
 *
 * Costs a copy of the columns that loaders change in nodes that were there before (up to
 * 45 bytes for each), and of the execs if the step was there, too. Texts, sets and shapes
 * stay interned: without nodes nobody sees them. */
#ifndef TFPROF_MODEL_UNDO_H
#define TFPROF_MODEL_UNDO_H

#include "model/model.h"

#define UNDO_STEP_COLUMNS(X)        \
	X(uint32_t, types)          \
	X(uint32_t, executed)       \
	X(uint32_t, executed_types) \
	X(uint32_t, device)         \
	X(uint32_t, host_device)    \
	X(uint32_t, first_exec)     \
	X(uint32_t, last_exec)      \
	X(uint8_t, flags)

/* Only op logs change these. */
#define UNDO_OP_LOG_COLUMNS(X) \
	X(int64_t, float_ops)  \
	X(struct slice, trace)

struct undo_column {
	bool is_kept;
	void *copy; /* NULL: all bytes are `fill` */
	unsigned char fill;
};

struct model_undo {
	struct model before; /* the model's counts and flags; owns nothing */
#define X(type, column) struct undo_column column;
	UNDO_STEP_COLUMNS(X)
	UNDO_OP_LOG_COLUMNS(X)
#undef X
	int64_t *steps;
	struct exec *rows; /* NULL: rows were only appended */
	struct exec_detail *details;
	struct exec_record *records;
	struct exec_sums *wide;
};

/* `step` is the one that will be added to. False on allocation failure. */
bool model_undo_begin(struct model_undo *u, const struct model *m, int64_t step, bool has_op_log);
/* Takes everything back, and releases the copies. */
void model_undo(struct model_undo *u, struct model *m);
void model_undo_end(struct model_undo *u);

#endif
