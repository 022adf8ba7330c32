/* Call stacks of compiled operations, as CodeDefs (load/call_stacks.h). A program of JAX has them;
 * one of TensorFlow has only the names of the nodes that it was made from, whose stacks the graph
 * may have. */
#include "load/call_stacks.h"
#include "load/xplane/apply.h"
#include "load/xplane/source_text.h"

/* One call stack of a module, by its innermost frame. */
struct known_stack {
	const struct hlo_module *module;
	uint32_t frame;
	struct call_stack code;
};

struct stacks {
	struct apply *apply;
	struct call_stacks stacks;
	struct source_texts sources;
	VEC(struct known_stack) known;
	struct hash_index index;
	VEC(uint32_t) frames; /* of the current stack, innermost first */
	uint32_t *stack_of;   /* by target; NONE if it has none */
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

static void put_frame(struct stacks *s, struct span file, struct span function, int64_t line)
{
	uint32_t file_id = strings_alias(&s->stacks.texts, file);
	struct frame frame = {.file = file,
		.function = function,
		.source = file_id == NONE ? SPAN("")
					  : source_texts_get(&s->sources, file_id, file, line),
		.line = line < 0 || line > INT32_MAX ? 0 : (int32_t)line};

	call_stacks_put(&s->stacks, &frame);
}

/* Collects frames from the innermost to the outermost. In a damaged module, they may form a
 * cycle. */
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

/* "attention" of "make_step.<locals>.attention": labels would truncate the latter. */
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
	/* For instructions such as copies, which come from no line. */
	if (!s->frames.n)
		put_frame(s, SPAN("(no line)"), m->name, 0);
	return !s->stacks.code.failed;
}

/* NONE on allocation failure. */
static uint32_t find_stack(struct stacks *s, const struct hlo_module *m, uint32_t frame)
{
	struct stack_probe probe = {s, m, frame};
	uint64_t hash = hash_bytes(&(uint64_t[]){(uintptr_t)m, frame}, 16);
	uint32_t i = hash_find(&s->index, hash, same_stack, &probe);
	size_t begin = s->stacks.code.n;

	if (i != NONE)
		return i;
	if (!put_stack(s, m, frame) || !hash_add(&s->index, hash, (uint32_t)s->known.n) ||
		!vec_push(&s->known,
			((struct known_stack){m, frame, {begin, s->stacks.code.n - begin}})))
		return NONE;
	return (uint32_t)s->known.n - 1;
}

/* Without an origin, the line is that of the call, if there is just one. */
static void copy_stack_of_origin(struct apply *a, size_t target)
{
	struct model *m = a->model;
	const struct program *program = apply_get_program(a, target);
	uint32_t origin = a->origins[target];

	if (origin == NONE && program && program->call.n)
		origin = model_find_node(m, program->call);
	if (origin != NONE && m->nodes.flags[origin] & NODE_HAS_TRACE)
		call_stacks_set(m, a->nodes[target], m->nodes.trace[origin]);
}

/* Its own, or that of the operation whose line it has; 0: none. */
static uint32_t frame_of(const struct apply *a, size_t i)
{
	const struct trace_target *target = &a->trace->targets.at[i];

	return a->line_of[i] == NONE ? target->module->instructions.at[target->instruction].frame
				     : target->module->details->program.ops.at[a->line_of[i]].frame;
}

static bool find_stacks(struct stacks *s)
{
	struct apply *a = s->apply;
	const struct trace *t = a->trace;

	s->stack_of = mem_array(t->targets.n + 1, sizeof(*s->stack_of));
	for (size_t i = 0; s->stack_of && i < t->targets.n; i++) {
		const struct trace_target *target = &t->targets.at[i];

		s->stack_of[i] = NONE;
		if (!target->module || a->model->nodes.flags[a->nodes[i]] & NODE_HAS_TRACE)
			continue;
		if (!target->module->frames.n) {
			copy_stack_of_origin(a, i);
			continue;
		}
		s->stack_of[i] = find_stack(s, target->module, frame_of(a, i));
		if (s->stack_of[i] == NONE)
			return false;
	}
	return s->stack_of;
}

static bool give_stacks(struct stacks *s)
{
	struct apply *a = s->apply;

	for (size_t i = 0; i < a->trace->targets.n; i++) {
		struct slice slice;

		if (s->stack_of[i] == NONE)
			continue;
		if (!call_stacks_slice(a->model, s->known.at[s->stack_of[i]].code, &slice))
			return false;
		call_stacks_set(a->model, a->nodes[i], slice);
	}
	return true;
}

enum tfprof_status apply_stacks(struct apply *a, struct tfprof_error *err)
{
	struct stacks s = {.apply = a, .sources.recorded_ns = a->recorded_ns};
	enum tfprof_status status = TFPROF_OK;

	if (!call_stacks_init(&s.stacks, a->model) || !find_stacks(&s))
		status = error_no_memory(err);
	if (status == TFPROF_OK && s.known.n) {
		status = call_stacks_keep(&s.stacks, a->model, err);
		if (status == TFPROF_OK && !give_stacks(&s))
			status = error_no_memory(err);
	}
	call_stacks_clear(&s.stacks);
	source_texts_clear(&s.sources);
	vec_clear(&s.known);
	hash_clear(&s.index);
	vec_clear(&s.frames);
	mem_free(s.stack_of);
	return status;
}
