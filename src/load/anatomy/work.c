/* Which nodes are operations, and when threads work for them (own.h). */
#include "load/anatomy/scene.h"
#include "load/xplane/own.h"

/* What is known of an instruction of a compiled program. */
struct target {
	uint64_t program;
	uint32_t op, name; /* texts */
	uint8_t class;
};

struct key_node {
	uint64_t key;
	uint32_t node;
};

/* From keys to nodes; of equal keys the last counts. */
struct keys {
	VEC(struct key_node) at;
	struct hash_index index;
};

struct finder {
	struct scene *s;
	VEC(struct target) targets;
	struct hash_index target_index;
	struct keys captured; /* ids of functions that tf.data calls */
	struct keys starts;   /* of asynchronous kernels */
};

/* ---- keys ---------------------------------------------------------------------- */

struct key_probe {
	const struct keys *k;
	uint64_t key;
};

static bool same_key(const void *context, uint32_t i)
{
	const struct key_probe *probe = context;

	return probe->k->at.at[i].key == probe->key;
}

static struct key_node *find_key(const struct keys *k, uint64_t key)
{
	struct key_probe probe = {k, key};
	uint32_t i = hash_find(&k->index, hash_bytes(&key, sizeof(key)), same_key, &probe);

	return i == NONE ? NULL : &k->at.at[i];
}

static uint32_t find_node(const struct keys *k, uint64_t key)
{
	const struct key_node *found = find_key(k, key);

	return found ? found->node : NONE;
}

static bool add_key(struct keys *k, uint64_t key, uint32_t node)
{
	struct key_node *known = find_key(k, key);

	if (known) {
		known->node = node;
		return true;
	}
	return vec_push(&k->at, ((struct key_node){key, node})) &&
		hash_add(&k->index, hash_bytes(&key, sizeof(key)), (uint32_t)k->at.n - 1);
}

static void clear_keys(struct keys *k)
{
	vec_clear(&k->at);
	hash_clear(&k->index);
}

static bool collect_keys(struct finder *f)
{
	struct scene *s = f->s;
	bool ok = true;

	for (uint32_t n = 0; ok && n < s->n_host; n++) {
		const struct facts *facts = facts_of(s, n);
		uint32_t flags = name_of(s, n);

		if (flags & NAME_CAPTURED && facts->has & FACT_ID)
			ok = add_key(&f->captured, facts->id, n);
		s->has_get_next |= (flags & NAME_GET_NEXT) != 0;
	}
	return ok;
}

/* Whether what a node does, it does for tf.data. */
static void mark_input(struct finder *f)
{
	struct scene *s = f->s;

	for (size_t l = 0; l < s->lines.n; l++)
		for (uint32_t n = s->lines.at[l].first; n < s->lines.at[l].end; n++) {
			uint32_t up = s->nodes.at[n].up, flags = name_of(s, n);
			const struct facts *facts = facts_of(s, n);

			if (s->lines.at[l].is_data ||
				(up != NONE && s->flags[up] & NODE_OF_INPUT) ||
				flags & (NAME_ITERATOR | NAME_CAPTURED) ||
				(flags & NAME_PROCESS && facts->has & FACT_ID &&
					find_node(&f->captured, facts->id) != NONE))
				s->flags[n] |= NODE_OF_INPUT;
		}
}

/* ---- operations ------------------------------------------------------------------ */

static bool add_op(struct scene *s, uint32_t node, uint32_t name, unsigned class)
{
	struct op op = {.node = node,
		.name = name,
		.class = (uint8_t) class,
		.run = NONE,
		.launch = NONE,
		.device = NONE,
		.last_end = INT64_MIN};

	if (s->ops.n >= OWN_OF_TASK || !vec_push(&s->ops, op))
		return false;
	s->op_of[node] = (uint32_t)s->ops.n - 1;
	return true;
}

struct target_probe {
	const struct finder *f;
	uint64_t program;
	uint32_t op;
};

