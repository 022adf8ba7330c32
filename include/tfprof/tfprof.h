/* tfprof: profile TensorFlow models from the files a run leaves behind.
 *
 * The public API, with timeline.h, model.h and diff.h, which it includes. A program creates a
 * profile, adds files to it, runs any number of queries and frees it:
 *
 *     profile --add a saved profile, or graph, run metadata, …--> profile
 *     profile + view + options --query--> result --columns, text, JSON, a file …
 *
 * Ownership: objects from `_new`, `_copy` and `_run` are freed with the matching
 * `_free`, bytes with tfprof_bytes_free(). Everything a `_get_` function returns
 * is borrowed and lives as long as the object it came from (for a profile, until
 * the profile next changes).
 *
 * Errors: a fallible function returns a status and, if `err` is not NULL,
 * fills it with one line: what failed, where, and what was expected. A call that
 * fails leaves its profile or options unchanged.
 *
 * Threads: the only global state is a pool of worker threads, and the spelling of options.
 * Different profiles are independent. Any number of queries may run on one profile in parallel;
 * adding to it waits for them. Functions that take a const profile take no lock: do not call them
 * while another thread adds.
 */
#ifndef TFPROF_H
#define TFPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TFPROF_API __attribute__((visibility("default")))
#else
#define TFPROF_API
#endif

/* name, text */
#define TFPROF_STATUS_LIST(X)                                                  \
	X(OK, "ok")                                                            \
	X(NO_MEMORY, "out of memory")                                          \
	X(IO, "a file could not be read or written")                           \
	X(FORMAT, "malformed input")                                           \
	X(ARGUMENT, "invalid argument or option")                              \
	X(REGEX, "a regular expression is invalid or exceeds the match limit") \
	X(STEP, "the step is not in the profile")                              \
	X(CANCELLED, "cancelled by the caller")                                \
	X(UNSUPPORTED, "not supported by this profile or view")

enum tfprof_status {
#define X(name, text) TFPROF_##name,
	TFPROF_STATUS_LIST(X)
#undef X
};

struct tfprof_error {
	enum tfprof_status status;
	char text[1012];
	const char *id; /* of a failure that callers treat in a way of its own, or NULL */
};

/* How texts name options and inputs: each front end calls them differently. Call it before
 * anything else; the default is flags. */
enum tfprof_spelling {
	TFPROF_SPELL_FLAGS,   /* --step=3, as on a command line */
	TFPROF_SPELL_SHELL,   /* -step 3 */
	TFPROF_SPELL_KEYWORDS /* step=3, as in Python */
};
TFPROF_API void tfprof_set_spelling(enum tfprof_spelling spelling);

/* "1.2.3" */
TFPROF_API const char *tfprof_get_version(void);

/* Of the NULL-terminated `words`, the one a misspelt word most likely meant; NULL
 * if none is close. */
TFPROF_API const char *tfprof_word_get_nearest(const char *misspelt, const char *const *words);

/* ---- inputs ---------------------------------------------------------- */

/* Where bytes come from: memory if `data` is set (what is needed later is copied, and
 * `path` is only its name in messages), otherwise a file (mapped, not copied). Either may
 * be compressed with gzip or zstd. `{0}` means no input. */
struct tfprof_input {
	const char *path;
	const void *data;
	size_t size;
};

static inline int tfprof_input_is_memory(const struct tfprof_input *in)
{
	return in->data || !in->path;
}

static inline struct tfprof_input tfprof_input_file(const char *path)
{
	struct tfprof_input in = {path, NULL, 0};
	return in;
}

static inline struct tfprof_input tfprof_input_bytes(const void *data, size_t size)
{
	struct tfprof_input in = {NULL, data, size};
	return in;
}

/* In place of the name of a kind: it is recognized by its content. */
#define TFPROF_INPUT_AUTO ((const char *)0)

