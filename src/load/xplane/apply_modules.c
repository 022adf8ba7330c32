#include "base/clamped.h"
#include "load/xplane/apply.h"
#include "load/xplane/hlo_shape.h"

/* Float operations of a node in all programs that have it. */
struct float_ops {
	int64_t sum, n_runs;
	bool is_seen;
	bool is_known; /* from elsewhere */
};

struct describer {
	struct apply *apply;
	struct float_ops *float_ops; /* by node */
	struct hlo_module *module;
	struct decoder d;
	hlo_ids ids, operands;
	size_t n_outputs;
	VEC(struct edge) edges; /* of the current node */
};

static bool has_opcode(const struct hlo_instruction *i, const char *opcode)
{
	return span_equal(i->opcode, span_of(opcode));
}

/* ---- shapes -------------------------------------------------------------- */

static bool add_output(void *context, size_t i, const struct hlo_shape *shape)
{
	struct describer *b = context;
	struct model *m = b->apply->model;
	struct output output = {(int32_t)i, shapes_add(&m->shapes, shape->dims.at, shape->dims.n)};

	if (!decoder_alloc(&b->d, output.shape != NONE && vec_push(&m->outputs, output)))
		return false;
	b->n_outputs++;
	return i < INT32_MAX;
}

static void add_outputs(struct describer *b, uint32_t node, const struct hlo_instruction *i)
{
	struct model *m = b->apply->model;

	b->n_outputs = 0;
	m->nodes.first_output[node] = (uint32_t)m->outputs.n;
	hlo_shape_read(&b->d, hlo_get_shape(&b->d, i), add_output, b);
	m->nodes.n_outputs[node] = (uint32_t)b->n_outputs;
}

/* ---- edges --------------------------------------------------------------- */

/* Which element get-tuple-element takes. */
static int64_t tuple_index(struct describer *b, const struct hlo_instruction *i)
{
	struct wire_reader r = wire_reader(i->message);
	struct wire_field f;
	int64_t index = 0;

	while (decoder_find(&b->d, &r, WIRE_VARINT(HLO_INSTRUCTION_TUPLE_INDEX), &f))
		index = (int64_t)f.value;
	return index;
}

static bool is_entry_parameter(const struct hlo_module *m, const struct hlo_instruction *i)
{
	return has_opcode(i, "parameter") && m->computations.at[i->computation].id == m->entry;
}

static uint32_t add_parameter(struct describer *b, struct hlo_instruction *i)
{
	struct apply *a = b->apply;
	struct model *m = a->model;
	struct buf *text = &a->scratch;
	uint32_t name, op;

	text->n = 0;
	if (!i->op_name.n) {
		buf_span(text, b->module->name);
		buf_char(text, '/');
	}
	buf_span(text, i->op_name.n ? i->op_name : i->name);
	name = text->failed ? NONE : strings_add(&m->strings, buf_get(text));
	op = strings_add(&m->strings, SPAN("parameter"));
	if (!decoder_alloc(&b->d, name != NONE && op != NONE))
		return NONE;
	i->node = model_node_of(m, name);
	if (i->node != NONE)
		return i->node;
	i->node = model_add_node(m, name, op);
	if (!decoder_alloc(&b->d, i->node != NONE))
		return NONE;
	add_outputs(b, i->node, i);
	if (m->nodes.n_outputs[i->node])
		m->nodes.shape[i->node] = m->outputs.at[m->nodes.first_output[i->node]].shape;
	return i->node;
}

static void push_edge(struct describer *b, uint32_t node, int64_t output)
{
	struct edge edge = {b->apply->model->nodes.name[node], (int32_t)b->edges.n,
		output < INT32_MAX && output >= 0 ? (int32_t)output : 0};

	decoder_alloc(&b->d, b->edges.n < INT32_MAX && vec_push(&b->edges, edge));
}

/* Adds the edge from an operand's origin: follows instructions that only pass values on, up to
 * one that ran or a parameter of the program. */
