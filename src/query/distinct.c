#include "query/distinct.h"

#include "base/sort.h"

/* A linear search will do: few are distinct, and the latest is likeliest. */
static bool add(ids_vec *ids, uint32_t id)
{
	for (size_t i = ids->n; i-- > 0;)
		if (ids->at[i] == id)
			return true;
	return vec_push(ids, id);
}

static bool sort(const struct model *m, ids_vec *ids)
{
	struct span *texts;
	uint32_t *order;
	bool ok;

	if (ids->n < 2)
		return true;
	texts = mem_array(ids->n, sizeof(*texts));
	order = mem_array(ids->n, sizeof(*order));
	ok = texts && order;
	for (size_t i = 0; ok && i < ids->n; i++)
		texts[i] = model_text(m, ids->at[i]);
	ok = ok && sort_texts(texts, order, ids->n);
	for (size_t i = 0; ok && i < ids->n; i++)
		order[i] = ids->at[order[i]];
	if (ok)
		memcpy(ids->at, order, ids->n * sizeof(*order));
	mem_free(texts);
	mem_free(order);
	return ok;
}

bool distinct_devices(const struct query *q, struct row_nodes nodes, ids_vec *ids)
{
	const struct model *m = q->model;

	ids->n = 0;
	for (size_t i = 0; i < nodes.n; i++)
		if (query_picks_node(q, nodes.at[i]) && !add(ids, query_device(q, nodes.at[i])))
			return false;
	return sort(m, ids);
}

/* Nodes have few distinct sets of types. */
static bool add_sets(const struct query *q, struct row_nodes nodes, ids_vec *sets)
{
	for (size_t i = 0; i < nodes.n; i++) {
		uint32_t set = query_types(q, nodes.at[i]);

		if (query_picks(q, set) && !add(sets, set))
			return false;
	}
	return true;
}

bool distinct_types(const struct query *q, struct row_nodes nodes, ids_vec *ids)
{
	ids_vec sets = {0};
	bool ok = add_sets(q, nodes, &sets);

	ids->n = 0;
	for (size_t i = 0; ok && i < sets.n; i++) {
		const struct string_set *set = sets_get(&q->model->sets, sets.at[i]);

		for (uint32_t k = 0; ok && k < set->n; k++)
			ok = add(ids, set->at[k]);
	}
	vec_clear(&sets);
	return ok && sort(q->model, ids);
}
