/* Lowers Keras's layers to the operations of the vocabulary (ops.h): a layer says which
 * operations it consists of, and their rules say what shape the result has and what they cost.
 *
 *     struct lowering l;
 *
 *     lower_begin(&l, e);
 *     lower_input(&l, *eval_in(e, 0));
 *     lower_weights(&l, (int64_t[]){3, 3, 8, 16}, 4);
 *     lower_attr_text(&l, A_padding, SPAN("SAME"));
 *     lower_run(&l, "Conv")           its result is e->out, its cost is added to the layer's
 */
#ifndef TFPROF_COUNT_LOWER_H
#define TFPROF_COUNT_LOWER_H

#include "count/ops.h"

enum { LOWER_MAX_INPUTS = 4, LOWER_MAX_ATTRS = 8, LOWER_MAX_NUMBERS = 64 };

/* One operation. What it points to is in itself: it must not be copied. */
struct lowering {
	struct eval *e; /* the layer's */
	struct tensor in[LOWER_MAX_INPUTS];
	size_t n_in;
	bool takes_all; /* all inputs of the layer, instead of `in` */
	struct op_attr attrs[LOWER_MAX_ATTRS];
	size_t n_attrs;
	int64_t numbers[LOWER_MAX_NUMBERS]; /* of attributes */
	size_t n_numbers;
	union number values[LOWER_MAX_NUMBERS]; /* of constant inputs */
	size_t n_values;
};

void lower_begin(struct lowering *l, struct eval *e);
void lower_input(struct lowering *l, struct tensor t);
/* The layer's own weights, which are parameters of it. */
void lower_weights(struct lowering *l, const int64_t *dims, int rank);
/* A constant vector, or, with `rank` 0, a number. */
void lower_ints(struct lowering *l, const int64_t *at, int n);
void lower_attr_int(struct lowering *l, enum attr_id id, int64_t number);
void lower_attr_ints(struct lowering *l, enum attr_id id, const int64_t *at, int n);
void lower_attr_text(struct lowering *l, enum attr_id id, struct span text);

/* False if a shape is unknown, or contradictory. */
bool lower_run(struct lowering *l, const char *op);

/* Adds the cost of an elementwise operation on the result that the layer has now. */
void lower_elementwise(struct eval *e, const char *op);
/* Adds a product of n×k by k×m, `times` times; the result is not the layer's. */
void lower_product(struct eval *e, int64_t times, int64_t n, int64_t k, int64_t m);

#endif
