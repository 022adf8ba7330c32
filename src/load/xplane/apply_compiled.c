/* Keeps the compiled programs of a trace, and how often and how long their instructions ran, for
 * whoever asks (model/compiled.h). */
#include "hlo/field.h"
#include "load/xplane/apply.h"

/* ---- sums ---------------------------------------------------------------- */

/* Adds the operations of a line. */
static void sum_line(struct trace *t, struct trace_compiled_sum *sums, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct trace_op *op = &t->ops.at[i];
		struct trace_compiled_sum *sum = &sums[op->target];

		sum->n_events++;
		sum->self_ps += op->self_ps > 0 ? op->self_ps : 0;
		sum->total_ps += op->total_ps;
	}
}

/* Moves the sums of a device to the trace. */
static bool take_sums(struct trace *t, struct trace_compiled_sum *sums, uint32_t device)
{
	for (uint32_t i = 0; i < t->targets.n; i++) {
		struct trace_compiled_sum sum = sums[i];

		sums[i] = (struct trace_compiled_sum){0};
		if (!sum.n_events || !t->targets.at[i].module)
			continue;
		sum.target = i;
		sum.device = device;
		if (!vec_push(&t->compiled_sums, sum))
			return false;
	}
	return true;
}

static bool has_compiled(const struct trace *t)
{
	for (size_t i = 0; i < t->targets.n; i++)
		if (t->targets.at[i].module)
			return true;
	return false;
}

/* Calls are forgotten before programs are kept: what was called at all is enough. */
static bool keep_called(struct trace *t)
{
	bool *is_called = mem_zero_array(t->texts.text.n + 1, sizeof(*is_called));
	bool ok = is_called;

	for (size_t i = 0; ok && i < t->calls.n; i++) {
		uint32_t module = t->calls.at[i].module;

		ok = is_called[module] || vec_push(&t->called, module);
		is_called[module] = true;
	}
	mem_free(is_called);
	return ok;
}

bool trace_sum_compiled(struct trace *t)
{
	struct trace_compiled_sum *sums;
	bool ok = true;

	if (t->modules.at.n && t->calls.n && !keep_called(t))
		return false;
	if (!has_compiled(t))
		return true;
	sums = mem_zero_array(t->targets.n + 1, sizeof(*sums));
	for (size_t i = 0; sums && ok && i < t->lines.n; i++) {
		bool is_last = i + 1 == t->lines.n;

		sum_line(t, sums, t->lines.at[i].first_op,
			is_last ? t->ops.n : t->lines.at[i + 1].first_op);
		if (is_last || t->lines.at[i + 1].device != t->lines.at[i].device)
			ok = take_sums(t, sums, t->lines.at[i].device);
	}
	mem_free(sums);
	return sums && ok;
}

/* ---- programs ------------------------------------------------------------ */

/* By text of a module's name: runs, and programs that ran. */
struct named {
	uint32_t n_runs, n_programs;
	bool is_called, has_run;
};

/* "jit_f" of "jit_f(80)", which those that did not run are not decoded for. */
static struct span name_of(const struct hlo_module *module)
{
	struct span id = span_after_last(module->title, '(');
	size_t n = module->title.n - id.n;

	if (module->is_decoded)
		return module->name;
	return (struct span){module->title.at, n ? n - 1 : id.n};
}

/* Counts them; *texts are those of the modules. NULL on allocation failure. */
static struct named *count_named(struct trace *t, uint32_t *texts)
{
	struct named *named;

	for (size_t i = 0; i < t->modules.at.n; i++) {
		texts[i] = trace_add_module_text(t, SPAN(""), name_of(t->modules.at.at[i]));
		if (texts[i] == NONE)
			return NULL;
	}
	named = mem_zero_array(t->texts.text.n + 1, sizeof(*named));
	for (size_t i = 0; named && i < t->called.n; i++)
		named[t->called.at[i]].is_called = true;
	for (size_t i = 0; named && i < t->runs.n; i++)
		named[t->runs.at[i].module].n_runs++;
	for (size_t i = 0; named && i < t->modules.at.n; i++)
		named[texts[i]].n_programs += t->modules.at.at[i]->is_decoded;
	return named;
}

/* Several hosts have the same programs. */
static uint32_t find_program(const struct compiled *c, size_t n_before, uint32_t name, size_t size)
{
	for (uint32_t i = 0; i < n_before; i++)
		if (c->programs.at[i].name == name && c->programs.at[i].message.n == size)
			return i;
	return NONE;
}

