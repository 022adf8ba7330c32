/* What the threads of a trace's hosts did in a stretch of time, for whoever draws it.
 *
 *     bytes ──> lines of hosts ──> events that overlap the stretch ──> lane, name, start, end
 *
 * Events are read from the file each time and kept nowhere: most of them belong to no operation,
 * so the model has none of them. */
#ifndef TFPROF_LOAD_XPLANE_THREADS_H
#define TFPROF_LOAD_XPLANE_THREADS_H

#include "base/error.h"
#include "base/strings.h"
#include "model/source.h"

/* What a thread, or an event of one, is for. */
#define THREAD_KINDS(X)                   \
	X(PYTHON, "python")               \
	X(INPUT, "input")                 \
	X(COMPILE, "compile")             \
	X(COPY, "copy")                   \
	X(WAITING, "runtime")             \
	X(DISPATCH, "dispatch")           \
	X(OPERATION, "operation")         \
	X(OTHER, "other")                 \
	X(STEP, "step")                   \
	X(COMPUTE, "compute")             \
	X(COMMUNICATION, "communication") \
	X(CALLBACK, "callback")           \
	X(UNKNOWN, "unknown")

enum thread_kind {
#define X(id, name) THREAD_##id,
	THREAD_KINDS(X)
#undef X
		N_THREAD_KINDS
};

struct thread_event {
	uint32_t name; /* text */
	int64_t start_us, end_us;
};

struct thread_lane {
	struct span name;                /* of the bytes */
	enum thread_kind kind;           /* PYTHON, INPUT or OTHER */
	VEC(struct thread_event) events; /* in no order */
};

/* Events that belong together have the same key: what a call launched on a device, and what
 * another thread does for an event. */
enum thread_mark_kind {
	MARK_LAUNCH,   /* a call of the host */
	MARK_RUN,      /* on a device */
	MARK_PRODUCER, /* what another thread works for */
	MARK_CONSUMER, /* what begins that work */
	N_MARK_KINDS
};

struct thread_mark {
	enum thread_mark_kind kind;
	uint64_t key;
	uint32_t lane; /* of the threads; of a run, the number of its device */
	uint32_t name; /* text; of a run, of its line */
	int64_t start_us, end_us;
};

struct threads {
	struct strings texts;          /* names of events; Python's without the "$" */
	VEC(uint8_t) kinds;            /* by text: enum thread_kind */
	VEC(struct thread_lane) lanes; /* those with events */
	VEC(struct thread_mark) marks; /* in no order */
	/* If there are too many, the shortest are left out. */
	uint64_t n_hidden;
	int64_t hidden_below_us;
};

/* Of microseconds since the epoch, as executions have them. Clear in any case. The names of lanes
 * point into the bytes of the source. */
enum tfprof_status threads_read(struct threads *t, const struct source *s, int64_t from_us,
	int64_t until_us, struct tfprof_error *err);
void threads_clear(struct threads *t);

#endif
