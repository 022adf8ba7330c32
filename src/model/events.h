/* When what ran where: executions (node, step, device, lane, start, duration).
 *
 *     events_add…() ──> event_sorter ──event_sorter_next()──> one after the other:
 *                            │          memory does not grow with their number
 *                            └──events_build()──> columns, for access in any order
 *
 * sorted by device and start, or by step and start:
 *
 *     row   node  step  device  lane  start_us  duration_us
 *      0      12     0     0      0       100           50    ┐ device 0 has the rows
 *      1       9     0     0      1       120           10    │ first_row[0] …
 *      2       7     0     0      0       150           20    ┘ first_row[1]
 *      3      12     0     1      0       130           90    ─ device 1
 *
 * A lane is what a viewer shows as one line of a device: a thread, a stream, a core,
 * where the input has such (exec_lane.number); those of other executions follow, and
 * where they overlap they are laid out side by side (lanes.h). Lanes are numbered within a device;
 * of all devices they are counted from first_lane[device] on. events_sum() finds
 *
 *     by_lane[first_in_lane[l] … first_in_lane[l + 1]]    the rows of a lane, by start
 *     busy_us[…], reach_us[…]                             beside them: sums up to there
 *
 * from which a stretch of time follows by binary search.
 *
 * Nothing is kept with the model: callers build what they need. A row takes 32 bytes, and 20 more
 * with sums. */
#ifndef TFPROF_MODEL_EVENTS_H
#define TFPROF_MODEL_EVENTS_H

#include "base/clamped.h"
#include "base/sorter.h"
#include "model/device.h"
#include "model/lanes.h"

struct model;

struct event {
	uint32_t node;
	uint32_t step; /* index of the step in the model's steps */
	uint32_t run;  /* index among the runs of the node in the step */
	uint32_t device;
	uint32_t lane; /* while sorting, + EVENT_HAS_LANE if the input told it */
	int64_t start_us, duration_us;
};

#define EVENT_HAS_LANE ((uint32_t)1 << 31)

/* Beyond what fits it wraps around. */
static inline int64_t event_end(const struct event *e)
{
	return clamped_sum(e->start_us, e->duration_us);
}

/* ---- sorting ------------------------------------------------------------- */

enum events_order {
	EVENTS_BY_DEVICE, /* and start */
	EVENTS_BY_STEP,   /* and start; then there are no lanes */
};

enum events_flags {
	EVENTS_HAVE_LANES = 1, /* they come with lanes, numbered from 0 without gaps */
	/* Of those that start together on a device only the first added is kept, as
	 * TensorFlow's profiler does, unless their lanes are known. */
	EVENTS_DISTINCT_STARTS = 2,
	/* Executions without a start, or with an end before it, are omitted. */
	EVENTS_VALID = 4,
};

struct event_sorter {
	enum events_order order;
	unsigned flags;
	struct devices devices; /* in order of first use */
	struct sorter rows;
	size_t n;
	VEC(uint32_t) n_lanes; /* by device: up to the last that the input told */
	VEC(bool) uses_lane;   /* by lane of the model */
	struct span last_name; /* most have the device of the one before */
	uint32_t last_device;
	/* reading */
	struct event event;
	bool any;
	struct lanes lanes; /* lanes of the current device */
	bool failed;        /* to allocate */
};

/* Clear in any case. `memory_bytes` as for sorter_init(): what does not fit waits in a
 * temporary file. */
void event_sorter_init(struct event_sorter *s, enum events_order order, unsigned flags,
	size_t memory_bytes);
void event_sorter_clear(struct event_sorter *s);

/* Those that are equal in order come as they were added. Failures stick, and
 * event_sorter_check() reports them. */
void events_add(struct event_sorter *s, const struct event *event);
/* What a node ran in a step: the times of an exec. */
void events_add_exec(struct event_sorter *s, const struct model *m, uint32_t node, uint32_t step,
	uint32_t exec);

#define EVENTS_ALL_STEPS UINT32_MAX

/* What all nodes ran in a step (by its place), or in all. */
void events_add_model(struct event_sorter *s, const struct model *m, uint32_t step);

/* Reading may be repeated; the lanes are the same each time. Adding ends with it. */
void event_sorter_rewind(struct event_sorter *s);
/* Borrowed until the next call; NULL at the end, or if something failed. */
const struct event *event_sorter_next(struct event_sorter *s);

enum tfprof_status event_sorter_check(const struct event_sorter *s, struct tfprof_error *err);

/* ---- columns ------------------------------------------------------------- */

#define EVENT_COLUMNS(X)     \
	X(uint32_t, node)    \
	X(uint32_t, step)    \
	X(uint32_t, device)  \
	X(uint32_t, lane)    \
	X(int64_t, start_us) \
	X(int64_t, duration_us)

struct events {
#define X(type, column) type *column;
	EVENT_COLUMNS(X)
#undef X
	size_t n;
	struct devices devices;
	size_t n_groups;      /* devices, or steps */
	uint32_t *first_row;  /* n_groups + 1 */
	uint32_t *first_lane; /* by device: n_groups + 1 */
	/* From events_sum() on: */
	uint32_t *first_in_lane, *by_lane;
	uint64_t *busy_us; /* in which at least one ran */
	int64_t *reach_us; /* the latest end */
	struct arena arena;
};

/* Columns of what was added; the devices move. Sorted by step there are `n_steps`
 * groups. Clear in any case; zero is empty. */
enum tfprof_status events_build(struct events *e, struct event_sorter *s, size_t n_steps,
	struct tfprof_error *err);
/* Columns of what ran in a step, -1: in all, one device after the other. Clear in any case. */
enum tfprof_status events_read(struct events *e, const struct model *m, int64_t step,
	struct tfprof_error *err);
void events_clear(struct events *e);

static inline struct event events_get(const struct events *e, size_t row)
{
#define X(type, column) .column = e->column[row],
	return (struct event){EVENT_COLUMNS(X)};
#undef X
}

/* Only sorted by device. False on allocation failure. */
bool events_sum(struct events *e);
/* Of a lane whose rows in by_lane are known: busy_us and reach_us. */
void events_sum_lane(struct events *e, uint32_t lane);

/* When a row ends: one that ends before it starts takes no time. */
int64_t events_end(const struct events *e, size_t row);

/* The same rows and lanes, but only the rows of selected nodes (of the first `n_nodes`) in
 * by_lane. Borrows all else from `whole`. False on allocation failure; call
 * events_unselect() in either case. */
bool events_select(struct events *only, const struct events *whole, const unsigned char *selected,
	size_t n_nodes);
/* Selects rows of the first `n_lanes` lanes only. */
bool events_select_rows(struct events *only, const struct events *whole, size_t n_lanes,
	const unsigned char *selected, size_t n_nodes);
void events_unselect(struct events *only);

/* How long at least one row of a lane ran within [from_us, until_us). One that ends
 * before it starts takes no time, one that ends beyond what fits ends there. */
uint64_t events_busy_us(const struct events *e, uint32_t lane, int64_t from_us, int64_t until_us);

#endif
