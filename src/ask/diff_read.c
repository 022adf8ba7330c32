#include "ask/diff_read.h"

#include "base/prefetch.h"
#include "load/anatomy/hosts.h"
#include "model/run_shapes.h"

/* ---- a row ---------------------------------------------------------------------- */

/* The graph nodes that a row stands for. */
static struct row_nodes nodes_of(const struct query *q, uint32_t i, uint32_t *room)
{
	*room = query_node(q, i);
	if (query_has_groups(q))
		return query_nodes(q, q->view[i]);
	return (struct row_nodes){room, *room != NONE};
}

/* The device of all of them, or nothing. */
static struct span device_of(const struct model *m, struct row_nodes nodes)
{
	uint32_t device = nodes.n ? model_device(m, nodes.at[0]) : 0;

	for (size_t i = 1; i < nodes.n; i++)
		if (model_device(m, nodes.at[i]) != device)
			return (struct span){0};
	return device ? model_text(m, device) : (struct span){0};
}

/* The first dimension of the first shape that arrives at one of them, vectors left out:
 * they are mostly biases and sizes. */
static int64_t batch_of(const struct model *m, struct row_nodes nodes)
{
	for (size_t i = 0; i < nodes.n; i++) {
		uint32_t node = nodes.at[i];

		for (uint32_t k = 0; k < m->nodes.n_edges[node]; k++) {
			const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + k];
			const struct shape *shape =
				shapes_get(&m->shapes, run_shapes_of_edge(m, e, -1));

			if (shape->n > 1)
				return shape->dims[0];
		}
	}
	return -1;
}

/* Lines of code move: what stays is their file, their function and their text. */
static struct span line_key(const struct query *q, uint32_t i, struct buf *room)
{
	struct frame frame = tree_frame(q->tree, q->view[i]);

	room->n = 0;
	buf_span(room, frame.file);
	buf_char(room, ':');
	buf_span(room, frame.function);
	buf_char(room, ':');
	if (frame.source.n)
		buf_span(room, frame.source);
	else
		buf_int(room, frame.line);
	if (q->tree->is_gradient[q->view[i]])
		buf_text(room, " (gradient)");
	return buf_get(room);
}

/* That of the row before, as a rule. */
static struct span copy_device(struct side *side, uint32_t row, struct span device)
{
	if (row && span_equal(side->rows.at[row - 1].device, device))
		return side->rows.at[row - 1].device;
	return arena_copy(&side->arena, device);
}

static uint64_t type_of(const struct model *m, uint32_t node)
{
	struct span op = model_text(m, model_op(m, node));

	return hash_bytes(op.at, op.n) | 1;
}

/* A few rows tell the batch size. */
enum { MOST_SHAPES = 2000 };

/* Texts of a new row; those of the profile may not outlive it. */
static void describe(struct side *side, uint32_t row, const struct query *q, uint32_t i,
	struct row_nodes nodes)
{
	const struct model *m = q->model;
	struct side_row *r = &side->rows.at[row];
	struct span device = device_of(m, nodes);

	if (device.n)
		r->device = copy_device(side, row, device);
	if (q->kind == TFPROF_CODE && i)
		r->label = arena_copy(&side->arena, tree_label(q->tree, q->view[i]));
	else if (nodes.n && !query_has_groups(q))
		r->type = type_of(m, nodes.at[0]);
	side->failed |= !r->label.at || (device.n && !r->device.at);
	if (row < MOST_SHAPES)
		r->batch = batch_of(m, nodes);
}

/* ---- a table -------------------------------------------------------------------- */

static void add_numbers(struct side *side, uint32_t row, const struct diff_reading *reading,
	const struct query *q, uint32_t i)
{
	/* Op view's totals run on from line to line. */
	bool is_own = q->kind == TFPROF_OP && i;

	for (size_t k = 0; k < reading->n_metrics; k++)
		side_add_value(side, row, k,
			is_own ? query_own(q, reading->metrics[k], i)
			       : query_total(q, reading->metrics[k], i));
}

/* Names are scattered over the input: without prefetching, scope_diff takes 30 % longer. */
PREFETCHES prefetch_name(const struct query *q, uint32_t i)
{
	enum { AHEAD = 12 };
	struct span name;

	if (q->n - i <= 2 * AHEAD)
		return;
	prefetch_line(tree_label_at(q->tree, q->view[i + 2 * AHEAD]));
	name = tree_label(q->tree, q->view[i + AHEAD]);
	prefetch_bytes(name.at, name.n);
}

