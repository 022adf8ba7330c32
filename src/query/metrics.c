#include "query/metrics.h"

#include "base/clamped.h"
#include "model/step_float_ops.h"
#include "query/options.h"

const struct metric_info metric_infos[N_METRICS] = {
#define X(id, word, column, unit, value, option, minimum, meaning, ...) \
	[METRIC_##id] = {word, #column, meaning, UNIT_##unit, __VA_ARGS__},
	METRICS(X)
#undef X
};

const char *const unit_names[] = {[UNIT_COUNT] = UNIT_NAME_COUNT,
	[UNIT_MICROS] = UNIT_NAME_MICROS,
	[UNIT_BYTES] = UNIT_NAME_BYTES};

static inline void put_sums(struct numbers *n, const struct exec_sums *x)
{
#define X(id, word, column, unit, value, ...) n->at[METRIC_##id] = value;
	RUN_METRICS(X)
	COUNT_METRICS(X)
#undef X
}

static void add_sums(struct numbers *n, const struct exec_sums *x)
{
#define X(id, word, column, unit, value, ...) add_clamped(&n->at[METRIC_##id], value);
	RUN_METRICS(X)
	COUNT_METRICS(X)
#undef X
}

/* Apart from wide sums, those of a narrow row need no checks for overflow: with checks,
 * op_again of 2,000 nodes takes 15 % longer. */
static inline void put_exec(struct numbers *n, const struct execs *x, const struct exec *exec)
{
	if (exec->is_wide) {
		put_sums(n, &x->wide.at[exec->wide]);
	} else {
		struct exec_sums sums = exec_narrow_sums(exec);

		put_sums(n, &sums);
	}
}

static int64_t divide(int64_t sum, int64_t n, bool wraps)
{
	return wraps ? (int64_t)((uint64_t)sum / (uint64_t)n) : sum / n;
}

static void put_model_metrics(const struct model *m, uint32_t node, struct numbers *out)
{
	*out = (struct numbers){0};
#define X(id, word, column, unit, value, ...) out->at[METRIC_##id] = value;
	MODEL_METRICS(X)
#undef X
}

/* Multiplies by the runs. Not called for a node that never ran: it counts as one run. */
static inline void count_costs(const struct model *m, uint32_t node, struct numbers *n)
{
	int64_t n_runs = n->at[METRIC_OCCURRENCE];

	n->at[METRIC_FLOAT_OPS] = clamped_product(n->at[METRIC_FLOAT_OPS], n_runs);
	if (node < m->compiled.n_costs) {
		struct compiled_cost cost = compiled_cost_of_runs(&m->compiled.costs[node], n_runs);

		n->at[METRIC_MATRIX_FLOAT_OPS] = cost.matrix_float_ops;
		n->at[METRIC_BYTES_ACCESSED] = cost.bytes;
	}
}

/* Float operations in a step or, if that is negative, on average, of a node whose shapes differ
 * between steps. */
static int64_t differing_float_ops(const struct model *m, uint32_t node, int64_t step)
{
	uint32_t row = m->nodes.first_exec[node];
	int64_t sum = 0, n = 0;

	if (row == NONE)
		return step < 0 ? step_float_ops_average(m, node)
				: step_float_ops_get(m, node, step);
	for (; row != NONE; row = exec_at(&m->execs, row)->next) {
		const struct exec *exec = exec_at(&m->execs, row);

		if (step >= 0 && exec->step != step)
			continue;
		add_clamped(&sum,
			clamped_product(step_float_ops_get(m, node, exec->step),
				exec_get_sums(&m->execs, row).run_count));
		n++;
	}
	return n ? sum / n : 0;
}

/* The average over the steps of several rows, chained from one on. */
static void put_average(const struct model *m, uint32_t row, int64_t step, bool wraps,
	struct numbers *out)
{
	int64_t n = 0;

	for (const struct exec *exec; row != NONE; row = exec->next) {
		struct exec_sums sums;

		exec = exec_at(&m->execs, row);
		if (step >= 0 && exec->step != step)
			continue;
		sums = exec_get_sums(&m->execs, row);
		add_sums(out, &sums);
		n++;
	}
	if (n > 1) {
#define X(id, ...) out->at[METRIC_##id] = divide(out->at[METRIC_##id], n, wraps);
		RUN_METRICS(X)
		COUNT_METRICS(X)
#undef X
	}
}

static inline void compute_common(const struct model *m, uint32_t node, int64_t step, bool wraps,
	struct numbers *out)
{
	uint32_t row = m->nodes.first_exec[node];
	const struct exec *exec;

	put_model_metrics(m, node, out);
	if (row == NONE)
		return;
	exec = exec_at(&m->execs, row);
	if (exec->next != NONE)
		put_average(m, row, step, wraps, out);
	else if (step < 0 || exec->step == step)
		put_exec(out, &m->execs, exec);
	count_costs(m, node, out);
}

static inline void compute(const struct model *m, uint32_t node, int64_t step, bool wraps,
	struct numbers *out)
{
	compute_common(m, node, step, wraps, out);
	if (m->step_float_ops.n && step_float_ops_differ(m, node))
		out->at[METRIC_FLOAT_OPS] = differing_float_ops(m, node, step);
	if (node < m->compiled.n_peaks)
		add_clamped(&out->at[METRIC_PEAK_BYTES], m->compiled.peaks[node]);
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
	if (row != NONE)
		put_exec(out, &m->execs, exec_at(&m->execs, row));
	if (row != NONE && step_float_ops_differ(m, node))
		out->at[METRIC_FLOAT_OPS] =
			step_float_ops_get(m, node, exec_at(&m->execs, row)->step);
	if (m->nodes.first_exec[node] != NONE)
		count_costs(m, node, out);
}
