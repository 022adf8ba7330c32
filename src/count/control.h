/* Control flow: a control node's task stays on the stack while the functions it calls are
 * evaluated above it, and takes the next step when they are done.
 *
 *     call     enter f ─▶ its returns
 *     While    cond ─▶ body, recorded ─▶ cond ─▶ body, recorded again if turns differ, or only
 *              what cond depends on ─▶ …
 *     If       predicate known: one branch; else all of them, and the dearest is kept
 *
 * Here is what its parts share. Functions that return bool return false on allocation failure,
 * and set *is_done when the node has its outputs, in w->out. */
#ifndef TFPROF_COUNT_CONTROL_H
#define TFPROF_COUNT_CONTROL_H

#include "base/hash.h"
#include "count/frame.h"
#include "count/repeat.h"

struct turns;

enum phase {
	PHASE_START,
	PHASE_CALL,
	PHASE_COND,
	PHASE_BODY,
	PHASE_REPEAT,
	PHASE_AGAIN,
	PHASE_BRANCH
};

struct run {
	enum phase phase;
	const struct graph *cond, *body;  /* or what is called, or the branch */
	struct frame *frame, *cond_frame; /* being evaluated: the function, the condition */
	size_t n_vars;
	struct tensor *vars;  /* variables of a While, in arenas[turn & 1] */
	struct tensor *first; /* what the first turn gave, in the caller's frame */
	bool *is_needed;      /* vars that the condition depends on */
	struct arena arenas[2], arena;
	struct repeats repeats; /* records of turns */
	bool has_control;       /* the body has loops or conditionals */
	bool has_new_shapes;    /* the last turn gave others than the one before */
	size_t first_record;    /* of a branch */
	int64_t trips;
	/* If */
	const struct op_attr *branches;
	size_t branch, n_branches;
	bool is_known;
	int64_t best_cost;
	struct tensor *best;
	size_t n_best;
	struct turns *turns; /* turns of a lowered loop */
};

struct run *run_new(struct walk *w);

/* NULL if there is none; control_clear gives it back. */
const struct graph *control_get_function(const struct walk *w, struct span name);

/* The inputs of a node from the i-th on, copied to an arena. */
struct tensor *control_copy_inputs(struct walk *w, const struct task *t, size_t from, size_t *n,
	struct arena *arena);

/* A weight that a function captures: a frozen graph has no other mark of it. */
void control_note_captured(struct walk *w, const struct tensor *in);

/* Evaluates the returns and then the effects of a frame next, or only the returns in `only`. */
bool control_push_returns(struct walk *w, struct frame *f, const bool *only);

/* The returns of a frame become w->out, with values in an arena that outlives it. */
bool control_take_returns(struct walk *w, struct frame *f, struct arena *arena);

/* Takes the outputs' shapes from the file, or leaves them unknown. */
bool control_give_up(struct walk *w, struct task *t, enum note_kind why);

bool control_finish(struct walk *w, struct task *t, bool *is_done);

/* Whether a node that control_is() chooses what runs, or how often; else it is a call. */
bool control_is_choice(const struct op_node *node);
/* The function that a call calls. */
struct span control_get_callee(const struct graph *g, const struct op_node *node);

bool control_step_while(struct walk *w, struct task *t, bool *is_done);

#endif
