#include "load/xplane/apply.h"

#include "load/xplane/join.h"

void apply_clear(struct apply *a)
{
	mem_free(a->nodes);
	mem_free(a->output_bytes);
	mem_free(a->is_joined);
	mem_free(a->devices);
	mem_free(a->lanes);
	buf_clear(&a->scratch);
}

/* ---- nodes and devices --------------------------------------------------- */

static bool is_accelerator(enum plane_kind kind)
{
	return kind == PLANE_GPU || kind == PLANE_TPU;
}

/* "/host:vm/device:gpu:0" */
static uint32_t add_device(struct apply *a, enum plane_kind kind, int64_t ordinal)
{
	struct buf *b = &a->scratch;

	b->n = 0;
	buf_text(b, "/host:");
	buf_span(b, a->host);
	buf_printf(b, "/device:%s:%lld",
		kind == PLANE_GPU           ? "gpu"
			: kind == PLANE_TPU ? "tpu"
					    : "cpu",
		(long long)(is_accelerator(kind) ? ordinal : 0));
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i] >= 'A' && b->at[i] <= 'Z')
			b->at[i] = (char)(b->at[i] - 'A' + 'a');
	return b->failed ? NONE : strings_add(&a->model->strings, buf_get(b));
}

static bool add_devices(struct apply *a)
{
	const struct trace *t = a->trace;

	a->devices = mem_array(t->devices.n + 1, sizeof(*a->devices));
	for (size_t i = 0; a->devices && i < t->devices.n; i++) {
		a->devices[i] = add_device(a, t->devices.at[i].kind, t->devices.at[i].ordinal);
		if (a->devices[i] == NONE)
			return false;
	}
	return a->devices != NULL;
}

/* Time on a GPU is of its "stream:all", as run metadata has it. */
static uint32_t device_of_time(struct apply *a, uint32_t device)
{
	struct buf *b = &a->scratch;

	if (a->trace->devices.at[device].kind != PLANE_GPU)
		return a->devices[device];
	b->n = 0;
	buf_span(b, model_text(a->model, a->devices[device]));
	buf_text(b, "/stream:all");
	return b->failed ? NONE : strings_add(&a->model->strings, buf_get(b));
}

static uint32_t count_lanes(const struct model *m, uint32_t device)
{
	uint32_t n = 0;

	for (size_t i = 0; i < m->execs.lanes.n; i++)
		n += m->execs.lanes.at[i].device == device;
	return n;
}

static bool add_lanes(struct apply *a)
{
	struct model *m = a->model;
	const struct trace *t = a->trace;

	a->lanes = mem_array(t->lines.n + 1, sizeof(*a->lanes));
	for (size_t i = 0; a->lanes && i < t->lines.n; i++) {
		const struct trace_line *line = &t->lines.at[i];
		struct exec_lane lane = {.device = device_of_time(a, line->device),
			.name = strings_add(&m->strings, line->name),
			.is_accelerator = is_accelerator(t->devices.at[line->device].kind)};

		a->lanes[i] = (uint32_t)m->execs.lanes.n;
		if (i && t->lines.at[i - 1].device == line->device)
			lane.number = m->execs.lanes.at[a->lanes[i] - 1].number + 1;
		else
			lane.number = count_lanes(m, lane.device);
		if (lane.device == NONE || lane.name == NONE || !vec_push(&m->execs.lanes, lane))
			return false;
	}
	return a->lanes != NULL;
}

/* A node that was there before the trace. */
static void cover(struct model *m, uint32_t node)
{
	if (m->nodes.flags[node] & NODE_COVERED)
		return;
	m->nodes.flags[node] |= NODE_COVERED;
	m->n_covered++;
}

static uint32_t add_node(struct apply *a, const struct trace_target *target)
{
	struct model *m = a->model;
	struct span type = strings_get(&a->trace->texts, target->type);
	uint32_t name = strings_add(&m->strings, strings_get(&a->trace->texts, target->name));
	uint32_t op;

	if (name == NONE)
		return NONE;
	if (model_node_of(m, name) != NONE)
		return model_node_of(m, name);
	if (!type.n)
		type = op_text_type(strings_get(&m->strings, name), SPAN(""));
	op = strings_add(&m->strings, type);
	return op == NONE ? NONE : model_add_node(m, name, op);
}

/* The nodes of a graph that operations are of; an operation whose node another claims, too,
 * gets one of its own. */
