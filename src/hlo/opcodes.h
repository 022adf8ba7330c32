/* What instructions of compiled programs do, and by which rule their cost is counted (cost.h). One
 * line per opcode: id, text, rule. Sorted by text. */
#ifndef TFPROF_HLO_OPCODES_H
#define TFPROF_HLO_OPCODES_H

#include "base/span.h"

/* clang-format off */
#define HLO_OPCODES(X) \
	X(ABS, "abs", element) \
	X(ACOS, "acos", transcendental) \
	X(ACOSH, "acosh", transcendental) \
	X(ADD, "add", element) \
	X(ADD_DEPENDENCY, "add-dependency", nothing) \
	X(AFTER_ALL, "after-all", nothing) \
	X(ALL_GATHER, "all-gather", collective) \
	X(ALL_GATHER_DONE, "all-gather-done", nothing) \
	X(ALL_GATHER_START, "all-gather-start", collective) \
	X(ALL_REDUCE, "all-reduce", all_reduce) \
	X(ALL_REDUCE_DONE, "all-reduce-done", nothing) \
	X(ALL_REDUCE_START, "all-reduce-start", all_reduce) \
	X(ALL_TO_ALL, "all-to-all", collective) \
	X(AND, "and", element) \
	X(ASIN, "asin", transcendental) \
	X(ASINH, "asinh", transcendental) \
	X(ASYNC_DONE, "async-done", nothing) \
	X(ASYNC_START, "async-start", nothing) \
	X(ASYNC_UPDATE, "async-update", nothing) \
	X(ATAN2, "atan2", transcendental) \
	X(ATANH, "atanh", transcendental) \
	X(BATCH_NORM_GRAD, "batch-norm-grad", move) \
	X(BATCH_NORM_INFERENCE, "batch-norm-inference", move) \
	X(BATCH_NORM_TRAINING, "batch-norm-training", move) \
	X(BITCAST, "bitcast", nothing) \
	X(BITCAST_CONVERT, "bitcast-convert", element) \
	X(BROADCAST, "broadcast", move) \
	X(CALL, "call", nothing) \
	X(CBRT, "cbrt", transcendental) \
	X(CEIL, "ceil", element) \
	X(CHOLESKY, "cholesky", cholesky) \
	X(CLAMP, "clamp", element) \
	X(COLLECTIVE_BROADCAST, "collective-broadcast", collective) \
	X(COLLECTIVE_PERMUTE, "collective-permute", collective) \
	X(COLLECTIVE_PERMUTE_DONE, "collective-permute-done", nothing) \
	X(COLLECTIVE_PERMUTE_START, "collective-permute-start", collective) \
	X(COMPARE, "compare", element) \
	X(COMPLEX, "complex", element) \
	X(CONCATENATE, "concatenate", move) \
	X(CONDITIONAL, "conditional", nothing) \
	X(CONSTANT, "constant", nothing) \
	X(CONVERT, "convert", element) \
	X(CONVOLUTION, "convolution", convolution) \
	X(COPY, "copy", move) \
	X(COPY_DONE, "copy-done", nothing) \
	X(COPY_START, "copy-start", copy_start) \
	X(COSH, "cosh", transcendental) \
	X(COSINE, "cosine", transcendental) \
	X(COUNT_LEADING_ZEROS, "count-leading-zeros", element) \
	X(CUSTOM_CALL, "custom-call", custom_call) \
	X(DIVIDE, "divide", element) \
	X(DOMAIN, "domain", nothing) \
	X(DOT, "dot", dot) \
	X(DYNAMIC_RESHAPE, "dynamic-reshape", move) \
	X(DYNAMIC_SLICE, "dynamic-slice", slice) \
	X(DYNAMIC_UPDATE_SLICE, "dynamic-update-slice", update_slice) \
	X(ERF, "erf", transcendental) \
	X(EXPONENTIAL, "exponential", transcendental) \
	X(EXPONENTIAL_MINUS_ONE, "exponential-minus-one", transcendental) \
	X(FFT, "fft", fft) \
	X(FLOOR, "floor", element) \
	X(FUSION, "fusion", fusion) \
	X(GATHER, "gather", gather) \
	X(GET_DIMENSION_SIZE, "get-dimension-size", nothing) \
	X(GET_TUPLE_ELEMENT, "get-tuple-element", nothing) \
	X(IMAG, "imag", element) \
	X(INFEED, "infeed", move) \
	X(IOTA, "iota", move) \
	X(IS_FINITE, "is-finite", element) \
	X(LOG, "log", transcendental) \
	X(LOG_PLUS_ONE, "log-plus-one", transcendental) \
	X(LOGISTIC, "logistic", transcendental) \
	X(MAP, "map", map) \
	X(MAXIMUM, "maximum", element) \
	X(MINIMUM, "minimum", element) \
	X(MULTIPLY, "multiply", element) \
	X(NEGATE, "negate", element) \
	X(NOT, "not", element) \
	X(OPT_BARRIER, "opt-barrier", nothing) \
	X(OR, "or", element) \
	X(OUTFEED, "outfeed", move) \
	X(PAD, "pad", move) \
	X(PARAMETER, "parameter", nothing) \
	X(PARTITION_ID, "partition-id", nothing) \
	X(POPCNT, "popcnt", element) \
	X(POWER, "power", transcendental) \
	X(RAGGED_ALL_TO_ALL, "ragged-all-to-all", collective) \
	X(RAGGED_DOT, "ragged-dot", ragged_dot) \
	X(REAL, "real", element) \
	X(RECV, "recv", collective) \
	X(RECV_DONE, "recv-done", nothing) \
	X(REDUCE, "reduce", reduce) \
	X(REDUCE_PRECISION, "reduce-precision", element) \
	X(REDUCE_SCATTER, "reduce-scatter", collective) \
	X(REDUCE_WINDOW, "reduce-window", reduce_window) \
	X(REMAINDER, "remainder", element) \
	X(REPLICA_ID, "replica-id", nothing) \
	X(RESHAPE, "reshape", move) \
	X(REVERSE, "reverse", move) \
	X(RNG, "rng", transcendental) \
	X(RNG_BIT_GENERATOR, "rng-bit-generator", transcendental) \
	X(RNG_GET_AND_UPDATE_STATE, "rng-get-and-update-state", move) \
	X(ROUND_NEAREST_AFZ, "round-nearest-afz", element) \
	X(ROUND_NEAREST_EVEN, "round-nearest-even", element) \
	X(RSQRT, "rsqrt", transcendental) \
	X(SCATTER, "scatter", scatter) \
	X(SELECT, "select", element) \
	X(SELECT_AND_SCATTER, "select-and-scatter", select_and_scatter) \
	X(SEND, "send", collective) \
	X(SEND_DONE, "send-done", nothing) \
	X(SET_DIMENSION_SIZE, "set-dimension-size", move) \
	X(SHIFT_LEFT, "shift-left", element) \
	X(SHIFT_RIGHT_ARITHMETIC, "shift-right-arithmetic", element) \
	X(SHIFT_RIGHT_LOGICAL, "shift-right-logical", element) \
	X(SIGN, "sign", element) \
	X(SINE, "sine", transcendental) \
	X(SINH, "sinh", transcendental) \
	X(SLICE, "slice", slice) \
	X(SORT, "sort", sort) \
	X(SQRT, "sqrt", transcendental) \
	X(STOCHASTIC_CONVERT, "stochastic-convert", element) \
	X(SUBTRACT, "subtract", element) \
	X(TAN, "tan", transcendental) \
	X(TANH, "tanh", transcendental) \
	X(TOPK, "topk", move) \
	X(TRANSPOSE, "transpose", move) \
	X(TRIANGULAR_SOLVE, "triangular-solve", triangular_solve) \
	X(TUPLE, "tuple", nothing) \
	X(WHILE, "while", nothing) \
	X(XOR, "xor", element)
/* clang-format on */

enum hlo_opcode {
#define X(id, text, rule) HLO_##id,
	HLO_OPCODES(X)
#undef X
		HLO_OTHER, /* one that this table lacks */
};

enum hlo_opcode hlo_opcode_find(struct span text);

#endif
