/* The largest few of many, largest first; of equal ones the first that came. */
#ifndef TFPROF_ADVISE_TOP_H
#define TFPROF_ADVISE_TOP_H

#include "advise/advise.h"

struct top {
	struct top_item {
		uint32_t id;
		int64_t value;
	} * at;
	size_t n, most;
};

/* Room for as many as the option says, at most 100. False when memory is out. */
bool top_init(struct top *t, struct check *c, const char *option);
/* Only values above 0 count. */
void top_add(struct top *t, uint32_t id, int64_t value);

#endif
