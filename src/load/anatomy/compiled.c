/* Functions that were compiled or traced while the trace was recorded, and what changed between
 * their versions: "argument 0: f32[80,64], f32[88,64]". */
#include <stdlib.h>

#include "load/anatomy/scene.h"
#include "load/xplane/hlo_shape.h"

/* A compiled version of a function: shapes of its parameters, in their order, and its result. */
struct version {
	VEC(uint32_t) arguments; /* texts */
	uint32_t result;
};

struct function {
	uint32_t name, module; /* texts; module: 0 for a tf.function */
	int64_t n_times, ps;
	uint64_t n_traced; /* so far, of a tf.function */
	VEC(struct version) versions;
};

struct lister {
	struct scene *s;
	VEC(struct function) functions;
	VEC(uint32_t) by_name;   /* by text: a function's place + 1; 0: none */
	VEC(uint32_t) by_module; /* the same */
};

static uint32_t *place_of(struct lister *l, bool by_module, uint32_t text)
{
	if (by_module) {
		while (l->by_module.n <= text)
			if (!vec_push(&l->by_module, 0))
				return NULL;
		return &l->by_module.at[text];
	}
	while (l->by_name.n <= text)
		if (!vec_push(&l->by_name, 0))
			return NULL;
	return &l->by_name.at[text];
}

/* ---- calls ---------------------------------------------------------------------------- */

static bool compiles(const struct scene *s, uint32_t node)
{
	for (uint32_t n = node + 1; n < s->nodes.at[node].end; n++)
		if (name_of(s, n) & NAME_COMPILE)
			return true;
	return false;
}

static bool add_call(struct lister *l, uint32_t node, bool is_jit)
{
	struct scene *s = l->s;
	const struct node *n = &s->nodes.at[node];
	struct span name = text_of(s, n->name);
	uint32_t text = is_jit ? strings_alias(&s->texts, function_of_call(name)) : n->name;
	uint32_t module = is_jit ? scene_add_module(s, SPAN("jit_"), function_of_call(name)) : 0;
	uint32_t *place = text == NONE || module == NONE ? NULL : place_of(l, false, text);
	uint32_t *of_module = place && module ? place_of(l, true, module) : NULL;
	struct function *f;

	if (!place || (module && !of_module))
		return false;
	if (!*place) {
		if (!vec_push(&l->functions, ((struct function){.name = text, .module = module})))
			return false;
		*place = (uint32_t)l->functions.n;
		if (of_module)
			*of_module = *place;
	}
	f = &l->functions.at[*place - 1];
	f->n_times++;
	f->ps += n->end_ps - n->start;
	if (node_has(s, node, FACT_TRACED))
		f->n_traced = facts_of(s, node)->id;
	return true;
}

static bool list_calls(struct lister *l)
{
	const struct scene *s = l->s;
	const struct thread_line *line = &s->lines.at[s->main];
	bool ok = true;

	for (uint32_t n = line->first; ok && n < line->end; n++) {
		bool is_jit = name_of(s, n) & NAME_JIT;

		if (!is_jit && !node_has(s, n, FACT_CALL))
			continue;
		if (node_has(s, n, FACT_TRACED) || compiles(s, n))
			ok = add_call(l, n, is_jit);
		n = s->nodes.at[n].end > n ? s->nodes.at[n].end - 1 : n; /* outermost only */
	}
	return ok;
}

/* ---- versions -------------------------------------------------------------------------- */

static const char *type_name(unsigned type)
{
	static const char *const names[] = {[PRIMITIVE_TYPE_PRED] = "pred",
		[PRIMITIVE_TYPE_S8] = "s8",
		[PRIMITIVE_TYPE_S16] = "s16",
		[PRIMITIVE_TYPE_S32] = "s32",
		[PRIMITIVE_TYPE_S64] = "s64",
		[PRIMITIVE_TYPE_U8] = "u8",
		[PRIMITIVE_TYPE_U16] = "u16",
		[PRIMITIVE_TYPE_U32] = "u32",
		[PRIMITIVE_TYPE_U64] = "u64",
		[PRIMITIVE_TYPE_F16] = "f16",
		[PRIMITIVE_TYPE_F32] = "f32",
		[PRIMITIVE_TYPE_F64] = "f64",
		[PRIMITIVE_TYPE_C64] = "c64",
		[PRIMITIVE_TYPE_BF16] = "bf16",
		[PRIMITIVE_TYPE_C128] = "c128"};

	return type < sizeof(names) / sizeof(*names) && names[type] ? names[type] : "?";
}

