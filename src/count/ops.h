/* The operation types, a line each: TensorFlow's names, Keras's layers and TensorFlow
 * Lite's.
 *
 *     name     of the type; a layer's or a TFLite operator's gets a prefix (see load/)
 *     shape    how its outputs' types and shapes follow from its inputs (shape_NAME)
 *     cost     its multiply-accumulates and other float operations (cost_NAME)
 *     factor   of the cost: float operations per element, or directions of a recurrent one
 *     value    how its value is computed if its inputs' values are known (VALUE_NAME)
 *     place    where its output lives: NEW memory, that of an input that is no longer
 *              needed (OVER), its first input's (ALIAS), or none (NOWHERE)
 *
 * Not being listed is no error: the walk takes the shapes the file gives, and reports the
 * operation as not counted. */
#ifndef TFPROF_COUNT_OPS_H
#define TFPROF_COUNT_OPS_H

#include "count/op_list.h"
#include "count/graph.h"

enum op_place { PLACE_NEW, PLACE_OVER, PLACE_ALIAS, PLACE_NOWHERE };

enum value_op {
#define X(name) VALUE_##name,
	VALUES(X)
#undef X
};

struct cost {
	int64_t macs;
	int64_t others; /* float operations that are no multiply-accumulates */
};

static inline int64_t cost_float_ops(struct cost c)
{
	return count_add(count_multiply(c.macs, 2), c.others);
}

/* A node and what is known about its inputs. */
struct eval {
	const struct graph *graph;
	const struct op_node *node;
	const struct op_rule *rule;
	const struct tensor **in;
	size_t n_in;
	struct tensor *out; /* eval_outputs() makes room */
	size_t n_out;
	struct arena *arena;    /* memory of the outputs' values */
	int64_t *values_left;   /* how many more may be kept */
	struct span problem[1]; /* set if inputs contradict each other */
	struct cost layer_cost; /* cost of a layer: set by its shape rule, like the next two */
	int64_t parameters, trainable;
	int64_t weights_read;    /* parameters a layer reads; 0: all of them */
	struct tensor *out_room; /* room for out_cap outputs */
	size_t out_cap;
	void *context;
	bool (*more_outputs)(struct eval *e, size_t n);
};

/* Room for n outputs, unknown ones of in[0]'s type. False if they are too many. */
bool eval_outputs(struct eval *e, size_t n);
/* Room for the values of an output; NULL if they cannot be kept. */
union number *eval_values(struct eval *e, struct tensor *out);
/* An input, or an unknown one. */
const struct tensor *eval_in(const struct eval *e, size_t i);

/* False: what it needs is not known, or it is contradictory. */
typedef bool shape_fn(struct eval *e);
/* False: a shape it needs is unknown. */
typedef bool cost_fn(const struct eval *e, struct cost *cost);

struct op_rule {
	const char *name;
	shape_fn *shape;
	cost_fn *cost;
	int16_t factor;
	uint8_t value;  /* enum value_op */
	uint8_t place;  /* enum op_place */
	const char *op; /* of a layer: what it is lowered to */
};

/* NULL if there is none. */
const struct op_rule *op_find_rule(struct span type);
/* The rule of a Keras layer, by its class (layers.h). */
const struct op_rule *layer_find_rule(struct span class_name);
/* Whether a rule is of a matrix product or a convolution, forward or backward: what XLA compiles to
 * a dot or a convolution. */
bool op_rule_is_product(const struct op_rule *rule);

/* The value of an elementwise operation, if those of its inputs are known; its shape is
 * in out[0] already. */
void eval_value(struct eval *e);

/* Likewise of a reduction, along the axes marked. */
void value_reduce(struct eval *e, const bool *is_reduced);

/* ---- shapes that several rules need --------------------------------------------- */

/* Right-aligned: 1 yields. False if they contradict each other. */
bool shape_broadcast_two(const struct tensor *a, const struct tensor *b, struct tensor *out);

/* Inputs `first` to `first + n` joined along `axis`, counted from the end if negative. */
bool shape_join(struct eval *e, size_t first, size_t n, int64_t axis);

/* Axes in order of spatial dimensions: 1, 2, … or, channels first, 2, 3, … */
struct layout {
	int n_spatial, first, channel;
};
struct layout layout_get(const struct eval *e, int n_spatial);

#define X(name) shape_fn shape_##name;
SHAPES(X)
#undef X
#define X(name) cost_fn cost_##name;
COSTS(X)
#undef X

#endif
