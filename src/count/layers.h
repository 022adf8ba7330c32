/* Rules of Keras's layers: like those of operations, but one function sets the shape of
 * the result, the cost and the parameters. Attributes are those of the layer's config.
 * MACs are those that the layer's operations would have in a graph; other float operations
 * can differ a little, since a graph may spell a normalization or a gate in more steps. */
#ifndef TFPROF_COUNT_LAYERS_H
#define TFPROF_COUNT_LAYERS_H

#include "count/layer_list.h"
#include "count/ops.h"

#define X(name) shape_fn layer_##name;
LAYER_RULES(X)
#undef X

/* ---- what rules share ----------------------------------------------------------- */

/* An integer, bool or the i-th of a list. */
int64_t layer_int(const struct eval *e, enum attr_id id, int64_t otherwise);
int64_t layer_int_at(const struct eval *e, enum attr_id id, int i, int64_t otherwise);

/* Starts the only output like an input. False if that has no known shape. */
bool layer_start(struct eval *e, size_t input);

/* Adds the operations of the bias and the activation for each element of the output. */
void layer_add_activation(struct eval *e, bool has_bias);
void layer_add_macs(struct eval *e, int64_t a, int64_t b);
void layer_add_others(struct eval *e, int64_t elements, int64_t each);
void layer_add_parameters(struct eval *e, int64_t n, bool trainable);

static inline bool layer_uses_bias(const struct eval *e)
{
	return node_int(e->graph, e->node, A_use_bias, 1);
}

/* Biases that each gate of a recurrent layer has. */
int64_t layer_biases(int64_t gates, bool uses_bias, bool reset_after);

/* An axis counted from the end if negative; -1 if there is none. */
int layer_axis_in(int64_t axis, int rank);
bool layer_insert_axis(struct tensor *t, int axis, int64_t size);

/* The parts of x[…], each with start, stop and step. */
enum layer_key { KEY_SLICE, KEY_INDEX, KEY_NEW, KEY_REST };
#define KEY_OPEN INT64_MIN

struct layout layer_layout(const struct eval *e, int n_spatial);

/* Sets the spatial dimensions of the output, as a convolution or pool of the layer's
 * strides and padding does; returns the product of the kernel's sizes, -1 on failure. */
int64_t layer_slide(struct eval *e, const struct layout *l, enum attr_id kernel);

/* The `inner` of a TimeDistributed that is around a model: one with the input makes its steps a
 * larger batch, one with the result and the input makes them steps again. No class has this
 * name. */
#define LAYER_STEPS "#steps"

#endif
