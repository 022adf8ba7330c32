/* Which events are operations, and how long they took by themselves. */
#include "load/xplane/walk.h"

/* "b" of "a::b". */
static struct span after_colons(struct span text)
{
	for (size_t i = text.n; i >= 2; i--)
		if (text.at[i - 1] == ':' && text.at[i - 2] == ':')
			return (struct span){text.at + i, text.n - i};
	return text;
}

static uint32_t target_of_kernel(struct walk *w, const struct event *e)
{
	struct span name = event_get_name(w, e).text;
	const struct xstats *s = &e->stats;
	struct span op = xstats_text(s, STAT_HLO_OP), framework = xstats_text(s, STAT_TF_OP);
	struct op_text parsed;

	if (op.n)
		return trace_add_compiled(w->trace, xstats_number(s, STAT_PROGRAM_ID),
			xstats_text(s, STAT_HLO_MODULE), after_colons(op));
	if (framework.n && op_text_parse(framework, &parsed))
		return trace_add_target(w->trace, parsed.name, parsed.type);
	if (framework.n)
		return trace_add_target(w->trace, framework, op_text_type(framework, SPAN("")));
	return trace_add_target(w->trace, name, name);
}

/* What the program says about an operation, if it is there. */
static void find_instruction(struct trace *t, struct trace_target *target, uint64_t program,
	struct span name, bool *ok)
{
	struct hlo_module *m = hlo_modules_find(&t->modules, program, ok);
	uint32_t i = m ? hlo_find_name(m, name) : NONE;

	if (i == NONE || target->module)
		return;
	target->module = m;
	target->instruction = i;
}

/* The line's operations: which node it is, once for each name. */
static uint32_t target_of_core(struct walk *w, const struct event *e)
{
	struct trace *t = w->trace;
	struct xstats s = {0};
	struct event_role *role = e->role;
	struct event_name name = event_get_name(w, e);
	struct span op = name.display.n ? name.display : name.text, framework, category;
	struct op_text parsed;
	struct trace_target *target;
	bool ok = true;

	if (role->op != NONE)
		return role->op;
	plane_read_name_stats(w->plane, w->d, &name, &s);
	framework = xstats_text(&s, STAT_TF_OP);
	category = xstats_text(&s, STAT_HLO_CATEGORY);
	t->scratch.n = 0;
	if (framework.n && op_text_parse(framework, &parsed)) {
		buf_span(&t->scratch, parsed.name);
		buf_char(&t->scratch, '/');
	} else {
		parsed.type = category.n ? category : op;
	}
	buf_span(&t->scratch, op);
	if (t->scratch.failed)
		return NONE;
	role->op = trace_add_target(t, buf_get(&t->scratch), parsed.type);
	if (role->op == NONE)
		return NONE;
	target = &t->targets.at[role->op];
	find_instruction(t, target, xstats_number(&s, STAT_PROGRAM_ID), name.display, &ok);
	target->category = strings_alias(&t->texts, category);
	if (xstats_has_number(&s, STAT_MODEL_FLOPS))
		target->float_ops = (int64_t)xstats_number(&s, STAT_MODEL_FLOPS);
	else if (xstats_has_number(&s, STAT_FLOPS))
		target->float_ops = (int64_t)xstats_number(&s, STAT_FLOPS);
	return target->category == NONE || !ok ? NONE : role->op;
}

static uint32_t target_of_named(struct walk *w, const struct event *e)
{
	struct event_role *role = e->role;
	struct op_text op;

	if (role->op == NONE && op_text_parse(event_get_name(w, e).text, &op))
		role->op = trace_add_target(w->trace, op.name, op.type);
	return role->op;
}

bool walk_find_target(struct walk *w, const struct event *e, uint32_t *target)
{
	const struct xstats *s = &e->stats;
	struct span text;

	if (w->line.kind == LINE_TPU_OPS) {
		*target = target_of_core(w, e);
		return true;
	}
	if (w->line.kind == LINE_STREAM) {
		*target = target_of_kernel(w, e);
		return true;
	}
	if (s->has & STAT_BIT(HLO_OP) && e->role->kind != EVENT_END) {
		text = xstats_text(s, STAT_HLO_OP);
		*target = trace_add_compiled(w->trace, xstats_number(s, STAT_PROGRAM_ID),
			xstats_text(s, STAT_HLO_MODULE), text);
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
	case EVENT_ASYNC_START:
		text = xstats_text(s, STAT_NAME);
		if (!text.n)
			return false;
		*target = trace_add_target(w->trace, text, xstats_text(s, STAT_KERNEL_TYPE));
		return true;
	default: return false;
	}
}

/* Takes its time off the operation that it lies directly within. */
static bool nest_op(struct walk *w, const struct event *e, size_t op)
{
	int64_t end_ps = event_end(e);

	while (w->open_ops.n && w->open_ops.at[w->open_ops.n - 1].end_ps < end_ps)
		w->open_ops.n--;
	if (w->open_ops.n)
		w->trace->ops.at[w->open_ops.at[w->open_ops.n - 1].op].self_ps -= e->duration_ps;
	return vec_push(&w->open_ops, ((struct open_op){end_ps, op}));
}

bool walk_add_op(struct walk *w, const struct event *e, uint32_t target, uint32_t kept)
{
	enum event_kind kind = e->role->kind;
	struct trace *t = w->trace;
	const struct xstats *s = &e->stats;
	struct trace_op op = {e->start_ps, e->duration_ps, e->duration_ps, target, NONE, {kept},
		{w->region}};
	bool is_compiled = s->has & STAT_BIT(HLO_OP);
	uint64_t key;

	if (target == NONE)
		return false;
	if (is_compiled && xstats_has_number(s, STAT_RUN_ID)) {
		op.run = trace_add_run(t, xstats_text(s, STAT_HLO_MODULE),
			xstats_number(s, STAT_RUN_ID), e->start_ps);
		if (op.run == NONE)
			return false;
	}
	if (w->plane->kind == PLANE_HOST && (is_compiled || kind == EVENT_ASYNC_START) &&
		event_get_flow(s, STAT_PRODUCER, STAT_PRODUCER_TYPE, &key) &&
		!vec_push(&t->pending, ((struct trace_pending){key, t->ops.n})))
		return false;
	/* Another thread ends it: nothing lies within it. */
	if (kind != EVENT_ASYNC_START && !nest_op(w, e, t->ops.n))
		return false;
	return vec_push(&t->ops, op);
}
