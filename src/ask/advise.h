/* What the advisor found, and what it was asked: the detail of its answer. */
#ifndef TFPROF_ASK_ADVISE_H
#define TFPROF_ASK_ADVISE_H

#include "advise/advise.h"

struct advice_detail {
	struct advice advice;
	const struct tfprof_options *options; /* that the result owns */
};

#endif