/* How inputs of a kind are given, and what they go with. */
enum tfprof_input_traits {
	TFPROF_INPUT_WHOLE = 1,    /* everything at once: only into an empty profile */
	TFPROF_INPUT_PART = 2,     /* part of a whole: cannot be combined with one */
	TFPROF_INPUT_EXTRA = 4,    /* adds to existing nodes: not enough by itself */
	TFPROF_INPUT_BY_STEP = 8,  /* one for each step; others belong to all steps */
	TFPROF_INPUT_FILES = 16,   /* a path that leads to one or several files, not bytes */
	TFPROF_INPUT_SEVERAL = 32, /* there may be several; their numbers are added up */
	TFPROF_INPUT_RUN = 64      /* a run by itself: in a comparison, several are several runs */
};

/* The kinds of input, in the order in which inputs of several kinds should be added;
 * NULL beyond the last. */
struct tfprof_input_info {
	const char *name;     /* "graph": as tfprof_profile_add takes it */
	const char *flag;     /* "graph_path": the program's */
	const char *message;  /* "tensorflow.GraphDef"; NULL if it is no message */
	const char *progress; /* "Parsing GraphDef...": shown while it is read */
	const char *help;     /* one sentence */
	unsigned traits;      /* set of enum tfprof_input_traits */
};
TFPROF_API const struct tfprof_input_info *tfprof_input_get_info(size_t i);

/* Whether a path leads to a file, a directory or files that begin with it, as those of
 * a checkpoint do. */
TFPROF_API int tfprof_input_exists(const char *path);

/* In place of a step: the one after the last. */
#define TFPROF_NEXT_STEP INT64_MIN

/* One of several inputs that are added together. */
struct tfprof_given {
	const char *kind; /* TFPROF_INPUT_AUTO: recognized by content */
	struct tfprof_input input;
	int64_t step; /* the step of a kind that comes by step, or TFPROF_NEXT_STEP */
	void *owned;  /* NULL */
};

/* Prepares inputs of any kinds for tfprof_profile_add(): recognizes those whose kind is
 * not known, numbers the steps, checks that all of them go together, and puts them into
 * the order in which to add them. The path "-" is standard input; what cannot be read
 * twice is read here and becomes memory. Call `_release` afterwards, also on failure. */
TFPROF_API enum tfprof_status tfprof_given_arrange(struct tfprof_given *given, size_t n,
	struct tfprof_error *err);
/* The same for one side of a comparison, before its profiles are made: recognizes the inputs
 * and tells how many runs they are. Parts (a graph, run metadata, an op log …), maybe with one
 * run, are 1: they belong together. Inputs that are runs by themselves are `n`. It is an error
 * if there are parts and several runs. */
TFPROF_API enum tfprof_status tfprof_given_count_runs(struct tfprof_given *given, size_t n,
	size_t *n_runs, struct tfprof_error *err);
TFPROF_API void tfprof_given_release(struct tfprof_given *given, size_t n);

/* ---- profile --------------------------------------------------------- */

typedef struct tfprof_profile tfprof_profile;

/* Empty. NULL on allocation failure. */
TFPROF_API tfprof_profile *tfprof_profile_new(void);
TFPROF_API void tfprof_profile_free(tfprof_profile *profile);

/* Adds an input, all or nothing. `kind` is the name of its kind: "profile",
 * "graph", "op_log", "run_meta", "checkpoint" (docs/inputs.md describes each), or
 * TFPROF_INPUT_AUTO. Messages may be binary or text, and compressed with gzip or zstd. A directory
 * stands for its contents: the newest profile of a ProfileContext, or a checkpoint. `step` is for
 * kinds that come by step. May be called again: only what is new is added. A saved profile can only
 * be added to an empty profile; a checkpoint replaces the previous one. */
TFPROF_API enum tfprof_status tfprof_profile_add(tfprof_profile *profile, const char *kind,
	const struct tfprof_input *input, int64_t step, struct tfprof_error *err);

/* How to treat damaged inputs. */
enum tfprof_reading {
	TFPROF_READ_AS_IS, /* damage is an error; notes count what was ignored */
	/* So is whatever would be ignored, at any depth: fields that are unknown or have the
	 * wrong wire type, inputs and entries that name no node, nodes without names,
	 * implausible events. */
	TFPROF_READ_STRICT,
	/* The intact parts of damaged inputs are added; notes say what was dropped. */
	TFPROF_READ_RECOVER,
	/* As it is, but without the operations of traces: for nothing but the question `step`,
	 * shown as text, which reads the traces itself. */
	TFPROF_READ_FOR_STEP
};

