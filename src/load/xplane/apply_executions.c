/* How often instructions of compiled programs were executed, which is not how many events they
 * have. */
#include <stdlib.h>

#include "load/xplane/apply.h"

/* What ran of an instruction on a device. */
struct ran {
	struct trace_compiled_sum *sum;
	uint32_t program, computation;
};

typedef VEC(struct ran) ran_list;

static int by_computation(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;

	if (x->sum->device != y->sum->device)
		return x->sum->device < y->sum->device ? -1 : 1;
	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	if (x->computation != y->computation)
		return x->computation < y->computation ? -1 : 1;
	return (x->sum->n_events > y->sum->n_events) - (x->sum->n_events < y->sum->n_events);
}

static bool is_same_computation(const struct ran *a, const struct ran *b)
{
	return a->sum->device == b->sum->device && a->program == b->program &&
		a->computation == b->computation;
}

/* All instructions of a computation run equally often, but one may have several events, or one get
 * lost: the commonest number counts; of two equally common, the smaller. */
static uint32_t find_commonest(const struct ran *ran, size_t n)
{
	uint32_t commonest = 0;
	size_t most = 0;

	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && ran[k].sum->n_events == ran[i].sum->n_events; k++)
			;
		if (k - i > most) {
			most = k - i;
			commonest = ran[i].sum->n_events;
		}
	}
	return commonest;
}

/* Those of a computation on a device. */
static void count(struct apply *a, const struct ran *ran, size_t n)
{
	const struct trace *t = a->trace;
	const struct compiled_program *program = &a->model->compiled.programs.at[ran->program];
	const struct hlo_module *module = t->targets.at[ran->sum->target].module;
	enum plane_kind kind = t->devices.at[ran->sum->device].kind;
	uint32_t executions = find_commonest(ran, n);

	if (module->computations.at[ran->computation].id == module->entry &&
		!plane_is_accelerator(kind) && program->n_runs > 1 && program->n_runs < executions)
		executions = program->n_runs;
	for (size_t i = 0; i < n; i++) {
		struct trace_compiled_sum *sum = ran[i].sum;

		/* On TPUs, an event is an execution. */
		sum->n_executions = kind == PLANE_TPU ? sum->n_events : executions;
		a->n_executions[sum->target] += sum->n_executions;
		a->n_events[sum->target] += sum->n_events;
	}
}

bool apply_has_parts(const struct apply *a, const struct trace_target *target)
{
	return span_equal(target->module->instructions.at[target->instruction].opcode,
		       SPAN("sort")) &&
		target->on_device == DEVICE_NONE;
}

bool apply_executions(struct apply *a)
{
	struct trace *t = a->trace;
	ran_list ran = {0};
	bool ok = vec_reserve(&ran, t->compiled_sums.n);

	a->n_events = mem_zero_array(t->targets.n + 1, sizeof(*a->n_events));
	a->n_executions = mem_zero_array(t->targets.n + 1, sizeof(*a->n_executions));
	ok = ok && a->n_events && a->n_executions;
	for (size_t i = 0; ok && i < t->compiled_sums.n; i++) {
		struct trace_compiled_sum *sum = &t->compiled_sums.at[i];
		const struct trace_target *target = &t->targets.at[sum->target];

		ran.at[ran.n++] = (struct ran){sum, target->module->kept,
			target->module->instructions.at[target->instruction].computation};
	}
	if (ok && ran.n)
		qsort(ran.at, ran.n, sizeof(*ran.at), by_computation);
	for (size_t i = 0, k; ok && i < ran.n; i = k) {
		for (k = i; k < ran.n && is_same_computation(&ran.at[i], &ran.at[k]); k++)
			;
		count(a, &ran.at[i], k - i);
	}
	vec_clear(&ran);
	return ok;
}
