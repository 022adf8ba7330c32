/* The largest few of many values, largest first; ties keep the first added. */
#ifndef TFPROF_ADVISE_TOP_H
#define TFPROF_ADVISE_TOP_H

#include "advise/advise.h"

struct top {
	struct top_item {
		uint32_t id;
		int64_t value;
	} * at;
	size_t n, max;
};

/* Keeps as many as the option says, at most 100. False on allocation failure. */
bool top_init(struct top *t, struct check *c, const char *option);
/* Only values above 0 count. */
void top_add(struct top *t, uint32_t id, int64_t value);

#endif