/* Applies to all inputs added from now on. */
TFPROF_API void tfprof_profile_set_reading(tfprof_profile *profile, enum tfprof_reading reading);

/* Notes of the last call that added something, such as entries without a start time:
 * complete lines, or empty. */
TFPROF_API const char *tfprof_profile_get_notes(const tfprof_profile *profile);

/* Adds one step, all or nothing: an optional newer graph, run metadata, an
 * optional op log (NULL: none), in this order. `*coverage` (may be NULL) gets
 * what tfprof_profile_get_coverage() gives. */
TFPROF_API enum tfprof_status tfprof_profile_add_step(tfprof_profile *profile, int64_t step,
	const struct tfprof_input *graph, const struct tfprof_input *run_meta,
	const struct tfprof_input *op_log, double *coverage, struct tfprof_error *err);

/* Counts the float operations of graph nodes that have none, from their types, inputs and
 * shapes, by the rules for model files (docs/model.md). Numbers from an op log are kept.
 * Queries do this, too, with the option count_float_ops. */
TFPROF_API enum tfprof_status tfprof_profile_count_float_ops(tfprof_profile *profile,
	struct tfprof_error *err);

/* The share of the nodes that ran in the run metadata added so far. */
TFPROF_API double tfprof_profile_get_coverage(const tfprof_profile *profile);

/* The profile as a ProfileProto. The bytes are freed with tfprof_bytes_free.
 * `_save` writes the file completely or not at all, and never over an input. An empty
 * profile has no bytes; saving one is an error, since nothing recognizes an empty file. */
TFPROF_API enum tfprof_status tfprof_profile_serialize(tfprof_profile *profile, void **bytes,
	size_t *size, struct tfprof_error *err);
TFPROF_API enum tfprof_status tfprof_profile_save(tfprof_profile *profile, const char *path,
	struct tfprof_error *err);
/* An error if the profile was loaded from this file, through links too. */
TFPROF_API enum tfprof_status tfprof_profile_check_output(tfprof_profile *profile, const char *path,
	struct tfprof_error *err);
TFPROF_API void tfprof_bytes_free(void *bytes);

/* Removes the temporary names of files that are being written, if they have any. For
 * handlers of signals that end the program: async-signal-safe. */
TFPROF_API void tfprof_discard_unfinished(void);

struct tfprof_summary {
	size_t n_nodes;
	size_t n_steps;
	size_t n_devices; /* canonical devices */
	int has_code_traces;
	int has_run_meta;
	int has_float_ops;
	int has_checkpoint;
	int misses_accelerator_stream;
	double coverage; /* share of the nodes that ran in some step */
	int has_lanes;   /* threads and streams, from traces: a saved profile has none */
};

TFPROF_API void tfprof_profile_get_summary(tfprof_profile *profile, struct tfprof_summary *summary);

/* Ascending. */
TFPROF_API const int64_t *tfprof_profile_get_steps(const tfprof_profile *profile, size_t *n);
/* By node index, 0 <= i < n_nodes; NULL beyond. Names and types are `*length`
 * bytes, without a NUL. */
TFPROF_API const char *tfprof_profile_get_node_name(tfprof_profile *profile, size_t i,
	size_t *length);
TFPROF_API const char *tfprof_profile_get_node_op(tfprof_profile *profile, size_t i,
	size_t *length);
/* Every op, device and extra type that some node has, in byte order; NULL
 * beyond the last. Sorted on first use after a change. */
TFPROF_API const char *tfprof_profile_get_type(tfprof_profile *profile, size_t i, size_t *length);

/* For completion: calls `fn`, in byte order, with each way in which node names
 * continue `prefix`: a whole name or, if it has a further '/', its beginning up
 * to and including that. Non-zero from `fn` stops. Names are
 * sorted on first use after a change; from then on each call of `fn`
 * costs a binary search. `fn` must not change the profile. */
typedef int tfprof_name_fn(void *context, const char *name, size_t length);
TFPROF_API enum tfprof_status tfprof_profile_find_names(tfprof_profile *profile, const char *prefix,
	tfprof_name_fn *fn, void *context, struct tfprof_error *err);

