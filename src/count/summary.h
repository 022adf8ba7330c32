/* What a walk found, added up: by layer, by operation type, in all; the peak of memory;
 * and how long it must take at least on a device.
 *
 * A layer of a graph is a scope: the first parts of its nodes' names. Its name is that of
 * the variables it reads, if it reads some. */
#ifndef TFPROF_COUNT_SUMMARY_H
#define TFPROF_COUNT_SUMMARY_H

#include "base/hash.h"
#include "count/walk.h"

struct layer {
	struct span scope;     /* scope of its nodes' names */
	struct span name;      /* as shown */
	struct span true_name; /* what the names of its variables have in common */
	struct span type;      /* type of its most expensive operation */
	struct tensor out;     /* its last result */
	uint32_t last_result;  /* the record of it; NONE: there is none */
	bool has_real_result;
	/* Its place among layers: the first record that costs something, else the last one. A loop
	 * asks for counters and zeros before it asks for what the layer before it makes. */
	uint32_t place;
	bool has_cost;
	int64_t parameters, trainable_parameters, weight_bytes;
	struct cost cost;
	int64_t integer_macs;     /* of the cost: on integers, in quantized models */
	int64_t activation_bytes; /* bytes of all results */
	int64_t moved_bytes;      /* read and written, weights too, without fusing anything */
	double seconds;           /* at least; 0 without a device */
	size_t n_operations, n_not_counted;
	int64_t times;   /* how often its most expensive operation runs, if in a loop */
	int64_t largest; /* float operations of its most expensive operation */
};

/* Operations on integers: two for each of their multiply-accumulates. */
static inline int64_t layer_integer_ops(const struct layer *l)
{
	return count_multiply(l->integer_macs, 2);
}

struct op_total {
	struct span type;
	size_t n, n_not_counted;
	struct cost cost;
};

struct dtype_total {
	int dtype;
	int64_t parameters, bytes;
};

struct summary_options {
	int max_depth;                     /* parts of a name that make a layer */
	bool by_node;                      /* a layer for each node */
	double peak_flops, peak_bandwidth; /* per second; 0: unknown */
};

struct summary {
	VEC(struct layer) layers; /* in the order of the walk */
	uint32_t *layer_of;       /* by record; NONE: it only passes tensors on */
	struct layer total;
	VEC(struct op_total) ops; /* types that compute something, or are not counted */
	VEC(struct dtype_total) dtypes;
	int64_t peak_bytes;
	uint32_t peak_layer; /* NONE: nothing is live */
	int64_t input_bytes;
	bool is_saturated;
	struct hash_index layer_index;
	VEC(uint32_t) op_of_type; /* in `ops`; NONE: not met yet */
	struct arena arena;
};

/* False on allocation failure; clear in any case. */
bool summary_make(struct summary *s, struct walk *w, const struct summary_options *options);
void summary_clear(struct summary *s);

/* The most memory that results occupy at a time; sets *record to where that is. Results
 * live until their last use; elementwise operations write over an input that dies. */
bool memory_peak(const struct walk *w, int64_t *bytes, size_t *record);

#endif
