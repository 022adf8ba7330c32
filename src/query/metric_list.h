/* The metrics of a node, one entry each. They define the words of select and order_by,
 * the minimum options, the columns of reports and results, pprof's sample types and what
 * the page can show. An entry starts with what the compiler needs as tokens:
 *
 *     id        METRIC_id, SEL_id, ORDER_id, OPT_MIN_id, OPT_MIN_OWN_id
 *     word      in select and order_by; the options min_word, min_own_word and, of some,
 *               min_total_word set minimums
 *     column    in results; the total is total_column
 *     unit      of its values
 *     value     an expression: from an exec's sums `x` (EXEC_SUMS in exec.h), which are
 *               added up and averaged over steps, or from a node
 *     option    the field of its minimum in OptionsProto, or 0
 *     minimum   help for the minimum option
 *     meaning   help for the word
 *
 * and goes on with fields of struct metric_info, by name. Fields of TensorFlow's result
 * messages are in write/message.c.
 */
#ifndef TFPROF_QUERY_METRIC_LIST_H
#define TFPROF_QUERY_METRIC_LIST_H

#include <stdbool.h>

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
	X(BYTES, "bytes", requested_bytes, BYTES, x->requested_bytes, OPTIONS_MIN_BYTES, \
		"Show nodes that request at least this many bytes.",           \
		"memory requested",                                            \
		.title = "requested bytes", .header = "requested bytes",       \
		.doc = "requested bytes: The memory requested by the operation, accumulatively.", \
		.pprof = "Sum of operation total memory requests, excluding deallocations.") \
	X(PEAK_BYTES, "peak_bytes", peak_bytes, BYTES, x->peak_bytes, OPTIONS_MIN_PEAK_BYTES, \
		"Show nodes that hold at least this many bytes at their peak.", \
		"peak memory held",                                            \
		.title = "peak bytes", .header = "peak bytes",                 \
		.doc = "peak bytes: The peak amount of memory that the operation is holding at some " \
		"point.",                                                      \
		.pprof = "Sum of operation peak memory usage.")                \
	X(RESIDUAL_BYTES, "residual_bytes", residual_bytes, BYTES, x->residual_bytes, \
		OPTIONS_MIN_RESIDUAL_BYTES,                                    \
		"Show nodes that leave at least this many bytes allocated.",   \
		"memory still held after the run",                             \
		.title = "residual bytes", .header = "residual bytes",         \
		.doc = "residual bytes: The memory not de-allocated after the operation finishes.", \
		.pprof = "Sum of operation allocated memory after finish.")    \
	X(OUTPUT_BYTES, "output_bytes", output_bytes, BYTES, x->output_bytes,  \
		OPTIONS_MIN_OUTPUT_BYTES,                                      \
		"Show nodes that output at least this many bytes.",            \
		"memory of the outputs",                                       \
		.title = "output bytes", .header = "output bytes",             \
		.doc = "output bytes: The memory that is output from the operation (not necessarily " \
		"allocated by the operation)",                                 \
		.pprof = "Sum of operation output size.")

#define TIME_METRICS(X)                                                        \
	X(MICROS, "micros", exec_micros, MICROS, clamped_sum(x->accelerator_us, x->cpu_us), \
		OPTIONS_MIN_MICROS,                                            \
		"Show nodes that run at least this many microseconds.",        \
		"execution time: total, accelerator and CPU",                  \
		.title = "time", .header = "total execution time",             \
		.doc = "total execution time: Sum of accelerator execution time and cpu execution " \
		"time.\n" CPU_TIME_DOC "\n" ACCELERATOR_TIME_DOC,              \
		.pprof = "Sum of accelerator execution time and cpu execution time.") \
	X(ACCELERATOR_MICROS, "accelerator_micros", accelerator_exec_micros, MICROS, \
		x->accelerator_us, OPTIONS_MIN_ACCELERATOR_MICROS,             \
		"Show nodes that run at least this many microseconds on an accelerator.", \
		"time on accelerators",                                        \
		.title = "accelerator time", .header = "accelerator execution time", \
		.doc = ACCELERATOR_TIME_DOC,                                   \
		.pprof = "Accelerator execution time.",                        \
		.part_of = SELECT(MICROS), .needs_accelerator = true)          \
	X(CPU_MICROS, "cpu_micros", cpu_exec_micros, MICROS, x->cpu_us, OPTIONS_MIN_CPU_MICROS, \
		"Show nodes that run at least this many microseconds on a CPU.", \
		"time on CPUs",                                                \
		.title = "cpu time", .header = "cpu execution time",           \
		.doc = CPU_TIME_DOC,                                           \
		.pprof = "CPU execution time.", .part_of = SELECT(MICROS))     \
	X(BUSY, "busy", busy_micros, MICROS, x->busy_us, 0,                    \
		"Show nodes that keep threads busy for at least this many microseconds.", \
		"time of all threads that work for it, of traces",             \
		.title = "thread time", .header = "thread time",               \
		.doc = "thread time: Time of all threads that work for the operation. Divided by the " \
		"execution time it is the number of threads that work at a time.") \
	X(WAITING, "waiting", waiting_micros, MICROS, x->waiting_us, 0,        \
		"Show nodes that wait for at least this many microseconds.",   \
		"time in which it only waits for others, of traces",           \
		.title = "waiting", .header = "waiting",                       \
		.doc = "waiting: Time in which the operation waits for others. That of an operation " \
		"that only waits (_Recv, IteratorGetNext, all-reduce-done) is its execution time, " \
		"too; that of others comes on top of it.")                     \
	X(WORK, "work", work_micros, MICROS, exec_work_us(x), 0,               \
		"Show nodes that work for at least this many microseconds.",   \
		"execution time without that of operations that only wait",    \
		.title = "work", .header = "work",                             \
		.doc = "work: Execution time without that of operations that only wait.")