/* The family of an operation type, for colours and legends: "matrix", "element", …; the
 * title is for people. Never NULL. */
TFPROF_API const char *tfprof_op_get_family(const char *op, size_t length);
/* The families; NULL past the end. */
struct tfprof_family_info {
	const char *name, *title;
};
TFPROF_API const struct tfprof_family_info *tfprof_family_get_info(size_t i);

/* ---- nodes one by one ---- */

/* The node of a name; SIZE_MAX if there is none. */
TFPROF_API size_t tfprof_profile_find_node(tfprof_profile *profile, const char *name,
	size_t length);

/* Texts of a node are borrowed from the profile, without a NUL. */
struct tfprof_node {
	const char *name, *op, *device; /* device: empty if it never ran */
	size_t name_length, op_length, device_length;
	int64_t float_ops;
	size_t n_inputs;
	int is_gradient;
};

/* An edge, seen from one of its nodes. */
struct tfprof_link {
	size_t node; /* the node at the other end; SIZE_MAX if the profile does not have it */
	const char *name;
	size_t name_length;
	int32_t position, output; /* index of the input, and of the source's output */
	int is_control;           /* it only says what runs first */
	const char *shape;        /* "8x16"; empty: unknown */
};
typedef int tfprof_link_fn(void *context, const struct tfprof_link *link);

struct tfprof_frame {
	const char *file, *function, *text; /* the whole path; text: the line of source */
	size_t file_length, function_length, text_length;
	int32_t line;
	int is_library; /* not the user's own code */
};

/* What a node did in a step. */
struct tfprof_node_step {
	int64_t step, n_runs, start_micros, cpu_micros, accelerator_micros;
	int64_t requested_bytes, peak_bytes, residual_bytes, output_bytes;
};

/* Functions that are NULL are not called; non-zero from one stops the visit. What they
 * are given is valid until they return. */
struct tfprof_node_visitor {
	int (*output)(void *context, int32_t slot, const char *shape);
	tfprof_link_fn *input, *consumer; /* consumer: looks at every edge of the graph */
	int (*attribute)(void *context, const char *name, size_t name_length, const char *value,
		size_t value_length);
	int (*step)(void *context, const struct tfprof_node_step *step);
	int (*frame)(void *context, const struct tfprof_frame *frame); /* outermost first */
	void *context;
};

/* Everything known about the i-th node. `node` and `visitor` may be NULL. The functions must
 * not change the profile. */
TFPROF_API enum tfprof_status tfprof_profile_visit_node(tfprof_profile *profile, size_t i,
	struct tfprof_node *node, const struct tfprof_node_visitor *visitor,
	struct tfprof_error *err);

/* All edges from one group of nodes to another. */
struct tfprof_edges {
	uint32_t from, to;
	size_t n_tensors, n_controls;
	int64_t n_elements;        /* elements of all tensors whose shape is known */
	const char *largest_shape; /* "8x16", of one tensor; empty: unknown */
	int64_t n_bytes;           /* bytes of all tensors whose shape and type are known */
};
typedef int tfprof_edges_fn(void *context, const struct tfprof_edges *edges);

/* In place of a group: the node is in none. */
#define TFPROF_NO_GROUP UINT32_MAX

/* Calls `fn` for each pair of groups that edges connect; `groups` has the group of each of
 * the first `n_nodes` nodes of the profile; others are in none. */
TFPROF_API enum tfprof_status tfprof_profile_find_edges(tfprof_profile *profile,
	const uint32_t *groups, size_t n_nodes, tfprof_edges_fn *fn, void *context,
	struct tfprof_error *err);

/* Called now and then while an input is read (from the calling thread). */
typedef void tfprof_progress_fn(void *context, uint64_t bytes_done, uint64_t bytes_total,
	uint64_t n_nodes);
TFPROF_API void tfprof_profile_set_progress(tfprof_profile *profile, tfprof_progress_fn *fn,
	void *context);

/* ---- options --------------------------------------------------------- */

typedef struct tfprof_options tfprof_options;