struct step_reading {
	struct side *side;
	struct diff_reading *reading;
};

/* The steps of the run's traces on the clock. */
static enum tfprof_status read_walls(struct side *side, const struct model *m,
	struct tfprof_error *err)
{
	struct anatomy_hosts hosts;
	enum tfprof_status status = anatomy_hosts_read(&hosts, m, SPAN(""), err);
	const struct anatomy *a = anatomy_hosts_get(&hosts);

	if (status == TFPROF_OK && a && !step_side_add(&side->walls, a, side->only_step))
		status = error_no_memory(err);
	anatomy_hosts_clear(&hosts);
	return status;
}

static enum tfprof_status check_version(struct diff_reading *reading, const struct model *m,
	struct tfprof_error *err)
{
	if (m->numbers_version && !reading->numbers_version)
		reading->numbers_version = m->numbers_version;
	if (!m->numbers_version || m->numbers_version == reading->numbers_version)
		return TFPROF_OK;
	return error_set(err, TFPROF_UNSUPPORTED,
		"one of the profiles was saved when a number of traces had another meaning: save "
		"it again from its trace");
}

static enum tfprof_status read_rows(const struct query *q, void *context, struct tfprof_error *err)
{
	const struct step_reading *step = context;
	struct side *side = step->side;
	uint32_t *row_of;
	struct buf key = {0};

	if (query_check_names(q, err) != TFPROF_OK ||
		check_version(step->reading, q->model, err) != TFPROF_OK)
		return TFPROF_UNSUPPORTED;
	/* With the first step of a run. */
	if (!side->steps.n) {
		enum tfprof_status status = read_walls(side, q->model, err);

		if (status != TFPROF_OK)
			return status;
	}
	row_of = mem_array((size_t)q->n + 1, sizeof(*row_of));
	side_begin_table(side, q->n);
	for (uint32_t i = 0; row_of && i < q->n && !side->failed; i++) {
		struct span name = i && q->kind == TFPROF_CODE ? line_key(q, i, &key)
							       : tree_label(q->tree, q->view[i]);
		uint32_t room;
		bool is_new;

		prefetch_name(q, i);
		row_of[i] = side_add(side, i ? row_of[q->parent[i]] : NONE, name, &is_new);
		if (row_of[i] != NONE && is_new)
			describe(side, row_of[i], q, i, nodes_of(q, i, &room));
		add_numbers(side, row_of[i], step->reading, q, i);
	}
	side->failed |= !row_of || key.failed;
	mem_free(row_of);
	buf_clear(&key);
	return side->failed ? error_no_memory(err) : TFPROF_OK;
}

static enum tfprof_status read_step(struct side *side, struct diff_reading *reading, void *profile,
	int64_t step, struct tfprof_error *err)
{
	struct step_reading rows = {side, reading};

	reading->options->number[OPT_STEP] = step;
	return reading->asked->visit_query(profile, reading->view, reading->options,
		reading->asked->cancel, read_rows, &rows, err);
}

/* ---- a run ---------------------------------------------------------------------- */

bool diff_needs_steps(const struct diff_reading *reading)
{
	for (size_t k = 0; k < reading->n_metrics; k++)
		if (!(1u << reading->metrics[k] & MODEL_METRICS_MASK))
			return true;
	return false;
}

/* Of very many steps, these are read, evenly spread. */
enum { MOST_STEPS = 31 };

enum tfprof_status diff_read_run(struct side *side, struct diff_reading *reading, void *profile,
	int64_t step, struct tfprof_error *err)
{
	int64_t steps[MOST_STEPS];
	size_t n = reading->asked->get_steps(profile, steps, MOST_STEPS);
	enum tfprof_status status = TFPROF_OK;

	side->only_step = step;
	if (step >= 0 || n < 2 || !diff_needs_steps(reading))
		status = read_step(side, reading, profile, step, err);
	else
		for (size_t i = 0; status == TFPROF_OK && i < n; i++)
			status = read_step(side, reading, profile, steps[i], err);
	side_end_run(side);
	return status == TFPROF_OK && side->failed ? error_no_memory(err) : status;
}
