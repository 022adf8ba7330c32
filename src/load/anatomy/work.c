/* Which nodes are operations, and when threads work for them (own.h). */
#include "load/anatomy/host.h"

/* ---- operations of compiled programs ------------------------------------------------ */

struct target_probe {
	const struct targets *t;
	uint64_t program;
	uint32_t op;
};

static bool same_target(const void *context, uint32_t i)
{
	const struct target_probe *probe = context;
	const struct target *t = &probe->t->at.at[i];

	return t->program == probe->program && t->op == probe->op;
}

static struct span read_target(const struct hlo_instruction *in)
{
	struct wire_reader r = wire_reader(in->message);
	struct decoder d = {0};
	struct span target = {"", 0};
	struct wire_field f;

	while (decoder_find(&d, &r, WIRE_LEN(HLO_INSTRUCTION_CUSTOM_CALL_TARGET), &f))
		target = f.bytes;
	return target;
}

/* "fusion" of "fusion.12". */
static struct span without_number(struct span name)
{
	size_t digits = 0, n = name.n;

	while (n && name.at[n - 1] >= '0' && name.at[n - 1] <= '9') {
		n--;
		digits++;
	}
	if (digits && n && name.at[n - 1] == '.')
		name.n = n - 1;
	return name;
}

/* What is called back has no event of its own: the line that asks for it tells which it is. */
static void put_line(struct buf *name, const struct hlo_module *m, uint32_t frame)
{
	const struct hlo_frame *f = &m->frames.at[frame - 1];

	buf_text(name, " at ");
	buf_span(name, span_after_last(f->file, '/'));
	buf_char(name, ':');
	buf_int(name, f->line);
}

static bool name_target(struct scene *s, struct target *t, const struct hlo_module *m,
	const struct hlo_instruction *in)
{
	struct buf name = {0};

	buf_span(&name, in->op_name);
	buf_char(&name, '/');
	buf_span(&name, text_of(s, t->op));
	if (t->class == ANATOMY_CALLBACK && in->frame && in->frame <= m->frames.n)
		put_line(&name, m, in->frame);
	t->name = name.failed ? NONE : strings_add(&s->texts, buf_get(&name));
	buf_clear(&name);
	return t->name != NONE;
}

static bool make_target(struct scene *s, uint64_t program, uint32_t op)
{
	struct target t = {program, op, op, ANATOMY_COMPUTE};
	bool ok = true;
	struct hlo_module *m = hlo_modules_find(&s->modules, program, &ok);
	uint32_t i = m ? hlo_find_name(m, text_of(s, op)) : NONE;
	const struct hlo_instruction *in = i == NONE ? NULL : &m->instructions.at[i];

	t.class = (uint8_t)class_of_opcode(
		in && in->opcode.n ? in->opcode : without_number(text_of(s, op)));
	/* Only an opcode tells a collective from an operation that is called one. */
	if (!(in && in->opcode.n) && t.class == ANATOMY_COMMUNICATION)
		t.class = ANATOMY_COMPUTE;
	if (in && t.class == ANATOMY_COMPUTE && span_contains(read_target(in), SPAN("callback")))
		t.class = ANATOMY_CALLBACK;
	if (in && in->op_name.n)
		ok = ok && name_target(s, &t, m, in);
	return ok && vec_push(&s->targets.at, t);
}

static const struct target *find_target(struct scene *s, uint64_t program, uint32_t op)
{
	struct target_probe probe = {&s->targets, program, op};
	uint64_t hash = hash_mix(hash_mix(hash_secret(), program), op);
	uint32_t i = hash_find(&s->targets.index, hash, same_target, &probe);

	if (i != NONE)
		return &s->targets.at.at[i];
	if (!make_target(s, program, op) ||
		!hash_add(&s->targets.index, hash, (uint32_t)s->targets.at.n - 1))
		return NULL;
	return &s->targets.at.at[s->targets.at.n - 1];
}

