/* When what ran where, step by step: the events (model/events.h) and the transfers of
 * all steps, made once for all checkers that ask for it.
 *
 *     step s → events, rows first_row[s] … first_row[s + 1], by start
 *              transfers[first_transfer[s] … ], by start
 *     event, transfer → device → task
 *
 * Times of different tasks are of different clocks: they can be compared with
 * each other only within one task. */
#ifndef TFPROF_ADVISE_ACTIVITY_H
#define TFPROF_ADVISE_ACTIVITY_H

#include "advise/stats.h"
#include "advise/transfer.h"
#include "model/events.h"
#include "model/model.h"

struct moved {
	struct transfer_entry entry;
	uint32_t device;   /* where the entry stands */
	uint32_t from, to; /* tasks; NONE: not known */
	uint32_t step;
};

static inline int64_t moved_us(const struct moved *t)
{
	return t->entry.end_us - t->entry.start_us;
}

struct activity {
	struct events events;
	struct devices devices; /* of events, and those that only transfers name */
	struct arena arena;
	size_t n_steps;
	VEC(struct moved) transfers;
	size_t *first_transfer; /* n_steps + 1 */
	/* How long each step took: the longest of its tasks, each by its own
	 * clock, from its first event or transfer to its last. */
	int64_t *step_us;
};

/* False when memory is out; activity_clear() in any case. */
bool activity_collect(struct activity *a, const struct model *m);
void activity_clear(struct activity *a);

static inline const struct device *activity_device(const struct activity *a, uint32_t device)
{
	return &a->devices.at.at[device];
}

/* The events or transfers of a step (by index): rows of a->events, … */
struct event_rows {
	size_t first, end;
};

static inline struct event_rows activity_events(const struct activity *a, size_t step)
{
	return (struct event_rows){a->events.first_row[step], a->events.first_row[step + 1]};
}

struct moves {
	const struct moved *at;
	size_t n;
};

static inline struct moves activity_transfers(const struct activity *a, size_t step)
{
	size_t first = a->first_transfer[step], n = a->first_transfer[step + 1] - first;

	return (struct moves){n ? a->transfers.at + first : NULL, n};
}

/* From the first to the last that happened in a step, by task; empty where
 * nothing did. `spans` has room for all tasks. */
void activity_spans(const struct activity *a, size_t step, struct interval *spans);

/* The mean of step_us over the steps in which anything happened; 0 if none. */
int64_t activity_mean_step(const struct activity *a);

#endif