#define PARAMETER_METRICS(X)                                                   \
	X(PARAMS, "params", parameters, COUNT, model_parameters(m, node), OPTIONS_MIN_PARAMS, \
		"Show nodes with at least this many parameters.",              \
		"number of parameters in variables",                           \
		.title = "parameters", .header = "# parameters",               \
		.tree_suffix = " params", .list_suffix = " params",            \
		.doc = "param: Number of parameters (in the Variable).",       \
		.pprof = "Model parameters.")

#define OPERATION_METRICS(X)                                                   \
	X(FLOAT_OPS, "float_ops", float_ops, COUNT, m->nodes.float_ops[node], OPTIONS_MIN_FLOAT_OPS, \
		"Show nodes with at least this many float operations.",        \
		"number of float operations",                                  \
		.title = "float operations", .header = "# float_ops",          \
		.tree_suffix = " flops", .list_suffix = " float_ops",          \
		.doc = "flops: Number of float operations. Note: Please read the implementation for " \
		"the math behind it.",                                         \
		.pprof = "Model float operations (Only available if defined).") \
	X(MATRIX_FLOAT_OPS, "matrix_float_ops", matrix_float_ops, COUNT, \
		compiled_cost_of_run(&m->compiled, node).matrix_float_ops, 0,  \
		"Show nodes with at least this many float operations of matrix products and convolutions.", \
		"float operations of matrix products and convolutions, of compiled programs", \
		.title = "matrix float operations", .header = "matrix float_ops", \
		.tree_suffix = " matrix flops", .list_suffix = " matrix float_ops", \
		.doc = "matrix flops: The float operations of matrix products and convolutions.") \
	X(BYTES_ACCESSED, "bytes_accessed", bytes_accessed, BYTES,             \
		compiled_cost_of_run(&m->compiled, node).bytes, 0,             \
		"Show nodes that read and write at least this many bytes.",    \
		"bytes read and written, of compiled programs",                \
		.title = "bytes accessed", .header = "bytes accessed",         \
		.doc = "bytes accessed: The bytes that the operation reads and writes, whatever a " \
		"cache saves.")

/* Counts once, however many regexes pick a node; must be last. */
#define COUNT_METRICS(X)                                                       \
	X(OCCURRENCE, "occurrence", run_count, COUNT, x->run_count, OPTIONS_MIN_OCCURRENCE, \
		"Show nodes that occur at least this many times.",             \
		"number of runs and of nodes",                                 \
		.title = "runs",                                               \
		.doc = "occurrence: The number of times it occurs")
/* clang-format on */

/* Sums over execs. */
#define RUN_METRICS(X) MEMORY_METRICS(X) TIME_METRICS(X)
/* Properties of the node itself. */
#define MODEL_METRICS(X) PARAMETER_METRICS(X) OPERATION_METRICS(X)

#define METRICS(X) RUN_METRICS(X) MODEL_METRICS(X) COUNT_METRICS(X)

/* In results, times come first; shapes stand between parameters and operations. */
#define METRICS_BEFORE_SHAPE(X) TIME_METRICS(X) MEMORY_METRICS(X) PARAMETER_METRICS(X)
#define METRICS_AFTER_SHAPE(X) OPERATION_METRICS(X) COUNT_METRICS(X)
#define METRICS_IN_RESULTS(X) METRICS_BEFORE_SHAPE(X) METRICS_AFTER_SHAPE(X)

/* Metrics whose min_word compares own numbers in scope and graph view, as in TensorFlow's
 * profiler; min_word of the others compares totals. */
#define OWN_MINIMUM_METRICS(X) MODEL_METRICS(X) COUNT_METRICS(X)

enum metric {
#define X(id, ...) METRIC_##id,
	METRICS(X)
#undef X
		N_METRICS
};

enum unit { UNIT_COUNT, UNIT_MICROS, UNIT_BYTES };
#define UNIT_NAME_COUNT "count"
#define UNIT_NAME_MICROS "microseconds"
#define UNIT_NAME_BYTES "bytes"
/* By enum unit. */
extern const char *const unit_names[];

enum {
	ALL_METRICS = (1 << N_METRICS) - 1,
#define X(id, ...) | 1 << METRIC_##id
	MODEL_METRICS_MASK = 0 MODEL_METRICS(X), /* of a node itself, without a run */
	RUN_METRICS_MASK = 0 RUN_METRICS(X),
	/* Of compiled programs, which are known once they ran. */
	COMPILED_METRICS_MASK = 1 << METRIC_MATRIX_FLOAT_OPS | 1 << METRIC_BYTES_ACCESSED,
	THREADS_METRICS = 1 << METRIC_BUSY | 1 << METRIC_WORK, /* threads is their ratio */
	OWN_MINIMUM_MASK = 0 OWN_MINIMUM_METRICS(X),
#undef X
};

struct metric_info {
	const char *word, *column, *meaning; /* as above */
	enum unit unit;
	unsigned part_of; /* words of select that show it besides its own, as bits of select_id */
	bool needs_accelerator;                /* 0 in a profile without one */
	const char *title;                     /* on the page */
	const char *header;                    /* in reports; NULL: not a column of its own */
	const char *tree_suffix, *list_suffix; /* after the number in tree views and in op view */
	const char *doc;                       /* the report's explanation of the word */
	const char *pprof;                     /* comment of its sample type; NULL: it has none */
};

extern const struct metric_info metric_infos[N_METRICS];

/* The words of select that show a metric, as bits of select_id. */
static inline unsigned metric_selects(enum metric metric)
{
	return 1u << metric | metric_infos[metric].part_of;
}

#endif