static uint32_t add_ordinal(struct scene *s, uint32_t ordinal)
{
	char text[24];
	struct buf name = {0};
	uint32_t device;

	buf_int(&name, ordinal);
	memcpy(text, name.at ? name.at : "", name.n < sizeof(text) ? name.n : 0);
	device = name.failed ? NONE : scene_add_device(s, (struct span){text, name.n});
	buf_clear(&name);
	return device;
}

static bool add_compiled(struct host_part *h, uint32_t node)
{
	struct scene *s = h->s;
	const struct facts *facts = host_get_facts(h, node);
	const struct target *t = find_target(s, facts->number, facts->text);
	struct op op = {.start = h->nodes.at[node].start,
		.node = NONE,
		.run = NONE,
		.launch = NONE,
		.device = NONE,
		.last_end = INT64_MIN};

	if (!t || s->ops.n >= OP_COMPILED)
		return false;
	op.name = t->name;
	op.class = t->class;
	op.run = scene_add_run(s, text_of(s, facts->other), facts->has & FACT_ID, facts->id,
		op.start);
	if (facts->device != NONE)
		op.device = add_ordinal(s, facts->device);
	if (op.run == NONE || (facts->device != NONE && op.device == NONE))
		return false;
	s->has_xla = true;
	h->marks.at[node].op = OP_COMPILED | (uint32_t)s->ops.n;
	return vec_push(&s->ops, op);
}

/* An operation that meets others within it is a collective. */
static void note_rendezvous(struct host_part *h, uint32_t node)
{
	uint32_t up = h->nodes.at[node].up, op = up == NONE ? NONE : h->marks.at[up].op;

	if (op != NONE && op & OP_COMPILED)
		h->s->ops.at[op ^ OP_COMPILED].class = ANATOMY_COMMUNICATION;
}

/* ---- other operations ------------------------------------------------------------------ */

/* Whether an operation launches what an accelerator runs: then that is its work. */
static bool has_launch(const struct host_part *h, uint32_t node)
{
	enum { MOST_WITHIN = 64 };
	uint32_t end = h->nodes.at[node].end;

	for (uint32_t k = node + 1; k < end && k <= node + MOST_WITHIN; k++)
		if (host_get_facts(h, k)->has & FACT_LAUNCH)
			return true;
	return false;
}

/* "Type" of "name:Type". */
static struct span type_of(const struct scene *s, uint32_t name)
{
	return span_after_last(text_of(s, name), ':');
}

static bool add_plain(struct host_part *h, uint32_t node, uint32_t name, unsigned class)
{
	struct scene *s = h->s;
	struct host_mark *m = &h->marks.at[node];
	struct plain_op op = {.start = h->nodes.at[node].start,
		.name = name,
		.event = h->nodes.at[node].name,
		.process = m->process,
		.class = (uint8_t) class,
		.is_input = m->is_input};

	if (class == ANATOMY_INPUT && !is_queue_type(type_of(s, h->nodes.at[node].name)))
		op.name = s->get_next;
	if (op.class == ANATOMY_COMPUTE && !op.is_input && s->has_accelerator &&
		has_launch(h, node))
		op.class = ANATOMY_DISPATCH;
	m->op = (uint32_t)s->plain.n;
	return s->plain.n < OP_COMPILED && vec_push(&s->plain, op);
}

static bool has_child(const struct host_part *h, uint32_t node, uint32_t flag)
{
	for (uint32_t k = node + 1; k < h->nodes.at[node].end; k = h->nodes.at[k].end)
		if (host_get_flags(h, k) & flag)
			return true;
	return false;
}

/* The operation of an eager kernel, unless it belongs to an input pipeline. 0: none. */
static uint32_t eager_operation(const struct host_part *h, uint32_t node)
{
	uint32_t up = h->nodes.at[node].up, text;

	for (int depth = 0; up != NONE && depth < 32 && !(host_get_flags(h, up) & NAME_EAGER);
		depth++) {
		if (host_get_flags(h, up) & NAME_REGION_START)
			return 0;
		up = h->nodes.at[up].up;
	}
	if (up == NONE || !(host_get_facts(h, up)->has & FACT_EAGER) ||
		has_child(h, node, NAME_KERNEL_AND_DEVICE))
		return 0;
	text = host_get_facts(h, up)->text;
	return is_input_type(text_of(h->s, text)) ? 0 : text;
}