/* With the command line's defaults. NULL on allocation failure. */
TFPROF_API tfprof_options *tfprof_options_new(void);
TFPROF_API tfprof_options *tfprof_options_copy(const tfprof_options *options);
TFPROF_API void tfprof_options_free(tfprof_options *options);

/* Sets an option by name (without dashes). The value is written as on the command
 * line: lists are comma-separated, a bool is true or false, a minimum may have a unit
 * ("1.5ms", "20MB"). */
TFPROF_API enum tfprof_status tfprof_options_set(tfprof_options *options, const char *name,
	const char *value, struct tfprof_error *err);
/* The same for an option of a question: order_by has other words in "diff" than in views, and
 * fail_if in "model". Options that may be repeated (checker, fail_if of diff) add to what was set
 * before. An error if the question does not take the option. */
TFPROF_API enum tfprof_status tfprof_options_set_for(tfprof_options *options, const char *question,
	const char *name, const char *value, struct tfprof_error *err);
/* Sets a list option to these values, which may contain commas. */
TFPROF_API enum tfprof_status tfprof_options_set_list(tfprof_options *options, const char *name,
	const char *const *values, size_t n, struct tfprof_error *err);
/* Whether an option was set, rather than left at its default. */
TFPROF_API int tfprof_options_is_set(const tfprof_options *options, const char *name);
/* The value in the form `_set` takes; NULL for an unknown name. */
TFPROF_API const char *tfprof_options_get(tfprof_options *options, const char *name);

/* Replaces all options with those of a serialized OptionsProto, as TensorFlow's
 * Python API sends it: absent lists are empty, source_lines is off, and unknown
 * words are accepted as TensorFlow's profiler does (in select they are ignored,
 * for order_by they mean name). The result's notes name the words ignored. In all else,
 * too, queries then behave as in TensorFlow's profiler: an output that the view does not
 * support is a note, not an error; names are not escaped; the step's number is appended to
 * the name of a timeline. */
TFPROF_API enum tfprof_status tfprof_options_set_message(tfprof_options *options, const void *bytes,
	size_t size, struct tfprof_error *err);

/* All options, one per line, as an empty line in the shell prints them; a default that
 * depends on the query says so. Borrowed until the options change. */
TFPROF_API const char *tfprof_options_get_text(tfprof_options *options, size_t *length);

/* What TensorFlow's Python API prints around a report of these options, with no report in it,
 * as it does if there is no such step; empty if the report does not go to stdout. Borrowed
 * until the options are next used; NULL on allocation failure. */
TFPROF_API const char *tfprof_options_get_frame(tfprof_options *options);

/* The command line that runs a command ("op") with these options, quoted for a POSIX
 * shell: "tfprof op FILE --select=bytes". Only options that were set are named. `inputs`, up
 * to a NULL, are paths or flags such as "--graph_path=FILE". Borrowed until the options are
 * next used; NULL on allocation failure. */
TFPROF_API const char *tfprof_options_get_command(tfprof_options *options, const char *command,
	const char *const *inputs);

/* The table of options, in documentation order; NULL past the end. */
struct tfprof_option_info {
	const char *name;
	const char *default_value;
	const char *help;             /* one sentence */
	const char *kind;             /* "int", "bool", "word", "words", "regexes", "output" */
	const char *placeholder;      /* stands for the value in help: "N", "WORD,..." */
	const char *const *words;     /* accepted words, NULL-terminated; or NULL */
	const char *const *word_help; /* meaning of each word; NULL if there are no words */
	const char *units;            /* "us, ms, s": may follow the number; NULL if none may */
	uint32_t message_field;       /* in OptionsProto; 0 if it has no such option */
	const char *applies_to;       /* names of questions, or "all" */
};
TFPROF_API const struct tfprof_option_info *tfprof_option_get_info(size_t i);
/* Whether a question, such as "op" or "devices", takes an option. */
TFPROF_API int tfprof_option_applies(const struct tfprof_option_info *info, const char *question);

/* ---- queries --------------------------------------------------------- */

/* The views, one entry each.
 *
 *     id, name     TFPROF_id; name is also its command and its method in Python
 *     message      its result message: a GraphNodeProto if its rows are graph nodes, a
 *                  MultiGraphNodeProto if they stand for groups of them
 *     summary      one line, for lists
 *     description  a paragraph
 *     example      options of a good first try
 *     legend       its explanation in reports
 */
