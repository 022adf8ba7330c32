#include "model/compiled.h"

#include <stdlib.h>

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
	c->ops.n = n_ops;
}

void compiled_clear(struct compiled *c)
{
	compiled_forget_peaks(c);
	vec_clear(&c->programs);
	vec_clear(&c->ops);
}
