/* Events of accelerators and their launches: which operations they are of, and when. */
#include "base/ascii.h"
#include "base/clamped.h"
#include "load/xplane/hlo_text.h"
#include "load/xplane/kernel_name.h"
#include "load/xplane/walk.h"

/* "b" of "a::b". */
static struct span after_colons(struct span text)
{
	for (size_t i = text.n; i >= 2; i--)
		if (text.at[i - 1] == ':' && text.at[i - 2] == ':')
			return (struct span){text.at + i, text.n - i};
	return text;
}

/* ---- devices ------------------------------------------------------------- */

/* Events of runs are called "jit_f(123)", by the program's id. */
static bool note_programs(struct walk *w)
{
	const struct plane *p = w->plane;
	bool ok = true;

	for (size_t i = 0; ok && i < p->names.n; i++) {
		struct span name = p->names.at[i].text;
		size_t end = name.n - 1, at = end;
		struct trace_program program = {0};

		if (!name.n || name.at[0] == '%' || name.at[end] != ')')
			continue;
		while (at && ascii_is_digit(name.at[at - 1]))
			at--;
		if (at == end || at < 2 || name.at[at - 1] != '(')
			continue;
		for (size_t k = at; k < end; k++)
			program.id = 10 * program.id + (uint64_t)(name.at[k] - '0');
		program.name = strings_alias(&w->trace->texts, (struct span){name.at, at - 1});
		ok = program.name != NONE && vec_push(&w->trace->programs, program);
	}
	return ok;
}

bool walk_add_device(struct walk *w)
{
	struct trace *t = w->trace;
	struct trace_device device = {.kind = w->plane->kind,
		.ordinal = plane_get_ordinal(w->plane),
		.stalled_ps = -1};

	if (plane_is_accelerator(device.kind)) {
		device.facts = device_read_facts(w->plane);
		t->scratch.n = 0;
		device_put_product(&t->scratch, w->plane);
		device.product =
			t->scratch.failed ? NONE : strings_add(&t->texts, buf_get(&t->scratch));
	}
	if (device.kind == PLANE_TPU && !note_programs(w))
		return false;
	return device.product != NONE && vec_push(&t->devices, device);
}

/* The device whose memory it is: 4 of "GPU_4_bfc" and "gpu_async_4". That of the host
 * ("gpu_host_bfc") is of none, -1. */
static int64_t ordinal_of(const struct xstats *s)
{
	static const char *const starts[] = {"GPU_", "gpu_", "gpu_async_", "xla_gpu_"};
	struct span name = xstats_text(s, STAT_ALLOCATOR_NAME);
	int64_t ordinal = 0;
	size_t i = name.n;

	if (!name.n && xstats_has_number(s, STAT_INDEX_ON_HOST))
		return (int64_t)xstats_number(s, STAT_INDEX_ON_HOST);
	for (size_t k = 0; k < sizeof(starts) / sizeof(*starts); k++)
		if (span_starts(name, span_of(starts[k])))
			i = strlen(starts[k]);
	if (i >= name.n || !ascii_is_digit(name.at[i]))
		return -1;
	for (; i < name.n && ascii_is_digit(name.at[i]) && ordinal < 1 << 20; i++)
		ordinal = 10 * ordinal + (name.at[i] - '0');
	return ordinal;
}

/* The pool of an allocator; NULL if there are too many, *ok is false on allocation failure. */
static struct trace_pool *find_pool(struct walk *w, const struct xstats *s, bool *ok)
{
	enum { MOST_POOLS = 1024 };
	struct trace *t = w->trace;
	struct trace_pool pool = {.name = strings_alias(&t->texts,
					  xstats_text(s, STAT_ALLOCATOR_NAME)),
		.ordinal = ordinal_of(s),
		.is_tpu = !xstats_text(s, STAT_ALLOCATOR_NAME).n,
		.peak_bytes = -1,
		.lifetime_peak_bytes = -1,
		.capacity_bytes = -1};

	*ok = pool.name != NONE;
	for (size_t i = 0; *ok && i < t->pools.n; i++)
		if (t->pools.at[i].name == pool.name && t->pools.at[i].ordinal == pool.ordinal)
			return &t->pools.at[i];
	if (!*ok || t->pools.n == MOST_POOLS)
		return NULL;
	*ok = vec_push(&t->pools, pool);
	return *ok ? &t->pools.at[t->pools.n - 1] : NULL;
}