static bool keep_program(struct apply *a, struct hlo_module *module, size_t n_before,
	const struct named *named)
{
	struct model *m = a->model;
	struct compiled_program p = {.message = module->message};

	p.name = strings_add(&m->strings, module->title);
	if (p.name == NONE)
		return false;
	module->kept = find_program(&m->compiled, n_before, p.name, p.message.n);
	if (module->kept != NONE)
		return true;
	/* If programs share a name, or several devices their runs, it is not known whose each is.
	 */
	if (module->is_decoded && named->n_programs == 1 && !a->trace->max_ordinal)
		p.n_runs = named->n_runs;
	module->kept = (uint32_t)m->compiled.programs.n;
	return m->compiled.programs.n < NONE - 1 && vec_push(&m->compiled.programs, p);
}

/* Runs of modules by their name; *texts are those names. */
struct by_name {
	uint32_t *texts;     /* by module */
	struct named *named; /* by text */
};

static bool keep_programs(struct apply *a, const struct by_name *names)
{
	struct hlo_modules *modules = &a->trace->modules;
	size_t n_before = a->model->compiled.programs.n;
	bool ok = true;

	for (size_t i = 0; ok && i < modules->at.n; i++)
		ok = keep_program(a, modules->at.at[i], n_before, &names->named[names->texts[i]]);
	return ok;
}

/* A call of which nothing ran has failed, as a program does that finds no memory. */
static void find_failed(struct apply *a, const struct by_name *names)
{
	const struct hlo_modules *modules = &a->trace->modules;
	struct compiled_program *programs = a->model->compiled.programs.at;

	for (size_t i = 0; i < modules->at.n; i++)
		names->named[names->texts[i]].has_run |= programs[modules->at.at[i]->kept].has_run;
	for (size_t i = 0; i < modules->at.n; i++) {
		const struct named *named = &names->named[names->texts[i]];

		programs[modules->at.at[i]->kept].has_failed = named->is_called && !named->has_run;
	}
}

/* As the device recorded it, or else as the program says. */
static void set_cost(struct compiled_op *op, const struct trace_target *target, bool *ok)
{
	static const struct hlo_cost unknown = {0};
	uint32_t at;
	const struct hlo_details *d = hlo_get_details(target->module, target->instruction, &at, ok);
	const struct hlo_cost *cost = d ? &d->costs.of_op[at] : &unknown;

	op->is_recorded = target->float_ops >= 0;
	op->float_ops = hlo_sum(op->is_recorded ? target->float_ops : cost->float_ops, 0);
	op->matrix_float_ops = cost->matrix_float_ops;
	op->bytes = hlo_sum(target->bytes >= 0 ? target->bytes : cost->bytes, 0);
}

static bool keep_ops(struct apply *a)
{
	struct model *m = a->model;
	const struct trace *t = a->trace;
	bool ok = true;

	for (size_t i = 0; ok && i < t->compiled_sums.n; i++) {
		const struct trace_compiled_sum *sum = &t->compiled_sums.at[i];
		const struct trace_target *target = &t->targets.at[sum->target];
		enum plane_kind kind = t->devices.at[sum->device].kind;
		struct compiled_op op = {.program = target->module->kept,
			.instruction = target->module->instructions.at[target->instruction].id,
			.node = a->nodes[sum->target],
			.device = a->devices[sum->device],
			.is_accelerator = plane_is_accelerator(kind),
			.has_parts = apply_has_parts(a, target),
			.n_events = sum->n_events,
			.n_executions = sum->n_executions,
			.self_ps = sum->self_ps,
			.total_ps = sum->total_ps};

		set_cost(&op, target, &ok);
		m->compiled.programs.at[op.program].has_run = true;
		ok = ok && vec_push(&m->compiled.ops, op);
	}
	return ok;
}

bool apply_compiled(struct apply *a)
{
	struct by_name names = {0};
	size_t first_op = a->model->compiled.ops.n;
	bool ok;

	if (!a->trace->modules.at.n)
		return true;
	names.texts = mem_array(a->trace->modules.at.n + 1, sizeof(*names.texts));
	names.named = names.texts ? count_named(a->trace, names.texts) : NULL;
	ok = names.named && keep_programs(a, &names) && apply_executions(a) && keep_ops(a) &&
		compiled_add_costs(&a->model->compiled, first_op, (uint32_t)a->model->nodes.n);
	if (ok)
		find_failed(a, &names);
	mem_free(names.texts);
	mem_free(names.named);
	return ok;
}
