/* Edges between groups of nodes, through the public API. */
#include "base/error.h"
#include "base/mem.h"
#include "count/ops.h"
#include "lib/profile.h"
#include "model/attrs.h"
#include "model/run_shapes.h"

/* ---- the type of a tensor ------------------------------------------------------ */

/* Attributes that hold the type of a node's outputs: the first one a node has counts. "T" is
 * that of the inputs too, so it comes last. */
static const char *const type_attributes[] = {"DstT", "out_type", "output_type", "dtype", "T"};

static int attribute_type(const struct model *m, uint32_t node, const char *name)
{
	struct attr attr;

	if (!attrs_get(m, node, span_of(name), &attr) || attr.kind != ATTR_TYPE)
		return DT_INVALID;
	return (int)attr.number;
}

/* The statistics that a normalization puts out besides its result have a type of their own. */
static int output_type(const struct model *m, uint32_t node, bool is_first)
{
	const struct op_rule *rule = op_find_rule(model_text(m, m->nodes.op[node]));
	int type = is_first ? DT_INVALID : attribute_type(m, node, "U");

	if (rule && rule->shape == shape_compare)
		return DT_BOOL;
	for (size_t i = 0; !type && i < sizeof(type_attributes) / sizeof(*type_attributes); i++)
		type = attribute_type(m, node, type_attributes[i]);
	return type;
}

/* ---- sums ------------------------------------------------------------------------ */

struct edge_sum {
	struct tfprof_edges public;
	uint32_t largest_shape;
};

struct edge_sums {
	const struct model *model;
	uint8_t *sizes; /* of an element, + 1, once known: of a node's first output, and others */
	const uint32_t *groups;
	size_t n_groups; /* nodes that have one */
	VEC(struct edge_sum) at;
	struct hash_index index; /* of (from, to) */
	bool failed;
};

struct edge_key {
	const struct edge_sums *sums;
	uint32_t from, to;
};

static bool same_ends(const void *context, uint32_t id)
{
	const struct edge_key *key = context;
	const struct tfprof_edges *e = &key->sums->at.at[id].public;

	return e->from == key->from && e->to == key->to;
}

static struct edge_sum *find_sum(struct edge_sums *s, uint32_t from, uint32_t to)
{
	struct edge_key key = {s, from, to};
	uint32_t ends[] = {from, to};
	uint64_t hash = hash_bytes(ends, sizeof(ends));
	uint32_t id = hash_find(&s->index, hash, same_ends, &key);

	if (id != NONE)
		return &s->at.at[id];
	id = (uint32_t)s->at.n;
	if (!vec_push(&s->at, ((struct edge_sum){{.from = from, .to = to}, 0})) ||
		!hash_add(&s->index, hash, id)) {
		s->failed = true;
		return NULL;
	}
	return &s->at.at[id];
}

/* Bytes of an element of an output; 0 if unknown. Attributes of a node are read once. */
static int64_t element_bytes(struct edge_sums *s, uint32_t node, bool is_first)
{
	uint8_t *size = &s->sizes[2 * (size_t)node + !is_first];

	if (!*size)
		*size = (uint8_t)(1 + dtype_bytes(output_type(s->model, node, is_first)));
	return *size - 1;
}

/* The profile may have got more nodes since the caller counted them. */
static uint32_t group_of(const struct edge_sums *s, uint32_t node)
{
	return node < s->n_groups ? s->groups[node] : TFPROF_NO_GROUP;
}

static void add_edge(struct edge_sums *s, uint32_t to, const struct edge *e, bool is_control)
{
	const struct model *m = s->model;
	uint32_t source = model_node_of(m, e->source), shape;
	int64_t elements;
	uint32_t from = source == NONE ? TFPROF_NO_GROUP : group_of(s, source);
	struct edge_sum *sum;

	if (from == TFPROF_NO_GROUP || from == to)
		return;
	sum = find_sum(s, from, to);
	if (!sum)
		return;
	if (is_control) {
		sum->public.n_controls++;
		return;
	}
	shape = run_shapes_of_edge(m, e, -1);
	elements = shapes_get(&m->shapes, shape)->elements;
	sum->public.n_tensors++;
	sum->public.n_elements = count_add(sum->public.n_elements, elements);
	if (elements > 0)
		sum->public.n_bytes = count_add(sum->public.n_bytes,
			count_multiply(elements, element_bytes(s, source, e->output == 0)));
	if (elements > shapes_get(&m->shapes, sum->largest_shape)->elements)
		sum->largest_shape = shape;
}

static void add_edges(struct edge_sums *s)
{
	const struct model *m = s->model;

	for (uint32_t node = 0; !s->failed && node < m->nodes.n; node++) {
		int32_t first_control = INT32_MAX;

		if (group_of(s, node) == TFPROF_NO_GROUP || !m->nodes.n_edges[node])
			continue;
		first_control = attrs_first_control(m, node);
		for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
			const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + i];

			add_edge(s, s->groups[node], e, e->position >= first_control);
		}
	}
}

static void call_edges(struct edge_sums *s, tfprof_edges_fn *fn, void *context)
{
	struct buf text = {0};

	for (size_t i = 0; i < s->at.n && !s->failed; i++) {
		struct edge_sum *sum = &s->at.at[i];

		text.n = 0;
		shape_put(&text, shapes_get(&s->model->shapes, sum->largest_shape));
		buf_char(&text, '\0');
		s->failed |= text.failed;
		sum->public.largest_shape = text.failed ? "" : text.at;
		if (fn(context, &sum->public))
			break;
	}
	buf_clear(&text);
}

enum tfprof_status tfprof_profile_find_edges(tfprof_profile *p, const uint32_t *groups,
	size_t n_nodes, tfprof_edges_fn *fn, void *context, struct tfprof_error *err)
{
	struct edge_sums s = {.model = &p->model, .groups = groups, .n_groups = n_nodes};
	enum tfprof_status status = profile_lock(p, PROFILE_COMPLETE, err);

	if (status != TFPROF_OK)
		return status;
	s.sizes = mem_zero_array(2 * p->model.nodes.n + 1, sizeof(*s.sizes));
	s.failed = !s.sizes;
	add_edges(&s);
	call_edges(&s, fn, context);
	if (s.failed)
		status = error_no_memory(err);
	mem_free(s.sizes);
	vec_clear(&s.at);
	hash_clear(&s.index);
	return profile_unlock(p, status, err);
}
