#include "model/compiled.h"

#include <stdlib.h>
#include <string.h>

#include "base/clamped.h"
#include "base/mem.h"

static int by_program(const void *a, const void *b)
{
	const struct compiled_op *x = *(const struct compiled_op *const *)a;
	const struct compiled_op *y = *(const struct compiled_op *const *)b;

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return (x > y) - (x < y);
}

bool compiled_visit(const struct compiled *c, compiled_visit_fn *visit, void *context)
{
	const struct compiled_op **ops = mem_array(c->ops.n + 1, sizeof(*ops));
	bool ok = ops != NULL;

	for (size_t i = 0; ok && i < c->ops.n; i++)
		ops[i] = &c->ops.at[i];
	if (ok && c->ops.n)
		qsort(ops, c->ops.n, sizeof(*ops), by_program);
	for (size_t i = 0, k; ok && i < c->ops.n; i = k) {
		for (k = i; k < c->ops.n && ops[k]->program == ops[i]->program; k++)
			;
		ok = visit(context, &ops[i], k - i);
	}
	mem_free(ops);
	return ok;
}

/* ---- costs ------------------------------------------------------------------------ */

static void sum_costs(struct compiled *c, size_t first_op)
{
	for (size_t i = first_op; i < c->ops.n; i++) {
		const struct compiled_op *op = &c->ops.at[i];
		struct compiled_cost *cost = op->node < c->n_costs ? &c->costs[op->node] : NULL;
		/* On a CPU, reports count events. */
		int64_t n_runs = op->is_accelerator ? op->n_executions : op->n_events;
		int64_t times = op->has_parts ? op->n_executions : n_runs;

		if (!cost)
			continue;
		add_clamped(&cost->n_runs, n_runs);
		add_clamped(&cost->matrix_float_ops, clamped_product(op->matrix_float_ops, times));
		add_clamped(&cost->bytes, clamped_product(op->bytes, times));
	}
}

bool compiled_add_costs(struct compiled *c, size_t first_op, uint32_t n_nodes)
{
	if (n_nodes > c->n_costs) {
		struct compiled_cost *costs = mem_zero_array(n_nodes, sizeof(*costs));

		if (!costs)
			return false;
		if (c->n_costs)
			memcpy(costs, c->costs, c->n_costs * sizeof(*costs));
		mem_free(c->costs);
		c->costs = costs;
		c->n_costs = n_nodes;
	}
	sum_costs(c, first_op);
	return true;
}

struct compiled_cost compiled_cost_of_runs(const struct compiled_cost *cost, int64_t n_runs)
{
	uint64_t n = (uint64_t)n_runs, all = (uint64_t)cost->n_runs;

	if (n_runs <= 0 || cost->n_runs <= 0)
		return (struct compiled_cost){0};
	return (struct compiled_cost){n_runs, clamped_part(cost->matrix_float_ops, n, all),
		clamped_part(cost->bytes, n, all)};
}

/* ---- peaks ------------------------------------------------------------------------ */

void compiled_forget_peaks(struct compiled *c)
{
	mem_free(c->peaks);
	c->peaks = NULL;
	c->n_peaks = 0;
	c->n_peak_ops = c->n_peak_programs = 0;
	c->unplaced_bytes = 0;
}

void compiled_truncate(struct compiled *c, size_t n_programs, size_t n_ops)
{
	if (c->n_peak_ops > n_ops)
		compiled_forget_peaks(c);
	c->programs.n = n_programs;
	if (c->ops.n == n_ops)
		return;
	c->ops.n = n_ops;
	if (c->n_costs)
		memset(c->costs, 0, c->n_costs * sizeof(*c->costs));
	sum_costs(c, 0);
}

void compiled_clear(struct compiled *c)
{
	compiled_forget_peaks(c);
	mem_free(c->costs);
	c->costs = NULL;
	c->n_costs = 0;
	vec_clear(&c->programs);
	vec_clear(&c->ops);
}