static bool add_eager(struct host_part *h, uint32_t node, uint32_t operation)
{
	struct scene *s = h->s;
	struct buf name = {0};
	uint32_t text;

	buf_text(&name, "(eager) ");
	buf_span(&name, text_of(s, operation));
	text = name.failed ? NONE : strings_add(&s->texts, buf_get(&name));
	buf_clear(&name);
	return text != NONE && add_plain(h, node, text, ANATOMY_COMPUTE);
}

/* Some versions record no operations of compiled programs: there, running a program is the work. */
static bool add_program(struct host_part *h, uint32_t node)
{
	struct scene *s = h->s;
	uint32_t name = strings_alias(&s->texts, SPAN("(XLA program: operations not recorded)"));

	if (name == NONE || !add_plain(h, node, name, ANATOMY_COMPUTE))
		return false;
	s->plain.at[s->plain.n - 1].is_input = false;
	s->plain.at[s->plain.n - 1].process = NONE;
	return true;
}

bool host_find_op(struct host_part *h, uint32_t node)
{
	struct scene *s = h->s;
	struct name name = s->names.at[h->nodes.at[node].name];
	uint32_t eager;

	s->has_get_next |= (name.flags & NAME_GET_NEXT) != 0;
	if (name.flags & NAME_RENDEZVOUS)
		note_rendezvous(h, node);
	if (name.flags & (NAME_PROGRAM | NAME_THUNKS) ||
		(name.flags & NAME_REGION_START && h->is_program_line)) {
		s->has_programs = true;
		if (s->takes_programs)
			return add_program(h, node);
	}
	if (name.flags & NAME_REGION_START)
		return true;
	if (host_get_facts(h, node)->has & FACT_XLA)
		return add_compiled(h, node);
	if (name.class != WORK_NONE)
		return add_plain(h, node, name.op, name.class);
	if (name.flags & NAME_EAGER_KERNEL && (eager = eager_operation(h, node)))
		return add_eager(h, node, eager);
	return true;
}

/* ---- time ------------------------------------------------------------------------ */

bool scene_add_own(struct scene *s, uint32_t node, int64_t stop, struct work work)
{
	int64_t at = s->nodes.at[node].start, end = s->nodes.at[node].end_ps;
	bool ok = true;

#define ADD(from, until)                                     \
	do {                                                 \
		work.start = (from);                         \
		work.end = (until) < stop ? (until) : stop;  \
		if (work.end > work.start)                   \
			ok = ok && vec_push(&s->work, work); \
	} while (0)
	for (uint32_t k = node + 1; k < s->nodes.at[node].end; k = s->nodes.at[k].end) {
		const struct node *child = &s->nodes.at[k];

		if (child->end_ps <= at)
			continue;
		if (child->start > at)
			ADD(at, child->start);
		at = child->end_ps;
		if (at >= stop)
			return ok;
	}
	ADD(at, end);
#undef ADD
	return ok;
}

