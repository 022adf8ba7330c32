/* The tables ops and nodes. */
#include "base/sort.h"
#include "model/executed.h"
#include "ask/tables.h"

/* ---- ops ----------------------------------------------------------------------- */

enum { OPS_STEP, OPS_DEVICE, OPS_OP, OPS_NUMBERS, OPS_DEFINITIONS = OPS_NUMBERS + N_METRICS };

static const struct tfprof_column_info ops_infos[] = {
	{"step", TFPROF_COLUMN_INT64, NULL, 0},
	{"device", TFPROF_COLUMN_TEXT, NULL, 0},
	{"op", TFPROF_COLUMN_TEXT, NULL, 0},
	METRICS_IN_RESULTS(OWN_INFO){"definition_count", TFPROF_COLUMN_INT64, "count", 0},
};

/* Nodes of one device and op: string ids. */
struct op_group {
	uint32_t device, op;
};

struct op_groups {
	VEC(struct op_group) at;
	struct hash_index index;
	uint32_t *of_node;
	struct span *texts;
	uint32_t *order, *by_device; /* by op and device; by device alone */
};

struct group_probe {
	const struct op_groups *groups;
	struct op_group wanted;
};

static bool same_group(const void *context, uint32_t id)
{
	const struct group_probe *p = context;
	const struct op_group *g = &p->groups->at.at[id];

	return g->device == p->wanted.device && g->op == p->wanted.op;
}

static bool find_group(struct op_groups *groups, const struct model *m, uint32_t node)
{
	struct group_probe p = {groups, {model_device(m, node), model_op(m, node)}};
	uint64_t hash = hash_mix(hash_mix(1, p.wanted.device), p.wanted.op);
	uint32_t id = hash_find(&groups->index, hash, same_group, &p);

	if (id == NONE) {
		id = (uint32_t)groups->at.n;
		if (!vec_push(&groups->at, p.wanted) || !hash_add(&groups->index, hash, id))
			return false;
	}
	groups->of_node[node] = id;
	return true;
}

/* By op, and by device where ops are equal: sorting is stable. */
static bool sort_groups(struct op_groups *groups, const struct model *m)
{
	size_t n = groups->at.n;

	groups->texts = mem_array(n, sizeof(*groups->texts));
	groups->order = mem_array(n, sizeof(*groups->order));
	groups->by_device = mem_array(n, sizeof(*groups->by_device));
	if (!groups->texts || !groups->order || !groups->by_device)
		return false;
	for (size_t i = 0; i < n; i++)
		groups->texts[i] = model_text(m, groups->at.at[i].device);
	if (!sort_texts(groups->texts, groups->by_device, n))
		return false;
	for (size_t i = 0; i < n; i++)
		groups->texts[i] = model_text(m, groups->at.at[groups->by_device[i]].op);
	if (!sort_texts(groups->texts, groups->order, n))
		return false;
	for (size_t i = 0; i < n; i++)
		groups->order[i] = groups->by_device[groups->order[i]];
	return true;
}

static bool find_groups(struct op_groups *groups, const struct model *m)
{
	groups->of_node = mem_array(m->nodes.n, sizeof(*groups->of_node));
	if (!groups->of_node)
		return false;
	for (uint32_t i = 0; i < m->nodes.n; i++)
		if (!find_group(groups, m, i))
			return false;
	return sort_groups(groups, m);
}

static void clear_groups(struct op_groups *groups)
{
	vec_clear(&groups->at);
	hash_clear(&groups->index);
	mem_free(groups->of_node);
	mem_free(groups->texts);
	mem_free(groups->order);
	mem_free(groups->by_device);
}

static void put_op(struct column_table *t, size_t row, const struct step_sums *sums,
	const struct op_group *group, size_t id, size_t place)
{
	struct table_column *c = t->columns;
	struct numbers numbers = step_sums_get(sums, id, place);

	c[OPS_STEP].numbers[row] = step_list_number(&sums->steps, place);
	table_put_text(&c[OPS_DEVICE], model_text(sums->steps.model, group->device));
	table_put_text(&c[OPS_OP], model_text(sums->steps.model, group->op));
	table_put_numbers(&c[OPS_NUMBERS], row, &numbers);
	c[OPS_DEFINITIONS].numbers[row] = sums->n_definitions[id];
}

