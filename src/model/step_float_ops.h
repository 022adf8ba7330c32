/* Float operations of nodes whose shapes differ between steps.
 *
 *     nodes.float_ops            of one run, in all steps but …
 *     model.step_float_ops[]     … these: node, step, float operations; sorted
 */
#ifndef TFPROF_MODEL_STEP_FLOAT_OPS_H
#define TFPROF_MODEL_STEP_FLOAT_OPS_H

#include "model/model.h"

/* Whether a node's float operations differ between steps. */
bool step_float_ops_differ(const struct model *m, uint32_t node);
/* Float operations of one run in a step. */
int64_t step_float_ops_get(const struct model *m, uint32_t node, int64_t step);
/* The average over all steps, of one run. */
int64_t step_float_ops_average(const struct model *m, uint32_t node);

/* Puts what was appended in order. */
void step_float_ops_sort(struct model *m);

#endif
