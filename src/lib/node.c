/* Nodes one by one, through the public API. */
#include "base/error.h"
#include "base/mem.h"
#include "lib/profile.h"
#include "model/attr_text.h"
#include "model/attrs.h"
#include "model/executed.h"
#include "model/gradient.h"
#include "model/trace.h"
#include "model/run_shapes.h"

size_t tfprof_profile_find_node(tfprof_profile *p, const char *name, size_t length)
{
	uint32_t node;

	if (profile_lock(p, PROFILE_INDEXED, NULL) != TFPROF_OK)
		return SIZE_MAX;
	node = model_find_node(&p->model, (struct span){name, length});
	return profile_unlock(p, TFPROF_OK, NULL) == TFPROF_OK && node != NONE ? node : SIZE_MAX;
}

/* ---- a node -------------------------------------------------------------------- */

struct visit {
	const struct model *model;
	uint32_t node;
	const struct tfprof_node_visitor *visitor;
	struct buf text;
};

static void read_node(const struct model *m, uint32_t node, struct tfprof_node *to)
{
	struct span name = model_name(m, node), op = model_text(m, model_op(m, node));
	struct span device = model_text(m, model_device(m, node));
	struct gradient g;

	*to = (struct tfprof_node){.name = name.at,
		.name_length = name.n,
		.op = op.at,
		.op_length = op.n,
		.device = device.at,
		.device_length = device.n,
		.float_ops = m->nodes.float_ops[node],
		.n_inputs = m->nodes.n_edges[node],
		.is_gradient = gradient_parse(name, &g)};
}

static const char *put_shape(struct visit *v, uint32_t shape)
{
	v->text.n = 0;
	shape_put(&v->text, shapes_get(&v->model->shapes, shape));
	buf_char(&v->text, '\0');
	return v->text.failed ? "" : v->text.at;
}

static bool visit_outputs(struct visit *v)
{
	const struct nodes *n = &v->model->nodes;

	for (uint32_t i = 0; i < n->n_outputs[v->node]; i++) {
		const struct output *o = &v->model->outputs.at[n->first_output[v->node] + i];

		if (v->visitor->output(v->visitor->context, o->slot, put_shape(v, o->shape)))
			return false;
	}
	return true;
}

/* One edge, seen from either end. */
static bool call_link(struct visit *v, tfprof_link_fn *fn, uint32_t other, struct span name,
	const struct edge *e, int32_t first_control)
{
	struct tfprof_link link = {.node = other == NONE ? SIZE_MAX : other,
		.name = name.at,
		.name_length = name.n,
		.position = e->position,
		.output = e->output,
		.is_control = e->position >= first_control,
		.shape = put_shape(v, run_shapes_of_edge(v->model, e, -1))};

	return fn(v->visitor->context, &link) == 0;
}

static bool visit_inputs(struct visit *v)
{
	const struct model *m = v->model;
	int32_t first_control = attrs_first_control(m, v->node);

	for (uint32_t i = 0; i < m->nodes.n_edges[v->node]; i++) {
		const struct edge *e = &m->edges.at[m->nodes.first_edge[v->node] + i];

		if (!call_link(v, v->visitor->input, model_node_of(m, e->source),
			    model_text(m, e->source), e, first_control))
			return false;
	}
	return true;
}

static bool visit_consumers(struct visit *v)
{
	const struct model *m = v->model;
	uint32_t name = m->nodes.name[v->node];

	for (uint32_t node = 0; node < m->nodes.n; node++)
		for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
			const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + i];

			if (e->source == name &&
				!call_link(v, v->visitor->consumer, node, model_name(m, node), e,
					attrs_first_control(m, node)))
				return false;
		}
	return true;
}

static bool visit_attributes(struct visit *v)
{
	struct attrs attrs = attrs_of(v->model, v->node);
	struct decoder d = {0};
	struct span message;
	bool ok = true;

	while (ok && attrs_next(&attrs, &message)) {
		struct map_entry entry = map_entry_read(&d, message);

		v->text.n = 0;
		attr_put_text(&v->text, &d, entry.value);
		buf_char(&v->text, '\0');
		ok = !v->text.failed &&
			v->visitor->attribute(v->visitor->context, entry.text_key.at,
				entry.text_key.n, v->text.at, v->text.n - 1) == 0;
	}
	model_note_damage(v->model, v->model->nodes.source[v->node], &d);
	return ok;
}

static bool visit_steps(struct visit *v)
{
	const struct model *m = v->model;

	for (uint32_t row = m->nodes.first_exec[v->node]; row != NONE;
		row = exec_at(&m->execs, row)->next) {
		struct exec_sums sums = exec_get_sums(&m->execs, row);
		struct exec_extent extent = exec_get_extent(m, row);
		struct tfprof_node_step step = {.step = exec_at(&m->execs, row)->step,
			.n_runs = sums.run_count,
			.start_micros = extent.start_us,
			.cpu_micros = sums.cpu_us,
			.accelerator_micros = sums.accelerator_us,
			.requested_bytes = sums.requested_bytes,
			.peak_bytes = sums.peak_bytes,
			.residual_bytes = sums.residual_bytes,
			.output_bytes = sums.output_bytes};

		if (v->visitor->step(v->visitor->context, &step))
			return false;
	}
	return true;
}

static enum tfprof_status visit_frames(struct visit *v, struct tfprof_error *err)
{
	frames_vec frames = {0};
	enum tfprof_status status =
		trace_read(v->model, model_trace(v->model, v->node), &frames, err);

	for (size_t i = 0; status == TFPROF_OK && i < frames.n; i++) {
		const struct frame *f = &frames.at[i];
		struct tfprof_frame frame = {.file = f->file.at,
			.file_length = f->file.n,
			.function = f->function.at,
			.function_length = f->function.n,
			.text = f->source.at,
			.text_length = f->source.n,
			.line = f->line,
			.is_library = frame_is_library(f->file)};

		if (v->visitor->frame(v->visitor->context, &frame))
			break;
	}
	vec_clear(&frames);
	return status;
}

static enum tfprof_status visit_all(struct visit *v, struct tfprof_error *err)
{
	const struct tfprof_node_visitor *visitor = v->visitor;
	bool goes_on = (!visitor->output || visit_outputs(v)) &&
		(!visitor->input || visit_inputs(v)) &&
		(!visitor->consumer || visit_consumers(v)) &&
		(!visitor->attribute || visit_attributes(v)) && (!visitor->step || visit_steps(v));

	if (v->text.failed)
		return error_no_memory(err);
	return goes_on && visitor->frame ? visit_frames(v, err) : TFPROF_OK;
}

enum tfprof_status tfprof_profile_visit_node(tfprof_profile *p, size_t i, struct tfprof_node *node,
	const struct tfprof_node_visitor *visitor, struct tfprof_error *err)
{
	struct visit v = {.model = &p->model, .node = (uint32_t)i, .visitor = visitor};
	enum tfprof_status status = profile_lock(p, PROFILE_COMPLETE, err);

	if (status != TFPROF_OK)
		return status;
	if (i >= p->model.nodes.n) {
		status = error_set(err, TFPROF_ARGUMENT, "node %zu: there are %zu nodes", i,
			p->model.nodes.n);
	} else {
		if (node)
			read_node(&p->model, v.node, node);
		if (visitor)
			status = visit_all(&v, err);
	}
	buf_clear(&v.text);
	return profile_unlock(p, status, err);
}
