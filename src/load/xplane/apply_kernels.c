/* The kernels that GPUs ran, added up: those of one name, grid and node. */
#include "base/hash.h"
#include "load/xplane/apply.h"

struct kernel_sum {
	uint32_t kernel, details, target;
	struct accelerator_kernel sum;
};

struct kernel_sums {
	VEC(struct kernel_sum) at;
	struct hash_index index;
};

struct kernel_probe {
	const struct kernel_sums *sums;
	const struct trace_device_op *op;
	uint32_t target;
};

static bool is_same(const void *context, uint32_t id)
{
	const struct kernel_probe *p = context;
	const struct kernel_sum *known = &p->sums->at.at[id];

	return known->kernel == p->op->kernel && known->details == p->op->details &&
		known->target == p->target;
}

/* NULL on allocation failure. */
static struct kernel_sum *find_sum(struct kernel_sums *sums, const struct trace_device_op *op,
	uint32_t target)
{
	struct kernel_probe p = {sums, op, target};
	uint64_t hash = hash_mix(hash_mix(op->kernel, op->details), target);
	uint32_t id = hash_find(&sums->index, hash, is_same, &p);
	struct kernel_sum fresh = {op->kernel, op->details, target, {.min_ps = INT64_MAX}};

	if (id != NONE)
		return &sums->at.at[id];
	id = (uint32_t)sums->at.n;
	return vec_push(&sums->at, fresh) && hash_add(&sums->index, hash, id) ? &sums->at.at[id]
									      : NULL;
}

static bool add_line(const struct trace *t, size_t line, struct kernel_sums *sums)
{
	size_t end = line + 1 < t->lines.n ? t->lines.at[line + 1].first_op : t->ops.n;
	size_t first = t->lines.at[line].first_op;
	const struct trace_device_op *beside = &t->device_ops.at[t->lines.at[line].first_device_op];

	for (size_t i = first; i < end; i++, beside++) {
		const struct trace_op *op = &t->ops.at[i];
		struct kernel_sum *of;

		if (apply_is_copy(t, op->target))
			continue;
		of = find_sum(sums, beside, op->target);
		if (!of)
			return false;
		of->sum.n_runs++;
		of->sum.total_ps += op->total_ps;
		if (op->total_ps < of->sum.min_ps)
			of->sum.min_ps = op->total_ps;
		if (op->total_ps > of->sum.max_ps)
			of->sum.max_ps = op->total_ps;
	}
	return true;
}

static bool put_sum(struct apply *a, struct kernel_sum *of)
{
	const struct trace *t = a->trace;

	of->sum.name = strings_add(&a->model->strings, strings_get(&t->texts, of->kernel));
	of->sum.details = strings_add(&a->model->strings, strings_get(&t->texts, of->details));
	of->sum.node = a->nodes[of->target];
	return of->sum.name != NONE && of->sum.details != NONE &&
		vec_push(&a->model->kernels, of->sum);
}

bool apply_kernels(struct apply *a)
{
	const struct trace *t = a->trace;
	struct kernel_sums sums = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < t->lines.n; i++)
		if (t->lines.at[i].first_device_op != NONE &&
			t->devices.at[t->lines.at[i].device].kind == PLANE_GPU)
			ok = add_line(t, i, &sums);
	for (size_t i = 0; ok && i < sums.at.n; i++)
		ok = put_sum(a, &sums.at.at[i]);
	vec_clear(&sums.at);
	hash_clear(&sums.index);
	return ok;
}
