/* Keras's layers, lowered to operations (lower.h): a function for each rule sets the shape of the
 * result, the cost and the parameters. Attributes are those of the layer's config.
 * MACs are those that the layer's operations would have in a graph; other float operations
 * can differ a little, since a graph may spell a normalization or a gate in more steps. */
#ifndef TFPROF_COUNT_LAYERS_H
#define TFPROF_COUNT_LAYERS_H

#include "count/layer_list.h"
#include "count/ops.h"

#define X(name) shape_fn layer_##name;
LAYER_RULES(X)
#undef X

/* The name of the i-th class; NULL behind the last one. */
const char *layer_get_class(size_t i);

/* ---- what rules share ----------------------------------------------------------- */

/* An integer, bool or the i-th of a list. */
int64_t layer_int(const struct eval *e, enum attr_id id, int64_t otherwise);
int64_t layer_int_at(const struct eval *e, enum attr_id id, int i, int64_t otherwise);

/* Starts the only output like an input. False if that has no known shape. */
bool layer_start(struct eval *e, size_t input);

/* An input as the layer reads it: integers become float numbers. */
struct tensor layer_input(const struct eval *e, size_t i);

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

/* Merges steps into the batch: they cost the same. False if there are none. */
bool layer_merge_steps(const struct tensor *in, struct tensor *flat);
/* The results of a recurrent layer: its state, or as many as there are steps; and n_states states
 * if it returns them. */
bool layer_put_sequence(struct eval *e, const struct tensor *state, int64_t steps, int n_states);

/* The `inner` of a TimeDistributed that is around a model: one with the input makes its steps a
 * larger batch, one with the result and the input makes them steps again. No class has this
 * name. */
#define LAYER_STEPS "#steps"

#endif
