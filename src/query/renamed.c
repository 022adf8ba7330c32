#include "query/renamed.h"

#include "model/executed.h"

struct renamed {
	double micros, all_micros; /* of renamed nodes, and of all, per step */
	double fused_micros;       /* of nodes that have the time of a fused kernel */
	uint32_t longest;          /* renamed node; NONE: none */
};

/* Whether it is the operation in a fused kernel that has its time. */
static bool is_fused(const struct model *m, uint32_t node)
{
	return !(m->nodes.flags[node] & NODE_UNDEFINED) &&
		executed_is_fused(model_text(m, m->nodes.executed[node]),
			model_text(m, m->nodes.op[node]));
}

/* At a step, or on average if `step` is negative. */
static struct renamed find(const struct model *m, int64_t step)
{
	struct renamed found = {.longest = NONE};
	int64_t longest_us = 0;

	for (uint32_t node = 0; m->has_executed && node < m->nodes.n; node++) {
		struct numbers numbers;
		int64_t micros;

		if (m->nodes.first_exec[node] == NONE)
			continue;
		metrics_of(m, node, step, &numbers);
		micros = numbers.at[METRIC_MICROS];
		if (micros <= 0)
			continue;
		found.all_micros += (double)micros;
		if (!m->nodes.executed[node])
			continue;
		if (!executed_is_other(m, node)) {
			found.fused_micros += is_fused(m, node) ? (double)micros : 0;
			continue;
		}
		found.micros += (double)micros;
		if (micros > longest_us) {
			longest_us = micros;
			found.longest = node;
		}
	}
	return found;
}

static bool asks_for_time(const struct query *q)
{
	return query_metrics(q->model, q->options) &
		(1u << METRIC_MICROS | 1u << METRIC_CPU_MICROS | 1u << METRIC_ACCELERATOR_MICROS);
}

void renamed_note(const struct query *q, struct buf *notes)
{
	const struct model *m = q->model;
	struct renamed found;

	if (q->kind != TFPROF_OP || !q->sees_executed || q->options->number[OPT_EXECUTED_TYPES] ||
		!asks_for_time(q))
		return;
	found = find(m, q->step);
	if (found.fused_micros >= 0.01 * found.all_micros && found.fused_micros > 0)
		buf_printf(notes,
			"%.0f%% of the time was spent in fused kernels: charged to the convolution "
			"or matrix product in each (executed_types groups by what ran)\n",
			100 * found.fused_micros / found.all_micros);
	if (found.longest == NONE || found.micros < 0.01 * found.all_micros)
		return;
	buf_printf(notes,
		"%.0f%% of the time was spent in fused or replaced kernels, under the name of "
		"another operation: ",
		100 * found.micros / found.all_micros);
	buf_span(notes, model_name(m, found.longest));
	buf_text(notes, ", ");
	buf_span(notes, model_text(m, model_op(m, found.longest)));
	buf_text(notes, ", ran as ");
	buf_span(notes, model_text(m, model_executed(m, found.longest)));
	buf_text(notes, " (executed_types groups by what ran)\n");
}
