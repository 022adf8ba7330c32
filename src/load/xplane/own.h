/* Own time of operations: when threads work for each of them, and when they wait for it.
 *
 *     thread 1   dot ──Record─┐                        the event of dot
 *     thread 2                     task ═══════╗       a task of a thread pool that dot queued:
 *     thread 3                        task ══╗ add ──  the other counts until the program goes on
 *
 * A thread works for an operation in its event, without the operations, programs and tasks nested
 * in that, and in the tasks of thread pools that it queued, also over several hands, until the
 * operation is done. So a thread never works for two at a time. An operation's time is the union
 * of all that; what threads are busy with it is the sum.
 *
 * Call for every line: own_add_…() for its events by start, longer first, then own_end_line(). At
 * the end own_resolve() finds whose the tasks were. An event is swept once, in constant time. */
#ifndef TFPROF_LOAD_XPLANE_OWN_H
#define TFPROF_LOAD_XPLANE_OWN_H

#include "base/hash.h"
#include "base/vec.h"

/* Later than any time, and small enough to be added to one. */
#define OWN_FOREVER (INT64_C(1) << 61)

/* What an event is to those within it. */
enum own_kind {
	OWN_OTHER, /* part of the event that it is within */
	OWN_WAIT,  /* likewise, but it only waits */
	OWN_OP,    /* an operation */
	OWN_APART, /* what runs operations, and is not of the one around it */
	OWN_TASK,  /* of a thread pool */
};

/* Set: the rest of .of is the place of a task. Otherwise it is an operation. */
#define OWN_OF_TASK (UINT32_C(1) << 31)

/* Time of an operation or a task. */
struct own_piece {
	int64_t start_ps, end_ps;
	uint32_t of;         /* NONE, once resolved: of no operation */
	uint32_t place : 31; /* of the operation among those that queued tasks; OWN_NO_PLACE */
	uint32_t waits : 1;
};

#define OWN_NO_PLACE (OWN_OF_TASK - 1)

/* Most tasks have one piece, from their start on: it stands here. */
struct own_task {
	int64_t start_ps, end_ps; /* of that piece */
	uint64_t number;
};

/* An operation that queued tasks. */
struct own_op {
	int64_t start_ps, end_ps; /* of its event */
	int64_t done_ps;          /* OWN_FOREVER: not known */
	uint64_t key;             /* of the event that says when it was done; 0: none does */
	uint32_t op;
};

/* An event that says that an operation was done. */
struct own_end {
	uint64_t key;
	int64_t time_ps;
	int64_t went_on_ps; /* when the task around it had gone on to others; OWN_FOREVER */
};

/* A Record that has no place among own_times.queued. */
struct own_queued {
	uint64_t number;
	uint32_t by; /* OWN_OF_TASK and a task; else an operation that queued tasks; NONE */
};

/* Lists that a line adds to: they shrink again if it has to be reread. */
#define OWN_LISTS(X)                \
	X(struct own_piece, pieces) \
	X(struct own_task, tasks)   \
	X(struct own_op, ops)       \
	X(struct own_end, ends)     \
	X(struct own_queued, others)

/* An event that encloses what comes next. */
struct own_open {
	int64_t start_ps, end_ps;
	int64_t work_ps, waiting_ps; /* so far, of an operation */
	union {
		int64_t done_ps;    /* of an operation; OWN_FOREVER: not known */
		int64_t went_on_ps; /* of a task; OWN_FOREVER: it has not */
	};
	uint64_t key; /* of an operation: see struct own_op; of a wait: of its two events */
	uint32_t first_piece;
	uint32_t anchor; /* place of the operation or task that it is part of, or itself; NONE */
	uint32_t of;
	uint32_t place; /* of an operation among those that queued tasks; OWN_NO_PLACE */
	uint8_t kind;
	bool waits, is_whole;
};

/* What an operation took. */
struct own_time {
	int64_t work_ps; /* on the clock */
	int64_t busy_ps; /* of threads */
	int64_t waiting_ps;
	int64_t end_ps; /* of its last work */
};

/* Told of each operation: when its event has been swept, or by own_resolve() if it queued tasks.
 * False on allocation failure. */
typedef bool own_time_fn(void *context, uint32_t op, const struct own_time *time);

struct own_times {
	own_time_fn *tell;
	void *context;
	bool keeps_all; /* pieces of operations that queued no tasks, too */
	VEC(struct own_open) open;
	int64_t at_ps;    /* the line has been swept to here */
	int64_t last_ps;  /* end of the last event: what has no end ends there */
	uint32_t n_fixed; /* so many pieces stay */
	uint32_t task;    /* the one that the thread is at: its place among .open; NONE */
	/* By number of a task: who queued it. Recorders number tasks without gaps, so that nothing
	 * has to be hashed: half of all events in a trace of TensorFlow are of such. */
	VEC(uint32_t) queued; /* 0: not known; 1: nobody; else that of a task, or a place, + 2 */
	uint64_t first_number;
	size_t most; /* how many there may be at all */
#define X(type, name) VEC(type) name;
	OWN_LISTS(X)
#undef X
};

/* Of a recording of that many bytes. */
void own_init(struct own_times *o, size_t n_bytes, own_time_fn *tell, void *context);
void own_clear(struct own_times *o);

/* The recording lasts at least until then. */
static inline void own_see(struct own_times *o, int64_t time_ps)
{
	if (time_ps > o->last_ps)
		o->last_ps = time_ps;
}

/* Adds an event that is no task. `of`: the operation; NONE if its time is not wanted. */
bool own_add(struct own_times *o, int64_t start_ps, int64_t end_ps, enum own_kind kind,
	uint32_t of);
/* Says of an operation just added that an event with this key ends it: its tasks count until then,
 * instead of until the end of its event. 0: no event does. */
void own_set_key(struct own_times *o, uint64_t key);
/* Says of an operation just added that its time is that of the whole event, waiting included. */
void own_set_whole(struct own_times *o);
/* Adds an event that ends an operation. *is_within: it is within that. */
bool own_add_end(struct own_times *o, int64_t start_ps, int64_t end_ps, uint64_t key,
	bool *is_within);
/* Ends an operation with this key, which it is within, before its event does. */
bool own_end_op(struct own_times *o, int64_t time_ps, uint64_t key);
/* A task begins, or ends: where nothing says so, it ends with what is around it. `of`: see
 * own_add(); NONE: of who queued it. */
bool own_begin_task(struct own_times *o, int64_t start_ps, int64_t end_ps, const uint64_t *number,
	uint32_t of);
bool own_end_task(struct own_times *o, int64_t time_ps);
/* A wait that two events with a key begin and end. */
bool own_begin_wait(struct own_times *o, int64_t start_ps, uint64_t key);
bool own_end_wait(struct own_times *o, int64_t start_ps, int64_t end_ps, uint64_t key);
/* Something queues a task. */
bool own_add_record(struct own_times *o, int64_t time_ps, uint64_t number);
bool own_end_line(struct own_times *o);

/* Finds whose the pieces are, and tells the times of operations that queued tasks. */
bool own_resolve(struct own_times *o);

#endif
