/* What ran when and where, step by step: the events (model/events.h) and transfers of
 * all steps, collected once for all checkers.
 *
 *     step s → events, rows first_row[s] … first_row[s + 1], by start
 *              transfers[first_transfer[s] … ], by start
 *     event, transfer → device → task
 *
 * Tasks have different clocks: times can be compared only within one task. */
#ifndef TFPROF_ADVISE_ACTIVITY_H
#define TFPROF_ADVISE_ACTIVITY_H

#include "advise/stats.h"
#include "model/transfer.h"
#include "model/events.h"
#include "model/model.h"

struct step_transfer {
	struct transfer_entry entry;
	uint32_t device;   /* that has the entry */
	uint32_t from, to; /* tasks; NONE: unknown */
	uint32_t step;
};

static inline int64_t transfer_us(const struct step_transfer *t)
{
	return t->entry.end_us - t->entry.start_us;
}

struct activity {
	struct events events;
	struct devices devices; /* of events, and those named only by transfers */
	struct arena arena;
	size_t n_steps;
	VEC(struct step_transfer) transfers;
	size_t *first_transfer; /* n_steps + 1 */
	/* By step: the longest of its tasks, each from its first event or transfer
	 * to its last, by its own clock; of traces, the wall. */
	int64_t *step_us;
};

/* False on allocation failure; call activity_clear() in either case. */
bool activity_collect(struct activity *a, const struct model *m);
void activity_clear(struct activity *a);

static inline const struct device *activity_device(const struct activity *a, uint32_t device)
{
	return &a->devices.at.at[device];
}

/* The events of a step (by index), as rows of a->events. */
struct event_rows {
	size_t first, end;
};

static inline struct event_rows activity_events(const struct activity *a, size_t step)
{
	return (struct event_rows){a->events.first_row[step], a->events.first_row[step + 1]};
}

struct step_transfers {
	const struct step_transfer *at;
	size_t n;
};

static inline struct step_transfers activity_transfers(const struct activity *a, size_t step)
{
	size_t first = a->first_transfer[step], n = a->first_transfer[step + 1] - first;

	return (struct step_transfers){n ? a->transfers.at + first : NULL, n};
}

/* By task: from its first event or transfer in a step to its last; empty if there is
 * none. `spans` must have an item per task. */
void activity_spans(const struct activity *a, size_t step, struct interval *spans);

/* The mean of step_us over the steps with any activity; 0 if there are none. */
int64_t activity_mean_step(const struct activity *a);

#endif