bool host_add_time(struct host_part *h, uint32_t n)
{
	struct own_times *own = &h->s->own;
	const struct node *node = &h->nodes.at[n];
	const struct facts *facts = host_get_facts(h, n);
	const uint64_t *key = facts->has & FACT_KEY ? &facts->key : NULL;
	uint32_t flags = host_get_flags(h, n), op = h->marks.at[n].op;
	bool is_endless = node->end_ps == INT64_MAX, is_within;

	if (!is_endless)
		own_see(own, node->end_ps);
	if (flags & NAME_PYTHON)
		return true;
	if (flags & NAME_REGION_START)
		return own_begin_task(own, node->start, is_endless ? OWN_FOREVER : node->end_ps,
			key, op);
	if (op != NONE) {
		if (!own_add(own, node->start, node->end_ps, OWN_OP, op))
			return false;
		if (op & OP_COMPILED)
			own_set_key(own, key ? *key : 0);
		return true;
	}
	if (flags & NAME_RECORD && key)
		return own_add_record(own, node->start, *key);
	if (flags & NAME_END && key)
		return own_add_end(own, node->start, node->end_ps, *key, &is_within);
	return own_add(own, node->start, node->end_ps,
		flags & NAME_THUNKS            ? OWN_APART
			: flags & NAME_WAITING ? OWN_WAIT
					       : OWN_OTHER,
		NONE);
}

bool scene_set_time(void *context, uint32_t op, const struct own_time *time)
{
	struct scene *s = context;
	int64_t ps = time->busy_ps;

	/* A task without an end. */
	if (ps >= OWN_FOREVER / 2)
		s->has_endless = true;
	*(op & OP_COMPILED ? &s->ops.at[op ^ OP_COMPILED].work_ps : &s->plain.at[op].work_ps) = ps;
	return true;
}

/* What has no end ends with the trace. */
static void end_endless(struct scene *s)
{
	for (size_t i = 0; s->has_endless && i < s->plain.n; i++) {
		struct plain_op *op = &s->plain.at[i];

		if (op->work_ps < OWN_FOREVER / 2)
			continue;
		op->work_ps -= OWN_FOREVER - s->last;
		if (op->work_ps < 0)
			op->work_ps = 0;
	}
}

/* What a collective waits for counts as well: it is what the step sees. */
static bool add_piece(struct scene *s, const struct own_piece *piece)
{
	struct work work = {piece->start_ps, piece->end_ps, 0, NONE, 0};

	if (piece->of == NONE)
		return true;
	if (piece->of & OP_COMPILED) {
		struct op *op = &s->ops.at[piece->of ^ OP_COMPILED];

		if (!piece->waits && piece->end_ps > op->last_end)
			op->last_end = piece->end_ps;
		work.name = op->name;
		work.device = op->device;
		work.class = op->class;
	} else {
		work.name = s->plain.at[piece->of].name;
		work.class = s->plain.at[piece->of].class;
	}
	if (work.start >= work.end || (piece->waits && work.class != ANATOMY_COMMUNICATION))
		return true;
	return vec_push(&s->work, work);
}

static bool add_times(struct scene *s)
{
	struct own_times *own = &s->own;
	bool ok;

	own_see(own, s->last);
	ok = own_resolve(own);
	end_endless(s);
	(void)vec_reserve(&s->work, own->pieces.n);
	for (size_t i = 0; ok && i < own->pieces.n; i++)
		ok = add_piece(s, &own->pieces.at[i]);
	own_clear(own);
	return ok;
}

/* ---- input pipelines ---------------------------------------------------------------- */

/* A loop of a graph over a dataset ("for x in data") is made a function that the dataset calls for
 * each element: "ReduceIterator::Root::Prefetch::Scan". */
static bool is_body(const struct scene *s, uint32_t captured)
{
	uint32_t up = s->nodes.at[captured].up;
	struct span stage = up == NONE ? SPAN("") : text_of(s, s->nodes.at[up].name);

	return span_starts(stage, SPAN("Reduce")) &&
		(span_ends(stage, SPAN("::Scan")) || !span_contains(stage, SPAN("::Root")));
}

static bool collect_captured(struct scene *s)
{
	bool ok = true;

	for (uint32_t n = 0; ok && n < s->n_host; n++)
		if (name_of(s, n) & NAME_CAPTURED && node_has(s, n, FACT_ID))
			ok = keys_set(is_body(s, n) ? &s->bodies : &s->captured, facts_of(s, n)->id,
				n);
	return ok;
}

