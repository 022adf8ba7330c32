/* The options of a query: one table says what there is, how it is written and
 * what it means by default. The command line, the shell, help, the echo and
 * TensorFlow's OptionsProto all go through it. */
#ifndef TFPROF_QUERY_OPTIONS_H
#define TFPROF_QUERY_OPTIONS_H

#include "base/buf.h"
#include "base/error.h"
#include "proto/fields.h"
#include "query/format_list.h"
#include "query/metric_list.h"

/* id, name, kind, OptionsProto field, default, help. Use it with a macro named X: the
 * minimums come out of the list of metrics. */
/* clang-format off */
#define OPTIONS(X)                                                             \
	X(MAX_DEPTH, "max_depth", INT, OPTIONS_MAX_DEPTH, "10",                \
		"Show nodes at most this many levels below the root.")         \
	METRICS(MINIMUM_OPTION)                                                \
	X(STEP, "step", INT, OPTIONS_STEP, "-1",                               \
		"Show the numbers of this step; -1 is the average over all steps.") \
	X(ORDER_BY, "order_by", WORD, OPTIONS_ORDER_BY, "name",                \
		"Order nodes by this: names ascending, numbers descending.")   \
	X(ACCOUNT_TYPE_REGEXES, "account_type_regexes", REGEXES, OPTIONS_ACCOUNT_TYPE_REGEXES, ".*", \
		"Account nodes one of whose types (op, device, own types) matches.") \
	X(START_NAME_REGEXES, "start_name_regexes", REGEXES, OPTIONS_START_NAME_REGEXES, ".*", \
		"Start the display at nodes whose name matches.")              \
	X(TRIM_NAME_REGEXES, "trim_name_regexes", REGEXES, OPTIONS_TRIM_NAME_REGEXES, "", \
		"Hide what is below nodes whose name matches.")                \
	X(SHOW_NAME_REGEXES, "show_name_regexes", REGEXES, OPTIONS_SHOW_NAME_REGEXES, ".*", \
		"Show only nodes whose name matches.")                         \
	X(HIDE_NAME_REGEXES, "hide_name_regexes", REGEXES, OPTIONS_HIDE_NAME_REGEXES, "", \
		"Hide nodes whose name matches.")                              \
	X(ACCOUNT_DISPLAYED_OP_ONLY, "account_displayed_op_only", BOOL,        \
		OPTIONS_ACCOUNT_DISPLAYED_OP_ONLY, "false",                    \
		"Add up only what is displayed.")                              \
	X(SELECT, "select", WORDS, OPTIONS_SELECT, "micros",                   \
		"Attributes to show, comma-separated.")                        \
	X(OUTPUT, "output", OUTPUT, OPTIONS_OUTPUT, "stdout",                  \
		"Where to: stdout, none, or WORD:outfile=PATH with any other word.") \
	X(SOURCE_LINES, "source_lines", BOOL, 0, "true",                       \
		"In code view, append the source text to each line.")

#define MINIMUM_OPTION(id, word, column, selects, unit, graph, multi, option, value, header, tree, \
		list, meaning, minimum, doc, pprof)                            \
	X(MIN_##id, "min_" word, INT, option, "0", minimum)
/* clang-format on */

enum option_id {
#define X(id, name, kind, field, value, help) OPT_##id,
	OPTIONS(X)
#undef X
		N_OPTIONS
};

/* What select takes besides metrics: id, word, meaning, the report's explanation. */
/* clang-format off */
#define ATTRIBUTES(X)                                                          \
	X(DEVICE, "device", "where it was placed",                             \
		"device: which device is placed on.")                          \
	X(OP_TYPES, "op_types", "its operation, device and types of your own", \
		"op_types: The attributes of the operation, includes the Kernel name device placed " \
		"on and user-defined strings.")                                \
	X(INPUT_SHAPES, "input_shapes", "shapes of its inputs",                \
		"input shape: The shape of input tensors")                     \
	X(TENSOR_VALUE, "tensor_value", "values out of the checkpoint (scope, graph)", \
		"tensor_value: Not supported now.")
/* clang-format on */

/* The words of select: metrics, then attributes. */
enum select_id {
#define X(id, ...) SEL_##id,
	METRICS(X) ATTRIBUTES(X)
#undef X
		N_SELECTS
};

#define SELECT(id) (1u << SEL_##id)

enum order {
	ORDER_NAME,
#define X(id, ...) ORDER_##id,
	METRICS(X)
#undef X
		ORDER_DEPTH,
	ORDER_FOUND, /* an empty order_by: as it comes */
};

/* Whose liking a timeline is to. */
enum timeline_viewer { VIEWER_CHROME, VIEWER_PERFETTO };

/* What an output option says: FORMAT[:outfile=PATH[,viewer=WORD]] */
struct output_option {
	enum format format;
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

/* The attribute of a select word; N_SELECTS for one that means nothing, which the
 * tolerant API keeps. */
enum select_id options_find_select(struct span word);

#endif
