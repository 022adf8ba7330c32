#include "query/metrics.h"

#include "base/clamped.h"

const char *const unit_names[] = {[UNIT_COUNT] = UNIT_NAME_COUNT,
	[UNIT_MICROS] = UNIT_NAME_MICROS,
	[UNIT_BYTES] = UNIT_NAME_BYTES};

static void put_exec(struct numbers *n, const struct exec_sums *x)
{
#define X(id, word, column, selects, unit, graph, multi, option, value, ...) \
	n->at[METRIC_##id] = value;
	RUN_METRICS(X)
	COUNT_METRICS(X)
#undef X
}

static void add_exec(struct numbers *n, const struct exec_sums *x)
{
#define X(id, word, column, selects, unit, graph, multi, option, value, ...) \
	add_clamped(&n->at[METRIC_##id], value);
	RUN_METRICS(X)
	COUNT_METRICS(X)
#undef X
}

static int64_t divide(int64_t sum, int64_t n, bool wraps)
{
	return wraps ? (int64_t)((uint64_t)sum / (uint64_t)n) : sum / n;
}

static void put_model_metrics(const struct model *m, uint32_t node, struct numbers *out)
{
	*out = (struct numbers){0};
#define X(id, word, column, selects, unit, graph, multi, option, value, ...) \
	out->at[METRIC_##id] = value;
	MODEL_METRICS(X)
#undef X
}

/* Multiplies by the runs. Not called for a node that never ran: it counts as one run. */
static void count_float_ops(struct numbers *n)
{
	n->at[METRIC_FLOAT_OPS] =
		clamped_product(n->at[METRIC_FLOAT_OPS], n->at[METRIC_OCCURRENCE]);
}

static inline void compute(const struct model *m, uint32_t node, int64_t step, bool wraps,
	struct numbers *out)
{
	uint32_t row = m->nodes.first_exec[node];
	int64_t n_execs = 0;

	put_model_metrics(m, node, out);
	if (row == NONE)
		return;
	for (; row != NONE; row = exec_at(&m->execs, row)->next) {
		struct exec_sums sums;

		if (step >= 0 && exec_at(&m->execs, row)->step != step)
			continue;
		sums = exec_get_sums(&m->execs, row);
		if (n_execs++)
			add_exec(out, &sums);
		else
			put_exec(out, &sums);
	}
	if (n_execs > 1) {
#define X(id, ...) out->at[METRIC_##id] = divide(out->at[METRIC_##id], n_execs, wraps);
		RUN_METRICS(X)
		COUNT_METRICS(X)
#undef X
	}
	count_float_ops(out);
}

void metrics_of(const struct model *m, uint32_t node, int64_t step, struct numbers *out)
{
	compute(m, node, step, false, out);
}

void metrics_of_wrapping(const struct model *m, uint32_t node, int64_t step, struct numbers *out)
{
	compute(m, node, step, true, out);
}

void metrics_of_exec(const struct model *m, uint32_t node, uint32_t row, struct numbers *out)
{
	put_model_metrics(m, node, out);
	if (row != NONE) {
		struct exec_sums sums = exec_get_sums(&m->execs, row);

		put_exec(out, &sums);
	}
	if (m->nodes.first_exec[node] != NONE)
		count_float_ops(out);
}
