/* A graph of operations as the walk (walk.h) needs it, whatever file it came from: a main
 * graph and the functions that it calls.
 *
 *     graph ── nodes[] ── type      what operation it is, and its rule (ops.h)
 *                      ── edges[]   its inputs: node, output
 *                      ── attrs[]   attributes that some rule reads (ATTRS)
 *           ── returns[]            what a call of it gives
 *           ── effects[]            what a call of it runs besides, such as assignments
 *
 * The first n_args nodes of a function are its arguments. A loader builds the graph and
 * owns its memory; functions are built when they are called. */
#ifndef TFPROF_COUNT_GRAPH_H
#define TFPROF_COUNT_GRAPH_H

#include "base/span.h"
#include "base/vec.h"
#include "count/tensor.h"

/* The attributes that rules read, by their names in TensorFlow and in Keras. */
/* clang-format off */
#define ATTRS(X) \
	X(N) X(T) X(DstT) X(_output_shapes) X(adj_x) X(adj_y) X(axis) X(batch_dims) X(begin_mask) \
	X(block_size) X(body) X(branches) X(cond) X(data_format) X(dilations) X(dtype) \
	X(element_dtype) X(ellipsis_mask) X(else_branch) X(end_mask) X(equation) \
	X(explicit_paddings) X(f) X(frame_name) X(is_training) X(keep_dims) X(ksize) \
	X(new_axis_mask) X(num) X(num_split) X(out_type) X(output_type) X(padding) X(shape) \
	X(shrink_axis_mask) X(squeeze_dims) X(strides) X(then_branch) X(transpose_a) X(transpose_b) \
	X(value) X(fused_ops) X(k) X(activation) X(bias_axes) X(center) \
	X(cropping) X(depth_multiplier) X(dilation_rate) X(dims) X(file_weights) X(filters) \
	X(groups) X(head_dim) X(height) X(input_dim) X(inner) X(interpolation) X(axes) X(is_repeat) X(key_dim) X(keepdims) \
	X(kernel_size) X(mean) X(merge_mode) X(n) X(num_heads) X(num_key_value_heads) X(num_query_heads) \
	X(out_shape) X(output_dim) X(output_padding) X(output_shape) X(pool_size) X(reset_after) \
	X(return_sequences) X(return_state) X(rms_scaling) X(scale) X(shared_axes) X(size) \
	X(target_shape) X(trainable) X(units) X(use_bias) X(value_dim) X(width) X(keep_num_dims) \
	X(fused_activation) X(use_scale) X(cells) X(output_size) X(num_tokens) X(output_mode) X(key) \
	X(axis1) X(axis2) X(source) X(destination) X(indices_or_sections) X(pad_width) X(repeats) \
	X(newshape) X(num_classes) X(merge_outputs) X(normalize) X(output_first)
/* clang-format on */

enum attr_id {
#define X(name) A_##name,
	ATTRS(X)
#undef X
		N_ATTRS
};

enum op_attr_kind {
	OP_INT, /* also bool and type */
	OP_REAL,
	OP_TEXT,   /* also the name of a function */
	OP_TEXTS,  /* n of them */
	OP_INTS,   /* n of them */
	OP_SHAPE,  /* a shape of rank n; n may be OP_UNKNOWN_RANK */
	OP_SHAPES, /* a list of shapes: an AttrValue, still encoded */
	OP_TENSOR, /* constant */
};

#define OP_UNKNOWN_RANK UINT32_MAX

/* A constant: its shape and type, and its values as they are stored. */
struct constant {
	struct tensor tensor;
	struct span content; /* a TensorProto, or raw little-endian elements */
	bool is_raw;
	bool is_weight; /* it may be a weight: see walk.h */
};

struct op_attr {
	uint8_t id, kind;
	uint32_t n;
	union {
		int64_t number;
		double real;
		const char *text; /* of n bytes */
		const struct span *texts;
		const int64_t *ints;
		const struct constant *constant;
	};
};

/* An operation type that occurs in a file. */
struct op_type {
	struct span name;
	const struct op_rule *rule; /* NULL: there is none */
	struct span definition;     /* the operation's OpDef, if the file has one */
	uint32_t id;                /* in order of their first use */
};

struct op_edge {
	uint32_t node, output;
};

struct op_node {
	struct span name;
	struct span message; /* the node's NodeDef, if it comes from one */
	const struct op_type *type;
	uint32_t first_edge, first_attr;
	uint32_t n_edges;
	uint16_t n_attrs;
};

struct graph {
	struct span name;
	VEC(struct op_node) nodes;
	VEC(struct op_edge) edges;
	VEC(struct op_attr) attrs;
	VEC(struct op_edge) returns;
	VEC(uint32_t) effects;
	uint32_t n_args;
	bool has_loops;     /* lowered ones: Enter, Exit … */
	struct arena arena; /* memory that attributes point to */
};

void graph_clear(struct graph *g);
/* Makes it empty, but keeps memory for the next one. */
void graph_reset(struct graph *g);

/* A node whose attributes and edges will be added next. */
static inline struct op_node graph_start_node(const struct graph *g, struct span name)
{
	return (struct op_node){.name = name,
		.first_attr = (uint32_t)g->attrs.n,
		.first_edge = (uint32_t)g->edges.n};
}

/* Makes a graph that was built from a file's own numbers safe to walk: an input that is no
 * node becomes the node itself, of which nothing is known yet; such a return is dropped. */
void graph_check_edges(struct graph *g);

/* Which nodes the i-th return needs, for n returns from the first on; freed with mem_free().
 * NULL on allocation failure. */
bool *graph_find_needed(const struct graph *g, size_t first, size_t n);

/* Where functions come from. */
struct graph_source {
	/* NULL if there is none of that name, or if it is damaged. */
	const struct graph *(*get_function)(struct graph_source *source, struct span name);
	/* Call as often as get_function() gave it: it may be gone then. */
	void (*put_function)(struct graph_source *source, const struct graph *g);
	bool (*has_function)(struct graph_source *source, struct span name);
};

/* ---- reading attributes --------------------------------------------------------- */

/* NULL if the node does not have it. */
const struct op_attr *node_attr(const struct graph *g, const struct op_node *node, enum attr_id id);
int64_t node_int(const struct graph *g, const struct op_node *node, enum attr_id id,
	int64_t otherwise);
/* Empty if it does not have it. */
struct span node_text(const struct graph *g, const struct op_node *node, enum attr_id id);
/* How many; -1 if there are none or more than `max`. */
int node_ints(const struct graph *g, const struct op_node *node, enum attr_id id, int64_t *at,
	int max);

/* The i-th of the shapes the file itself gives for the outputs. */
struct tensor node_output_shape(const struct graph *g, const struct op_node *node, size_t i);

#endif