static bool put_array(void *context, size_t i, const struct hlo_shape *shape)
{
	struct buf *b = context;

	buf_text(b, i ? ", " : "");
	buf_text(b, type_name(shape->type));
	buf_char(b, '[');
	for (size_t k = 0; k < shape->dims.n; k++) {
		buf_text(b, k ? "," : "");
		buf_int(b, shape->dims.at[k]);
	}
	buf_char(b, ']');
	return true;
}

/* A text; NONE on allocation failure. */
static uint32_t shape_text(struct scene *s, const struct hlo_instruction *in)
{
	struct decoder d = {0};
	struct span shape = hlo_get_shape(&d, in);
	struct buf b = {0};
	uint32_t text;

	hlo_shape_read(&d, shape, put_array, &b);
	text = b.failed || (d.failed && !d.bad) ? NONE : strings_add(&s->texts, buf_get(&b));
	buf_clear(&b);
	return text;
}

struct parameter {
	uint64_t number;
	uint32_t shape;
};

static int by_number(const void *a, const void *b)
{
	const struct parameter *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static uint64_t parameter_number(const struct hlo_instruction *in)
{
	struct wire_reader r = wire_reader(in->message);
	struct decoder d = {0};
	struct wire_field f;
	uint64_t number = 0;

	while (decoder_find(&d, &r, WIRE_VARINT(HLO_INSTRUCTION_PARAMETER_NUMBER), &f))
		number = f.value;
	return number;
}

static bool read_version(struct scene *s, const struct hlo_module *m, struct version *v)
{
	uint32_t entry = hlo_find_computation(m, m->entry);
	const struct hlo_computation *c = entry == NONE ? NULL : &m->computations.at[entry];
	VEC(struct parameter) parameters = {0};
	bool ok = true;

	for (uint32_t i = 0; ok && c && i < c->n; i++) {
		const struct hlo_instruction *in = &m->instructions.at[c->first + i];
		bool is_parameter = span_equal(in->opcode, SPAN("parameter"));
		uint32_t shape = 0;

		if (is_parameter || in->id == c->root)
			shape = shape_text(s, in);
		ok = shape != NONE;
		if (ok && in->id == c->root)
			v->result = shape;
		if (ok && is_parameter)
			ok = vec_push(&parameters,
				((struct parameter){parameter_number(in), shape}));
	}
	if (ok && parameters.n)
		qsort(parameters.at, parameters.n, sizeof(*parameters.at), by_number);
	for (size_t i = 0; ok && i < parameters.n; i++)
		ok = vec_push(&v->arguments, parameters.at[i].shape);
	vec_clear(&parameters);
	return ok;
}

static bool add_versions(struct lister *l)
{
	struct scene *s = l->s;
	bool ok = true;

	for (size_t i = 0; ok && i < s->modules.at.n; i++) {
		const struct hlo_module *m =
			hlo_modules_find(&s->modules, s->modules.at.at[i]->program, &ok);
		uint32_t text = ok && m ? scene_add_module(s, SPAN(""), m->name) : 0;
		uint32_t *place = text && text != NONE ? place_of(l, true, text) : NULL;
		struct version v = {0};
		struct function *f;

		if (!m)
			continue;
		ok = ok && place;
		if (!ok || !*place)
			continue;
		f = &l->functions.at[*place - 1];
		ok = read_version(s, m, &v) && vec_push(&f->versions, v);
		if (!ok)
			vec_clear(&v.arguments);
	}
	return ok;
}

/* ---- what changed ------------------------------------------------------------------------- */

static uint32_t shape_of(const struct version *v, size_t argument)
{
	if (argument == SIZE_MAX)
		return v->result;
	return argument < v->arguments.n ? v->arguments.at[argument] : NONE;
}

static int by_text(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return span_compare(*x, *y);
}

/* Lists the shapes of an argument, or of the result, if there are several. */
static bool put_changes(const struct scene *s, const struct function *f, size_t argument,
	struct buf *b)
{
	enum { MOST = 5 };
	struct span *shapes = mem_array(f->versions.n, sizeof(*shapes));
	size_t n = 0, n_put = 0;

	for (size_t i = 0; shapes && i < f->versions.n; i++) {
		uint32_t shape = shape_of(&f->versions.at[i], argument);

		if (shape != NONE)
			shapes[n++] = text_of(s, shape);
	}
	b->failed |= !shapes;
	if (n > 1)
		qsort(shapes, n, sizeof(*shapes), by_text);
	if (n > 1 && !span_equal(shapes[0], shapes[n - 1])) {
		if (argument == SIZE_MAX)
			buf_text(b, "result: ");
		else
			buf_printf(b, "argument %zu: ", argument);
		for (size_t i = 0; i < n && n_put < MOST; i++)
			if (!i || !span_equal(shapes[i], shapes[i - 1])) {
				buf_text(b, n_put++ ? ", " : "");
				buf_span(b, shapes[i]);
			}
	}
	mem_free(shapes);
	return n_put;
}

static void put_why(const struct scene *s, const struct function *f, struct buf *b)
{
	size_t n = 0;

	if (f->n_traced == 1 && f->n_times > 1)
		buf_text(b, "each time it was a new tf.function");
	else if (f->n_traced > 1)
		buf_printf(b, "traced %llu times so far", (unsigned long long)f->n_traced);
	for (size_t i = 0; i < f->versions.n; i++)
		if (f->versions.at[i].arguments.n > n)
			n = f->versions.at[i].arguments.n;
	for (size_t i = 0; i < n; i++)
		if (put_changes(s, f, i, b))
			return;
	if (f->versions.n > 1)
		put_changes(s, f, SIZE_MAX, b);
}

static int by_time(const void *a, const void *b)
{
	const struct anatomy_compiled *x = a, *y = b;

	if (x->ps != y->ps)
		return x->ps > y->ps ? -1 : 1;
	return span_compare(x->function, y->function);
}

static bool add_results(const struct lister *l, struct anatomy *a)
{
	struct buf why = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < l->functions.n; i++) {
		const struct function *f = &l->functions.at[i];
		struct anatomy_compiled c = {.n_times = f->n_times,
			.ps = f->ps,
			.is_traced = f->module || f->n_traced};

		buf_reset(&why);
		put_why(l->s, f, &why);
		c.function = arena_copy(&a->arena, text_of(l->s, f->name));
		c.why = arena_copy(&a->arena, buf_get(&why));
		ok = !why.failed && c.function.at && c.why.at && vec_push(&a->compiled, c);
	}
	if (ok && a->compiled.n)
		qsort(a->compiled.at, a->compiled.n, sizeof(*a->compiled.at), by_time);
	buf_clear(&why);
	return ok;
}

bool scene_list_compiled(struct scene *s, struct anatomy *a)
{
	struct lister l = {.s = s};
	bool ok = s->main == NONE ||
		(list_calls(&l) && (!l.functions.n || add_versions(&l)) && add_results(&l, a));

	for (size_t i = 0; i < l.functions.n; i++) {
		for (size_t k = 0; k < l.functions.at[i].versions.n; k++)
			vec_clear(&l.functions.at[i].versions.at[k].arguments);
		vec_clear(&l.functions.at[i].versions);
	}
	vec_clear(&l.functions);
	vec_clear(&l.by_name);
	vec_clear(&l.by_module);
	return scene_ok(s, ok);
}
