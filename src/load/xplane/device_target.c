/* Operations of accelerators: what each is called, and what it is.
 *
 *     program, instruction ──> jit(f)/mlp/dot_general/fusion.3
 *                              └─ scope ─┘└─ type ──┘
 *
 * JAX compiles a program for each shape: an operation is one of a program. Where several have one
 * name, their shapes tell them apart: "… (8192x4096 · 4096x8192)". */
#include <stdlib.h>

#include "hlo/shape.h"
#include "load/xplane/trace.h"

/* ---- names and types ----------------------------------------------------- */

/* An instruction of a program that the trace has; .details is NULL otherwise. */
struct found {
	struct hlo_module *module;
	const struct hlo_details *details;
	uint32_t instruction, op;
};

static struct found find_instruction(struct trace *t, const struct device_target *of, bool *ok)
{
	struct found f = {.module = hlo_modules_find(&t->modules, of->program, ok)};

	f.instruction = f.module ? hlo_find_name(f.module, of->op) : NONE;
	if (f.instruction == NONE)
		f.module = NULL;
	if (f.module)
		f.details = hlo_get_details(f.module, f.instruction, &f.op, ok);
	return f;
}

static bool is_framework_name(struct span name)
{
	return name.n && memchr(name.at, '/', name.n);
}

/* What a fusion that is named after a layout operation is there for. */
static struct span type_of_hero(const struct found *f, struct span type)
{
	const struct hlo_program *p = &f->details->program;
	uint32_t hero = hlo_find_hero(p, &f->details->heroes, f->op);
	struct span name;

	if (hero == NONE)
		return type;
	name = p->ops.at[hero].op_name;
	if (!is_framework_name(name) || hlo_is_layout_type(op_text_type(name, SPAN(""))))
		return p->ops.at[hero].opcode_text;
	return op_text_type(name, SPAN(""));
}

/* "swapaxes" of "jit_swapaxes". */
static struct span without_jit(struct span module)
{
	return span_starts(module, SPAN("jit_")) && module.n > 4 ? span_from(module, 4) : module;
}

static uint32_t make_target(struct trace *t, const struct device_target *of)
{
	bool ok = true;
	struct found f = find_instruction(t, of, &ok);
	struct trace_target target = {.program = of->program,
		.module = f.module,
		.instruction = f.module ? f.instruction : NONE,
		.float_ops = -1,
		.bytes = -1,
		.on_device = DEVICE_COMPILED};
	struct span name = is_framework_name(of->framework) ? of->framework : SPAN("");
	struct span type = of->opcode, module = f.module ? f.module->name : of->module;
	uint32_t named = f.details ? hlo_find_named(&f.details->program, f.op, &ok) : NONE;

	if (!name.n && ok && named != NONE)
		name = f.details->program.ops.at[named].op_name;
	if (name.n)
		type = op_text_type(name, SPAN(""));
	else if (f.details)
		type = hlo_get_opcode(&f.details->program, &f.details->heroes, f.op);
	if (f.details && hlo_is_layout_type(type))
		type = type_of_hero(&f, type);
	target.is_waiting = f.details ? f.details->kinds.of_op[f.op] == HLO_KIND_WAITING
				      : span_ends(of->opcode, SPAN("-done"));
	t->scratch.n = 0;
	buf_span(&t->scratch, name.n ? name : without_jit(module));
	if (t->scratch.n)
		buf_char(&t->scratch, '/');
	buf_span(&t->scratch, of->op);
	ok &= !t->scratch.failed;
	target.name = ok ? strings_add(&t->texts, buf_get(&t->scratch)) : NONE;
	target.type = strings_add(&t->texts, type);
	target.opcode = strings_add(&t->texts,
		f.details ? f.details->program.ops.at[f.op].opcode_text : of->opcode);
	if (target.name == NONE || target.type == NONE || target.opcode == NONE ||
		t->targets.n >= NONE - 1 || !vec_push(&t->targets, target))
		return NONE;
	return (uint32_t)t->targets.n - 1;
}

uint32_t trace_add_device_target(struct trace *t, const struct device_target *of)
{
	uint32_t text = strings_alias(&t->texts, of->op), target;

	if (text == NONE)
		return NONE;
	target = trace_find_compiled(t, of->program, text);
	if (target != NONE)
		return target;
	target = make_target(t, of);
	return target != NONE && trace_push_compiled(t, of->program, text, target) ? target : NONE;
}

/* ---- programs of one name ------------------------------------------------ */

