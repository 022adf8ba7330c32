#include "model/step_float_ops.h"

#include <stdlib.h>

#include "base/clamped.h"
#include "base/sort.h"

static int compare(const void *a, const void *b)
{
	const struct step_float_ops *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

void step_float_ops_sort(struct model *m)
{
	if (m->step_float_ops.n)
		qsort(m->step_float_ops.at, m->step_float_ops.n, sizeof(*m->step_float_ops.at),
			compare);
}

/* The first that does not come before. */
static const struct step_float_ops *find(const struct model *m, uint32_t node, int64_t step)
{
	const struct step_float_ops wanted = {node, step, 0}, *at = m->step_float_ops.at;
	size_t low = 0;

	sort_search(low, m->step_float_ops.n, i, compare(&at[i], &wanted) < 0);
	return low < m->step_float_ops.n && at[low].node == node ? &at[low] : NULL;
}

bool step_float_ops_differ(const struct model *m, uint32_t node)
{
	return m->step_float_ops.n && find(m, node, INT64_MIN);
}

int64_t step_float_ops_get(const struct model *m, uint32_t node, int64_t step)
{
	const struct step_float_ops *found = find(m, node, step);

	return found && found->step == step ? found->float_ops : m->nodes.float_ops[node];
}

int64_t step_float_ops_average(const struct model *m, uint32_t node)
{
	int64_t sum = 0;

	if (!step_float_ops_differ(m, node) || !m->steps.n)
		return m->nodes.float_ops[node];
	for (size_t i = 0; i < m->steps.n; i++)
		add_clamped(&sum, step_float_ops_get(m, node, m->steps.at[i]));
	return sum / (int64_t)m->steps.n;
}
