/* Op types selected by a checker's option, a comma-separated list of regular
 * expressions. Each distinct op is matched once. */
#ifndef TFPROF_ADVISE_TYPES_H
#define TFPROF_ADVISE_TYPES_H

#include "advise/advise.h"

struct type_filter {
	const struct model *model;
	struct regexes *regexes;
	unsigned char *known; /* by string id: 0 not yet matched, 1 no, 2 yes */
};

enum tfprof_status type_filter_init(struct type_filter *t, struct check *c, const char *option,
	struct tfprof_error *err);
void type_filter_clear(struct type_filter *t);
bool type_filter_match(struct type_filter *t, uint32_t node);

#endif
