/* The layers of a graph, from the names of its nodes.
 *
 *     lm_1/head_1/MatMul                                 forward  ┐
 *     gradient_tape/lm_1/head_1/MatMul/MatMul_1          backward ┴─ lm > head
 *     lm_1/gru_1/while/body/_1/lm_1/gru_1/while/MatMul   forward ─── lm > gru
 *
 * Keras 3 opens the scope of a layer twice and works in the second: the call of a layer `head`
 * takes the names head and head_1, the next call head_2 and head_3. So such a scope
 * has one number more than its layer, and the scope without it is not there. Scopes of operations
 * are (Cast, Cast_1). A graph in which this does not fit has other layers: its scopes.
 *
 * Use: init, add the name of every node, finish, then ask. */
#ifndef TFPROF_MODEL_LAYER_TREE_H
#define TFPROF_MODEL_LAYER_TREE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"

/* A node or a scope of nodes. The first is the root. */
struct layer_scope {
	struct span part;  /* of the names below it */
	struct span name;  /* of the layer */
	uint32_t parent;   /* NONE: the root has none */
	uint32_t n_layers; /* layers right below it */
	uint32_t layer;    /* the scope that stands for it: calls of one layer are one */
	uint32_t n_work;   /* nodes that compute something, below it or itself */
	bool is_node, is_scope, is_layer;
};

struct layer_tree {
	VEC(struct layer_scope) at;
	struct hash_index index; /* (parent, part) */
	bool nodes_are_layers;   /* set before finishing: of a file that lists layers */
	bool is_keras;           /* layers are those of Keras 3; otherwise all scopes are */
	uint32_t trunk;          /* the model, if it is one scope: its layers are those to show */
	struct buf path;
	struct arena arena;
	bool failed;
};

/* False on allocation failure; clear in any case. */
bool layer_tree_init(struct layer_tree *t);
void layer_tree_clear(struct layer_tree *t);

/* Adds a node; `has_work` unless it is a constant or an input. Returns its place, and whether it
 * is of the backward pass. The name must live as long as the tree. */
uint32_t layer_tree_add(struct layer_tree *t, struct span name, bool has_work, bool *is_backward);

/* Whether a node is of another replica than the first, whose variables are copies. */
bool layer_tree_is_of_copy(struct span name);

/* Finds the layers. False on allocation failure, also in earlier calls of layer_tree_add(). */
bool layer_tree_finish(struct layer_tree *t);

/* The innermost layer that a node is in; 0 if it is in none. */
uint32_t layer_tree_get_layer(const struct layer_tree *t, uint32_t node);
/* The layer around a layer; 0 if there is none. */
uint32_t layer_tree_get_parent(const struct layer_tree *t, uint32_t layer);

#endif
