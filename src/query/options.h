/* The options of all questions: one table holds their names, kinds, defaults and help. The
 * command line, the shell, help, the echo, Python's keywords and TensorFlow's OptionsProto
 * all use it. */
#ifndef TFPROF_QUERY_OPTIONS_H
#define TFPROF_QUERY_OPTIONS_H

#include "base/buf.h"
#include "base/error.h"
#include "proto/fields.h"
#include "query/amount.h"
#include "query/format_list.h"
#include "query/metric_list.h"
#include "query/table_list.h"

/* id, name, kind, OptionsProto field, default, applies to, help. An option applies to the
 * questions (ask/question.h) that are named there, and to no other. The macro passed must be
 * named X: the minimums come from the list of metrics. Their kinds are units. An option that takes
 * one of several words has a kind of its own, like TABLE_WORD; a TEXT is taken as it is.
 *
 * Two options may have one name if they apply to different questions: order_by takes other words
 * in diff than in views. A comparison takes the options of the view that it compares. */
#define OF_VIEWS "scope graph op code diff"
#define OF_ALL "all"
/* clang-format off */
#define OPTIONS(X)                                                             \
	X(MAX_DEPTH, "max_depth", INT, OPTIONS_MAX_DEPTH, "10", OF_VIEWS " step layers", \
		"Show nodes down to this depth; the root has depth 1. Without it, only text " \
		"reports are cut.")                                            \
	METRICS(MINIMUM_OPTION)                                                \
	METRICS(OWN_MINIMUM_OPTION)                                            \
	OWN_MINIMUM_METRICS(TOTAL_MINIMUM_OPTION)                              \
	X(STEP, "step", INT, OPTIONS_STEP, "-1", OF_VIEWS " devices events table layers annotate",                               \
		"Show the numbers of this step; -1 is the average over all steps.") \
	X(ORDER_BY, "order_by", WORD, OPTIONS_ORDER_BY, "name", "scope graph op code layers",                \
		"Sort nodes by this attribute: names ascending, numbers descending. Op view " \
		"defaults to the first number in select.")                      \
	X(ACCOUNT_TYPE_REGEXES, "account_type_regexes", REGEXES, OPTIONS_ACCOUNT_TYPE_REGEXES, ".*", OF_VIEWS, \
		"Account nodes with a matching type (op, device or custom type).") \
	X(START_NAME_REGEXES, "start_name_regexes", REGEXES, OPTIONS_START_NAME_REGEXES, ".*", OF_VIEWS, \
		"Start the display at nodes whose name matches.")              \
	X(TRIM_NAME_REGEXES, "trim_name_regexes", REGEXES, OPTIONS_TRIM_NAME_REGEXES, "", OF_VIEWS, \
		"Hide everything below nodes whose name matches.")             \
	X(SHOW_NAME_REGEXES, "show_name_regexes", REGEXES, OPTIONS_SHOW_NAME_REGEXES, ".*", OF_VIEWS, \
		"Show only nodes whose name matches.")                         \
	X(HIDE_NAME_REGEXES, "hide_name_regexes", REGEXES, OPTIONS_HIDE_NAME_REGEXES, "", OF_VIEWS, \
		"Hide nodes whose name matches.")                              \
	X(ACCOUNT_DISPLAYED_OP_ONLY, "account_displayed_op_only", BOOL,        \
		OPTIONS_ACCOUNT_DISPLAYED_OP_ONLY, "false", OF_VIEWS,                    \
		"Add up only the nodes displayed.")                                \
	X(ALL_SCOPES, "all_scopes", BOOL, 0, "false", OF_VIEWS,                \
		"In scope view, also list scopes that account_type_regexes does not match and " \
		"that only hold nodes it matches.")                            \
	X(SELECT, "select", WORDS, OPTIONS_SELECT, "micros", OF_VIEWS " layers",                   \
		"Show these attributes, separated by commas. A profile without a run defaults to " \
		"params.")                                                     \
	X(OUTPUT, "output", OUTPUT, OPTIONS_OUTPUT, "stdout", OF_ALL,                  \
		"Write in this format; file, pprof and timeline need :outfile=PATH.") \
	X(MAX_BYTES, "max_bytes", BYTES, 0, "0", OF_ALL,                               \
		"Bound the size of JSON: the rows that fit, and the name of a file with all of " \
		"them; 0 is no bound.")                                        \
	X(SOURCE_LINES, "source_lines", BOOL, 0, "true", OF_VIEWS,                       \
		"In code view, append the source text to each line.")          \
	X(WIDE, "wide", BOOL, 0, "false", "code",                              \
		"Show source text and names of functions whole, instead of 17 bytes of each.") \
	X(EXECUTED_TYPES, "executed_types", BOOL, 0, "false", OF_VIEWS,                  \
		"In op view, group nodes by the operation that ran instead of the one in the graph.") \
	X(FOLD_GRADIENTS, "fold_gradients", BOOL, 0, "false", OF_VIEWS,                  \
		"In scope and code view, place gradients under the layer or line they belong to.") \
	X(ONLY_MY_CODE, "only_my_code", BOOL, 0, "false", OF_VIEWS,                      \
		"In code view, omit library frames.")                \
	X(COUNT_FLOAT_OPS, "count_float_ops", BOOL, 0, "false", OF_VIEWS,                \
		"Count the float operations of graph nodes that have none in an op log, from " \
		"their types and shapes.")                                     \
	X(ON, "on", TEXT, 0, "", "step",                                       \
		"Show the parts of this device, such as gpu:0.")               \
	X(STEPS, "steps", TEXT, 0, "", "step overview",                        \
		"Show the steps with these numbers, such as 10:20, both included.") \
	X(STEP_FUNCTION, "step_function", TEXT, 0, "", "step overview",        \
		"Take each call of this function as a step.")                  \
	X(SOURCE, "source", FILE, 0, "", "annotate",                           \
		"Show every line of this source file, with what it costs.")    \
	X(TOP, "top", INT, 0, "0",                                              \
		"scope graph op code layers roofline transfers devices memory events table", \
		"Show this many rows below each row, and add the others up in one; 0 shows all.") \
	X(DOC, "doc", BOOL, 0, "true", OF_VIEWS,                                         \
		"Explain the view and its columns before a text report.")              \
	X(TABLE, "table", TABLE_WORD, 0, "ops", "table",                       \
		"Write this table.")                                           \
	X(BY, "by", BY, 0, "op", "roofline op",                                   \
		"Add up operations of the same kind, layer, line or program.") \
	X(DEVICE, "device", DEVICE, 0, "", "roofline model",                   \
		"Use the peak figures of this device.")                        \
	X(PEAK_FLOPS, "peak_flops", RATE, 0, "0", "roofline devices model",    \
		"Set the device's peak float operations per second, such as 19.5T; 0 is not known, " \
		"sheet computes those of a GPU from its cores and clock.")         \
	X(PEAK_BANDWIDTH, "peak_bandwidth", RATE, 0, "0", "roofline model",    \
		"Set the device's memory bandwidth in bytes per second, such as 900G; 0 is not known.") \
	ADVICE_OPTIONS                                                         \
	MODEL_OPTIONS                                                          \
	DIFF_OPTIONS

