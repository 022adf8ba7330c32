#include "load/id_map.h"

#include <stdlib.h>

static int by_id(const void *a, const void *b)
{
	const struct id_node *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* The id others know a node by; `*i` goes along with the nodes, from 0. */
static int64_t key_of(const struct model *m, uint32_t node, size_t *i)
{
	if (*i < m->flow.keys.n && m->flow.keys.at[*i].node == node)
		return m->flow.keys.at[(*i)++].key;
	return m->nodes.id[node];
}

static bool ids_in_order(const struct model *m)
{
	if (m->flow.keys.n)
		return false;
	for (size_t node = 0; node < m->flow.n; node++)
		if (m->nodes.id[node] != (int64_t)node)
			return false;
	return true;
}

bool id_map_init(struct id_map *map, const struct model *m)
{
	size_t n = m->flow.n, i = 0;

	*map = (struct id_map){.n_same = ids_in_order(m) ? n : 0};
	if (map->n_same)
		return true;
	map->n_table = 2 * n + 64;
	map->table = mem_array(map->n_table, sizeof(*map->table));
	if (!map->table)
		return false;
	memset(map->table, 0xff, map->n_table * sizeof(*map->table));
	for (uint32_t node = 0; node < n; node++) {
		int64_t id = key_of(m, node, &i);

		if (id >= 0 && (uint64_t)id < map->n_table)
			map->table[id] = node;
		else
			map->n_sorted++;
	}
	if (!map->n_sorted)
		return true;
	map->sorted = mem_array(map->n_sorted, sizeof(*map->sorted));
	if (!map->sorted)
		return false;
	map->n_sorted = i = 0;
	for (uint32_t node = 0; node < n; node++) {
		int64_t id = key_of(m, node, &i);

		if (id < 0 || (uint64_t)id >= map->n_table)
			map->sorted[map->n_sorted++] = (struct id_node){id, node};
	}
	qsort(map->sorted, map->n_sorted, sizeof(*map->sorted), by_id);
	return true;
}

void id_map_clear(struct id_map *map)
{
	mem_free(map->table);
	mem_free(map->sorted);
}

uint32_t id_map_find(const struct id_map *map, int64_t id)
{
	struct id_node key = {id, 0}, *hit;

	if (id >= 0 && (uint64_t)id < map->n_same)
		return (uint32_t)id;
	if (id >= 0 && (uint64_t)id < map->n_table)
		return map->table[id];
	hit = map->n_sorted ? bsearch(&key, map->sorted, map->n_sorted, sizeof(key), by_id) : NULL;
	return hit ? hit->node : NONE;
}
