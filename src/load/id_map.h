/* Which node of a saved profile an id means.
 *
 * Ids are the node numbers of the profile that was saved, so nearly always 0…n-1,
 * mostly in that order: then an id is a node. Else a table answers, and what is far
 * from that is searched in a sorted list. */
#ifndef TFPROF_LOAD_ID_MAP_H
#define TFPROF_LOAD_ID_MAP_H

#include "model/model.h"

struct id_map {
	size_t n_same; /* an id below is the node */
	uint32_t *table;
	size_t n_table;
	struct id_node {
		int64_t id;
		uint32_t node;
	} * sorted;
	size_t n_sorted;
};

/* For the nodes of the model's pending flow. False on allocation failure; clear it in
 * any case. */
bool id_map_init(struct id_map *map, const struct model *m);
void id_map_clear(struct id_map *map);

/* NONE if no node has this id. */
uint32_t id_map_find(const struct id_map *map, int64_t id);

#endif