#define ADVICE_OPTIONS                                                         \
	X(CHECKER, "checker", CHECKER, 0, "", "advise",                        \
		"Run only this checker; may be repeated.")                     \
	X(FAIL_ON, "fail_on", LEVEL, 0, "none", "advise",                      \
		"Exit with status 3 if a finding reaches this level.")

#define MODEL_OPTIONS                                                          \
	X(BATCH_SIZE, "batch_size", POSITIVE, 0, "", "model layers memory diff",             \
		"Use this batch size where the file leaves it open (default 1).") \
	X(INPUT_SHAPES, "input_shapes", SHAPES, 0, "", "model layers memory diff",           \
		"Set shapes of inputs, such as x:1x224x224x3.")                \
	X(SIGNATURE, "signature", NAME, 0, "", "model layers memory diff",                   \
		"Count this signature of a SavedModel (default serving_default).") \
	X(TRIP_COUNT, "trip_count", POSITIVE, 0, "", "model layers memory diff",             \
		"Count loops whose length depends on data this many times (default 1).") \
	X(TRAINING, "training", BOOL, 0, "false", "memory",                    \
		"Of a model: estimate a training step instead of a call.")     \
	X(OPTIMIZER, "optimizer", OPTIMIZER, 0, "adam", "memory",              \
		"With training, count what this optimizer keeps for each weight.") \
	X(TRAINING_DTYPE, "dtype", TRAINING_DTYPE, 0, "file", "memory",        \
		"Compute in this type: that of the file, float16 or bfloat16, or mixed_ with weights in " \
		"float32.")                                                    \
	X(MEMORY_LIMIT, "limit", BYTES, 0, "0", "memory",                      \
		"Of a model: find the largest batch that fits in this much memory, such as 16GB.") \
	X(MODEL_FAIL_IF, "fail_if", LIMITS, 0, "", "model layers",                    \
		"Exit with status 3 if a total exceeds a limit, such as macs>300M, and 4 if something " \
		"was not counted, so that nobody can tell.")                   \
	X(ALLOW_UNCOUNTED, "allow_uncounted", BOOL, 0, "false", "model layers",       \
		"Accept limits of fail_if that hold for what was counted, if not all was.") \
	X(MODEL_MAX_DEPTH, "max_depth", POSITIVE, 0, "2", "model",             \
		"Use this many parts of a node's name as its layer.")          \
	X(MODEL_ORDER_BY, "order_by", MODEL_ORDER, 0, "layer", "model",        \
		"Sort layers: in the model's order (layer), by name, or numbers descending.")

