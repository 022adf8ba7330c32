/* Which nodes are operations, and when threads work for them.
 *
 * A thread works for an operation in its event without what is nested in it, and in the tasks of
 * thread pools that it queued, also over several hands, until the program goes on. */
#include "load/anatomy/scene.h"

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
	struct keys records, ends, starts;
	uint32_t *anchor; /* by node: itself or what it is within, if that tells its owner; NONE */
	uint32_t *owner;  /* by region: the operation, NONE, or one of these: */
};

static const uint32_t OWNER_UNKNOWN = NONE - 1, OWNER_OPEN = NONE - 2;

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
		else if (flags & NAME_RECORD && facts->has & FACT_KEY)
			ok = add_key(&f->records, facts->key, n);
		else if (flags & NAME_END && facts->has & FACT_KEY)
			ok = add_key(&f->ends, facts->key, n);
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
		.done = s->nodes.at[node].end_ps,
		.last_end = INT64_MIN};

	if (s->ops.n >= OWNER_OPEN || !vec_push(&s->ops, op))
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

/* ---- owners ---------------------------------------------------------------------- */

/* Where the program goes on inside a task: a completion runs what follows before it writes that
 * the operation is over. */
static int64_t goes_on(const struct scene *s, uint32_t node)
{
	for (uint32_t k = node + 1; k < s->nodes.at[node].end; k = s->nodes.at[k].end)
		if (s->op_of[k] != NONE || name_of(s, k) & NAME_THUNKS)
			return s->nodes.at[k].start;
	return s->nodes.at[node].end_ps;
}

static int64_t max_time(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void find_end(struct finder *f, struct op *op)
{
	const struct scene *s = f->s;
	const struct node *n = &s->nodes.at[op->node];
	const struct facts *facts = facts_of(s, op->node);
	uint32_t end =
		op->run != NONE && facts->has & FACT_KEY ? find_node(&f->ends, facts->key) : NONE;
	uint32_t up;

	op->done = n->end_ps;
	if (op->run == NONE)
		return;
	if (end == NONE) {
		op->done = INT64_MAX;
		return;
	}
	op->done = max_time(s->nodes.at[end].start, n->start);
	up = s->nodes.at[end].up;
	if (op->done > n->end_ps && up != NONE && name_of(s, up) & NAME_REGION_START)
		op->done = max_time(n->end_ps, min_time(op->done, goes_on(s, up)));
}

static void find_anchors(struct finder *f)
{
	const struct scene *s = f->s;

	for (uint32_t n = 0; n < s->n_host; n++) {
		uint32_t flags = name_of(s, n), up = s->nodes.at[n].up;

		f->owner[n] = OWNER_UNKNOWN;
		if (s->op_of[n] != NONE || flags & (NAME_THUNKS | NAME_REGION_START))
			f->anchor[n] = n;
		else
			f->anchor[n] = up == NONE ? NONE : f->anchor[up];
	}
}

/* The task that the owner of an anchor depends on; NONE if *owner is known. */
static uint32_t next_task(const struct finder *f, uint32_t anchor, uint32_t *owner)
{
	const struct scene *s = f->s;

	*owner = NONE;
	if (anchor == NONE)
		return NONE;
	if (s->op_of[anchor] != NONE) {
		*owner = s->op_of[anchor];
		return NONE;
	}
	if (!(name_of(s, anchor) & NAME_REGION_START) || f->owner[anchor] == OWNER_OPEN)
		return NONE;
	if (f->owner[anchor] != OWNER_UNKNOWN) {
		*owner = f->owner[anchor];
		return NONE;
	}
	return anchor;
}

/* Tasks queue tasks: follows them to an operation. One that queued itself has none. */
static bool find_owner(struct finder *f, uint32_t anchor, uint32_t *owner)
{
	const struct scene *s = f->s;
	VEC(uint32_t) path = {0};
	uint32_t task = next_task(f, anchor, owner);
	bool ok = true;

	while (ok && task != NONE) {
		const struct facts *facts = facts_of(s, task);
		uint32_t record = facts->has & FACT_KEY ? find_node(&f->records, facts->key) : NONE;
		uint32_t up = record == NONE ? NONE : s->nodes.at[record].up;

		ok = vec_push(&path, task);
		f->owner[task] = OWNER_OPEN;
		task = next_task(f, up == NONE ? NONE : f->anchor[up], owner);
	}
	while (path.n) {
		task = path.at[--path.n];
		/* What begins when the operation is over is an empty task. */
		if (*owner != NONE && s->nodes.at[task].start >= s->ops.at[*owner].done)
			*owner = NONE;
		f->owner[task] = *owner;
	}
	vec_clear(&path);
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
		work.end = min_time((until), stop);          \
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

static void mark_waits(struct scene *s)
{
	for (uint32_t n = 0; n < s->n_host; n++) {
		uint32_t up = s->nodes.at[n].up;

		if (s->op_of[n] == NONE &&
			((up != NONE && s->flags[up] & NODE_WAITS) ||
				(name_of(s, n) & NAME_WAITING &&
					!(name_of(s, n) & NAME_REGION_START))))
			s->flags[n] |= NODE_WAITS;
	}
}

static bool add_time(struct scene *s, uint32_t node, struct op *op)
{
	struct work work = {.name = op->name, .device = op->device, .class = op->class};
	int64_t limit = max_time(op->done, s->nodes.at[op->node].end_ps);
	size_t first = s->work.n;
	bool waits = s->flags[node] & NODE_WAITS;

	if (waits && op->class != ANATOMY_COMMUNICATION)
		return true;
	if (name_of(s, node) & NAME_REGION_START)
		limit = min_time(limit, goes_on(s, node));
	if (!scene_add_own(s, node, limit, work))
		return false;
	for (size_t i = first; !waits && i < s->work.n; i++) {
		op->work_ps += s->work.at[i].end - s->work.at[i].start;
		op->last_end = max_time(op->last_end, s->work.at[i].end);
	}
	return true;
}

static bool add_times(struct finder *f)
{
	struct scene *s = f->s;
	bool ok = true;

	for (uint32_t n = 0; ok && n < s->n_host; n++) {
		uint32_t owner;

		if (s->nodes.at[n].start == s->nodes.at[n].end_ps)
			continue;
		ok = find_owner(f, f->anchor[n], &owner);
		if (ok && owner != NONE)
			ok = add_time(s, n, &s->ops.at[owner]);
	}
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
	for (size_t i = 0; i < s->ops.n; i++)
		find_end(f, &s->ops.at[i]);
	find_anchors(f);
	mark_waits(s);
	return add_times(f) && add_others(f);
}

bool scene_find_work(struct scene *s)
{
	struct finder f = {.s = s};
	bool ok;

	s->n_host = s->nodes.n;
	f.anchor = mem_array(s->n_host + 1, sizeof(*f.anchor));
	f.owner = mem_array(s->n_host + 1, sizeof(*f.owner));
	s->op_of = mem_array(s->n_host + 1, sizeof(*s->op_of));
	s->flags = mem_zero_array(s->n_host + 1, sizeof(*s->flags));
	ok = f.anchor && f.owner && s->op_of && s->flags && find_all(&f);
	mem_free(f.anchor);
	mem_free(f.owner);
	vec_clear(&f.targets);
	hash_clear(&f.target_index);
	clear_keys(&f.captured);
	clear_keys(&f.records);
	clear_keys(&f.ends);
	clear_keys(&f.starts);
	return scene_ok(s, ok);
}
