/* Building a graph of layers from a Keras configuration: what keras_graph.c and
 * keras_config.c share. */
#ifndef TFPROF_LOAD_KERAS_BUILD_H
#define TFPROF_LOAD_KERAS_BUILD_H

#include "load/model_keras.h"

/* A model of the configuration, to be turned into a graph. */
struct keras_task {
	uint32_t config;      /* its config in the document */
	struct span prefix;   /* of its layers' names: "encoder/" */
	struct span function; /* its name; empty: the main graph */
	bool is_repeat;       /* its layers have been counted before */
	bool is_sequential;
	bool is_distributed; /* it is a TimeDistributed, whose config this is */
};

struct keras_builder {
	struct model_file *m;
	struct model_keras *k;
	VEC(struct keras_task) tasks;
	struct strings names;     /* of the layers of the model being built */
	VEC(uint32_t) first_node; /* of each name, by string id */
	VEC(uint32_t) n_calls;
	bool no_memory;
	size_t n_layers;
};

/* The member of an object, and the text of a value. */
uint32_t keras_get(const struct keras_builder *b, uint32_t object, const char *key);
struct span keras_text(const struct keras_builder *b, uint32_t value);
/* The n-th of a list, from 0; NONE if there are less. */
uint32_t keras_nth(const struct keras_builder *b, uint32_t list, size_t n);
/* Texts joined, kept with the model. */
struct span keras_join(struct keras_builder *b, struct span prefix, struct span name,
	const char *tail);

/* Attributes of the node that is being built. */
void keras_add_int(struct keras_builder *b, struct graph *g, enum attr_id id, int64_t number);
void keras_add_text(struct keras_builder *b, struct graph *g, enum attr_id id, struct span value);
/* Numbers of a list, of nested lists one after the other; null is -1. */
void keras_add_ints(struct keras_builder *b, struct graph *g, enum attr_id id, uint32_t list,
	enum op_attr_kind kind);
void keras_add_numbers(struct keras_builder *b, struct graph *g, enum attr_id id,
	enum op_attr_kind kind, const int64_t *at, uint32_t n);
/* Whether a member is true, or not there. */
bool keras_is_true(const struct keras_builder *b, uint32_t config, const char *key);
/* All members of a config that some rule reads. */
void keras_add_config(struct keras_builder *b, struct graph *g, uint32_t config);
/* The cells of an RNN, and the parts of x[…] that a call of GetItem takes. */
void keras_add_cells(struct keras_builder *b, struct graph *g, uint32_t config);
void keras_add_key(struct keras_builder *b, struct graph *g, uint32_t layer, int64_t call);
/* "float32", or a policy that has it in its config: a mixed one keeps weights in float32. */
int keras_dtype(const struct keras_builder *b, uint32_t value);

/* Adds a node that was started (graph_start_node()) and has its edges and attributes;
 * returns its index. */
uint32_t keras_add_node(struct keras_builder *b, struct graph *g, struct op_node node,
	struct span type, const struct op_rule *rule);
uint32_t keras_add_arg(struct keras_builder *b, struct graph *g, struct span name);

#endif
