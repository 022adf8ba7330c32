/* Options of counting what a model costs, a line each (see option_info.h).
 *
 * max_depth, order_by and output are also options of queries, with other defaults. */
#ifndef TFPROF_QUERY_MODEL_OPTIONS_H
#define TFPROF_QUERY_MODEL_OPTIONS_H

#include "base/buf.h"
#include "base/error.h"
#include "query/limit.h"

/* clang-format off */
#define MODEL_OPTIONS(X) \
	X(BATCH_SIZE, "batch_size", "int", "N", NULL, "", \
		"Use this batch size where the file leaves it open (default 1).") \
	X(INPUT_SHAPES, "input_shapes", "shapes", "NAME:DIMS,...", NULL, "", \
		"Set shapes of inputs, such as x:1x224x224x3.") \
	X(SIGNATURE, "signature", "word", "NAME", NULL, "", \
		"Count this signature of a SavedModel (default serving_default).") \
	X(TRIP_COUNT, "trip_count", "int", "N", NULL, "", \
		"Count loops whose length depends on data this many times (default 1).") \
	X(DEVICE, "device", "word", "NAME", model_device_words, "", \
		"Compute a lower bound of the time on this device from its peak figures.") \
	X(PEAK_FLOPS, "peak_flops", "number", "NUMBER", NULL, "", \
		"Set the device's peak float operations per second, such as 19.5T.") \
	X(PEAK_BANDWIDTH, "peak_bandwidth", "number", "NUMBER", NULL, "", \
		"Set the device's memory bandwidth in bytes per second, such as 900G.") \
	X(FAIL_IF, "fail_if", "conditions", "NAME>VALUE,...", NULL, "", \
		"Exit with status 3 if a total exceeds a limit, such as macs>300M, and 4 if something " \
		"was not counted, so that nobody can tell.") \
	X(ALLOW_UNCOUNTED, "allow_uncounted", "bool", "true|false", NULL, "false", \
		"Accept limits of fail_if that hold for what was counted, if not all was.")
#define SHARED_MODEL_OPTIONS(X) \
	X(MAX_DEPTH, "max_depth", "int", "N", NULL, "2", \
		"Use this many parts of a node's name as its layer.") \
	X(ORDER_BY, "order_by", "word", "WORD", model_order_words, "layer", \
		"Sort layers: in the model's order (layer), by name, or numbers descending.") \
	X(OUTPUT, "output", "output", "TYPE[:outfile=FILE]", NULL, "stdout", \
		"Write in this format: stdout, none, file, json, jsonl, csv, arrow or markdown.")

/* The totals that fail_if knows, besides the peak of memory, and order_by sorts by: word, member of struct layer or
 * another expression of a layer `l`. */
#define MODEL_NUMBERS(X) \
	X(params, (l)->parameters) \
	X(trainable_params, (l)->trainable_parameters) \
	X(macs, (l)->cost.macs) \
	X(float_ops, cost_float_ops((l)->cost)) \
	X(weight_bytes, (l)->weight_bytes) \
	X(activation_bytes, (l)->activation_bytes)

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
/* clang-format on */

/* Their names, ending in NULL. */
extern const char *const model_device_words[];

enum model_option_id {
#define X(id, ...) MODEL_OPT_##id,
	MODEL_OPTIONS(X) SHARED_MODEL_OPTIONS(X)
#undef X
		N_MODEL_OPTIONS
};

enum model_order {
	MODEL_ORDER_LAYER,
	MODEL_ORDER_NAME,
#define X(word, value) MODEL_ORDER_##word,
	MODEL_NUMBERS(X)
#undef X
		N_MODEL_ORDERS
};

struct model_device {
	const char *name;
	double flops;
	const char *dtype;
	double bandwidth;
};

struct tfprof_model_options {
	char *text[N_MODEL_OPTIONS]; /* as given; NULL: not */
	int64_t number[N_MODEL_OPTIONS];
	double real[N_MODEL_OPTIONS];
	enum model_order order;
	struct model_device device; /* no name: not given */
	enum tfprof_reading reading;
	limits limits; /* of the words of MODEL_NUMBERS, then of the peak */
};

#endif
