/* Keeps the compiled programs of a trace, and how often and how long their instructions ran, for
 * whoever asks (model/compiled.h). */
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

bool trace_sum_compiled(struct trace *t)
{
	struct trace_compiled_sum *sums;
	bool ok = true;

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
};

/* Counts them; *texts are those of the modules. NULL on allocation failure. */
static struct named *count_named(struct trace *t, uint32_t *texts)
{
	struct named *named;

	for (size_t i = 0; i < t->modules.at.n; i++) {
		const struct hlo_module *module = t->modules.at.at[i];

		texts[i] =
			module->is_decoded ? trace_add_module_text(t, SPAN(""), module->name) : 0;
		if (texts[i] == NONE)
			return NULL;
	}
	named = mem_zero_array(t->texts.text.n + 1, sizeof(*named));
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

static bool keep_programs(struct apply *a)
{
	struct hlo_modules *modules = &a->trace->modules;
	size_t n_before = a->model->compiled.programs.n;
	uint32_t *texts = mem_array(modules->at.n + 1, sizeof(*texts));
	struct named *named = texts ? count_named(a->trace, texts) : NULL;
	bool ok = named != NULL;

	for (size_t i = 0; ok && i < modules->at.n; i++)
		ok = keep_program(a, modules->at.at[i], n_before, &named[texts[i]]);
	mem_free(texts);
	mem_free(named);
	return ok;
}

static bool keep_ops(struct apply *a)
{
	struct model *m = a->model;
	const struct trace *t = a->trace;

	for (size_t i = 0; i < t->compiled_sums.n; i++) {
		const struct trace_compiled_sum *sum = &t->compiled_sums.at[i];
		const struct trace_target *target = &t->targets.at[sum->target];
		enum plane_kind kind = t->devices.at[sum->device].kind;
		struct compiled_op op = {.program = target->module->kept,
			.instruction = target->module->instructions.at[target->instruction].id,
			.node = a->nodes[sum->target],
			.device = a->devices[sum->device],
			.is_accelerator = plane_is_accelerator(kind),
			.has_events_only = kind == PLANE_TPU,
			.n_events = sum->n_events,
			.self_ps = sum->self_ps,
			.total_ps = sum->total_ps,
			.float_ops = target->float_ops,
			.bytes = target->bytes};

		m->compiled.programs.at[op.program].has_run = true;
		if (!vec_push(&m->compiled.ops, op))
			return false;
	}
	return true;
}

bool apply_compiled(struct apply *a)
{
	return !a->trace->modules.at.n || (keep_programs(a) && keep_ops(a));
}
