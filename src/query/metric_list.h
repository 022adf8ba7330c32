/* The metrics of a node, one entry each. They define the words of select and order_by,
 * the minimum options, the columns of reports and results, the fields of result
 * messages and pprof's sample types.
 *
 *     id        METRIC_id, SEL_id, ORDER_id, OPT_MIN_id, OPT_MIN_OWN_id
 *     word      in select and order_by; the options min_word, min_own_word and, of some,
 *               min_total_word set minimums
 *     column    in results; the total is total_column
 *     selects   words of select that show it
 *     unit      of its values
 *     graph, multi   its field in GraphNodeProto and MultiGraphNodeProto, or NO_FIELD;
 *               the total's is prefixed TOTAL_
 *     option    the field of its minimum in OptionsProto, or 0
 *     value     an expression: from an exec's sums `x` (see exec.h), which are added up
 *               and averaged over steps, or from a node
 *     header    in reports
 *     tree, list   what follows the number on a line, in tree views and in op view
 *     meaning   help for the word
 *     minimum   help for the minimum option
 *     doc       the report's explanation of the word
 *     pprof     the comment of its sample type; NULL: it has none
 *     source    what a profile needs for it to be other than 0
 */
#ifndef TFPROF_QUERY_METRIC_LIST_H
#define TFPROF_QUERY_METRIC_LIST_H

#define CPU_TIME_DOC                                                                             \
	"cpu execution time: The time from the start to the end of the operation. It's the sum " \
	"of "                                                                                    \
	"actual cpu run time plus the time that it spends waiting if part of computation is "    \
	"launched asynchronously."
#define ACCELERATOR_TIME_DOC                                                                     \
	"accelerator execution time: Time spent executing on the accelerator. This is normally " \
	"measured by the actual hardware library."

/* clang-format off */
#define MEMORY_METRICS(X)                                                      \
	X(BYTES, "bytes", requested_bytes, SELECT(BYTES), BYTES,               \
		REQUESTED_BYTES, REQUESTED_BYTES, OPTIONS_MIN_BYTES,           \
		x->requested_bytes, "requested bytes", "", "",                 \
		"memory requested",                                            \
		"Show nodes that request at least this many bytes.",           \
		"requested bytes: The memory requested by the operation, accumulatively.", \
		"Sum of operation total memory requests, excluding deallocations.", ANY) \
	X(PEAK_BYTES, "peak_bytes", peak_bytes, SELECT(PEAK_BYTES), BYTES,     \
		PEAK_BYTES, PEAK_BYTES, OPTIONS_MIN_PEAK_BYTES,                \
		x->peak_bytes, "peak bytes", "", "",                           \
		"peak memory held",                                            \
		"Show nodes that hold at least this many bytes at their peak.", \
		"peak bytes: The peak amount of memory that the operation is holding at some point.", \
		"Sum of operation peak memory usage.", ANY)                    \
	X(RESIDUAL_BYTES, "residual_bytes", residual_bytes, SELECT(RESIDUAL_BYTES), BYTES, \
		RESIDUAL_BYTES, RESIDUAL_BYTES, OPTIONS_MIN_RESIDUAL_BYTES,    \
		x->residual_bytes, "residual bytes", "", "",                   \
		"memory still held after the run",                             \
		"Show nodes that leave at least this many bytes allocated.",   \
		"residual bytes: The memory not de-allocated after the operation finishes.", \
		"Sum of operation allocated memory after finish.", ANY)        \
	X(OUTPUT_BYTES, "output_bytes", output_bytes, SELECT(OUTPUT_BYTES), BYTES, \
		OUTPUT_BYTES, OUTPUT_BYTES, OPTIONS_MIN_OUTPUT_BYTES,          \
		x->output_bytes, "output bytes", "", "",                       \
		"memory of the outputs",                                       \
		"Show nodes that output at least this many bytes.",            \
		"output bytes: The memory that is output from the operation (not necessarily " \
		"allocated by the operation)",                                 \
		"Sum of operation output size.", ANY)