#define DIFF_OPTIONS                                                           \
	X(BASE_STEP, "base_step", INT, 0, "", "diff",                          \
		"Compare with this step of the base, or of the same profile.") \
	X(MIN_CHANGE, "min_change", PERCENT, 0, "5%", "diff",                  \
		"Treat smaller changes of times as noise; text reports omit their rows.") \
	X(MIN_DELTA_MICROS, "min_delta_micros", MICROS, 0, "0", "diff",        \
		"Treat smaller differences of times as noise; text reports omit their rows.") \
	X(RENAME, "rename", RULES, 0, "", "diff",                              \
		"Rename rows of the base before matching them.")               \
	X(NO_GUESS, "no_guess", BOOL, 0, "false", "diff",                      \
		"Do not match renamed scopes by their contents.")              \
	X(FAIL_IF, "fail_if", CHANGES, 0, "", "diff",                          \
		"Exit with status 3 if a change exceeds a limit, such as micros>5% or input_share>10pt; with 4 if there " \
		"are too few runs to tell.")                                   \
	X(BUDGETS, "budgets", FILE, 0, "", "diff",                             \
		"Read conditions like those of fail_if from a file, one per line.") \
	X(DIFF_ORDER_BY, "order_by", DIFF_ORDER, 0, "delta", "diff",           \
		"Sort rows by the size of the change, its percentage, or base, new or name.")

