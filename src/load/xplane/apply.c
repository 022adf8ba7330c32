#include "load/xplane/apply.h"

void apply_clear(struct apply *a)
{
	mem_free(a->nodes);
	mem_free(a->origins);
	mem_free(a->output_bytes);
	mem_free(a->n_events);
	mem_free(a->n_executions);
	mem_free(a->is_joined);
	mem_free(a->is_gradient);
	mem_free(a->served);
	mem_free(a->line_of);
	mem_free(a->is_fused);
	vec_clear(&a->fused);
	programs_clear(&a->programs);
	join_clear(&a->join);
	mem_free(a->devices);
	mem_free(a->lanes);
	buf_clear(&a->scratch);
}

/* ---- nodes and devices --------------------------------------------------- */

/* "/host:vm/device:gpu:0" */
static struct span make_device_name(struct apply *a, enum plane_kind kind, int64_t ordinal)
{
	struct buf *b = &a->scratch;

	b->n = 0;
	buf_text(b, "/host:");
	buf_span(b, a->host);
	buf_printf(b, "/device:%s:%lld",
		kind == PLANE_GPU           ? "gpu"
			: kind == PLANE_TPU ? "tpu"
					    : "cpu",
		(long long)(plane_is_accelerator(kind) ? ordinal : 0));
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i] >= 'A' && b->at[i] <= 'Z')
			b->at[i] = (char)(b->at[i] - 'A' + 'a');
	return buf_get(b);
}

/* Its string id; NONE on allocation failure. */
static uint32_t add_device(struct apply *a, enum plane_kind kind, int64_t ordinal)
{
	struct span name = make_device_name(a, kind, ordinal);

	return a->scratch.failed ? NONE : strings_add(&a->model->strings, name);
}

/* Only traces name devices this way. */
static bool has_host(struct apply *a)
{
	struct span name = make_device_name(a, PLANE_HOST, 0);

	return !a->scratch.failed && strings_find(&a->model->strings, name) != NONE;
}

static bool add_devices(struct apply *a)
{
	const struct trace *t = a->trace;

	a->devices = mem_array(t->devices.n + 1, sizeof(*a->devices));
	a->is_host_again = has_host(a);
	a->host_device = add_device(a, PLANE_HOST, 0);
	for (size_t i = 0; a->devices && i < t->devices.n; i++) {
		a->devices[i] = add_device(a, t->devices.at[i].kind, t->devices.at[i].ordinal);
		if (a->devices[i] == NONE)
			return false;
	}
	return a->devices && a->host_device != NONE;
}

/* As in run metadata, time on a GPU counts for its "stream:all". */
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
			.devices = NONE,
			.is_accelerator = plane_is_accelerator(t->devices.at[line->device].kind)};

		if (lane.device != NONE)
			lane.devices = sets_with(&m->sets, &m->strings, 0, lane.device);
		a->lanes[i] = (uint32_t)m->execs.lanes.n;
		if (i && t->lines.at[i - 1].device == line->device)
			lane.number = m->execs.lanes.at[a->lanes[i] - 1].number + 1;
		else
			lane.number = count_lanes(m, lane.device);
		if (lane.name == NONE || lane.devices == NONE || !vec_push(&m->execs.lanes, lane))
			return false;
	}
	return a->lanes != NULL;
}

/* Marks a node that the model had before the trace. */
static void cover(struct model *m, uint32_t node)
{
	if (m->nodes.flags[node] & NODE_COVERED)
		return;
	m->nodes.flags[node] |= NODE_COVERED;
	m->n_covered++;
}

static uint32_t add_node(struct apply *a, const struct trace_target *target, struct span text)
{
	struct model *m = a->model;
	struct span type = strings_get(&a->trace->texts, target->type);
	uint32_t name = strings_add(&m->strings, text);
	uint32_t op;

	if (name == NONE)
		return NONE;
	if (model_node_of(m, name) != NONE)
		return model_node_of(m, name);
	if (!type.n)
		type = op_text_type(text, SPAN(""));
	op = strings_add(&m->strings, type);
	return op == NONE ? NONE : model_add_node(m, name, op);
}

/* Whether there are nodes that operations may belong to. */
static bool has_graph(const struct apply *a)
{
	return a->first_new || a->model->graphs.n;
}

/* Finds a node that has another name in the graph: in its functions, or in the model. */
static void find_node(struct apply *a, size_t target)
{
	struct span name = strings_get(&a->trace->texts, a->trace->targets.at[target].name);
	struct join_found *found = &a->join.found[target];

	if (apply_get_program(a, target))
		a->nodes[target] = NONE;
	else if (a->nodes[target] == NONE && has_graph(a))
		join_find(&a->join, a->model, name, &a->nodes[target], found);
}

