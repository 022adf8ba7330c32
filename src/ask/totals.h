/* What fail_if limits: totals of a model file, or of runs. Who asks fills them in; one function
 * decides. */
#ifndef TFPROF_ASK_TOTALS_H
#define TFPROF_ASK_TOTALS_H

#include "ask/question.h"
#include "query/model_options.h"

struct totals {
	int64_t value[N_MODEL_TOTALS];
	bool is_known[N_MODEL_TOTALS];
	const char *lacking; /* why others are not known: "nothing ran" */
	struct buf lacks;    /* what the sums do not count; empty: nothing */
};

void totals_set(struct totals *t, enum model_total total, int64_t value);
/* Sets the verdict, with a note for each limit that is exceeded or of which nobody can tell: a
 * limit that holds for what was counted may not hold for all. Clears the totals. */
enum tfprof_status totals_check(struct totals *t, struct answer *a, const struct tfprof_options *o,
	struct tfprof_error *err);

#endif
