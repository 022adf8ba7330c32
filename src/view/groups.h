/* Op view: graph nodes grouped by their op.
 *
 *     group g → op[g], nodes[first[g] … first[g + 1]]
 *
 * Groups are in byte order of their names; nodes within one as they came. */
#ifndef TFPROF_VIEW_GROUPS_H
#define TFPROF_VIEW_GROUPS_H

#include "model/model.h"

struct groups {
	struct arena arena;
	uint32_t n;
	uint32_t *op;    /* string id */
	uint32_t *first; /* n + 1 */
	uint32_t *nodes;
};

enum tfprof_status groups_build(struct groups *g, const struct model *m, struct tfprof_error *err);
void groups_clear(struct groups *g);

#endif