/* clang-format off */
#define TFPROF_VIEW_LIST(X) \
	X(SCOPE, scope, "GraphNodeProto", \
		"nodes as a tree of name scopes", \
		"Groups nodes by name scope: a/b/c is under a/b, which is under a. Numbers are " \
		"own/total; the total includes everything below the node. Best for parameters, " \
		"shapes, float operations and tensor values.", \
		"--select=params --account_type_regexes=_trainable_variables", \
		"scope: The nodes in the model graph are organized by their names, which is " \
		"hierarchical like filesystem.") \
	/* TensorFlow's profiler prints the same legend for graph view. */ \
	X(GRAPH, graph, "GraphNodeProto", \
		"nodes as a tree of data flow", \
		"Places each node once, under a node that consumes its output. Best for finding " \
		"what a node depends on, and for step timelines.", \
		"--start_name_regexes=cost.* --max_depth=100 --min_micros=10000", \
		"scope: The nodes in the model graph are organized by their names, which is " \
		"hierarchical like filesystem.") \
	X(OP, op, "MultiGraphNodeProto", \
		"operation types as a list", \
		"Prints one line per operation type, summed over its nodes. Percentages are " \
		"shares of the whole: of this line and all below it, then of this line alone. " \
		"Best for finding which operations take the time or the memory.", \
		"--select=micros,bytes,occurrence --order_by=micros", \
		"op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes " \
		"belonging to the same type are aggregated together.") \
	X(CODE, code, "MultiGraphNodeProto", \
		"nodes as a tree of the Python code that created them", \
		"Places nodes under the lines of Python that created them, outermost call first. " \
		"Needs call stacks: a profile saved from Python, or --op_log_path. Best for " \
		"finding the most expensive lines of a model. Can also be written for pprof.", \
		"--max_depth=1000 --show_name_regexes=.*model.*py.* --order_by=micros", \
		"code: When python trace is available, the nodes are python lines and their are " \
		"organized by the python call stack.")
/* clang-format on */

enum tfprof_view {
#define X(id, ...) TFPROF_##id,
	TFPROF_VIEW_LIST(X)
#undef X
};

/* By name; -1 if unknown. */
TFPROF_API int tfprof_view_from_name(const char *name);
/* NULL past the end. */
TFPROF_API const char *tfprof_view_get_name(size_t view);

typedef struct tfprof_result tfprof_result;

/* What tfprof_ask() gives. May outlive the profile and does not change with it. */
TFPROF_API void tfprof_result_free(tfprof_result *result);

/* ---- results as columns ---- */

enum tfprof_column_type {
	TFPROF_COLUMN_INT64,
	TFPROF_COLUMN_BOOL,
	TFPROF_COLUMN_TEXT,
	TFPROF_COLUMN_TEXTS, /* a list of texts in each row */
	TFPROF_COLUMN_DOUBLE,
};

/* A column of `n_rows` rows, borrowed from the result.
 *
 *     INT64, BOOL   numbers[row]; -1 in a nullable column means no value
 *     DOUBLE        doubles[row]; NaN in a nullable column means no value
 *     TEXT          bytes[offsets[row]] … bytes[offsets[row + 1]]; likewise an empty one
 *     TEXTS         the same for items lists[row] … lists[row + 1]
 *
 * Text is taken from the profile unchanged and may not be valid UTF-8. */
struct tfprof_column {
	const char *name;
	enum tfprof_column_type type;
	const char *unit; /* "microseconds", "bytes", "count", or NULL */
	int is_nullable;
	size_t n_rows;
	const int64_t *numbers;
	const double *doubles;
	const int64_t *lists, *offsets;
	const char *bytes;
};

/* The columns of a query's result, in order; NULL past the end. */
struct tfprof_column_info {
	const char *name;
	enum tfprof_column_type type;
	const char *unit;
	int is_extra; /* exported only if requested by name */
};
TFPROF_API const struct tfprof_column_info *tfprof_column_get_info(size_t i);
/* Whether this word of the option select shows the i-th column. */
TFPROF_API int tfprof_column_is_shown_by(size_t i, const char *word);