static bool same_target(const void *context, uint32_t i)
{
	const struct target_probe *probe = context;
	const struct target *t = &probe->f->targets.at[i];

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

static bool name_target(struct scene *s, struct target *t, struct span framework_name)
{
	struct buf name = {0};

	buf_span(&name, framework_name);
	buf_char(&name, '/');
	buf_span(&name, text_of(s, t->op));
	t->name = name.failed ? NONE : strings_add(&s->texts, buf_get(&name));
	buf_clear(&name);
	return t->name != NONE;
}

static bool make_target(struct finder *f, uint64_t program, uint32_t op)
{
	struct scene *s = f->s;
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
		ok = ok && name_target(s, &t, in->op_name);
	return ok && vec_push(&f->targets, t);
}

static const struct target *find_target(struct finder *f, uint64_t program, uint32_t op)
{
	struct target_probe probe = {f, program, op};
	uint64_t hash = hash_mix(hash_mix(hash_secret(), program), op);
	uint32_t i = hash_find(&f->target_index, hash, same_target, &probe);

	if (i != NONE)
		return &f->targets.at[i];
	if (!make_target(f, program, op) ||
		!hash_add(&f->target_index, hash, (uint32_t)f->targets.n - 1))
		return NULL;
	return &f->targets.at[f->targets.n - 1];
}

static bool has_child(const struct scene *s, uint32_t node, uint32_t flag)
{
	for (uint32_t k = node + 1; k < s->nodes.at[node].end; k = s->nodes.at[k].end)
		if (name_of(s, k) & flag)
			return true;
	return false;
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

static bool add_compiled(struct finder *f, uint32_t node)
{
	struct scene *s = f->s;
	struct facts facts = *facts_of(s, node);
	const struct target *t = find_target(f, facts.number, facts.text);
	struct op *op;
	unsigned class;

	if (!t)
		return false;
	class = has_child(s, node, NAME_RENDEZVOUS) ? ANATOMY_COMMUNICATION : t->class;
	if (!add_op(s, node, t->name, class))
		return false;
	op = &s->ops.at[s->ops.n - 1];
	s->has_xla = true;
	op->run = scene_add_run(s, text_of(s, facts.other), facts.has & FACT_ID, facts.id,
		s->nodes.at[node].start);
	if (op->run == NONE)
		return false;
	if (facts.device == NONE)
		return true;
	op->device = add_ordinal(s, facts.device);
	return op->device != NONE;
}

/* The operation of an eager kernel, unless it belongs to an input pipeline. 0: none. */
static uint32_t eager_operation(const struct scene *s, uint32_t node)
{
	uint32_t up = s->nodes.at[node].up;

	for (int depth = 0; up != NONE && depth < 32 && !(name_of(s, up) & NAME_EAGER); depth++) {
		if (name_of(s, up) & NAME_REGION_START)
			return 0;
		up = s->nodes.at[up].up;
	}
	if (up == NONE || !node_has(s, up, FACT_EAGER) ||
		has_child(s, node, NAME_KERNEL_AND_DEVICE))
		return 0;
	return is_input_type(text_of(s, facts_of(s, up)->text)) ? 0 : facts_of(s, up)->text;
}

static bool add_eager(struct scene *s, uint32_t node, uint32_t operation)
{
	struct buf name = {0};
	uint32_t text;

	buf_text(&name, "(eager) ");
	buf_span(&name, text_of(s, operation));
	text = name.failed ? NONE : strings_add(&s->texts, buf_get(&name));
	buf_clear(&name);
	return text != NONE &&
		add_op(s, node, text,
			s->flags[node] & NODE_OF_INPUT ? WORK_INPUT : ANATOMY_COMPUTE);
}

static bool find_ops(struct finder *f)
{
	struct scene *s = f->s;
	bool ok = true;

	for (uint32_t n = 0; ok && n < s->n_host; n++) {
		struct name name = s->names.at[s->nodes.at[n].name];
		uint32_t eager;

		s->op_of[n] = NONE;
		if (name.flags & NAME_REGION_START)
			continue;
		if (node_has(s, n, FACT_XLA))
			ok = add_compiled(f, n);
		else if (name.class != WORK_NONE)
			ok = add_op(s, n, name.op,
				s->flags[n] & NODE_OF_INPUT ? WORK_INPUT : name.class);
		else if (name.flags & NAME_EAGER_KERNEL && (eager = eager_operation(s, n)))
			ok = add_eager(s, n, eager);
	}
	return ok;
}

/* Some versions record no operations of compiled programs: there, running a program is the work. */
static bool find_programs(struct scene *s)
{
	uint32_t name = strings_alias(&s->texts, SPAN("(XLA program: operations not recorded)"));
	bool ok = name != NONE;

	for (size_t l = 0; ok && l < s->lines.n; l++) {
		bool is_pool = is_program_line(s->lines.at[l].name);

		for (uint32_t n = s->lines.at[l].first; ok && n < s->lines.at[l].end; n++) {
			uint32_t flags = name_of(s, n);

			if (flags & (NAME_PROGRAM | NAME_THUNKS) ||
				(flags & NAME_REGION_START && is_pool))
				ok = add_op(s, n, name, ANATOMY_COMPUTE);
		}
	}
	return ok;
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

/* Adds a node to the time of the operation that it is part of (own.h). */
static bool add_node(struct scene *s, struct own_times *own, uint32_t n)
{
	const struct node *node = &s->nodes.at[n];
	const struct facts *facts = facts_of(s, n);
	const uint64_t *key = facts->has & FACT_KEY ? &facts->key : NULL;
	uint32_t flags = name_of(s, n), op = s->op_of[n];
	bool is_within;

	own_see(own, node->end_ps);
	if (flags & NAME_PYTHON)
		return true;
	if (flags & NAME_REGION_START)
		return own_begin_task(own, node->start, node->end_ps, key, op);
	if (op != NONE) {
		if (!own_add(own, node->start, node->end_ps, OWN_OP, op))
			return false;
		if (s->ops.at[op].run != NONE)
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

static bool set_time(void *context, uint32_t op, const struct own_time *time)
{
	struct scene *s = context;

	s->ops.at[op].work_ps = time->busy_ps;
	return true;
}

/* What a collective waits for counts as well: it is what the step sees. */
static bool add_piece(struct scene *s, const struct own_piece *piece)
{
	struct op *op = piece->of == NONE ? NULL : &s->ops.at[piece->of];

	if (!op || (piece->waits && op->class != ANATOMY_COMMUNICATION))
		return true;
	if (!piece->waits && piece->end_ps > op->last_end)
		op->last_end = piece->end_ps;
	return vec_push(&s->work,
		((struct work){piece->start_ps, piece->end_ps, op->name, op->device, op->class}));
}

static bool add_times(struct scene *s)
{
	struct own_times own;
	bool ok = true;

	own_init(&own, s->n_host * 16, set_time, s);
	own.keeps_all = true;
	for (size_t l = 0; ok && l < s->lines.n; l++) {
		for (uint32_t n = s->lines.at[l].first; ok && n < s->lines.at[l].end; n++)
			ok = add_node(s, &own, n);
		ok = ok && own_end_line(&own);
	}
	ok = ok && own_resolve(&own);
	for (size_t i = 0; ok && i < own.pieces.n; i++)
		ok = add_piece(s, &own.pieces.at[i]);
	own_clear(&own);
	return ok;
}

/* ---- other time -------------------------------------------------------------------- */

struct async {
	int64_t start;
	uint32_t node;
};

/* Asynchronous kernels of TensorFlow, from their start to the event that they are done. */
static bool add_async(struct finder *f, uint32_t done)
{
	struct scene *s = f->s;
	const struct facts *facts = facts_of(s, done);
	struct key_node *start = facts->has & FACT_KEY ? find_key(&f->starts, facts->key) : NULL;
	struct work work = {.device = NONE, .end = s->nodes.at[done].start};
	const struct facts *of;

	if (!start || start->node == NONE)
		return true;
	work.start = s->nodes.at[start->node].start;
	of = facts_of(s, start->node);
	work.name = of->text;
	work.class = (uint8_t)class_of_type(text_of(s, of->other));
	if (s->flags[start->node] & NODE_OF_INPUT || work.end <= work.start ||
		(work.class != ANATOMY_COMMUNICATION &&
			(work.class != ANATOMY_INPUT || s->has_get_next)))
		return true;
	start->node = NONE;
	return vec_push(&s->work, work);
}

static bool collect_starts(struct finder *f)
{
	const struct scene *s = f->s;
	bool ok = true;

	for (uint32_t n = 0; ok && n < s->n_host; n++)
		if (name_of(s, n) & NAME_ASYNC_START && node_has(s, n, FACT_KEY))
			ok = add_key(&f->starts, facts_of(s, n)->key, n);
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
static bool add_others(struct finder *f)
{
	struct scene *s = f->s;
	uint32_t get_next = strings_alias(&s->texts, SPAN("IteratorGetNext"));
	bool ok = get_next != NONE && collect_starts(f);

	for (uint32_t n = 0; ok && n < s->n_host; n++) {
		uint32_t flags = name_of(s, n);

		if (flags & NAME_GET_NEXT)
			ok = add_whole(s, n, ANATOMY_INPUT, get_next);
		if (ok && flags & NAME_ASYNC_DONE)
			ok = add_async(f, n);
	}
	return ok;
}

static bool find_all(struct finder *f)
{
	struct scene *s = f->s;
	bool ok = collect_keys(f);

	if (ok)
		mark_input(f);
	ok = ok && find_ops(f) && (s->has_xla || s->has_accelerator || find_programs(s));
	if (!ok)
		return false;
	return add_times(s) && add_others(f);
}

bool scene_find_work(struct scene *s)
{
	struct finder f = {.s = s};
	bool ok;

	s->n_host = s->nodes.n;
	s->op_of = mem_array(s->n_host + 1, sizeof(*s->op_of));
	s->flags = mem_zero_array(s->n_host + 1, sizeof(*s->flags));
	ok = s->op_of && s->flags && find_all(&f);
	vec_clear(&f.targets);
	hash_clear(&f.target_index);
	clear_keys(&f.captured);
	clear_keys(&f.starts);
	return scene_ok(s, ok);
}
