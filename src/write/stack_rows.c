#include "write/stack_rows.h"

bool stack_metric_of(const struct tfprof_options *o, struct stack_metric *metric)
{
	static const struct {
		enum select_id select;
		struct stack_metric metric;
	} metrics[] = {
#define X(id, word, column, selects, unit, graph, multi, option, value, header, tree, list, \
	meaning, minimum, doc, pprof, source)                                               \
	{SEL_##id, {METRIC_##id, UNIT_##unit, word}},
		METRICS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		if (o->selected == 1u << metrics[i].select) {
			*metric = metrics[i].metric;
			return true;
		}
	return false;
}

void stack_refuse(const struct query *q, const char *format, struct buf *why)
{
	struct stack_metric metric;

	if (q->kind != TFPROF_SCOPE && q->kind != TFPROF_CODE)
		buf_printf(why, "Only scope and code view can be written as %s.", format);
	else if (!stack_metric_of(q->options, &metric))
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