/* Rows are the shown nodes in display order; row 0 is the root. */
TFPROF_API size_t tfprof_result_get_n_rows(const tfprof_result *result);
/* Bytes of memory that it holds now; columns made later add to it. For caches of results. */
TFPROF_API size_t tfprof_result_get_n_bytes(tfprof_result *result);
/* The name of the i-th column; NULL past the end. `*is_exported` (NULL: not needed) tells whether
 * tfprof_result_export_arrow() exports it by default. */
TFPROF_API const char *tfprof_result_get_column_name(tfprof_result *result, size_t i,
	int *is_exported);
/* A column by name, computed on first use. */
TFPROF_API enum tfprof_status tfprof_result_get_column(tfprof_result *result, const char *name,
	struct tfprof_column *column, struct tfprof_error *err);
/* The row that shows each node of the profile (by the index of
 * tfprof_profile_get_node_name), -1 for none. Borrowed. */
TFPROF_API enum tfprof_status tfprof_result_get_node_rows(tfprof_result *result,
	const int64_t **rows, size_t *n_nodes, struct tfprof_error *err);

/* Exports columns as a stream of the Arrow C data interface: those named or, if
 * `names` is NULL, the default ones (only those that select names, if it was set). The
 * caller releases the stream. Its arrays share the result's data without copying and may outlive
 * the result. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};
struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};
#endif
TFPROF_API enum tfprof_status tfprof_result_export_arrow(tfprof_result *result,
	const char *const *names, size_t n_names, struct ArrowArrayStream *stream,
	struct tfprof_error *err);

/* ---- questions ---- */

/* What a question is asked of. */
enum tfprof_takes { TFPROF_TAKES_PROFILE, TFPROF_TAKES_MODEL, TFPROF_TAKES_SIDES };

/* What can be asked; 0 past the end. */
struct tfprof_question_info {
	const char *name;
	enum tfprof_takes takes;
	int is_view;                  /* it shows nodes: scope, graph, op or code */
	int takes_model;              /* tfprof_model_ask() takes it */
	const char *usage;            /* arguments of its command */
	const char *summary;          /* one line, for lists */
	const char *description;      /* a paragraph */
	const char *example;          /* options of a good first try, or "" */
	const char *missing, *remedy; /* of what it needs, when it does not apply; or NULL */
	const char *options_title;    /* of its own options in help; NULL: they have no section */
};
TFPROF_API int tfprof_question_get_info(size_t i, struct tfprof_question_info *info);

/* Asks a question by name, such as "op" or "devices". Renders nothing and writes no file yet.
 * `cancel`, if not NULL, is polled while this runs; non-zero stops it. The result of a view has its
 * accounted, filtered and ordered nodes; unless max_depth is set, only text is cut, at its default:
 * all other formats have every row.
 *
 * Options that do not apply to the question
 * (tfprof_option_applies) are ignored; NULL: the defaults. The result's rows are a tree, with
 * the columns parent, depth and name, or (events, table) a list; it can be written as "text",
 * "json", "jsonl", "csv", "arrow" and "markdown". A question that does not apply fails with
 * TFPROF_UNSUPPORTED and says what to add. */
TFPROF_API enum tfprof_status tfprof_ask(tfprof_profile *profile, const char *question,
	const tfprof_options *options, const volatile int *cancel, tfprof_result **result,
	struct tfprof_error *err);

/* What an answer says about limits that were asked for; the program exits with 0, 3 or 4. */
enum tfprof_verdict { TFPROF_VERDICT_OK, TFPROF_VERDICT_OVER, TFPROF_VERDICT_UNKNOWN };
TFPROF_API enum tfprof_verdict tfprof_result_get_verdict(const tfprof_result *result);

/* What an answer has besides its table, such as "headline" of the question step. 0 if it does not
 * have it, or it is not known. The text is borrowed. */
struct tfprof_field {
	const char *text; /* NULL: a number */
	int64_t number;
	double real; /* the same, with its decimals */
};
TFPROF_API int tfprof_result_get_field(const tfprof_result *result, const char *key,
	struct tfprof_field *field);