#define TIME_METRICS(X)                                                        \
	X(MICROS, "micros", exec_micros, SELECT(MICROS), MICROS,               \
		EXEC_MICROS, EXEC_MICROS, OPTIONS_MIN_MICROS,                  \
		clamped_sum(x->accelerator_us, x->cpu_us), "total execution time", "", "", \
		"execution time: total, accelerator and CPU",                  \
		"Show nodes that run at least this many microseconds.",        \
		"total execution time: Sum of accelerator execution time and cpu execution time.\n" \
		CPU_TIME_DOC "\n" ACCELERATOR_TIME_DOC,                        \
		"Sum of accelerator execution time and cpu execution time.", ANY) \
	X(ACCELERATOR_MICROS, "accelerator_micros", accelerator_exec_micros,   \
		SELECT(MICROS) | SELECT(ACCELERATOR_MICROS), MICROS,           \
		ACCELERATOR_EXEC_MICROS, ACCELERATOR_EXEC_MICROS, OPTIONS_MIN_ACCELERATOR_MICROS, \
		x->accelerator_us, "accelerator execution time", "", "",       \
		"time on accelerators",                                        \
		"Show nodes that run at least this many microseconds on an accelerator.", \
		ACCELERATOR_TIME_DOC,                                          \
		"Accelerator execution time.", ACCELERATOR)                    \
	X(CPU_MICROS, "cpu_micros", cpu_exec_micros, SELECT(MICROS) | SELECT(CPU_MICROS), MICROS, \
		CPU_EXEC_MICROS, CPU_EXEC_MICROS, OPTIONS_MIN_CPU_MICROS,      \
		x->cpu_us, "cpu execution time", "", "",                       \
		"time on CPUs",                                                \
		"Show nodes that run at least this many microseconds on a CPU.", \
		CPU_TIME_DOC,                                                  \
		"CPU execution time.", ANY)

#define PARAMETER_METRICS(X)                                                   \
	X(PARAMS, "params", parameters, SELECT(PARAMS), COUNT,                 \
		PARAMETERS, PARAMETERS, OPTIONS_MIN_PARAMS,                    \
		model_parameters(m, node), "# parameters", " params", " params", \
		"number of parameters in variables",                           \
		"Show nodes with at least this many parameters.",              \
		"param: Number of parameters (in the Variable).",              \
		"Model parameters.", ANY)

#define OPERATION_METRICS(X)                                                   \
	X(FLOAT_OPS, "float_ops", float_ops, SELECT(FLOAT_OPS), COUNT,         \
		FLOAT_OPS, FLOAT_OPS, OPTIONS_MIN_FLOAT_OPS,                   \
		m->nodes.float_ops[node], "# float_ops", " flops", " float_ops", \
		"number of float operations",                                  \
		"Show nodes with at least this many float operations.",        \
		"flops: Number of float operations. Note: Please read the implementation for the " \
		"math behind it.",                                             \
		"Model float operations (Only available if defined).", ANY)

/* Counts once, however many regexes pick a node; must be last. */
#define COUNT_METRICS(X)                                                       \
	X(OCCURRENCE, "occurrence", run_count, SELECT(OCCURRENCE), COUNT,      \
		RUN_COUNT, NO_FIELD, OPTIONS_MIN_OCCURRENCE,                   \
		x->run_count, NULL, "", "",                                    \
		"number of runs and of nodes",                                 \
		"Show nodes that occur at least this many times.",             \
		"occurrence: The number of times it occurs",                   \
		NULL, ANY)
/* clang-format on */

/* Sums over execs. */
#define RUN_METRICS(X) MEMORY_METRICS(X) TIME_METRICS(X)
/* Properties of the node itself. */
#define MODEL_METRICS(X) PARAMETER_METRICS(X) OPERATION_METRICS(X)

#define METRICS(X) RUN_METRICS(X) MODEL_METRICS(X) COUNT_METRICS(X)

/* Those whose min_word compares own numbers in scope and graph view, as in TensorFlow's
 * profiler; that of the others compares totals. */
#define OWN_MINIMUM_METRICS(X) MODEL_METRICS(X) COUNT_METRICS(X)

enum metric {
#define X(id, ...) METRIC_##id,
	METRICS(X)
#undef X
		N_METRICS
};

enum metric_source { SOURCE_ANY, SOURCE_ACCELERATOR };

enum unit { UNIT_COUNT, UNIT_MICROS, UNIT_BYTES };
#define UNIT_NAME_COUNT "count"
#define UNIT_NAME_MICROS "microseconds"
#define UNIT_NAME_BYTES "bytes"

enum {
	ALL_METRICS = (1 << N_METRICS) - 1,
#define X(id, ...) | 1 << METRIC_##id
	MODEL_METRICS_MASK = 0 MODEL_METRICS(X), /* of a node itself, without a run */
#undef X
};

#endif