static bool join_graph(struct apply *a)
{
	const struct trace *t = a->trace;
	const struct model *m = a->model;
	uint32_t *claims = mem_zero_array(m->nodes.n + 1, sizeof(*claims));

	for (size_t i = 0; claims && i < t->targets.n; i++) {
		struct span name = strings_get(&t->texts, t->targets.at[i].name);

		a->nodes[i] = model_find_node(m, name);
		if (a->nodes[i] == NONE && a->first_new)
			a->nodes[i] = join_find(m, name);
		if (a->nodes[i] != NONE)
			claims[a->nodes[i]]++;
	}
	for (size_t i = 0; claims && i < t->targets.n; i++) {
		uint32_t node = a->nodes[i];
		bool is_same = node != NONE &&
			span_equal(model_name(m, node),
				strings_get(&t->texts, t->targets.at[i].name));

		if (node != NONE && claims[node] > 1 && !is_same) {
			a->n_ambiguous++;
			a->nodes[i] = NONE;
		}
		a->is_joined[i] = a->nodes[i] != NONE;
	}
	mem_free(claims);
	return claims;
}

bool apply_targets(struct apply *a)
{
	const struct trace *t = a->trace;

	a->first_new = a->model->nodes.n;
	a->nodes = mem_array(t->targets.n + 1, sizeof(*a->nodes));
	a->is_joined = mem_zero_array(t->targets.n + 1, sizeof(*a->is_joined));
	if (!a->nodes || !a->is_joined || !join_graph(a))
		return false;
	for (size_t i = 0; i < t->targets.n; i++) {
		if (a->is_joined[i])
			cover(a->model, a->nodes[i]);
		else
			a->nodes[i] = add_node(a, &t->targets.at[i]);
		if (a->nodes[i] == NONE)
			return false;
	}
	a->output_bytes = mem_zero_array(t->targets.n + 1, sizeof(*a->output_bytes));
	return a->nodes && a->output_bytes && add_devices(a) && add_lanes(a);
}

/* ---- executions ---------------------------------------------------------- */

int64_t apply_time_us(const struct apply *a, int64_t ps)
{
	int64_t rest_ps = a->base_ns % 1000 * 1000 + ps;

	return a->base_ns / 1000 + rest_ps / 1000000;
}

static int64_t to_us(int64_t ps)
{
	return (ps + 500000) / 1000000;
}

static uint32_t narrow(int64_t us)
{
	return us > UINT32_MAX ? UINT32_MAX : us < 0 ? 0 : (uint32_t)us;
}

/* What a node did in a step. */
struct doing {
	int64_t self_ps, accelerator_ps;
	int64_t start_us, end_us;
	uint32_t n;
	uint32_t first_run;
	uint32_t devices;
};

static bool add_device_to(struct model *m, uint32_t *devices, uint32_t device)
{
	*devices = sets_with(&m->sets, &m->strings, *devices, device);
	return *devices != NONE;
}

/* Times are added up in picoseconds and rounded once: each execution gets what it adds to
 * that. There is room for the run. */
static bool add_run(struct apply *a, struct doing *d, const struct trace_op *op, uint32_t before)
{
	struct execs *x = &a->model->execs;
	const struct exec_lane *lane = &x->lanes.at[a->lanes[op->line]];
	int64_t self_ps = op->self_ps > 0 ? op->self_ps : 0;
	int64_t start_us = apply_time_us(a, op->start_ps);
	int64_t end_us = apply_time_us(a, op->start_ps + op->total_ps);
	int64_t *sum_ps = lane->is_accelerator ? &d->accelerator_ps : &d->self_ps;

	x->runs.at[x->runs.n] = (struct exec_run){start_us, narrow(end_us - start_us),
		narrow(to_us(*sum_ps + self_ps) - to_us(*sum_ps)), a->lanes[op->line],
		(uint32_t)x->runs.n + 1};
	x->runs.n++;
	*sum_ps += self_ps;
	if (!d->n || start_us < d->start_us)
		d->start_us = start_us;
	if (!d->n || end_us > d->end_us)
		d->end_us = end_us;
	d->n++;
	return (d->n > 1 && before == op->line) ||
		add_device_to(a->model, &d->devices, lane->device);
}

/* A node stays on the device that it ran on first. */
static bool place_node(struct apply *a, uint32_t node, uint32_t device)
{
	struct model *m = a->model;

	m->nodes.flags[node] |= NODE_CHANGED;
	if (m->nodes.device[node])
		return true;
	m->nodes.device[node] = a->devices[device];
	m->nodes.host_device[node] = add_device(a, PLANE_HOST, 0);
	return m->nodes.host_device[node] != NONE && model_add_type(m, node, a->devices[device]);
}