static int by_name(const void *a, const void *b, void *context)
{
	const struct trace_target *targets = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	if (targets[i].name != targets[k].name)
		return targets[i].name < targets[k].name ? -1 : 1;
	return (i > k) - (i < k);
}

/* "8192x4096". */
static void put_dims(struct buf *b, const struct hlo_program *p, const struct hlo_value *v)
{
	if (!v->n_dims)
		buf_text(b, "scalar");
	for (uint32_t i = 0; i < v->n_dims; i++)
		buf_printf(b, "%s%lld", i ? "x" : "", (long long)hlo_dim(p, v, i));
}

/* By what operations of one name may be told apart, the first that does so for all of them. */
enum apart { BY_OPERANDS, BY_RESULT, BY_SHAPES, BY_PROGRAM };

static void put_apart(struct buf *b, struct trace *t, uint32_t target, enum apart by, bool *ok)
{
	const struct trace_target *of = &t->targets.at[target];
	uint32_t op, first;
	const struct hlo_details *d =
		of->module ? hlo_get_details(of->module, of->instruction, &op, ok) : NULL;

	buf_span(b, strings_get(&t->texts, of->name));
	if (by == BY_PROGRAM)
		buf_printf(b, " (program %llu)", (unsigned long long)of->program);
	if (by == BY_PROGRAM || !d)
		return;
	buf_text(b, " (");
	for (uint32_t i = 0; by != BY_RESULT && i < d->program.ops.at[op].n_operands; i++) {
		if (i)
			buf_text(b, " · ");
		put_dims(b, &d->program, hlo_operand_value(&d->program, &d->program.ops.at[op], i));
	}
	if (by == BY_SHAPES)
		buf_text(b, " to ");
	first = by == BY_OPERANDS ? NONE
				  : hlo_first_array(&d->program, d->program.ops.at[op].value);
	if (first != NONE)
		put_dims(b, &d->program, &d->program.values.at[first]);
	buf_char(b, ')');
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Names for n targets of one name, if they all differ. `sorted` has room for n. */
static bool name_group(struct trace *t, const uint32_t *targets, size_t n, enum apart by,
	uint32_t *names, uint32_t *sorted, bool *ok)
{
	for (size_t i = 0; *ok && i < n; i++) {
		t->scratch.n = 0;
		put_apart(&t->scratch, t, targets[i], by, ok);
		names[i] = t->scratch.failed ? NONE : strings_add(&t->texts, buf_get(&t->scratch));
		*ok &= names[i] != NONE;
	}
	memcpy(sorted, names, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_number);
	for (size_t i = 1; i < n; i++)
		if (sorted[i] == sorted[i - 1])
			return false;
	return true;
}

static bool rename_group(struct trace *t, const uint32_t *targets, size_t n, uint32_t *names,
	uint32_t *sorted)
{
	bool ok = true;
	enum apart by = BY_OPERANDS;

	while (by < BY_PROGRAM && ok && !name_group(t, targets, n, by, names, sorted, &ok))
		by++;
	if (by == BY_PROGRAM)
		name_group(t, targets, n, by, names, sorted, &ok);
	for (size_t i = 0; ok && i < n; i++)
		t->targets.at[targets[i]].name = names[i];
	return ok;
}

/* Lets names find the targets. */
static bool index_name(struct trace *t, uint32_t target)
{
	uint32_t name = t->targets.at[target].name;

	while (t->target_of.n <= name)
		if (!vec_push(&t->target_of, NONE))
			return false;
	if (t->target_of.at[name] == NONE)
		t->target_of.at[name] = target;
	return true;
}

bool trace_tell_programs_apart(struct trace *t)
{
	size_t room = t->targets.n + 1, n = 0, end;
	uint32_t *order = mem_array(3 * room, sizeof(*order));
	bool ok = order != NULL;

	for (uint32_t i = 0; ok && i < t->targets.n; i++)
		if (t->targets.at[i].on_device == DEVICE_COMPILED)
			order[n++] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_name, t->targets.at);
	for (size_t i = 0; ok && i < n; i = end) {
		uint32_t name = t->targets.at[order[i]].name;

		for (end = i; end < n && t->targets.at[order[end]].name == name; end++)
			;
		if (end - i > 1)
			ok = rename_group(t, order + i, end - i, order + room, order + 2 * room);
	}
	for (size_t i = 0; ok && i < n; i++)
		ok = index_name(t, order[i]);
	mem_free(order);
	return ok;
}