bool walk_note_pool(struct walk *w, const struct xstats *s, uint32_t *place)
{
	bool ok;
	struct trace_pool *pool = find_pool(w, s, &ok);
	int64_t in_use = clamped_sum((int64_t)xstats_number(s, STAT_BYTES_ALLOCATED),
			(int64_t)xstats_number(s, STAT_BYTES_RESERVED)),
		lifetime = (int64_t)xstats_number(s, STAT_PEAK_IN_USE),
		capacity = clamped_sum(in_use, (int64_t)xstats_number(s, STAT_BYTES_AVAILABLE));

	*place = pool ? (uint32_t)(pool - w->trace->pools.at) : NONE;
	if (!pool || in_use < 0)
		return ok;
	if (in_use > pool->peak_bytes)
		pool->peak_bytes = in_use;
	if (s->has & STAT_BIT(PEAK_IN_USE) && lifetime > pool->lifetime_peak_bytes)
		pool->lifetime_peak_bytes = lifetime;
	if (s->has & STAT_BIT(BYTES_AVAILABLE) && capacity > pool->capacity_bytes)
		pool->capacity_bytes = capacity;
	return true;
}

/* ---- launches ------------------------------------------------------------ */

bool walk_is_launch(const struct event *e)
{
	return xstats_has_number(&e->stats, STAT_CORRELATION_ID) &&
		e->role->kind != EVENT_OPERATION;
}

/* The operation of TensorFlow that an event of a host's line lies within: the last that began and
 * reaches as far. More than a few that have ended lie between only if nothing is around it. */
static uint32_t op_around(const struct walk *w, const struct event *e)
{
	enum { MOST_BETWEEN = 64 };
	const struct trace *t = w->trace;
	size_t first = t->lines.at[t->lines.n - 1].first_op;

	for (size_t i = t->ops.n; i > first && t->ops.n - i < MOST_BETWEEN; i--) {
		const struct trace_op *op = &t->ops.at[i - 1];

		if (op->start_ps + op->total_ps >= event_end(e))
			return t->targets.at[op->target].module ? NONE : (uint32_t)(i - 1);
	}
	return NONE;
}

bool walk_add_launch(struct walk *w, const struct event *e)
{
	struct trace *t = w->trace;
	uint32_t op = op_around(w, e);
	struct trace_launch launch = {.id = xstats_number(&e->stats, STAT_CORRELATION_ID),
		.start_ps = e->start_ps,
		.duration_ps = e->duration_ps,
		.device = xstats_has_number(&e->stats, STAT_DEVICE_ID)
			? (int64_t)xstats_number(&e->stats, STAT_DEVICE_ID)
			: -1,
		.name = event_get_name(w, e).text,
		.op = op,
		.target = op == NONE ? NONE : t->ops.at[op].target};

	return t->launches.n < NONE - 1 && vec_push(&t->launches, launch);
}

/* ---- the device's clock -------------------------------------------------- */

bool walk_use_device_clock(struct walk *w, int64_t base_ps, struct event *e)
{
	int64_t offset_ps, duration_ps;

	w->host_start_ps = e->start_ps;
	if (!xstats_has_number(&e->stats, STAT_DEVICE_OFFSET) ||
		!xstats_has_number(&e->stats, STAT_DEVICE_DURATION))
		return false;
	offset_ps = (int64_t)xstats_number(&e->stats, STAT_DEVICE_OFFSET);
	duration_ps = (int64_t)xstats_number(&e->stats, STAT_DEVICE_DURATION);
	if (offset_ps < 0 || offset_ps > EVENT_TIME_LIMIT || duration_ps < 0 ||
		duration_ps > EVENT_TIME_LIMIT)
		return false;
	e->start_ps = base_ps + offset_ps;
	e->duration_ps = duration_ps;
	return true;
}

/* Those that follow each other in a group are one stretch, by the host's clock. Of a core it is
 * from the first start to the last. */
static bool note_group(struct walk *w, const struct event *e, struct trace_device_op *op)
{
	enum { MOST = 1 << 29 };
	struct trace *t = w->trace;
	int64_t start_ps = op->host_start_ps;
	int64_t end_ps = w->line.kind == LINE_STREAM ? event_end(e) : start_ps + 1;
	uint64_t group = xstats_number(&e->stats, STAT_GROUP_ID);
	uint32_t device = (uint32_t)t->devices.n - 1;
	struct trace_marker *last =
		t->device_groups.n ? &t->device_groups.at[t->device_groups.n - 1] : NULL;

	if (!xstats_has_number(&e->stats, STAT_GROUP_ID) || group >= MOST)
		return true;
	op->group = (uint32_t)group + 1;
	if (!last || last->kept != device || last->step != (int64_t)group)
		return vec_push(&t->device_groups,
			((struct trace_marker){start_ps, end_ps, (int64_t)group, device}));
	if (end_ps > last->end_ps)
		last->end_ps = end_ps;
	return true;
}

/* NONE if it is not known. */
static uint32_t find_launch(const struct walk *w, const struct event *e)
{
	const struct trace *t = w->trace;

	return xstats_has_number(&e->stats, STAT_CORRELATION_ID)
		? trace_find_launch(t, xstats_number(&e->stats, STAT_CORRELATION_ID),
			  t->devices.at[t->devices.n - 1].ordinal, e->start_ps)
		: NONE;
}

