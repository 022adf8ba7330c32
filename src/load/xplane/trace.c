#include "load/xplane/trace.h"

#include "base/ascii.h"

/* Most times can be set at once. Those of compiled operations are after their events have been
 * summed up. */
static bool set_time(void *context, uint32_t op, const struct own_time *time)
{
	struct trace *t = context;

	if (time->waiting_ps || time->busy_ps != time->work_ps ||
		(t->compiled_ops.n && t->targets.at[t->ops.at[op].target].module))
		return vec_push(&t->own_times, ((struct trace_own){*time, op}));
	t->ops.at[op].self_ps = time->work_ps;
	return true;
}

bool trace_init(struct trace *t, size_t n_bytes)
{
	/* An event with a task takes more than 16 bytes. */
	*t = (struct trace){
		.tasks.most = n_bytes / 16 < UINT32_MAX / 4 ? n_bytes / 16 : UINT32_MAX / 4};
	own_init(&t->own, n_bytes, set_time, t);
	return strings_init(&t->texts);
}

void trace_clear(struct trace *t)
{
	strings_clear(&t->texts);
	hlo_modules_clear(&t->modules);
	vec_clear(&t->targets);
	vec_clear(&t->target_of);
	hash_clear(&t->compiled);
	vec_clear(&t->compiled_ops);
	vec_clear(&t->compiled_sums);
	hash_clear(&t->run_index);
	vec_clear(&t->runs);
#define X(type, name) vec_clear(&t->name);
	TRACE_LISTS(X)
#undef X
	vec_clear(&t->tasks.consumer);
	own_clear(&t->own);
	vec_clear(&t->lines);
	vec_clear(&t->devices);
	vec_clear(&t->steps);
	vec_clear(&t->stretches);
	vec_clear(&t->programs);
	vec_clear(&t->core_runs);
	vec_clear(&t->pools);
	buf_clear(&t->scratch);
}

/* ---- targets ------------------------------------------------------------- */

/* Finds or adds a target by its name. It keeps the first type it is given. */
static uint32_t add_target(struct trace *t, uint32_t name, struct span type)
{
	struct trace_target target = {.name = name,
		.instruction = NONE,
		.float_ops = -1,
		.bytes = -1};

	if (name == NONE)
		return NONE;
	while (t->target_of.n <= name)
		if (!vec_push(&t->target_of, NONE))
			return NONE;
	target.type = strings_add(&t->texts, type);
	if (target.type == NONE)
		return NONE;
	if (t->target_of.at[name] != NONE) {
		/* Memory events come without a type, maybe first. */
		if (!t->targets.at[t->target_of.at[name]].type)
			t->targets.at[t->target_of.at[name]].type = target.type;
		return t->target_of.at[name];
	}
	if (!vec_push(&t->targets, target))
		return NONE;
	t->target_of.at[name] = (uint32_t)t->targets.n - 1;
	return t->target_of.at[name];
}

uint32_t trace_add_target(struct trace *t, struct span name, struct span type)
{
	return add_target(t, strings_add(&t->texts, name), type);
}

/* ---- compiled operations ------------------------------------------------- */

struct compiled_probe {
	const struct trace *trace;
	uint64_t program;
	uint32_t op;
};

static bool same_compiled(const void *context, uint32_t i)
{
	const struct compiled_probe *probe = context;
	const struct trace_compiled *c = &probe->trace->compiled_ops.at[i];

	return c->program == probe->program && c->op == probe->op;
}

/* An instruction that has its name in common with one of another program is a target of its
 * own: with a graph, it may be another node. */
static uint32_t set_instruction(struct trace *t, uint32_t target, struct hlo_module *m, uint32_t i)
{
	struct trace_target other = t->targets.at[target];

	if (other.module && other.module != m) {
		if (!vec_push(&t->targets, other))
			return NONE;
		target = (uint32_t)t->targets.n - 1;
	}
	t->targets.at[target].module = m;
	t->targets.at[target].instruction = i;
	return target;
}

/* "jit(f)/dense/dot_general/fusion.4", or "jit_f/copy.2". */
static uint32_t make_compiled(struct trace *t, uint64_t program, struct span module, struct span op)
{
	bool ok = true;
	struct hlo_module *m = hlo_modules_find(&t->modules, program, &ok);
	uint32_t i = m ? hlo_find_name(m, op) : NONE, target;
	const struct hlo_instruction *in = i == NONE ? NULL : &m->instructions.at[i];
	struct span type = op_text_without_number(op);

	if (!ok)
		return NONE;
	if (in)
		type = in->op_name.n ? op_text_type(in->op_name, in->op_type) : in->opcode;
	if (m && m->name.n)
		module = m->name;
	t->scratch.n = 0;
	buf_span(&t->scratch, in && in->op_name.n ? in->op_name : module);
	if (t->scratch.n)
		buf_char(&t->scratch, '/');
	buf_span(&t->scratch, op);
	if (t->scratch.failed)
		return NONE;
	target = add_target(t, strings_add(&t->texts, buf_get(&t->scratch)), type);
	return target != NONE && in ? set_instruction(t, target, m, i) : target;
}