static void follow_operand(struct describer *b, uint64_t id)
{
	enum { MOST = 1000 };
	struct hlo_module *m = b->module;
	int64_t output = 0;
	bool is_picked = false;

	for (int hops = 0; hops < MOST && !b->d.failed; hops++) {
		uint32_t at = hlo_find_id(m, id);
		struct hlo_instruction *i = at == NONE ? NULL : &m->instructions.at[at];

		if (!i)
			return;
		if (i->node == NONE && is_entry_parameter(m, i))
			add_parameter(b, i);
		if (b->d.failed)
			return;
		if (i->node != NONE) {
			push_edge(b, i->node, is_picked ? output : 0);
			return;
		}
		hlo_read_ids(&b->d, i->message, HLO_INSTRUCTION_OPERAND_IDS, &b->ids);
		if (!b->ids.n)
			return;
		if (has_opcode(i, "get-tuple-element")) {
			output = tuple_index(b, i);
			is_picked = true;
			id = b->ids.at[0];
		} else if (has_opcode(i, "tuple") && is_picked) {
			if (output < 0 || (uint64_t)output >= b->ids.n)
				return;
			id = b->ids.at[output];
			is_picked = false;
		} else if (has_opcode(i, "bitcast")) {
			id = b->ids.at[0];
		} else {
			return;
		}
	}
}

/* A loop takes all its operands as one tuple. */
static void follow_tuple(struct describer *b, uint64_t id)
{
	uint32_t at = hlo_find_id(b->module, id);
	const struct hlo_instruction *i = at == NONE ? NULL : &b->module->instructions.at[at];
	hlo_ids elements = {0};

	if (!i || i->node != NONE || !has_opcode(i, "tuple")) {
		follow_operand(b, id);
		return;
	}
	hlo_read_ids(&b->d, i->message, HLO_INSTRUCTION_OPERAND_IDS, &elements);
	for (size_t k = 0; k < elements.n && !b->d.failed; k++)
		follow_operand(b, elements.at[k]);
	vec_clear(&elements);
}

static void add_edges(struct describer *b, uint32_t node, const struct hlo_instruction *i)
{
	struct model *m = b->apply->model;

	b->edges.n = 0;
	hlo_read_ids(&b->d, i->message, HLO_INSTRUCTION_OPERAND_IDS, &b->operands);
	for (size_t k = 0; k < b->operands.n && !b->d.failed; k++)
		follow_tuple(b, b->operands.at[k]);
	if (b->d.failed || m->nodes.n_edges[node])
		return;
	if (!decoder_alloc(&b->d,
		    m->edges.n + b->edges.n < NONE - 1 && vec_reserve(&m->edges, b->edges.n)))
		return;
	m->nodes.first_edge[node] = (uint32_t)m->edges.n;
	for (size_t k = 0; k < b->edges.n; k++)
		m->edges.at[m->edges.n++] = b->edges.at[k];
	m->nodes.n_edges[node] = (uint32_t)b->edges.n;
}

/* ---- nodes --------------------------------------------------------------- */

static void add_type(struct describer *b, uint32_t node, struct span type)
{
	struct model *m = b->apply->model;
	uint32_t id = type.n ? strings_add(&m->strings, type) : 0;

	decoder_alloc(&b->d, id != NONE && (!id || model_add_type(m, node, id)));
}

/* Of an execution. A graph counts all of its nodes but products, with padding. */
static int64_t float_ops_of(const struct apply *a, const struct trace_target *target,
	const struct hlo_cost *cost)
{
	const struct hlo_module *module = target->module;

	if (!cost)
		return 0;
	if (!a->model->graphs.n)
		return cost->float_ops;
	/* What has lost its name while it was compiled counts in the graph. */
	if (module->is_of_graph && !module->instructions.at[target->instruction].op_name.n)
		return 0;
	return clamped_sum(cost->matrix_float_ops, cost->padding_float_ops);
}

/* A function that was compiled for several shapes has as many programs with the same names: the
 * float operations of a run are the mean over those in steps. Without any, the first program's
 * count. */
static void add_float_ops(struct describer *b, size_t place, const struct trace_target *target,
	const struct hlo_cost *cost)
{
	const struct apply *a = b->apply;
	uint32_t node = a->nodes[place];
	int64_t *float_ops = &a->model->nodes.float_ops[node], of_run;
	struct float_ops *f = &b->float_ops[node];
	bool is_first = !f->is_seen;

	f->is_seen = true;
	f->is_known |= *float_ops && is_first;
	if (f->is_known)
		return;
	of_run = float_ops_of(a, target, cost);
	if (a->n_events[place] && apply_has_parts(a, target))
		of_run = clamped_part(of_run, a->n_executions[place], a->n_events[place]);
	f->n_runs += target->n_ops;
	add_clamped(&f->sum, clamped_product(of_run, target->n_ops));
	if (f->n_runs == target->n_ops && (f->n_runs || is_first))
		*float_ops = of_run;
	else if (f->n_runs)
		*float_ops = f->sum / f->n_runs + (f->sum % f->n_runs > f->n_runs / 2);
}