static bool put_devices(struct model *m, struct exec_detail *detail, uint32_t devices)
{
	const struct string_set *set = sets_get(&m->sets, devices);

	if (!detail->devices) {
		detail->devices = devices;
		return true;
	}
	for (uint32_t i = 0; i < set->n; i++) {
		if (!add_device_to(m, &detail->devices, set->at[i]))
			return false;
		set = sets_get(&m->sets, devices);
	}
	return true;
}

static bool put_output_bytes(struct apply *a, uint32_t row, uint32_t target, uint32_t n)
{
	struct exec_memory memory = {.output_bytes = a->output_bytes[target]};

	if (memory.output_bytes <= 0 ||
		__builtin_mul_overflow(memory.output_bytes, (int64_t)n, &memory.output_bytes))
		return true;
	return apply_add_memory(a, row, &memory);
}

static bool put_doing(struct apply *a, const struct doing *d, const struct trace_op *op)
{
	struct model *m = a->model;
	uint32_t row = exec_row(m, a->nodes[op->target], a->trace->steps.at[op->step]);
	struct exec_detail *detail;
	struct exec_sums sums;

	if (row == NONE || !exec_decode(m, row))
		return false;
	detail = &m->execs.details.at[exec_at(&m->execs, row)->detail];
	if (!detail->start_us || d->start_us < detail->start_us)
		detail->start_us = d->start_us;
	if (d->end_us > detail->end_us)
		detail->end_us = d->end_us;
	if (!put_devices(m, detail, d->devices))
		return false;
	m->execs.runs.at[m->execs.runs.n - 1].next = NONE;
	exec_chain_runs(&m->execs, row, d->first_run, (uint32_t)m->execs.runs.n - 1);
	sums = exec_get_sums(&m->execs, row);
	sums.run_count += d->n;
	sums.accelerator_us += to_us(d->accelerator_ps);
	sums.cpu_us += to_us(d->self_ps);
	return exec_put_sums(&m->execs, row, &sums) && put_output_bytes(a, row, op->target, d->n);
}

/* Those of one node and step, which follow each other; *end is set behind the last. */
static bool add_doing(struct apply *a, const struct sort_item *items, size_t n, size_t *end)
{
	enum { AHEAD = 16 };
	const struct trace_op *ops = a->trace->ops.at, *first = &ops[items[*end].id], *op = first;
	struct doing d = {.first_run = (uint32_t)a->model->execs.runs.n};
	uint64_t key = items[*end].key;
	uint32_t before = NONE;

	if (!place_node(a, a->nodes[op->target], a->trace->lines.at[op->line].device))
		return false;
	for (; *end < n && items[*end].key == key; ++*end) {
		op = &ops[items[*end].id];
		/* A node's executions are all over the trace: 10 % of the whole. */
		if (*end + AHEAD < n)
			prefetch_line(&ops[items[*end + AHEAD].id]);
		if (!add_run(a, &d, op, before))
			return false;
		before = op->line;
	}
	return put_doing(a, &d, first);
}

/* The operations in steps, by node and step; otherwise as they come. */
static struct sort_item *sort_ops(struct apply *a, size_t *n)
{
	const struct trace *t = a->trace;
	struct sort_item *items = mem_array(2 * t->ops.n + 1, sizeof(*items));

	*n = 0;
	for (size_t i = 0; items && i < t->ops.n; i++) {
		const struct trace_op *op = &t->ops.at[i];
		uint64_t self_ps = op->self_ps > 0 ? (uint64_t)op->self_ps : 0;

		if (op->step == NONE) {
			a->n_outside++;
			a->outside_ps += self_ps;
			continue;
		}
		a->all_ps += self_ps;
		a->joined_ps += a->is_joined[op->target] ? self_ps : 0;
		items[(*n)++] = (struct sort_item){(uint64_t)a->nodes[op->target] << 32 | op->step,
			(uint32_t)i};
	}
	if (items)
		sort_items(items, items + *n, *n);
	return items;
}

static size_t count_groups(const struct sort_item *items, size_t n)
{
	size_t groups = 0;

	for (size_t i = 0; i < n; i++)
		groups += !i || items[i].key != items[i - 1].key;
	return groups;
}

bool apply_ops(struct apply *a)
{
	const struct trace *t = a->trace;
	struct execs *x = &a->model->execs;
	size_t n, at = 0;
	struct sort_item *items = t->ops.n < NONE ? sort_ops(a, &n) : NULL;
	bool ok = items && x->runs.n + n < NONE - 1 && vec_reserve(&x->runs, n) &&
		execs_reserve(x, 0, count_groups(items, n));

	for (size_t i = 0; ok && i < t->steps.n; i++)
		ok = model_add_step(a->model, t->steps.at[i]);
	while (ok && at < n)
		ok = add_doing(a, items, n, &at);
	mem_free(items);
	return ok;
}
