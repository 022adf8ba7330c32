/* What the text of the answer to `step` shows besides its table. */
#ifndef TFPROF_ASK_STEP_H
#define TFPROF_ASK_STEP_H

#include "model/anatomy.h"

/* Of the steps that stand for the rest, the largest causes of each part. */
struct step_cause {
	unsigned part; /* N_ANATOMY_PARTS: of the time between steps */
	struct span name;
	double micros; /* of all of them */
};

struct step_detail {
	VEC(struct step_cause) causes; /* by part, largest first */
	struct arena arena;
};

#endif