/* Looks up exact names first; reads the libraries of graphs only if some are missing. */
static bool find_nodes(struct apply *a)
{
	const struct trace *t = a->trace;
	bool all_found = true;

	for (size_t i = 0; i < t->targets.n; i++) {
		a->nodes[i] =
			model_find_node(a->model, strings_get(&t->texts, t->targets.at[i].name));
		all_found &= a->nodes[i] != NONE;
	}
	if (!all_found && (!join_read_libraries(&a->join, a->model) || !apply_programs(a)))
		return false;
	for (size_t i = 0; i < t->targets.n; i++)
		find_node(a, i);
	return true;
}

/* Finds the graph nodes that operations belong to. If several operations claim a node, only the
 * one of exactly that name gets it; the others get new ones. */
static bool join_graph(struct apply *a)
{
	const struct trace *t = a->trace;
	const struct model *m = a->model;
	uint32_t *claims = mem_zero_array(m->nodes.n + 1, sizeof(*claims));

	if (!claims || !find_nodes(a)) {
		mem_free(claims);
		return false;
	}
	for (size_t i = 0; i < t->targets.n; i++)
		if (a->nodes[i] != NONE && apply_is_first(a, i))
			claims[a->nodes[i]]++;
	for (size_t i = 0; i < t->targets.n; i++) {
		uint32_t node = a->nodes[i];
		bool is_same = node != NONE &&
			span_equal(model_name(m, node),
				strings_get(&t->texts, t->targets.at[i].name));

		if (node != NONE && claims[node] > 1 && !is_same) {
			a->n_ambiguous += apply_is_first(a, i);
			a->nodes[i] = NONE;
		}
		a->n_ambiguous += a->join.found[i].in.is_ambiguous && apply_is_first(a, i);
		a->is_joined[i] = a->nodes[i] != NONE;
	}
	mem_free(claims);
	return true;
}

/* A node for an operation that has none yet. */
static uint32_t make_node(struct apply *a, size_t target)
{
	const struct trace_target *op = &a->trace->targets.at[target];
	const struct join_found *found = &a->join.found[target];
	struct span name = strings_get(&a->trace->texts, op->name);

	if (apply_get_program(a, target))
		return apply_join_program(a, target, &name) ? add_node(a, op, name) : NONE;
	a->join.is_full |= found->library && a->join.nodes.n >= JOIN_MOST_NODES;
	if (!found->library || found->in.is_ambiguous || a->join.is_full)
		return add_node(a, op, name);
	a->is_joined[target] = true;
	return join_add_node(&a->join, a->model, name, found);
}

static bool apply_target(struct apply *a, size_t i)
{
	const struct trace_target *op = &a->trace->targets.at[i];

	a->origins[i] =
		apply_get_program(a, i) ? NONE : apply_find_origin(a, op->module, op->instruction);
	if (a->origins[i] != NONE)
		cover(a->model, a->origins[i]);
	if (a->is_joined[i])
		cover(a->model, a->nodes[i]);
	else
		a->nodes[i] = make_node(a, i);
	a->is_joined[i] |= a->origins[i] != NONE;
	return a->nodes[i] != NONE;
}

bool apply_targets(struct apply *a)
{
	const struct trace *t = a->trace;

	a->first_new = a->model->nodes.n;
	a->nodes = mem_array(t->targets.n + 1, sizeof(*a->nodes));
	a->origins = mem_array(t->targets.n + 1, sizeof(*a->origins));
	a->is_joined = mem_zero_array(t->targets.n + 1, sizeof(*a->is_joined));
	a->join.found = mem_zero_array(t->targets.n + 1, sizeof(*a->join.found));
	if (!a->nodes || !a->origins || !a->is_joined || !a->join.found || !join_graph(a))
		return false;
	for (size_t i = 0; i < t->targets.n; i++)
		if (!apply_target(a, i))
			return false;
	a->output_bytes = mem_zero_array(t->targets.n + 1, sizeof(*a->output_bytes));
	return a->output_bytes && add_devices(a) && add_lanes(a);
}

uint32_t apply_find_origin(const struct apply *a, const struct hlo_module *module,
	uint32_t instruction)
{
	struct span name = module ? module->instructions.at[instruction].op_name : SPAN("");
	struct join_found found;
	uint32_t node;

	if (!name.n || !a->first_new)
		return NONE;
	node = model_find_node(a->model, name);
	if (node == NONE)
		join_find(&a->join, a->model, name, &node, &found);
	return node < a->first_new ? node : NONE;
}
