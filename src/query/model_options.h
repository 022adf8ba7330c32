/* What options of models (query/options.h) accept: totals that can be limited, orders of layers,
 * and devices. */
#ifndef TFPROF_QUERY_MODEL_OPTIONS_H
#define TFPROF_QUERY_MODEL_OPTIONS_H

#include "query/limit.h"

/* clang-format off */
/* The totals that fail_if knows, besides MORE_TOTALS, and order_by sorts by: word, member of struct
 * layer or another expression of a layer `l`. */
#define MODEL_NUMBERS(X) \
	X(params, (l)->parameters) \
	X(trainable_params, (l)->trainable_parameters) \
	X(macs, (l)->cost.macs) \
	X(float_ops, cost_float_ops((l)->cost)) \
	X(weight_bytes, (l)->weight_bytes) \
	X(activation_bytes, (l)->activation_bytes)

/* The other words of fail_if, with their units: the peak of memory, and numbers of runs. */
#define MORE_TOTALS(X) \
	X(peak_activation_bytes, COUNT) \
	X(micros, MICROS) \
	X(bytes, BYTES)

/* Peak figures of devices, from the vendors' data sheets, dense: name, float operations
 * per second (float32, or bfloat16 where a chip has nothing else), what that is, bytes
 * per second of memory. */
#define MODEL_DEVICES(X) \
	X("V100", 15.7e12, "float32", 900e9) \
	X("T4", 8.1e12, "float32", 320e9) \
	X("A100-40", 19.5e12, "float32", 1555e9) \
	X("A100-80", 19.5e12, "float32", 2039e9) \
	X("L4", 30.3e12, "float32", 300e9) \
	X("H100", 67e12, "float32", 3350e9) \
	X("V100-fp16", 125e12, "float16", 900e9) \
	X("T4-fp16", 65e12, "float16", 320e9) \
	X("A100-40-bf16", 312e12, "bfloat16", 1555e9) \
	X("A100-80-bf16", 312e12, "bfloat16", 2039e9) \
	X("L4-bf16", 121e12, "bfloat16", 300e9) \
	X("H100-bf16", 989e12, "bfloat16", 3350e9) \
	X("TPUv3", 123e12, "bfloat16", 900e9) \
	X("TPUv4", 275e12, "bfloat16", 1228e9) \
	X("TPUv5e", 197e12, "bfloat16", 819e9) \
	X("TPUv5p", 459e12, "bfloat16", 2765e9)

/* Optimizers: word, numbers that they keep for each weight. */
#define MODEL_OPTIMIZERS(X) \
	X("adam", 2) X("adamw", 2) X("nadam", 2) X("adamax", 2) X("sgd", 0) X("momentum", 1) \
	X("rmsprop", 1) X("adagrad", 1) X("adadelta", 2) X("ftrl", 2) X("lion", 1)

/* What a model computes in: word, bytes of an element's activations and of its weights, as parts
 * of those of the file. */
#define MODEL_DTYPES(X) \
	X("file", 1, 1, 1) \
	X("float16", 1, 1, 2) \
	X("bfloat16", 1, 1, 2) \
	X("mixed_float16", 1, 2, 2) \
	X("mixed_bfloat16", 1, 2, 2)
/* clang-format on */

/* Names of devices, ending in NULL. */
extern const char *const model_device_words[];

enum model_order {
	MODEL_ORDER_LAYER,
	MODEL_ORDER_NAME,
#define X(word, value) MODEL_ORDER_##word,
	MODEL_NUMBERS(X)
#undef X
		N_MODEL_ORDERS
};

/* The words of fail_if. */
enum model_total {
#define X(word, ...) TOTAL_##word,
	MODEL_NUMBERS(X) MORE_TOTALS(X)
#undef X
		N_MODEL_TOTALS
};

struct model_device {
	const char *name;
	double flops;
	const char *dtype;
	double bandwidth;
};

struct model_optimizer {
	const char *name;
	int slots;
};

struct model_dtype {
	const char *name;
	int activations, weights, whole;
};

extern const char *const model_optimizer_words[];
extern const struct model_optimizer model_optimizers[];
extern const char *const model_dtype_words[];
extern const struct model_dtype model_dtypes[];

/* By the index of the word. */
extern const struct model_device model_devices[];
/* Words of order_by, by model_order, ending in NULL. */
extern const char *const model_order_words[];
/* Of fail_if, by model_total. */
extern const struct limit_rules model_limit_rules;

#endif
