/* Layers of a graph that Keras 3 made, with the names and in the order of model.summary(). */
#ifndef TFPROF_COUNT_LAYER_NAMES_H
#define TFPROF_COUNT_LAYER_NAMES_H

#include "count/walk.h"
#include "model/layer_tree.h"

struct layer_names {
	struct layer_tree tree;
	uint32_t *of_record;    /* places in the tree */
	uint32_t *of_parameter; /* likewise: a parameter is where its reader is */
	struct span *names;     /* by scope; .at NULL: not made yet */
	uint32_t site;          /* where most records are: the model's function */
	const char *first;      /* of the names of nodes there, as the file has them */
	struct arena *arena;    /* of the names */
	struct buf text;
};

/* Reads all names. `tree.is_keras` says whether the others apply. False on allocation failure;
 * clear in any case. */
bool layer_names_read(struct layer_names *n, struct walk *w, struct arena *arena);
void layer_names_clear(struct layer_names *n);

/* The layer that a place is in, down to a depth at which the model has 1: "block_a/attn". Empty if
 * it is in none; .at NULL on allocation failure. */
struct span layer_names_get(struct layer_names *n, uint32_t place, int max_depth);

/* Where a record comes in the file: Keras makes layers in the order of the summary, while a walk
 * follows the data. NONE if it is in another function. */
uint32_t layer_names_get_place(const struct layer_names *n, const struct record *r);

/* What is left of a name without the numbers that Keras generates, as a hash: equal for
 * "block/dense" and "block/dense_3". 0 if the last part of the name is a user's. `type` is the
 * layer's class, if that is known. */
uint64_t layer_name_get_kind(struct span name, struct span type);

#endif
