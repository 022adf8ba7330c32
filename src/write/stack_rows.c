#include "write/stack_rows.h"

enum metric stack_metric(const struct tfprof_options *o)
{
	enum metric metric = 0;

	while (metric < N_METRICS && o->selected != 1u << metric)
		metric++;
	return metric;
}

void stack_refuse(const struct query *q, const char *format, struct buf *why)
{
	if (q->kind != TFPROF_SCOPE && q->kind != TFPROF_CODE)
		buf_printf(why, "Only scope and code view can be written as %s.", format);
	else if (stack_metric(q->options) == N_METRICS)
		buf_printf(why, "-output=%s writes one number: select one, such as micros.",
			format);
}

/* Parents come before their children. */
int64_t *stack_weights(struct query *q, enum metric metric)
{
	int64_t *weights = arena_array(&q->arena, q->n, sizeof(*weights));

	for (uint32_t i = 0; weights && i < q->n; i++) {
		int64_t total = query_total(q, metric, i);

		weights[i] = total;
		if (i)
			weights[q->parent[i]] =
				(int64_t)((uint64_t)weights[q->parent[i]] - (uint64_t)total);
	}
	return weights;
}

struct span stack_frame(const struct query *q, uint32_t row)
{
	struct span name = tree_label(q->tree, q->view[row]);
	struct span scope = row ? tree_label(q->tree, q->view[q->parent[row]]) : SPAN("");

	/* Most scopes begin at the same address as their children, and need no comparison: for
	 * 10⁶ nested scopes, it would take 20 s. */
	if (q->kind != TFPROF_SCOPE || name.n <= scope.n + 1 || name.at[scope.n] != '/' ||
		(name.at != scope.at && !span_starts(name, scope)))
		return name;
	return (struct span){name.at + scope.n + 1, name.n - scope.n - 1};
}