/* Graphs that tf.data runs, and operations in them. */
static void mark_input(struct scene *s)
{
	for (size_t i = 0; i < s->processes.n; i++) {
		struct process *p = &s->processes.at[i];

		const struct process *around =
			p->around == NONE ? NULL : &s->processes.at[p->around];

		p->is_body = keys_find(&s->bodies, p->id) || (around && around->is_body);
		p->is_input = !p->is_body &&
			(keys_find(&s->captured, p->id) || (around && around->is_input));
	}
	for (size_t i = 0; i < s->plain.n; i++) {
		struct plain_op *op = &s->plain.at[i];
		const struct process *in =
			op->process == NONE ? NULL : &s->processes.at[op->process];

		if (in && in->is_body)
			op->is_input = false;
		else if (op->is_input || (in && in->is_input))
			op->class = WORK_INPUT;
	}
}

/* ---- other time -------------------------------------------------------------------- */

static bool is_input(const struct scene *s, const struct facts *f)
{
	return f->has & FACT_INPUT || (f->device != NONE && s->processes.at[f->device].is_input);
}

/* Asynchronous kernels of TensorFlow, from their start to the event that they are done. */
static bool add_async(struct scene *s, const struct keys *starts, uint32_t done)
{
	const struct facts *facts = facts_of(s, done), *of;
	struct key_place *start = facts->has & FACT_KEY ? keys_find(starts, facts->key) : NULL;
	struct work work = {.device = NONE, .end = s->nodes.at[done].start};

	if (!start || start->place == NONE)
		return true;
	work.start = s->nodes.at[start->place].start;
	of = facts_of(s, start->place);
	work.name = of->text;
	work.class = (uint8_t)class_of_type(text_of(s, of->other));
	if (is_input(s, of) || work.end <= work.start ||
		(work.class != ANATOMY_COMMUNICATION &&
			(work.class != ANATOMY_INPUT || s->has_get_next)))
		return true;
	start->place = NONE;
	return vec_push(&s->work, work);
}

static bool collect_starts(const struct scene *s, struct keys *starts)
{
	bool ok = true;

	for (uint32_t n = 0; ok && n < s->n_host; n++)
		if (name_of(s, n) & NAME_ASYNC_START && node_has(s, n, FACT_KEY))
			ok = keys_set(starts, facts_of(s, n)->key, n);
	return ok;
}

static bool add_whole(struct scene *s, uint32_t n, unsigned class, uint32_t name)
{
	const struct node *node = &s->nodes.at[n];

	return node->end_ps == node->start ||
		vec_push(&s->work,
			((struct work){node->start, node->end_ps, name, NONE, (uint8_t) class}));
}

/* Takes of batches, and asynchronous kernels. */
static bool add_others(struct scene *s)
{
	struct keys starts = {0};
	bool ok = collect_starts(s, &starts);

	for (uint32_t n = 0; ok && n < s->n_host; n++) {
		uint32_t flags = name_of(s, n);

		if (flags & NAME_GET_NEXT)
			ok = add_whole(s, n, ANATOMY_INPUT, s->get_next);
		if (ok && flags & NAME_LOOP)
			ok = add_whole(s, n, ANATOMY_INPUT,
				flags & NAME_ITERATOR ? s->get_next : s->nodes.at[n].name);
		if (ok && flags & NAME_ASYNC_DONE)
			ok = add_async(s, &starts, n);
	}
	keys_clear(&starts);
	return ok;
}

bool scene_find_work(struct scene *s)
{
	bool ok;

	s->n_host = s->nodes.n;
	ok = collect_captured(s);
	if (ok)
		mark_input(s);
	return scene_ok(s, ok && add_times(s) && add_others(s));
}

void scene_clear_work(struct scene *s)
{
	own_clear(&s->own);
	vec_clear(&s->plain);
	vec_clear(&s->ops);
	vec_clear(&s->processes);
	vec_clear(&s->targets.at);
	hash_clear(&s->targets.index);
	keys_clear(&s->captured);
	keys_clear(&s->bodies);
}