#define MINIMUM_OPTION(id, word, column, unit, value, option, minimum, ...)    \
	X(MIN_##id, "min_" word, unit, option, "0", OF_VIEWS, minimum)
#define OWN_MINIMUM_OPTION(id, word, column, unit, ...)               \
	X(MIN_OWN_##id, "min_own_" word, unit, 0, "0", OF_VIEWS,               \
		"Like min_" word ", but compare the node's own number.")
#define TOTAL_MINIMUM_OPTION(id, word, column, unit, ...)             \
	X(MIN_TOTAL_##id, "min_total_" word, unit, 0, "0", OF_VIEWS,           \
		"Like min_" word ", but compare the total of the node and all below it.")
/* clang-format on */

enum option_id {
#define X(id, ...) OPT_##id,
	OPTIONS(X)
#undef X
		N_OPTIONS
};

/* OPT_PEAK_FLOPS: compute them from the device's cores and clock ("sheet"). */
enum { PEAK_FLOPS_SHEET = -1 };

/* Words of select besides metrics: id, word, help, the report's explanation. */
/* clang-format off */
#define ATTRIBUTES(X)                                                          \
	X(DEVICE, "device", "device it was placed on",                         \
		"device: which device is placed on.")                          \
	X(OP_TYPES, "op_types", "operation, device and custom types",          \
		"op_types: The attributes of the operation, includes the Kernel name device placed " \
		"on and user-defined strings.")                                \
	X(KIND, "kind", "what the time is spent on: matmul, data movement, waiting and others", \
		"kind: What the time is spent on, whatever the source calls the operation.") \
	X(THREADS, "threads", "threads that work for it at a time: busy / work, of traces", \
		"threads: How many threads work for the operation at a time: thread time divided by the " \
		"time in which any does.")                                         \
	X(INPUT_SHAPES, "input_shapes", "shapes of inputs",                    \
		"input shape: The shape of input tensors")                     \
	X(TENSOR_VALUE, "tensor_value", "values from the checkpoint (scope, graph)", \
		"tensor_value: Not supported now.")
/* clang-format on */

/* Numbers, by what they count, then the others. */
enum option_kind {
	KIND_INT = AMOUNT_PLAIN,
	KIND_COUNT = AMOUNT_COUNT,
	KIND_MICROS = AMOUNT_MICROS,
	KIND_BYTES = AMOUNT_BYTES,
	KIND_RATE = AMOUNT_RATE,
	KIND_POSITIVE = N_AMOUNTS, /* 0: not given */
	KIND_BOOL,
	/* One of several words; the number is its index. */
	KIND_BY,
	KIND_LEVEL,
	KIND_MODEL_ORDER,
	KIND_OPTIMIZER,
	KIND_TRAINING_DTYPE,
	KIND_DIFF_ORDER,
	KIND_TABLE_WORD,
	/* Texts of other forms. */
	KIND_TEXT,
	KIND_NAME,
	KIND_SHAPES,
	KIND_PERCENT,
	KIND_LIMITS,  /* of totals */
	KIND_CHANGES, /* limits of changes; those given later are added */
	KIND_RULES,
	KIND_FILE,
	KIND_CHECKER, /* a checker, its option and its value, for each setting */
	KIND_WORD,
	KIND_DEVICE,
	KIND_WORDS,
	KIND_REGEXES,
	KIND_OUTPUT
};

/* The words of select: metrics, then attributes. */
enum select_id {
#define X(id, ...) SEL_##id,
	METRICS(X) ATTRIBUTES(X)
#undef X
		N_SELECTS
};

#define SELECT(id) (1u << SEL_##id)

/* The words of by: id, word, help. */
#define ROOFLINE_BY(X)                              \
	X(OP, "op", "each operation")               \
	X(KIND, "kind", "matmul, convolution, ...") \
	X(LAYER, "layer", "scope in the source")    \
	X(LINE, "line", "line of Python")           \
	X(PROGRAM, "program", "compiled program")   \
	X(KERNEL, "kernel", "kernel of a GPU, in op view")

enum roofline_by {
#define X(id, ...) ROOFLINE_BY_##id,
	ROOFLINE_BY(X)
#undef X
};

enum order {
	ORDER_NAME,
#define X(id, ...) ORDER_##id,
	METRICS(X)
#undef X
		ORDER_DEPTH,
	ORDER_FOUND, /* an empty order_by: in the view's order */
};

/* The words of order_by in comparisons: id, word. */
#define DIFF_ORDERS(X)           \
	X(BY_DELTA, "delta")     \
	X(BY_PERCENT, "percent") \
	X(BY_BASE, "base")       \
	X(BY_NEW, "new")         \
	X(BY_NAME, "name")

enum diff_order {
#define X(id, word) id,
	DIFF_ORDERS(X)
#undef X
};

/* The viewer a timeline is written for. */
enum timeline_viewer { VIEWER_CHROME, VIEWER_PERFETTO };

/* The option output, parsed: FORMAT[:outfile=PATH[,viewer=WORD]] */
struct output_option {
	enum format format;
	enum timeline_viewer viewer;
	bool formulas_as_text; /* CSV: no cell is one to a spreadsheet */
	struct span outfile;
};

struct word_list {
	struct span *at; /* the texts follow in the same block */
	size_t n;
};

struct tfprof_options {
	int64_t number[N_OPTIONS];        /* numbers, BOOL and kinds of words */
	struct word_list list[N_OPTIONS]; /* texts: one or, of WORDS, REGEXES, CHANGES and
					     CHECKER, several; OUTPUT has its text and the
					     path of the file */
	unsigned selected;                /* bits of select_id */
	enum order order;
	enum order first_number;     /* of select, as typed; ORDER_NAME if it has none */
	bool given[N_OPTIONS];       /* not left at its default */
	struct output_option output; /* its outfile is in the list and ends in NUL */
	bool took_dump_to_file;      /* the deprecated way to name a file */
	bool tolerant;               /* set from a message: accept what TensorFlow accepts */
	struct buf echo, value;      /* returned by _get functions */
};

static inline bool options_select(const struct tfprof_options *o, enum select_id id)
{
	return o->selected >> id & 1;
}

static inline bool options_is_given(const struct tfprof_options *o, enum option_id id)
{
	return o->given[id];
}

/* The option of this name that applies to a question or, without one, the first; N_OPTIONS if
 * there is none. */
size_t options_find(const char *question, const char *name);
/* The name of an option. */
const char *option_get_name(size_t id);
/* Sets an option from text. What only later folders can check is taken as it is: limits of
 * changes, rules, checkers (lib/options.c). */
enum tfprof_status options_set(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err);
/* Appends to a list. */
bool options_append(struct tfprof_options *o, size_t id, const struct span *words, size_t n);
/* The value of a TEXT or another form of text; NULL if it is empty. */
const char *options_get_text(const struct tfprof_options *o, enum option_id id);

/* Sets the defaults that depend on the query. Without select, a profile that has no run shows
 * parameters; without order_by, op view is ordered by the first number selected. False on
 * allocation failure. */
bool options_choose_defaults(struct tfprof_options *o, enum tfprof_view view, bool has_run);

/* The 21 lines that TensorFlow prints, each `%-28s` of the name and the value, and
 * with `own` also the options TensorFlow does not have. */
void options_echo(const struct tfprof_options *o, struct buf *b, bool own);

/* Sets the words of a list option: checks them, sorts those of select. `tolerant`
 * accepts what TensorFlow's profiler accepts. */
enum tfprof_status options_set_list(struct tfprof_options *o, size_t id, struct span *words,
	size_t n, bool tolerant, struct tfprof_error *err);

/* The id of a word of select; N_SELECTS if it is unknown. */
enum select_id options_find_select(struct span word);

/* ---- for files of this folder ------------------------------------------- */

/* Lists the words that the option accepts. */
enum tfprof_status option_word_error(struct tfprof_error *err, enum option_id id, struct span word);

#endif
