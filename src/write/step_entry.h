/* One entry of a step's statistics (NodeExecStats): when it ran and, as far as its
 * names reveal, what it did. All spans point into the message. */
#ifndef TFPROF_WRITE_STEP_ENTRY_H
#define TFPROF_WRITE_STEP_ENTRY_H

#include "model/device.h"
#include "proto/decoder.h"

struct step_entry {
	struct span message;
	struct span node_name, label;
	int64_t start, duration, end;
};

/* Skips outputs. */
struct step_entry step_entry_read(struct decoder *d, struct span message);

struct step_operation {
	struct span node, type; /* type is "unknown" if no name reveals it */
	struct span inputs;     /* separated by ", "; `.at` is NULL if there are none */
};

/* Names are those of kernels on an accelerator's stream or copy engine, and those of
 * graph nodes elsewhere. */
struct step_operation step_entry_get_operation(const struct step_entry *entry,
	enum device_kind device);

/* Removes the next input from the list; false if there is none. */
bool step_next_input(struct span *inputs, struct span *input);

#endif
