#include "model/run_shapes.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/sort.h"

/* ---- names of fed and fetched tensors ------------------------------------------- */

/* Cuts "_7" off the end. False if there is none. */
static bool cut_number(struct span *name, int32_t *number)
{
	size_t n = ascii_trailing_digits(*name);
	int64_t value = 0;

	if (!n || n > 9 || n + 1 >= name->n || name->at[name->n - n - 1] != '_')
		return false;
	for (size_t i = name->n - n; i < name->n; i++)
		value = value * 10 + (name->at[i] - '0');
	*number = (int32_t)value;
	name->n -= n + 1;
	return true;
}

/* What stands for a tensor where a graph is cut: "_arg_x_0_2" and "_retval_x_0_2" for output 0 of
 * x, and before TensorFlow 1.5, or in another process, "_recv_x_0". */
static const struct {
	const char *prefix;
	bool has_index; /* among all that are fed, or fetched */
} cuts[] = {{"_arg_", true}, {"_retval_", true}, {"_recv_", false}};

static void find_tensor(const struct model *m, struct run_shape *s)
{
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		struct span name = model_name(m, s->node), prefix = span_of(cuts[i].prefix);
		int32_t output, unused;
		uint32_t node;

		if (!span_starts(name, prefix))
			continue;
		name = (struct span){name.at + prefix.n, name.n - prefix.n};
		if ((cuts[i].has_index && !cut_number(&name, &unused)) ||
			!cut_number(&name, &output))
			continue;
		node = model_find_node(m, name);
		if (node == NONE)
			continue;
		s->node = node;
		s->output = output;
		return;
	}
}

/* ---- preparing ------------------------------------------------------------------- */

static int compare(const struct run_shape *a, const struct run_shape *b)
{
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->output != b->output)
		return a->output < b->output ? -1 : 1;
	return (a->step > b->step) - (a->step < b->step);
}

static int compare_items(const void *a, const void *b)
{
	return compare(a, b);
}

static bool same_tensor(const struct run_shape *a, const struct run_shape *b)
{
	return a->node == b->node && a->output == b->output;
}

static bool same_shape(const struct run_shape *a, const struct run_shape *b)
{
	return a->shape == b->shape && a->is_scalar == b->is_scalar;
}

/* Leaves one entry for each step; unknown where the runs of a step differ. */
static void merge_steps(struct model *m)
{
	struct run_shape *at = m->run_shapes.at;
	size_t n = 0;

	for (size_t i = 0; i < m->run_shapes.n; i++) {
		if (n && compare(&at[n - 1], &at[i]) == 0) {
			if (!same_shape(&at[n - 1], &at[i]))
				at[n - 1].shape = 0;
		} else {
			at[n++] = at[i];
		}
	}
	m->run_shapes.n = n;
}

/* What the shapes of the steps [first, end) have in common. False on allocation failure. */
static bool add_common(struct model *m, size_t first, size_t end)
{
	struct run_shape common = m->run_shapes.at[first];
	dims_vec dims = {0};
	bool ok = true, differs = false;

	for (size_t i = first; i < end; i++)
		differs |= !same_shape(&common, &m->run_shapes.at[i]);
	if (!differs)
		return true;
	for (size_t i = first; ok && i < end; i++) {
		const struct shape *shape = shapes_get(&m->shapes, m->run_shapes.at[i].shape);

		if (i == first)
			for (uint32_t k = 0; ok && k < shape->n; k++)
				ok = vec_push(&dims, shape->dims[k]);
		if (dims.n != shape->n || m->run_shapes.at[i].is_scalar != common.is_scalar)
			dims.n = 0;
		for (uint32_t k = 0; k < dims.n; k++)
			if (dims.at[k] != shape->dims[k])
				dims.at[k] = -1;
		if (!dims.n)
			break;
	}
	common.step = RUN_SHAPES_ALL;
	common.shape = ok ? shapes_add(&m->shapes, dims.at, dims.n) : NONE;
	vec_clear(&dims);
	return common.shape != NONE && vec_push(&m->run_shapes, common);
}

static void sort_all(struct model *m)
{
	if (m->run_shapes.n)
		qsort(m->run_shapes.at, m->run_shapes.n, sizeof(*m->run_shapes.at), compare_items);
}

static void drop_common(struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->run_shapes.n; i++)
		if (m->run_shapes.at[i].step != RUN_SHAPES_ALL)
			m->run_shapes.at[n++] = m->run_shapes.at[i];
	m->run_shapes.n = n;
}

bool run_shapes_prepare(struct model *m)
{
	size_t n, first = 0;
	bool ok = true;

	if (m->n_run_shapes == m->run_shapes.n)
		return true;
	if (!model_index_names(m))
		return false;
	drop_common(m);
	for (size_t i = 0; i < m->run_shapes.n; i++)
		if (m->nodes.flags[m->run_shapes.at[i].node] & NODE_UNDEFINED)
			find_tensor(m, &m->run_shapes.at[i]);
	sort_all(m);
	merge_steps(m);
	n = m->run_shapes.n;
	for (size_t i = 1; ok && i <= n; i++) {
		if (i < n && same_tensor(&m->run_shapes.at[first], &m->run_shapes.at[i]))
			continue;
		ok = add_common(m, first, i);
		first = i;
	}
	sort_all(m);
	m->n_run_shapes = ok ? m->run_shapes.n : 0;
	return ok;
}

/* ---- finding ---------------------------------------------------------------------- */

const struct run_shape *run_shapes_find(const struct model *m, uint32_t node, int32_t output,
	int64_t step)
{
	struct run_shape wanted = {.node = node,
		.output = output,
		.step = step < 0 ? RUN_SHAPES_ALL : step};
	size_t low = 0;

	sort_search(low, m->n_run_shapes, i, compare(&m->run_shapes.at[i], &wanted) < 0);
	/* Where all steps agree, there is no entry for all. */
	if (low == m->n_run_shapes || !same_tensor(&m->run_shapes.at[low], &wanted) ||
		(step >= 0 && m->run_shapes.at[low].step != step) || !m->run_shapes.at[low].shape)
		return NULL;
	return &m->run_shapes.at[low];
}

static bool is_known(const struct shape *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->dims[i] < 0)
			return false;
	return s->n;
}

/* Whether a shape that ran is one that the graph allows. */
static bool fits(const struct shape *known, const struct shape *ran)
{
	if (known->n && known->n != ran->n)
		return false;
	for (uint32_t i = 0; i < known->n; i++)
		if (known->dims[i] >= 0 && ran->dims[i] >= 0 && known->dims[i] != ran->dims[i])
			return false;
	return true;
}

uint32_t run_shapes_of_edge(const struct model *m, const struct edge *e, int64_t step)
{
	uint32_t shape = model_edge_shape(m, e), source = model_node_of(m, e->source);
	const struct run_shape *ran;

	if (!m->n_run_shapes || source == NONE || is_known(shapes_get(&m->shapes, shape)))
		return shape;
	ran = run_shapes_find(m, source, e->output, step);
	if (!ran && step >= 0)
		ran = run_shapes_find(m, source, e->output, -1);
	if (!ran || !fits(shapes_get(&m->shapes, shape), shapes_get(&m->shapes, ran->shape)))
		return shape;
	/* That of a placeholder or a variable. */
	if (!e->output &&
		!fits(shapes_get(&m->shapes, m->nodes.shape[source]),
			shapes_get(&m->shapes, ran->shape)))
		return shape;
	return ran->shape;
}
