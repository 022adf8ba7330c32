#include "load/xplane/apply.h"

void apply_clear(struct apply *a)
{
	mem_free(a->nodes);
	mem_free(a->output_bytes);
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

static uint32_t add_node(struct apply *a, const struct trace_target *target)
{
	struct model *m = a->model;
	struct span type = strings_get(&a->trace->texts, target->type);
	uint32_t name = strings_add(&m->strings, strings_get(&a->trace->texts, target->name));
	uint32_t node, op;

	if (name == NONE)
		return NONE;
	node = model_node_of(m, name);
	if (node != NONE) {
		if (!(m->nodes.flags[node] & NODE_COVERED)) {
			m->nodes.flags[node] |= NODE_COVERED;
			m->n_covered++;
		}
		return node;
	}
	if (!type.n)
		type = op_text_type(strings_get(&m->strings, name), SPAN(""));
	op = strings_add(&m->strings, type);
	return op == NONE ? NONE : model_add_node(m, name, op);
}

bool apply_targets(struct apply *a)
{
	const struct trace *t = a->trace;

	a->first_new = a->model->nodes.n;
	a->nodes = mem_array(t->targets.n + 1, sizeof(*a->nodes));
	for (size_t i = 0; a->nodes && i < t->targets.n; i++) {
		a->nodes[i] = add_node(a, &t->targets.at[i]);
		if (a->nodes[i] == NONE)
			return false;
	}
	a->output_bytes = mem_zero_array(t->targets.n + 1, sizeof(*a->output_bytes));
	return a->nodes && a->output_bytes && add_devices(a) && add_lanes(a);
}

/* ---- executions ---------------------------------------------------------- */

/* What a node did in a step. */
struct cell {
	int64_t self_ps;
	int64_t start_us, end_us;
	uint32_t node, step; /* its place among the trace's */
	uint32_t target;     /* one that is this node */
	uint32_t n;
	uint32_t first_run, last_run;
	uint32_t devices;
	bool is_accelerator;
};

struct cells {
	VEC(struct cell) at;
	struct hash_index index;
};

struct cell_probe {
	const struct cells *cells;
	uint32_t node, step;
};

static bool same_cell(const void *context, uint32_t i)
{
	const struct cell_probe *probe = context;
	const struct cell *c = &probe->cells->at.at[i];

	return c->node == probe->node && c->step == probe->step;
}

/* NULL on allocation failure. */
static struct cell *find_cell(struct cells *c, uint32_t node, uint32_t step, uint32_t target)
{
	struct cell_probe probe = {c, node, step};
	uint64_t hash = hash_multiply(hash_mix((uint64_t)node << 32 | step, 1), hash_secret());
	uint32_t i = hash_find(&c->index, hash, same_cell, &probe);

	if (i != NONE)
		return &c->at.at[i];
	if (c->at.n >= NONE - 1 ||
		!vec_push(&c->at,
			((struct cell){.node = node,
				.step = step,
				.target = target,
				.first_run = NONE,
				.last_run = NONE})) ||
		!hash_add(&c->index, hash, (uint32_t)c->at.n - 1))
		return NULL;
	return &c->at.at[c->at.n - 1];
}

static int64_t to_us(int64_t ps)
{
	return (ps + 500000) / 1000000;
}

int64_t apply_time_us(const struct apply *a, int64_t ps)
{
	int64_t rest_ps = a->base_ns % 1000 * 1000 + ps;

	return a->base_ns / 1000 + rest_ps / 1000000;
}

static uint32_t narrow(int64_t us)
{
	return us > UINT32_MAX ? UINT32_MAX : us < 0 ? 0 : (uint32_t)us;
}

/* The time of a cell is rounded once: each execution gets what it adds to that. */
static bool add_run(struct apply *a, struct cell *c, const struct trace_op *op, size_t line)
{
	struct execs *x = &a->model->execs;
	const struct exec_lane *lane = &x->lanes.at[a->lanes[line]];
	int64_t self_ps = op->self_ps > 0 ? op->self_ps : 0;
	int64_t start_us = apply_time_us(a, op->start_ps);
	int64_t end_us = apply_time_us(a, op->start_ps + op->total_ps);
	struct exec_run run = {start_us, narrow(end_us - start_us),
		narrow(to_us(c->self_ps + self_ps) - to_us(c->self_ps)), a->lanes[line], NONE};

	if (x->runs.n >= NONE - 1 || !vec_push(&x->runs, run))
		return false;
	if (c->first_run == NONE)
		c->first_run = (uint32_t)x->runs.n - 1;
	else
		x->runs.at[c->last_run].next = (uint32_t)x->runs.n - 1;
	c->last_run = (uint32_t)x->runs.n - 1;
	c->self_ps += self_ps;
	c->n++;
	c->is_accelerator = lane->is_accelerator;
	if (c->n == 1 || start_us < c->start_us)
		c->start_us = start_us;
	if (c->n == 1 || end_us > c->end_us)
		c->end_us = end_us;
	c->devices = sets_with(&a->model->sets, &a->model->strings, c->devices, lane->device);
	return c->devices != NONE;
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

static bool add_line(struct apply *a, struct cells *cells, size_t line, size_t end)
{
	const struct trace *t = a->trace;

	for (size_t i = t->lines.at[line].first_op; i < end; i++) {
		const struct trace_op *op = &t->ops.at[i];
		uint32_t node = a->nodes[op->target];
		struct cell *c;

		if (op->step == NONE) {
			a->n_outside++;
			a->outside_ps += op->self_ps > 0 ? (uint64_t)op->self_ps : 0;
			continue;
		}
		c = find_cell(cells, node, op->step, op->target);
		if (!c || !place_node(a, node, t->lines.at[line].device) ||
			!add_run(a, c, op, line))
			return false;
	}
	return true;
}

static bool union_devices(struct model *m, uint32_t *devices, uint32_t more)
{
	const struct string_set *set = sets_get(&m->sets, more);

	for (uint32_t i = 0; i < set->n; i++) {
		*devices = sets_with(&m->sets, &m->strings, *devices, set->at[i]);
		if (*devices == NONE)
			return false;
		set = sets_get(&m->sets, more);
	}
	return true;
}

static bool put_output_bytes(struct apply *a, uint32_t row, const struct cell *c)
{
	struct exec_memory memory = {.output_bytes = a->output_bytes[c->target]};

	if (memory.output_bytes <= 0 ||
		__builtin_mul_overflow(memory.output_bytes, (int64_t)c->n, &memory.output_bytes))
		return true;
	return apply_add_memory(a, row, &memory);
}

static bool put_cell(struct apply *a, const struct cell *c)
{
	struct model *m = a->model;
	uint32_t row = exec_row(m, c->node, a->trace->steps.at[c->step]);
	struct exec_detail *detail;
	struct exec_sums sums;

	if (row == NONE || !exec_decode(m, row))
		return false;
	detail = &m->execs.details.at[exec_at(&m->execs, row)->detail];
	if (!detail->start_us || c->start_us < detail->start_us)
		detail->start_us = c->start_us;
	if (c->end_us > detail->end_us)
		detail->end_us = c->end_us;
	if (!union_devices(m, &detail->devices, c->devices))
		return false;
	exec_chain_runs(&m->execs, row, c->first_run, c->last_run);
	sums = exec_get_sums(&m->execs, row);
	sums.run_count += c->n;
	if (c->is_accelerator)
		sums.accelerator_us += to_us(c->self_ps);
	else
		sums.cpu_us += to_us(c->self_ps);
	return exec_put_sums(&m->execs, row, &sums) && put_output_bytes(a, row, c);
}

/* By node and step, so that each row follows the one before. */
static bool put_cells(struct apply *a, const struct cells *cells)
{
	size_t n = cells->at.n;
	struct sort_item *items = mem_array(2 * n + 1, sizeof(*items));
	bool ok = items && execs_reserve(&a->model->execs, 0, n);

	for (size_t i = 0; ok && i < n; i++)
		items[i] = (struct sort_item){(uint64_t)cells->at.at[i].node << 32 |
				cells->at.at[i].step,
			(uint32_t)i};
	if (ok)
		sort_items(items, items + n, n);
	for (size_t i = 0; ok && i < n; i++)
		ok = put_cell(a, &cells->at.at[items[i].id]);
	mem_free(items);
	return ok;
}

bool apply_ops(struct apply *a)
{
	const struct trace *t = a->trace;
	struct cells cells = {0};
	bool ok = vec_reserve(&a->model->execs.runs, t->ops.n);

	for (size_t i = 0; ok && i < t->steps.n; i++)
		ok = model_add_step(a->model, t->steps.at[i]);
	for (size_t i = 0; ok && i < t->lines.n; i++)
		ok = add_line(a, &cells, i,
			i + 1 < t->lines.n ? t->lines.at[i + 1].first_op : t->ops.n);
	ok = ok && put_cells(a, &cells);
	vec_clear(&cells.at);
	hash_clear(&cells.index);
	return ok;
}
