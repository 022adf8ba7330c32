/* Whose time a fused kernel takes.
 *
 * TensorFlow's optimizer joins a convolution or matrix product and what follows it into one
 * kernel, under the name of the last node:
 *
 *     Conv2D ──> BiasAdd ──> AddV2 ──> Relu      the graph
 *     (owner)    (───── members ──────────)
 *                                      Relu      the trace: of type _FusedConv2D
 *
 * The time is the convolution's: it goes to the owner. The members ran as often, in no time of
 * their own, so that their float operations are counted as often. A node that the trace has by
 * itself is no member: its result is an input of the kernel. */
#include "count/ops.h"
#include "load/xplane/apply.h"
#include "model/executed.h"

/* A chain of more nodes is not followed: TensorFlow fuses fewer. */
enum { MOST_MEMBERS = 32 };

struct fuser {
	struct apply *apply;
	bool *has_run;  /* by node */
	uint32_t *seen; /* by node: the target it was last seen for, + 1 */
	uint32_t members[MOST_MEMBERS];
	size_t n_members;
	uint32_t owner; /* NONE: none, or several */
	bool is_ambiguous;
};

/* What can be part of a kernel behind its convolution or product: element-wise operations,
 * normalization, and those that only give a tensor another shape. */
static bool can_be_member(struct span type)
{
	const struct op_rule *rule = op_find_rule(type);

	return rule && !op_rule_is_product(rule) &&
		(rule->place == PLACE_OVER || rule->place == PLACE_ALIAS ||
			rule->shape == shape_batch_norm || rule->shape == shape_cast);
}

/* Looks at a node that may be the owner or a member. */
static void look_at(struct fuser *f, uint32_t node, struct span kernel, uint32_t mark)
{
	struct span type = model_text(f->apply->model, f->apply->model->nodes.op[node]);

	if (f->seen[node] == mark)
		return;
	f->seen[node] = mark;
	if (executed_is_fused_of(kernel, type)) {
		f->is_ambiguous |= f->owner != NONE;
		f->owner = node;
	} else if (can_be_member(type)) {
		f->is_ambiguous |= f->n_members == MOST_MEMBERS;
		if (f->n_members < MOST_MEMBERS)
			f->members[f->n_members++] = node;
	}
}

/* Follows data inputs from the last node of the chain. */
static void follow(struct fuser *f, uint32_t last, struct span kernel, uint32_t mark)
{
	const struct model *m = f->apply->model;

	f->n_members = 0;
	f->owner = NONE;
	f->is_ambiguous = false;
	look_at(f, last, kernel, mark);
	for (size_t i = 0; i < f->n_members; i++) {
		uint32_t node = f->members[i];
		uint32_t n = m->nodes.n_edges[node];

		for (uint32_t k = 0; k < n; k++) {
			const struct edge *e = &m->edges.at[m->nodes.first_edge[node] + k];
			uint32_t source = e->output < 0 ? NONE : model_node_of(m, e->source);

			if (source != NONE && !f->has_run[source])
				look_at(f, source, kernel, mark);
		}
	}
	if (f->is_ambiguous)
		f->owner = NONE;
}

/* Whether one of its inputs is in the chain. */
static bool is_fed(const struct fuser *f, uint32_t node, const bool *is_kept)
{
	const struct model *m = f->apply->model;
	uint32_t first = m->nodes.first_edge[node];

	for (uint32_t k = first; k < first + m->nodes.n_edges[node]; k++) {
		uint32_t source = model_node_of(m, m->edges.at[k].source);

		if (source == f->owner)
			return true;
		for (size_t i = 0; i < f->n_members; i++)
			if (is_kept[i] && f->members[i] == source)
				return true;
	}
	return false;
}

/* Keeps those that the owner's result gets to: others, such as the shape of a bias, may have been
 * computed in advance. */
static bool keep_members(struct fuser *f)
{
	bool is_kept[MOST_MEMBERS] = {false}, is_done = false;

	while (!is_done) {
		is_done = true;
		for (size_t i = f->n_members; i-- > 0;) {
			if (is_kept[i] || !is_fed(f, f->members[i], is_kept))
				continue;
			is_kept[i] = true;
			is_done = false;
			if (!vec_push(&f->apply->fused,
				    ((struct fused_node){f->members[i], f->owner})))
				return false;
		}
	}
	return true;
}

/* Without its chain, a kernel is shown as what it is, not as the operation it ended with. */
static bool fuse(struct fuser *f, uint32_t target, struct span kernel)
{
	struct apply *a = f->apply;
	struct model *m = a->model;
	uint32_t last = a->nodes[target];

	follow(f, last, kernel, target + 1);
	if (f->owner == NONE) {
		m->nodes.flags[last] |= NODE_UNDEFINED | NODE_CHANGED;
		return true;
	}
	a->is_fused[target] = true;
	if (f->owner == last)
		return true;
	a->nodes[target] = f->owner;
	return keep_members(f);
}

static bool fuse_all(struct fuser *f)
{
	struct apply *a = f->apply;
	const struct trace *t = a->trace;

	for (uint32_t i = 0; i < t->targets.n; i++)
		f->has_run[a->nodes[i]] = true;
	for (uint32_t i = 0; i < t->targets.n; i++) {
		struct span type = strings_get(&t->texts, t->targets.at[i].type);

		if (t->targets.at[i].module || !a->is_joined[i] || !type.n)
			continue;
		if (executed_is_fused(type,
			    model_text(a->model, a->model->nodes.op[a->nodes[i]])) &&
			!fuse(f, i, type))
			return false;
		if (!executed_add(a->model, a->nodes[i], type))
			return false;
	}
	return true;
}

bool apply_fused(struct apply *a)
{
	size_t n = a->model->nodes.n + 1;
	struct fuser f = {.apply = a,
		.has_run = mem_zero_array(n, sizeof(*f.has_run)),
		.seen = mem_zero_array(n, sizeof(*f.seen))};
	bool ok;

	a->is_fused = mem_zero_array(a->trace->targets.n + 1, sizeof(*a->is_fused));
	ok = f.has_run && f.seen && a->is_fused && fuse_all(&f);
	mem_free(f.has_run);
	mem_free(f.seen);
	return ok;
}

/* A member is where its owner is. */
static bool place_member(struct model *m, uint32_t node, uint32_t owner)
{
	if (m->nodes.device[node] || !m->nodes.device[owner])
		return true;
	m->nodes.device[node] = m->nodes.device[owner];
	m->nodes.host_device[node] = m->nodes.host_device[owner];
	return model_add_type(m, node, m->nodes.device[owner]);
}

static bool add_member_runs(struct model *m, uint32_t node, uint32_t owner)
{
	for (uint32_t of = m->nodes.first_exec[owner]; of != NONE;
		of = exec_at(&m->execs, of)->next) {
		int64_t n_runs = exec_get_sums(&m->execs, of).run_count;
		uint32_t row = exec_row(m, node, exec_at(&m->execs, of)->step);
		struct exec_added added = {0};

		if (row == NONE)
			return false;
		n_runs -= exec_get_sums(&m->execs, row).run_count;
		added.sums.run_count = n_runs > 0 ? n_runs : 0;
		if (!exec_add(m, row, &added))
			return false;
	}
	m->nodes.flags[node] |= NODE_CHANGED;
	return place_member(m, node, owner);
}

bool apply_fused_runs(struct apply *a)
{
	bool ok = true;

	for (size_t i = 0; ok && i < a->fused.n; i++)
		ok = add_member_runs(a->model, a->fused.at[i].node, a->fused.at[i].owner);
	return ok;
}
