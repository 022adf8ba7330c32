/* What training keeps of an operation for its backward pass: a rule per kind of operation and per
 * kind of layer.
 *
 *     forward    x ──▶ operation ──▶ y          x or y kept, or what is between them
 *     backward  dx ◀── operation ◀── dy         dx, dy and scratch, while it runs
 *
 * Elementwise operations that XLA fuses into the next one leave nothing of their own. */
#ifndef TFPROF_COUNT_KEEP_H
#define TFPROF_COUNT_KEEP_H

#include "count/ops.h"

struct keeps {
	int64_t inside;  /* bytes of what is kept between inputs and results */
	int64_t scratch; /* bytes its backward pass needs besides gradients of inputs and results */
	int64_t indices; /* bytes of a max pool's indices, as XLA makes them on CPUs: all of the
			    model are alive at a time */
	int8_t copies;   /* of the gradients of inputs, results and weights: a convolution needs
			    each in two layouts */
	bool inputs, results; /* are kept */
	bool are_factors;     /* inputs only if there are two, or weights */
	bool is_linear;       /* inputs only for the gradient of weights */
	bool is_known;        /* false: no rule, inputs and results are assumed */
};

/* Of a layer of Keras whose results are known. */
struct keeps keep_of_layer(const struct eval *e);
/* Of an operation of a graph; `in_bytes` and `out_bytes` of its inputs and results. */
struct keeps keep_of_op(const struct op_type *type, int64_t in_bytes, int64_t out_bytes);

#endif
