/* The names and types of a profile in byte order, for completion. */
#ifndef TFPROF_LIB_NAMES_H
#define TFPROF_LIB_NAMES_H

#include "model/model.h"

struct names {
	uint32_t *nodes; /* by name */
	uint32_t *types; /* string ids, by text */
	size_t n_types;
};

void names_clear(struct names *names);

#endif
