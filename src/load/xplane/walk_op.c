/* Which events are operations, and how long they took by themselves. */
#include "load/xplane/walk.h"

static uint32_t target_of_named(struct walk *w, const struct event *e)
{
	struct event_role *role = e->role;
	struct op_text op;

	if (role->op == NONE && op_text_parse(event_get_name(w, e).text, &op))
		role->op = trace_add_target(w->trace, op.name, op.type);
	return role->op;
}

/* The target of a compiled operation; usually that of the last event of the same name. */
static uint32_t target_of_compiled(struct walk *w, const struct event *e, struct span op)
{
	uint64_t program = xstats_number(&e->stats, STAT_PROGRAM_ID);
	struct walk_compiled *last;
	uint32_t target;

	while (w->compiled.n < w->plane->names.n + 1)
		if (!vec_push(&w->compiled, ((struct walk_compiled){0})))
			return NONE;
	last = &w->compiled.at[e->name == NONE ? w->plane->names.n : e->name];
	if (last->op == op.at && last->program == program)
		return last->target;
	target = trace_add_compiled(w->trace, program, xstats_text(&e->stats, STAT_HLO_MODULE), op);
	*last = (struct walk_compiled){program, target == NONE ? NULL : op.at, target};
	return target;
}

static bool list_operations(struct walk *w)
{
	const struct plane *p = w->plane;

	if (w->operations.text.n)
		return true;
	if (!strings_init(&w->operations))
		return false;
	for (size_t i = 0; i < p->roles.n; i++)
		if (p->roles.at[i].kind == EVENT_OPERATION &&
			strings_alias(&w->operations, p->names.at[i].text) == NONE)
			return false;
	return true;
}

/* Whether an asynchronous kernel is an operation. Some, such as CollectiveReduceV2, also have
 * events "name:type" for the time that they do not wait, and would count twice. */
static bool find_kernel(struct walk *w, const struct xstats *s, uint32_t *target)
{
	struct span name = xstats_text(s, STAT_NAME), type = xstats_text(s, STAT_KERNEL_TYPE);
	struct buf *b = &w->trace->scratch;

	*target = NONE;
	if (!name.n)
		return false;
	b->n = 0;
	buf_span(b, name);
	buf_char(b, ':');
	buf_span(b, type);
	if (b->failed || !list_operations(w))
		return true;
	if (strings_find(&w->operations, buf_get(b)) != NONE)
		return false;
	*target = trace_add_target(w->trace, name, type);
	return true;
}

bool walk_find_target(struct walk *w, const struct event *e, uint32_t *target)
{
	const struct xstats *s = &e->stats;
	struct span text;

	if (w->line.kind != LINE_HOST) {
		*target = walk_find_device_target(w, e);
		return true;
	}
	if (walk_is_launch(e) || e->role->kind == EVENT_DRIVER)
		return false;
	if (s->has & STAT_BIT(HLO_OP) && e->role->kind != EVENT_END) {
		text = xstats_text(s, STAT_HLO_OP);
		if (text.n)
			*target = target_of_compiled(w, e, text);
		return text.n > 0;
	}
	switch (e->role->kind) {
	case EVENT_OPERATION: *target = target_of_named(w, e); return true;
	case EVENT_EAGER:
		text = xstats_text(s, STAT_EAGER_OP);
		if (!text.n || !xstats_has_number(s, STAT_IS_FUNC) ||
			xstats_number(s, STAT_IS_FUNC))
			return false;
		*target = trace_add_target(w->trace, text, text);
		return true;
	case EVENT_ASYNC_START: return find_kernel(w, s, target);
	default: return false;
	}
}

/* Subtracts an operation's time from the one directly around it. On a host, own.h does so but for
 * asynchronous kernels, and the sums of compiled programs. */
static bool nest_op(struct walk *w, const struct event *e, size_t op, uint64_t key)
{
	int64_t end_ps = event_end(e);

	/* Kernels of a stream may overlap, but do not run each other. */
	if (w->line.kind == LINE_STREAM)
		return true;
	walk_close_ops(w, end_ps);
	if (w->open_ops.n)
		w->trace->ops.at[w->open_ops.at[w->open_ops.n - 1].op].self_ps -= e->duration_ps;
	else if (w->line.kind == LINE_HOST && e->role->kind != EVENT_ASYNC_START &&
		!(e->stats.has & STAT_BIT(HLO_OP)))
		return true;
	return vec_push(&w->open_ops, ((struct open_op){end_ps, op, key}));
}

/* The run of a program that an operation is part of. Operations come by start, so the run starts
 * with the first one on the line. */
static uint32_t find_run(struct walk *w, const struct event *e)
{
	struct span module = xstats_text(&e->stats, STAT_HLO_MODULE);
	uint64_t id = xstats_number(&e->stats, STAT_RUN_ID);

	if (w->last_run.module != module.at || w->last_run.id != id) {
		w->last_run.run = trace_add_run(w->trace, module, id, e->start_ps);
		w->last_run.module = w->last_run.run == NONE ? NULL : module.at;
		w->last_run.id = id;
	}
	return w->last_run.run;
}

