#include "query/metrics.h"

static void add_exec(struct numbers *n, const struct exec_sums *x)
{
	int64_t micros = metric_add(METRIC_MICROS, x->accelerator_us, x->cpu_us);

#define ADD(metric, value) n->at[metric] = metric_add(metric, n->at[metric], value)
	ADD(METRIC_MICROS, micros);
	ADD(METRIC_ACCELERATOR, x->accelerator_us);
	ADD(METRIC_CPU, x->cpu_us);
	ADD(METRIC_BYTES, x->requested_bytes);
	ADD(METRIC_PEAK, x->peak_bytes);
	ADD(METRIC_RESIDUAL, x->residual_bytes);
	ADD(METRIC_OUTPUT, x->output_bytes);
	ADD(METRIC_RUNS, x->run_count);
#undef ADD
}

static int64_t divide(int64_t sum, int64_t n, bool wraps)
{
	return wraps ? (int64_t)((uint64_t)sum / (uint64_t)n) : sum / n;
}

static inline void compute(const struct model *m, uint32_t node, int64_t step, bool wraps,
	struct numbers *out)
{
	uint32_t row = m->nodes.first_exec[node];
	int64_t n_execs = 0;

	*out = (struct numbers){0};
	out->at[METRIC_PARAMS] = model_parameters(m, node);
	out->at[METRIC_FLOAT_OPS] = m->nodes.float_ops[node];
	if (row == NONE)
		return;
	for (; row != NONE; row = exec_at(&m->execs, row)->next) {
		struct exec_sums sums;

		if (step >= 0 && exec_at(&m->execs, row)->step != step)
			continue;
		sums = exec_get_sums(&m->execs, row);
		add_exec(out, &sums);
		n_execs++;
	}
	if (n_execs > 1)
		for (int i = 0; i < N_METRICS; i++)
			if (i != METRIC_PARAMS && i != METRIC_FLOAT_OPS)
				out->at[i] = divide(out->at[i], n_execs, wraps);
	out->at[METRIC_FLOAT_OPS] =
		(int64_t)((uint64_t)out->at[METRIC_FLOAT_OPS] * (uint64_t)out->at[METRIC_RUNS]);
}

void metrics_of(const struct model *m, uint32_t node, int64_t step, struct numbers *out)
{
	compute(m, node, step, false, out);
}

void metrics_of_wrapping(const struct model *m, uint32_t node, int64_t step, struct numbers *out)
{
	compute(m, node, step, true, out);
}