static void describe_node(struct describer *b, size_t place, const struct trace_target *target)
{
	struct model *m = b->apply->model;
	uint32_t node = b->apply->nodes[place];
	const struct hlo_instruction *i = &target->module->instructions.at[target->instruction];
	bool ok = true;
	uint32_t op;
	const struct hlo_details *d =
		hlo_get_details(target->module, target->instruction, &op, &ok);

	b->module = target->module;
	add_type(b, node, i->opcode);
	if (!m->nodes.n_outputs[node])
		add_outputs(b, node, i);
	add_float_ops(b, place, target, d ? &d->costs.of_op[op] : NULL);
	if (d && !m->nodes.kind[node])
		m->nodes.kind[node] = (uint8_t)(d->kinds.of_op[op] + 1);
	decoder_alloc(&b->d, ok);
	b->apply->output_bytes[place] = hlo_shape_bytes(&b->d, hlo_get_shape(&b->d, i));
	add_edges(b, node, i);
}

/* Of an operation whose program is not in the trace: as its opcode tells. */
static void describe_opcode(struct describer *b, uint32_t node, const struct trace_target *target)
{
	uint8_t *kind = &b->apply->model->nodes.kind[node];
	enum hlo_opcode opcode =
		hlo_opcode_find(strings_get(&b->apply->trace->texts, target->opcode));

	if (!*kind && opcode != HLO_OTHER && opcode != HLO_FUSION)
		*kind = (uint8_t)(hlo_kind_of_opcode(opcode) + 1);
}

/* A damaged instruction keeps what was read before the damage. */
static bool check(struct describer *b)
{
	bool ok = !b->d.failed || b->d.bad;

	if (b->d.failed && b->d.bad)
		b->apply->n_damaged++;
	b->d = (struct decoder){0};
	return ok;
}

/* Float operations that the program has are not those of the graph's nodes as well. */
static void take_float_ops(struct apply *a, struct hlo_module *module)
{
	struct model *m = a->model;

	if (module->has_float_ops)
		return;
	module->has_float_ops = true;
	if (module->program_of) {
		apply_take_float_ops(a);
		return;
	}
	for (uint32_t i = 0; a->first_new && i < module->instructions.n; i++) {
		const struct hlo_instruction *in = &module->instructions.at[i];
		uint32_t origin = has_opcode(in, "dot") || has_opcode(in, "convolution")
			? apply_find_origin(a, module, i)
			: NONE;

		if (origin == NONE)
			continue;
		module->is_of_graph = true;
		m->nodes.float_ops[origin] = 0;
		m->nodes.flags[origin] |= NODE_COMPILED | NODE_CHANGED;
	}
}

bool apply_modules(struct apply *a)
{
	struct describer b = {.apply = a};
	const struct trace *t = a->trace;
	bool ok = true;

	b.float_ops = mem_zero_array(a->model->nodes.n + 1, sizeof(*b.float_ops));
	if (!b.float_ops)
		return false;
	for (size_t i = 0; i < t->targets.n; i++)
		if (t->targets.at[i].module)
			t->targets.at[i]
				.module->instructions.at[t->targets.at[i].instruction]
				.node = a->nodes[i];
	for (size_t i = 0; ok && i < t->targets.n; i++) {
		const struct trace_target *target = &t->targets.at[i];

		if (target->float_ops > 0)
			a->model->nodes.float_ops[a->nodes[i]] = target->float_ops;
		if (target->category)
			add_type(&b, a->nodes[i], strings_get(&t->texts, target->category));
		if (target->module) {
			take_float_ops(a, target->module);
			describe_node(&b, i, target);
		} else if (target->on_device == DEVICE_COMPILED) {
			describe_opcode(&b, a->nodes[i], target);
		}
		ok = check(&b);
	}
	mem_free(b.float_ops);
	vec_clear(&b.ids);
	vec_clear(&b.operands);
	vec_clear(&b.edges);
	return ok;
}
