/* Executions of a lane in rows, as a viewer draws them: one within another is below it, and no
 * two of a row overlap.
 *
 *     lane   |------ while ------|      row 0   |------ while ------|
 *              |-mul-| |copy|           row 1     |-mul-| |copy|
 */
#ifndef TFPROF_MODEL_NEST_H
#define TFPROF_MODEL_NEST_H

#include "model/events.h"

struct nest {
	struct events rows; /* the events, with a lane for each row; borrows the columns */
	uint32_t *first;    /* lane → its first row; one more */
};

/* Needs events_sum(). False on allocation failure; clear in any case. */
bool nest_build(struct nest *nest, const struct events *e);
/* A copy of the rows with the executions of some nodes only, see events_select(). */
bool nest_select(struct nest *only, const struct nest *whole, const unsigned char *selected,
	size_t n_nodes);
/* Before the events; of a selection, before the whole. */
void nest_clear(struct nest *nest);

#endif
