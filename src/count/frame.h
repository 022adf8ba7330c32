/* The stack of the walk: frames of calls, and tasks that are nodes being evaluated. */
#ifndef TFPROF_COUNT_FRAME_H
#define TFPROF_COUNT_FRAME_H

#include "count/walk.h"

#define SLOT_OPEN UINT32_MAX

struct slot {
	uint32_t first; /* in tensors, + 1; 0: not done; SLOT_OPEN: being evaluated */
	uint32_t n;
};

struct frame {
	const struct graph *graph;
	struct call_site call;
	struct frame *caller; /* NULL: the main graph's */
	uint32_t site;        /* the call in walk.sites, + 1; 0: nothing is recorded yet */
	struct slot *slots;
	size_t n_slots; /* room */
	VEC(struct tensor) tensors;
	VEC(uint32_t) touched;      /* slots in use, so that a turn of a loop can reset them */
	struct arena arena;         /* memory of values */
	uint32_t *loop_of;          /* lowered loops only: of each node */
	struct loop_var *loop_vars; /* … and their variables, sorted by loop */
	size_t n_loop_vars;
	const struct frame *base; /* of a turn: the frame with values from outside the loop */
	struct turns *turns;      /* … and the turns it is one of */
};

/* Switch(Merge(Enter, NextIteration), LoopCond): a variable of a lowered loop. */
struct loop_var {
	uint32_t cond, at_switch, merge, next;
};

/* A node that is being evaluated; control nodes keep more in `run`. */
struct task {
	struct frame *frame;
	uint32_t node, next_edge;
	struct run *run;
};

/* NULL on allocation failure. */
struct frame *frame_new(struct walk *w, const struct graph *g, struct span scope);
void frame_free(struct walk *w, struct frame *f);
/* The memory that frame_free() keeps for the next one. */
void frame_free_spare(struct walk *w);
/* Forgets what was evaluated. */
void frame_reset(struct walk *w, struct frame *f);

/* A node that is waiting to be evaluated may be found by way of another before. */
static inline void frame_wait(struct frame *f, uint32_t node)
{
	if (f->slots[node].first == SLOT_OPEN)
		f->slots[node].first = 0;
}

static inline bool frame_is_done(const struct frame *f, uint32_t node)
{
	return f->slots[node].first && f->slots[node].first != SLOT_OPEN;
}

/* An output of a node; an unknown one unless the node is done. */
const struct tensor *frame_get(const struct frame *f, struct op_edge edge);
/* Makes a node done. */
bool frame_set(struct walk *w, struct frame *f, uint32_t node, const struct tensor *out, size_t n);

/* Starts evaluating a node unless it is done or being evaluated. */
bool walk_push(struct walk *w, struct frame *f, uint32_t node);

/* A frame for what a node calls: arguments are copied. NULL on allocation failure, or if calls
 * nest too deep (which is noted). */
struct frame *walk_enter(struct walk *w, const struct task *t, const struct graph *g,
	const struct tensor *args, size_t n);

/* Control nodes: false while there is more on the stack to do first. When true, the
 * outputs are in w->out. */
bool control_step(struct walk *w, struct task *t, bool *is_done);
bool control_is(const struct walk *w, const struct op_node *node);
void control_clear(struct walk *w, struct run *run);

/* Lowered loops (loops.c). */
bool loops_prepare(struct frame *f);
bool loops_step(struct walk *w, struct task *t, bool *is_done);
void loops_note_node(struct walk *w, struct frame *f, uint32_t node);
bool loops_take_from_base(struct walk *w, struct frame *f, uint32_t node);
void loops_clear(struct walk *w, struct run *run);

#endif
