/* Call stacks of compiled operations, as CodeDefs: they and the texts they name go to a
 * source of their own, since nothing else holds them.
 *
 *     bytes   file names, functions and lines │ CodeDef │ CodeDef │ … */
#include "load/xplane/apply.h"
#include "load/xplane/source_text.h"
#include "proto/wire_write.h"

/* Ids of texts from here on are ours: those of op logs are small. */
#define FIRST_ID (INT64_C(1) << 40)

struct piece {
	size_t at, n;
};

/* One call stack of a module, by its innermost frame. */
struct known_stack {
	const struct hlo_module *module;
	uint32_t frame;
	struct piece code;
};

struct stacks {
	struct apply *apply;
	struct strings texts; /* the text of id i is the i-th */
	struct source_texts sources;
	int64_t first_id;
	struct buf code; /* CodeDefs */
	VEC(struct known_stack) known;
	struct hash_index index;
	VEC(uint32_t) frames; /* of the stack at hand, innermost first */
	uint32_t *stack_of;   /* by target; NONE */
};

struct stack_probe {
	const struct stacks *stacks;
	const struct hlo_module *module;
	uint32_t frame;
};

static bool same_stack(const void *context, uint32_t i)
{
	const struct stack_probe *p = context;
	const struct known_stack *k = &p->stacks->known.at[i];

	return k->module == p->module && k->frame == p->frame;
}

static uint32_t put_text_id(struct stacks *s, unsigned field, struct span text)
{
	uint32_t id = strings_alias(&s->texts, text);

	s->code.failed |= id == NONE;
	wire_put_int(&s->code, field, s->first_id + id);
	return id;
}

static void put_frame(struct stacks *s, struct span file, struct span function, int64_t line)
{
	size_t frame = wire_open(&s->code, CODE_DEF_TRACES);
	uint32_t file_id;

	wire_put_int(&s->code, CODE_DEF_TRACE_LINENO, line < 0 || line > INT32_MAX ? 0 : line);
	file_id = put_text_id(s, CODE_DEF_TRACE_FILE_ID, file);
	put_text_id(s, CODE_DEF_TRACE_FUNCTION_ID, function);
	put_text_id(s, CODE_DEF_TRACE_LINE_ID,
		file_id == NONE ? SPAN("") : source_texts_get(&s->sources, file_id, file, line));
	wire_close(&s->code, frame);
}

/* From the innermost out. A damaged module may have frames that call each other. */
static bool collect_frames(struct stacks *s, const struct hlo_module *m, uint32_t frame)
{
	enum { MOST = 1000 };

	s->frames.n = 0;
	while (frame && frame <= m->frames.n && s->frames.n < MOST) {
		if (!vec_push(&s->frames, frame))
			return false;
		frame = m->frames.at[frame - 1].parent;
	}
	return true;
}

/* "attention" of "make_step.<locals>.attention", which labels would cut off. */
static struct span own_name(struct span function)
{
	struct span word = SPAN("<locals>.");

	for (size_t i = function.n; i >= word.n; i--)
		if (memcmp(function.at + i - word.n, word.at, word.n) == 0)
			return (struct span){function.at + i, function.n - i};
	return function;
}

static bool put_stack(struct stacks *s, const struct hlo_module *m, uint32_t frame)
{
	if (!collect_frames(s, m, frame))
		return false;
	for (size_t i = s->frames.n; i-- > 0;) {
		const struct hlo_frame *f = &m->frames.at[s->frames.at[i] - 1];

		put_frame(s, f->file, own_name(f->function), f->line);
	}
	/* Copies and the like, that no line asked for. */
	if (!s->frames.n)
		put_frame(s, SPAN("(no line)"), m->name, 0);
	return !s->code.failed;
}

