/* The options of a query: one table says what there is, how it is written and
 * what it means by default. The command line, the shell, help, the echo and
 * TensorFlow's OptionsProto all go through it. */
#ifndef TFPROF_QUERY_OPTIONS_H
#define TFPROF_QUERY_OPTIONS_H

#include "base/buf.h"
#include "base/error.h"

/* id, name, kind, OptionsProto field, default, help */
#define OPTIONS(X)                                                                                 \
	X(MAX_DEPTH, "max_depth", INT, 1, "10",                                                    \
		"Show nodes at most this many levels below the root.")                             \
	X(MIN_BYTES, "min_bytes", INT, 2, "0",                                                     \
		"Show nodes that request at least this many bytes.")                               \
	X(MIN_PEAK_BYTES, "min_peak_bytes", INT, 19, "0",                                          \
		"Show nodes that hold at least this many bytes at their peak.")                    \
	X(MIN_RESIDUAL_BYTES, "min_residual_bytes", INT, 20, "0",                                  \
		"Show nodes that leave at least this many bytes allocated.")                       \
	X(MIN_OUTPUT_BYTES, "min_output_bytes", INT, 21, "0",                                      \
		"Show nodes that output at least this many bytes.")                                \
	X(MIN_MICROS, "min_micros", INT, 3, "0",                                                   \
		"Show nodes that run at least this many microseconds.")                            \
	X(MIN_ACCELERATOR_MICROS, "min_accelerator_micros", INT, 22, "0",                          \
		"Show nodes that run at least this many microseconds on an accelerator.")          \
	X(MIN_CPU_MICROS, "min_cpu_micros", INT, 23, "0",                                          \
		"Show nodes that run at least this many microseconds on a cpu.")                   \
	X(MIN_PARAMS, "min_params", INT, 4, "0", "Show nodes with at least this many parameters.") \
	X(MIN_FLOAT_OPS, "min_float_ops", INT, 5, "0",                                             \
		"Show nodes with at least this many float operations.")                            \
	X(MIN_OCCURRENCE, "min_occurrence", INT, 17, "0",                                          \
		"Show nodes that occur at least this many times.")                                 \
	X(STEP, "step", INT, 18, "-1",                                                             \
		"Show the numbers of this step; -1 is the average over all steps.")                \
	X(ORDER_BY, "order_by", WORD, 7, "name",                                                   \
		"Order nodes by this: names ascending, numbers descending.")                       \
	X(ACCOUNT_TYPE_REGEXES, "account_type_regexes", REGEXES, 8, ".*",                          \
		"Account nodes one of whose types (op, device, own types) matches.")               \
	X(START_NAME_REGEXES, "start_name_regexes", REGEXES, 9, ".*",                              \
		"Start the display at nodes whose name matches.")                                  \
	X(TRIM_NAME_REGEXES, "trim_name_regexes", REGEXES, 10, "",                                 \
		"Hide what is below nodes whose name matches.")                                    \
	X(SHOW_NAME_REGEXES, "show_name_regexes", REGEXES, 11, ".*",                               \
		"Show only nodes whose name matches.")                                             \
	X(HIDE_NAME_REGEXES, "hide_name_regexes", REGEXES, 12, "",                                 \
		"Hide nodes whose name matches.")                                                  \
	X(ACCOUNT_DISPLAYED_OP_ONLY, "account_displayed_op_only", BOOL, 13, "false",               \
		"Add up only what is displayed.")                                                  \
	X(SELECT, "select", WORDS, 14, "micros", "Attributes to show, comma-separated.")           \
	X(OUTPUT, "output", OUTPUT, 15, "stdout",                                                  \
		"Where to: stdout, none, or TYPE:outfile=PATH with TYPE csv, file, json, pprof "   \
		"or timeline.")                                                                    \
	X(SOURCE_LINES, "source_lines", BOOL, 0, "true",                                           \
		"In code view, append the source text to each line.")

enum option_id {
#define X(id, name, kind, field, value, help) OPT_##id,
	OPTIONS(X)
#undef X
		N_OPTIONS
};

/* The attributes of select and order_by, in byte order of their names: the
 * order in which a report documents them. */
#define SELECTS(X)                                  \
	X(ACCELERATOR_MICROS, "accelerator_micros") \
	X(BYTES, "bytes")                           \
	X(CPU_MICROS, "cpu_micros")                 \
	X(DEVICE, "device")                         \
	X(FLOAT_OPS, "float_ops")                   \
	X(INPUT_SHAPES, "input_shapes")             \
	X(MICROS, "micros")                         \
	X(OCCURRENCE, "occurrence")                 \
	X(OP_TYPES, "op_types")                     \
	X(OUTPUT_BYTES, "output_bytes")             \
	X(PARAMS, "params")                         \
	X(PEAK_BYTES, "peak_bytes")                 \
	X(RESIDUAL_BYTES, "residual_bytes")         \
	X(TENSOR_VALUE, "tensor_value")

enum select_id {
#define X(id, name) SEL_##id,
	SELECTS(X)
#undef X
		N_SELECTS
};

enum order {
	ORDER_NAME,
	ORDER_BYTES,
	ORDER_PEAK_BYTES,
	ORDER_RESIDUAL_BYTES,
	ORDER_OUTPUT_BYTES,
	ORDER_MICROS,
	ORDER_ACCELERATOR_MICROS,
	ORDER_CPU_MICROS,
	ORDER_PARAMS,
	ORDER_FLOAT_OPS,
	ORDER_OCCURRENCE,
	ORDER_DEPTH,
	ORDER_FOUND, /* an empty order_by: as it comes */
};

/* In byte order of their names. */
enum output_type {
	OUT_CSV,
	OUT_FILE,
	OUT_JSON,
	OUT_NONE,
	OUT_PPROF,
	OUT_STDOUT,
	OUT_TIMELINE,
};

/* Whose liking a timeline is to. */
enum timeline_viewer { VIEWER_CHROME, VIEWER_PERFETTO };

/* What an output option says: TYPE[:outfile=PATH[,viewer=WORD]] */
struct output_option {
	enum output_type type;
	enum timeline_viewer viewer;
	struct span outfile;
};

struct word_list {
	struct span *at; /* the texts follow in the same block */
	size_t n;
};

struct tfprof_options {
	int64_t number[N_OPTIONS];        /* INT and BOOL */
	struct word_list list[N_OPTIONS]; /* the others; WORD holds one text, OUTPUT that of
					     the option and that of the file */
	unsigned selected;                /* bits of select_id */
	enum order order;
	struct output_option output; /* its outfile is in the list, and ends in NUL */
	bool took_dump_to_file;      /* the deprecated way to name a file */
	bool tolerant;               /* came as a message: take what the original took */
	struct buf echo, value;      /* what _get functions lend out */
};

static inline bool options_select(const struct tfprof_options *o, enum select_id id)
{
	return o->selected >> id & 1;
}

/* The 21 lines that TensorFlow prints, each `%-28s` of the name and the value.
 * Options of our own are left out. */
void options_echo(const struct tfprof_options *o, struct buf *b, bool own);

/* The select words that mean nothing, kept through the tolerant API. */
bool options_select_is_known(struct span word);

#endif