static enum tfprof_status put_ops(struct column_table *t, const struct step_sums *sums,
	const struct op_groups *groups, struct tfprof_error *err)
{
	size_t row = 0;

	for (size_t i = 0; i < groups->at.n; i++)
		for (size_t place = 0; place < sums->steps.n; place++)
			put_op(t, row++, sums, &groups->at.at[groups->order[i]], groups->order[i],
				place);
	return column_table_finish(t, err);
}

enum tfprof_status table_make_ops(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err)
{
	enum { N = sizeof(ops_infos) / sizeof(*ops_infos) };
	struct op_groups groups = {0};
	struct step_sums sums = {0};
	enum tfprof_status status = TFPROF_OK;

	if (!find_groups(&groups, source->model))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = table_start(t, ops_infos, N, &source->steps, groups.at.n, err);
	if (status == TFPROF_OK)
		status = step_sums_init(&sums, &source->steps, groups.at.n, err);
	if (status == TFPROF_OK) {
		for (uint32_t i = 0; i < source->model->nodes.n; i++)
			step_sums_add(&sums, i, groups.of_node[i]);
		status = put_ops(t, &sums, &groups, err);
	}
	step_sums_clear(&sums);
	clear_groups(&groups);
	return status;
}

/* ---- nodes ----------------------------------------------------------------------- */

enum { NODES_STEP, NODES_NAME, NODES_OP, NODES_DEVICE, NODES_DEPTH, NODES_NUMBERS };

static const struct tfprof_column_info nodes_infos[] = {{"step", TFPROF_COLUMN_INT64, NULL, 0},
	{"name", TFPROF_COLUMN_TEXT, NULL, 0}, {"op", TFPROF_COLUMN_TEXT, NULL, 0},
	{"device", TFPROF_COLUMN_TEXT, NULL, 0}, {"depth", TFPROF_COLUMN_INT64, NULL, 0},
	METRICS_IN_RESULTS(OWN_INFO)};

static int64_t depth_of(struct span name)
{
	int64_t depth = 1;

	for (size_t i = 0; i < name.n; i++)
		depth += name.at[i] == '/';
	return depth;
}

static void put_node(struct column_table *t, const struct table_source *source, uint32_t node,
	size_t first_row, uint32_t *execs)
{
	const struct model *m = source->model;
	struct table_column *c = t->columns;
	struct span name = model_name(m, node);
	int64_t depth = depth_of(name);

	for (size_t place = 0; place < source->steps.n; place++)
		execs[place] = NONE;
	for (uint32_t row = m->nodes.first_exec[node]; row != NONE;
		row = exec_at(&m->execs, row)->next) {
		uint32_t place = step_list_find(&source->steps, exec_at(&m->execs, row)->step);

		if (place != NONE)
			execs[place] = row;
	}
	for (size_t place = 0; place < source->steps.n; place++) {
		size_t row = first_row + place;
		struct numbers numbers;

		metrics_of_exec(m, node, execs[place], &numbers);
		c[NODES_STEP].numbers[row] = step_list_number(&source->steps, place);
		table_put_text(&c[NODES_NAME], name);
		table_put_text(&c[NODES_OP], model_text(m, model_op(m, node)));
		table_put_text(&c[NODES_DEVICE], model_text(m, model_device(m, node)));
		c[NODES_DEPTH].numbers[row] = depth;
		table_put_numbers(&c[NODES_NUMBERS], row, &numbers);
	}
}

enum tfprof_status table_make_nodes(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err)
{
	enum { N = sizeof(nodes_infos) / sizeof(*nodes_infos) };
	size_t n = source->model->nodes.n;
	uint32_t *execs = mem_array(source->steps.n, sizeof(*execs));
	enum tfprof_status status = execs ? table_start(t, nodes_infos, N, &source->steps, n, err)
					  : error_no_memory(err);

	if (status == TFPROF_OK) {
		for (size_t i = 0; i < n; i++)
			put_node(t, source, source->by_name[i], i * source->steps.n, execs);
		status = column_table_finish(t, err);
	}
	mem_free(execs);
	return status;
}