static bool has_cause(const struct trace *t, const struct trace_cause *c)
{
	const struct trace_cause *last = t->causes.n ? &t->causes.at[t->causes.n - 1] : NULL;

	return last && last->kept == c->kept && last->run == c->run && last->region == c->region;
}

/* The cause of most operations is one event, or the same as the previous one. False on
 * allocation failure. */
static bool add_cause(struct trace *t, struct trace_cause c, uint32_t *cause)
{
	if (c.run == NONE && (c.kept == NONE || c.region == NONE || c.kept == c.region)) {
		*cause = c.kept == NONE ? c.region : c.kept;
		return true;
	}
	if (!has_cause(t, &c) && (t->causes.n >= CAUSE_LISTED - 1 || !vec_push(&t->causes, c)))
		return false;
	*cause = CAUSE_LISTED | (uint32_t)(t->causes.n - 1);
	return true;
}

static bool push_op(struct walk *w, const struct event *e, uint32_t target, struct trace_cause c)
{
	struct trace_op op = {{{e->start_ps, e->duration_ps, e->duration_ps, target, NONE}}};

	return add_cause(w->trace, c, &op.cause) && vec_push(&w->trace->ops, op);
}

bool walk_add_plain_op(struct walk *w, const struct event *e)
{
	uint32_t target = target_of_named(w, e);

	return target != NONE && nest_op(w, e, w->trace->ops.n, 0) &&
		own_add(&w->trace->own, e->start_ps, event_end(e), OWN_OP,
			(uint32_t)w->trace->ops.n) &&
		push_op(w, e, target, (struct trace_cause){walk_around(w), NONE, w->region});
}

/* An asynchronous kernel lasts until it is done, whatever threads do meanwhile. */
static bool add_own(struct walk *w, const struct event *e, bool is_compiled, uint64_t key)
{
	struct trace *t = w->trace;
	bool is_async = e->role->kind == EVENT_ASYNC_START && !is_compiled;

	if (is_async && key && !vec_push(&t->pending, ((struct trace_pending){key, t->ops.n})))
		return false;
	if (xstats_number(&e->stats, STAT_ASYNC))
		return true;
	if (!own_add(&t->own, e->start_ps, event_end(e), OWN_OP,
		    is_async ? NONE : (uint32_t)t->ops.n))
		return false;
	if (is_compiled || is_async)
		own_set_key(&t->own, key);
	else if (e->role->kind == EVENT_EAGER)
		own_set_whole(&t->own);
	return true;
}

bool walk_add_op(struct walk *w, const struct event *e, uint32_t target, uint32_t kept)
{
	enum event_kind kind = e->role->kind;
	struct trace *t = w->trace;
	const struct xstats *s = &e->stats;
	/* On a GPU, only the operation's own event tells its step. */
	bool is_on_gpu = w->plane->kind == PLANE_GPU;
	struct trace_cause cause = {kept, NONE, is_on_gpu ? NONE : w->region};
	uint32_t run;
	bool is_compiled = s->has & STAT_BIT(HLO_OP);
	uint64_t key = 0;

	if (target == NONE)
		return false;
	if (is_compiled && xstats_has_number(s, STAT_RUN_ID)) {
		run = find_run(w, e);
		if (run == NONE)
			return false;
		cause.run = is_on_gpu ? NONE : run;
		if (xstats_number(s, STAT_DEVICE_ORDINAL) > t->max_ordinal)
			t->max_ordinal = xstats_number(s, STAT_DEVICE_ORDINAL);
	}
	if (w->plane->kind == PLANE_HOST && (is_compiled || kind == EVENT_ASYNC_START))
		event_get_flow(s, STAT_PRODUCER, STAT_PRODUCER_TYPE, &key);
	if (w->plane->kind == PLANE_HOST && !add_own(w, e, is_compiled, key))
		return false;
	if (w->line.kind != LINE_HOST && !walk_add_device_op(w, e))
		return false;
	return nest_op(w, e, t->ops.n, key) && push_op(w, e, target, cause);
}

void walk_finish_op(struct walk *w, const struct event *e, uint64_t key)
{
	struct trace_op *ops = w->trace->ops.at;
	const struct open_op *open;
	int64_t rest_ps;

	walk_close_ops(w, e->start_ps);
	if (!w->open_ops.n)
		return;
	open = &w->open_ops.at[w->open_ops.n - 1];
	if (open->key != key)
		return;
	rest_ps = open->end_ps - e->start_ps;
	ops[open->op].total_ps -= rest_ps;
	ops[open->op].self_ps -= rest_ps;
	if (w->open_ops.n > 1)
		ops[open[-1].op].self_ps += rest_ps;
	w->open_ops.n--;
}
