/* When what ran where: the events of all steps as one sorted list, made once
 * for all checkers that ask for it.
 *
 *     step s → events[first_event[s] … first_event[s + 1]], by start
 *              transfers[first_transfer[s] … ], by start
 *     event, transfer → device → task
 *
 * Times of different tasks are of different clocks: they can be compared with
 * each other only within one task. */
#ifndef TFPROF_ADVISE_ACTIVITY_H
#define TFPROF_ADVISE_ACTIVITY_H

#include "advise/stats.h"
#include "advise/transfer.h"
#include "model/device.h"
#include "model/model.h"

struct event {
	int64_t start, end;
	uint32_t node, device;
	uint32_t step;    /* index of the step */
	bool accelerator; /* a kernel on a stream, not its launch or a cpu's work */
};

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
	struct devices devices;
	struct arena arena;
	size_t n_steps;
	VEC(struct event) events;
	VEC(struct moved) transfers;
	size_t *first_event, *first_transfer; /* n_steps + 1 */
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

/* The events or transfers of a step (by index). */
struct events {
	const struct event *at;
	size_t n;
};

static inline struct events activity_events(const struct activity *a, size_t step)
{
	size_t first = a->first_event[step], n = a->first_event[step + 1] - first;

	return (struct events){n ? a->events.at + first : NULL, n};
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
