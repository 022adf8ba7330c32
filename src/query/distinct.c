#include "query/distinct.h"

#include <stdlib.h>

#include "base/sort.h"

/* Ids, of which equal ones are dropped when there are as many again as after the last time. */
struct set {
	ids_vec *ids;
	size_t limit;
};

static int by_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void drop_equal(ids_vec *ids)
{
	size_t n = 0;

	if (ids->n)
		qsort(ids->at, ids->n, sizeof(*ids->at), by_id);
	for (size_t i = 0; i < ids->n; i++)
		if (!n || ids->at[i] != ids->at[n - 1])
			ids->at[n++] = ids->at[i];
	ids->n = n;
}

/* Mostly few are distinct, and the latest is likeliest. */
static bool add(struct set *set, uint32_t id)
{
	enum { N_NEAR = 32 };
	const ids_vec *ids = set->ids;

	for (size_t i = ids->n; i > 0 && i + N_NEAR > ids->n; i--)
		if (ids->at[i - 1] == id)
			return true;
	if (ids->n >= set->limit) {
		drop_equal(set->ids);
		set->limit = 2 * (ids->n + N_NEAR);
	}
	return vec_push(set->ids, id);
}

static bool sort(const struct model *m, ids_vec *ids)
{
	struct span *texts;
	uint32_t *order;
	bool ok;

	drop_equal(ids);
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
	struct set set = {.ids = ids};

	ids->n = 0;
	for (size_t i = 0; i < nodes.n; i++)
		if (query_picks_node(q, nodes.at[i]) && !add(&set, query_device(q, nodes.at[i])))
			return false;
	return sort(q->model, ids);
}

/* Nodes have few distinct sets of types. */
static bool add_sets(const struct query *q, struct row_nodes nodes, ids_vec *sets)
{
	struct set ids = {.ids = sets};

	for (size_t i = 0; i < nodes.n; i++) {
		uint32_t set = query_types(q, nodes.at[i]);

		if (query_picks(q, set) && !add(&ids, set))
			return false;
	}
	drop_equal(sets);
	return true;
}

bool distinct_types(const struct query *q, struct row_nodes nodes, ids_vec *ids)
{
	ids_vec sets = {0};
	struct set distinct = {.ids = ids};
	bool ok = add_sets(q, nodes, &sets);

	ids->n = 0;
	for (size_t i = 0; ok && i < sets.n; i++) {
		const struct string_set *set = sets_get(&q->model->sets, sets.at[i]);

		for (uint32_t k = 0; ok && k < set->n; k++)
			ok = add(&distinct, set->at[k]);
	}
	vec_clear(&sets);
	return ok && sort(q->model, ids);
}