/* NONE on allocation failure. */
static uint32_t find_stack(struct stacks *s, const struct hlo_module *m, uint32_t frame)
{
	struct stack_probe probe = {s, m, frame};
	uint64_t hash = hash_bytes(&(uint64_t[]){(uintptr_t)m, frame}, 16);
	uint32_t i = hash_find(&s->index, hash, same_stack, &probe);
	size_t begin = s->code.n;

	if (i != NONE)
		return i;
	if (!put_stack(s, m, frame) || !hash_add(&s->index, hash, (uint32_t)s->known.n) ||
		!vec_push(&s->known, ((struct known_stack){m, frame, {begin, s->code.n - begin}})))
		return NONE;
	return (uint32_t)s->known.n - 1;
}

static bool find_stacks(struct stacks *s)
{
	const struct apply *a = s->apply;
	const struct trace *t = a->trace;

	s->stack_of = mem_array(t->targets.n + 1, sizeof(*s->stack_of));
	for (size_t i = 0; s->stack_of && i < t->targets.n; i++) {
		const struct trace_target *target = &t->targets.at[i];

		s->stack_of[i] = NONE;
		if (!target->module || !target->module->frames.n ||
			a->model->nodes.flags[a->nodes[i]] & NODE_HAS_TRACE)
			continue;
		s->stack_of[i] = find_stack(s, target->module,
			target->module->instructions.at[target->instruction].frame);
		if (s->stack_of[i] == NONE)
			return false;
	}
	return s->stack_of;
}

/* Texts behind the CodeDefs, then all of it becomes a source. */
static enum tfprof_status keep(struct stacks *s, struct tfprof_error *err)
{
	struct model *m = s->apply->model;
	size_t at = s->code.n;
	struct source source;
	enum tfprof_status status;

	for (uint32_t i = 0; i < s->texts.text.n; i++)
		buf_span(&s->code, strings_get(&s->texts, i));
	if (s->code.failed)
		return error_no_memory(err);
	source = (struct source){.bytes = buf_get(&s->code), .owner = SOURCE_HEAP};
	status = model_keep(m, &source, err);
	if (status != TFPROF_OK)
		return status;
	s->code = (struct buf){0};
	for (uint32_t i = 0; i < s->texts.text.n; i++) {
		size_t n = strings_get(&s->texts, i).n;
		struct span text = {m->sources.at[m->sources.n - 1].bytes.at + at, n};

		if (!model_add_trace_string(m, s->first_id + i, text))
			return error_no_memory(err);
		at += n;
	}
	return TFPROF_OK;
}

static bool give_stacks(struct stacks *s)
{
	struct apply *a = s->apply;
	struct model *m = a->model;
	const char *bytes = m->sources.at[m->sources.n - 1].bytes.at;

	for (size_t i = 0; i < a->trace->targets.n; i++) {
		uint32_t node = a->nodes[i];
		const struct piece *code;

		if (s->stack_of[i] == NONE)
			continue;
		code = &s->known.at[s->stack_of[i]].code;
		if (!model_make_slice(m, &m->nodes.trace[node],
			    (struct span){bytes + code->at, code->n}))
			return false;
		m->nodes.flags[node] |= NODE_HAS_TRACE | NODE_CHANGED;
	}
	m->has_trace = true;
	return true;
}

enum tfprof_status apply_stacks(struct apply *a, struct tfprof_error *err)
{
	struct stacks s = {.apply = a, .first_id = FIRST_ID, .sources.recorded_ns = a->recorded_ns};
	enum tfprof_status status = TFPROF_OK;

	while (model_find_trace_string(a->model, s.first_id) != NONE)
		s.first_id += INT64_C(1) << 32;
	if (!strings_init(&s.texts) || !find_stacks(&s))
		status = error_no_memory(err);
	if (status == TFPROF_OK && s.known.n) {
		status = keep(&s, err);
		if (status == TFPROF_OK && !give_stacks(&s))
			status = error_no_memory(err);
	}
	strings_clear(&s.texts);
	source_texts_clear(&s.sources);
	buf_clear(&s.code);
	vec_clear(&s.known);
	hash_clear(&s.index);
	vec_clear(&s.frames);
	mem_free(s.stack_of);
	return status;
}