/* ---- results as bytes ---- */

/* Writes a result in a format of the option `output` ("csv", "json", "message",
 * "pprof", "timeline") or as "text". */
typedef int tfprof_write_fn(void *context, const void *bytes, size_t n); /* 0, or an errno */
TFPROF_API enum tfprof_status tfprof_result_write(tfprof_result *result, const char *format,
	tfprof_write_fn *write, void *context, struct tfprof_error *err);
/* The same to memory, freed with tfprof_bytes_free. */
TFPROF_API enum tfprof_status tfprof_result_render(tfprof_result *result, const char *format,
	void **bytes, size_t *size, struct tfprof_error *err);
/* The same to a file, completely or not at all and never over an input of the profile;
 * compressed if the name ends in .gz, and pprof always. */
TFPROF_API enum tfprof_status tfprof_result_save(tfprof_result *result, const char *format,
	const char *path, struct tfprof_error *err);

enum tfprof_output_flags {
	TFPROF_FRAMED = 1,   /* print the options before and a line after a stdout report,
				as TensorFlow's Python API does */
	TFPROF_TERMINAL = 2, /* people read the text for stdout: names in CSV, which programs
				get byte for byte, are shown with escapes, as in reports */
	TFPROF_COLOUR = 4,   /* colour the text for stdout by escape sequences */
};

/* Carries out the result's option `output`: writes files, each completely or not at
 * all and never over an input of the profile, or renders the report for stdout. Sets
 * the result's text and notes.
 *
 * With `write`, the text for stdout is streamed, so that a report of any size takes little
 * memory; the result's text is empty afterwards. The first piece comes after a megabyte or
 * at the end of a shorter text, once the notes are complete and the inputs were found
 * unchanged: until then, a failure writes nothing. `write` may be
 * called in other threads, but never concurrently. */
TFPROF_API enum tfprof_status tfprof_result_output(tfprof_result *result, unsigned flags,
	const volatile int *cancel, tfprof_write_fn *write, void *context,
	struct tfprof_error *err);

/* Text for stdout, set by tfprof_result_output(): the report, CSV or JSON without a
 * file, or a message that a file was written. */
TFPROF_API const char *tfprof_result_get_text(const tfprof_result *result, size_t *length);
/* Text for stderr: complete lines, or empty. */
TFPROF_API const char *tfprof_result_get_notes(const tfprof_result *result, size_t *length);

/* ---- advice ---------------------------------------------------------- */

/* Severity of a finding. */
enum tfprof_level {
	TFPROF_LEVEL_NONE,
	TFPROF_LEVEL_NOTICE,
	TFPROF_LEVEL_WARNING,
	TFPROF_LEVEL_HIGH
};

/* Selects a checker for the question advise ("all" for every one) and, if `option` is not NULL,
 * sets one of its options. The first call replaces the default of all checkers. The option
 * checker does the same with "NAME:OPTION=VALUE,...". */
TFPROF_API enum tfprof_status tfprof_options_add_checker(tfprof_options *options,
	const char *checker, const char *option, const char *value, struct tfprof_error *err);
/* Replaces all options with those of a serialized AdvisorOptionsProto, as TensorFlow's
 * Python API sends it: without checkers none is run, source_lines is off, and unknown
 * checkers are ignored with a note. */
TFPROF_API enum tfprof_status tfprof_options_set_advice_message(tfprof_options *options,
	const void *bytes, size_t size, struct tfprof_error *err);

/* The table of checkers and their options; NULL past the end. */
struct tfprof_checker_option_info {
	const char *name, *default_value, *help;
};
struct tfprof_checker_info {
	const char *name;
	const char *help;                                 /* one sentence */
	const struct tfprof_checker_option_info *options; /* ends in a NULL name */
};
TFPROF_API const struct tfprof_checker_info *tfprof_checker_get_info(size_t i);

/* The highest level among the findings of the question advise. */
TFPROF_API enum tfprof_level tfprof_result_get_level(const tfprof_result *result);

#ifdef __cplusplus
}
#endif

#include <tfprof/diff.h>
#include <tfprof/model.h>
#include <tfprof/timeline.h>

#endif