bool walk_add_device_op(struct walk *w, const struct event *e)
{
	struct trace *t = w->trace;
	struct trace_device_op op = {.host_start_ps = w->line.kind == LINE_TPU_OPS
			? w->host_start_ps
			: e->start_ps,
		.launch = find_launch(w, e),
		.is_next = true};

	if (!note_group(w, e, &op))
		return false;
	if (w->line.kind == LINE_STREAM)
		op.kernel = strings_alias(&t->texts, event_get_name(w, e).text);
	op.details = strings_alias(&t->texts,
		xstats_text(&e->stats,
			e->stats.has & STAT_BIT(KERNEL_DETAILS) ? STAT_KERNEL_DETAILS
								: STAT_MEMCPY_DETAILS));
	return op.kernel != NONE && op.details != NONE && t->device_ops.n < NONE - 1 &&
		vec_push(&t->device_ops, op);
}

/* ---- streams ------------------------------------------------------------- */

static uint32_t add_plain_target(struct trace *t, struct span scope, struct span name,
	int on_device)
{
	struct buf whole = {0};
	uint32_t target;

	buf_span(&whole, scope);
	buf_span(&whole, name);
	target = whole.failed ? NONE : trace_add_target(t, buf_get(&whole), name);
	buf_clear(&whole);
	if (target != NONE && !t->targets.at[target].on_device)
		t->targets.at[target].on_device = on_device;
	return target;
}

static uint32_t target_of_kernel(struct walk *w, const struct event *e)
{
	struct trace *t = w->trace;
	const struct xstats *s = &e->stats;
	struct span name = event_get_name(w, e).text, op = xstats_text(s, STAT_HLO_OP), copy;
	uint32_t launch = find_launch(w, e);
	struct op_text parsed;
	uint32_t target;

	if (op.n)
		return trace_add_device_target(t,
			&(struct device_target){xstats_number(s, STAT_PROGRAM_ID),
				xstats_text(s, STAT_HLO_MODULE), after_colons(op),
				xstats_text(s, STAT_NAME),
				op_text_without_number(after_colons(op))});
	copy = kernel_get_copy(name, xstats_text(s, STAT_MEMCPY_DETAILS),
		launch == NONE ? SPAN("") : t->launches.at[launch].name);
	if (copy.n)
		return add_plain_target(t, SPAN(""), copy, DEVICE_EACH);
	if (kernel_find_annotation(s, &parsed)) {
		target = trace_add_target(t, parsed.name, parsed.type);
		if (target != NONE && !t->targets.at[target].on_device)
			t->targets.at[target].on_device = DEVICE_NAMED;
		return target;
	}
	if (launch != NONE && t->launches.at[launch].target != NONE)
		return t->launches.at[launch].target;
	t->scratch.n = 0;
	kernel_put_short_name(&t->scratch, name);
	return t->scratch.failed ? NONE
				 : add_plain_target(t, SPAN("kernels without an operation/"),
					   buf_get(&t->scratch), DEVICE_EACH);
}

/* ---- cores --------------------------------------------------------------- */

/* Found once per name. */
static uint32_t target_of_core(struct walk *w, const struct event *e)
{
	struct trace *t = w->trace;
	struct xstats s = {0};
	struct event_role *role = e->role;
	struct event_name name = event_get_name(w, e);
	struct span op = name.display.n ? name.display : hlo_text_name(name.text), framework,
		    category;
	struct trace_target *target;

	if (role->op != NONE)
		return role->op;
	plane_read_name_stats(w->plane, w->d, &name, &s);
	framework = xstats_text(&s, STAT_TF_OP);
	category = xstats_text(&s, STAT_HLO_CATEGORY);
	if (framework.n && framework.at[framework.n - 1] == ':')
		framework.n--;
	role->op = trace_add_device_target(t,
		&(struct device_target){xstats_number(&s, STAT_PROGRAM_ID), SPAN(""), op, framework,
			hlo_text_opcode(name.text).n ? hlo_text_opcode(name.text)
				: category.n         ? category
						     : op_text_without_number(op)});
	if (role->op == NONE)
		return NONE;
	target = &t->targets.at[role->op];
	target->category = strings_alias(&t->texts, category);
	target->begins = strings_alias(&t->texts, hlo_text_operand(name.text));
	target->direction = hlo_text_direction(name.text);
	if (xstats_has_number(&s, STAT_MODEL_FLOPS))
		target->float_ops = (int64_t)xstats_number(&s, STAT_MODEL_FLOPS);
	else if (xstats_has_number(&s, STAT_FLOPS))
		target->float_ops = (int64_t)xstats_number(&s, STAT_FLOPS);
	if (xstats_has_number(&s, STAT_BYTES_ACCESSED))
		target->bytes = (int64_t)xstats_number(&s, STAT_BYTES_ACCESSED);
	return target->category == NONE || target->begins == NONE ? NONE : role->op;
}

uint32_t walk_find_device_target(struct walk *w, const struct event *e)
{
	return w->line.kind == LINE_TPU_OPS ? target_of_core(w, e) : target_of_kernel(w, e);
}