static uint64_t hash_compiled(uint64_t program, uint32_t op)
{
	return hash_bytes(&(uint64_t[]){program, op}, 16);
}

uint32_t trace_find_compiled(const struct trace *t, uint64_t program, uint32_t op)
{
	struct compiled_probe probe = {t, program, op};
	uint32_t found = hash_find(&t->compiled, hash_compiled(program, op), same_compiled, &probe);

	return found == NONE ? NONE : t->compiled_ops.at[found].target;
}

bool trace_push_compiled(struct trace *t, uint64_t program, uint32_t op, uint32_t target)
{
	return hash_add(&t->compiled, hash_compiled(program, op), (uint32_t)t->compiled_ops.n) &&
		vec_push(&t->compiled_ops, ((struct trace_compiled){program, op, target}));
}

uint32_t trace_add_compiled(struct trace *t, uint64_t program, struct span module, struct span op)
{
	uint32_t text = strings_alias(&t->texts, op), target;

	if (text == NONE)
		return NONE;
	target = trace_find_compiled(t, program, text);
	if (target != NONE)
		return target;
	target = make_compiled(t, program, module, op);
	return target != NONE && trace_push_compiled(t, program, text, target) ? target : NONE;
}

/* ---- runs ---------------------------------------------------------------- */

/* JAX names the module of f "jit_f", with '_' for characters other than letters and digits, and
 * mostly without those at its end: that of a lambda is "jit__lambda". */
uint32_t trace_add_module_text(struct trace *t, struct span prefix, struct span function)
{
	struct buf *b = &t->scratch;

	b->n = 0;
	buf_span(b, prefix);
	buf_span(b, function);
	for (size_t i = 0; i < b->n; i++)
		if (!ascii_is_letter(b->at[i]) && !ascii_is_digit(b->at[i]))
			b->at[i] = '_';
	while (b->n && b->at[b->n - 1] == '_')
		b->n--;
	return b->failed ? NONE : strings_add(&t->texts, buf_get(b));
}

struct run_probe {
	const struct trace *trace;
	uint32_t module;
	uint64_t id;
};

static bool same_run(const void *context, uint32_t i)
{
	const struct run_probe *probe = context;
	const struct trace_run *run = &probe->trace->runs.at[i];

	return run->module == probe->module && run->id == probe->id;
}

uint32_t trace_add_run(struct trace *t, struct span module, uint64_t id, int64_t start_ps)
{
	uint32_t text = trace_add_module_text(t, SPAN(""), module), run;
	struct run_probe probe = {t, text, id};
	uint64_t hash = hash_bytes(&(uint64_t[]){id, text}, 16);

	if (text == NONE)
		return NONE;
	run = hash_find(&t->run_index, hash, same_run, &probe);
	if (run == NONE) {
		run = (uint32_t)t->runs.n;
		if (!vec_push(&t->runs, ((struct trace_run){id, text, NONE, start_ps})) ||
			!hash_add(&t->run_index, hash, run))
			return NONE;
	}
	if (start_ps < t->runs.at[run].start_ps)
		t->runs.at[run].start_ps = start_ps;
	return run;
}

/* ---- completion ---------------------------------------------------------- */

/* Pending operations, then completions from *later on, each sorted by key. NULL on allocation
 * failure. */
static struct sort_item *sort_keys(const struct trace *t, struct sort_item **later)
{
	size_t n = t->pending.n, k = t->completions.n;
	struct sort_item *items = mem_array(n + k + (n > k ? n : k), sizeof(*items));

	if (!items)
		return NULL;
	*later = items + n;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct sort_item){t->pending.at[i].key, (uint32_t)i};
	for (size_t i = 0; i < k; i++)
		items[n + i] = (struct sort_item){t->completions.at[i].key, (uint32_t)i};
	sort_items(items, items + n + k, n);
	sort_items(items + n, items + n + k, k);
	return items;
}

static void complete(struct trace_op *op, int64_t time_ps)
{
	int64_t total_ps = time_ps - op->start_ps;

	if (total_ps <= op->total_ps)
		return;
	op->self_ps += total_ps - op->total_ps;
	op->total_ps = total_ps;
}

static void set_own_times(struct trace *t)
{
	for (size_t i = 0; i < t->own_times.n; i++) {
		const struct own_time *time = &t->own_times.at[i].time;
		struct trace_op *op = &t->ops.at[t->own_times.at[i].op];

		op->self_ps = time->work_ps;
		if (time->end_ps > op->start_ps + op->total_ps)
			op->total_ps = time->end_ps - op->start_ps;
	}
}

/* If several events complete an operation, the first counts. */
bool trace_complete(struct trace *t)
{
	struct sort_item *items, *later;
	size_t at = 0;

	set_own_times(t);
	if (!t->completions.n || !t->pending.n)
		return true;
	items = sort_keys(t, &later);
	if (!items)
		return false;
	for (size_t i = 0; i < t->pending.n; i++) {
		while (at < t->completions.n && later[at].key < items[i].key)
			at++;
		if (at < t->completions.n && later[at].key == items[i].key)
			complete(&t->ops.at[t->pending.at[items[i].id].op],
				t->completions.at[later[at].id].time_ps);
	}
	mem_free(items);
	return true;
}
