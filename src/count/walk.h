/* Walks a graph from its outputs, without running it: what reaches each operation is
 * known as far as shapes and small values tell, and so is what it costs.
 *
 *     outputs ── demand ─▶ nodes, each once per call ── record ─▶ cost × times
 *
 * The walk keeps a stack of its own instead of recursing, and a frame for each call:
 *
 *     frame ── graph, arguments
 *           ── slots[node] → tensors[]       outputs of nodes done so far
 *
 * Calls, loops and conditionals are followed (control.c, loops.c). A loop's body
 * counts as often as its condition holds; of a condition that depends on data, that is
 * unknown. Nothing a file contains makes the walk fail: what is unknown
 * is recorded as not counted. Work is limited: see the enum. */
#ifndef TFPROF_COUNT_WALK_H
#define TFPROF_COUNT_WALK_H

#include "base/buf.h"
#include "count/keep.h"

enum {
	WALK_MAX_CALLS = 100,       /* deep */
	WALK_MAX_TURNS = 1000000,   /* turns of all loops together */
	WALK_MAX_NODES = 30000000,  /* evaluated */
	WALK_MAX_REPEATS = 2000000, /* of them, in turns of loops that are recorded one by one */
	WALK_CALL_NODES = 16,       /* nodes a call counts for, besides the nodes of its function */
	WALK_TURN_NODES = 4,        /* and a turn of a loop, or a call in it */
	WALK_MAX_VALUES = 32000000, /* kept, over all */
	WALK_MAX_LOOPS = 4096,      /* lowered ones */
	WALK_MAX_RECORDS = 2000000,
	WALK_MAX_OUTPUTS = 1000000, /* outputs of one node */
	WALK_MAX_TENSORS = 64000000,
};

#define WALK_PARAMETER 0x80000000u

/* A variable or weight. */
struct parameter {
	struct span name;
	struct tensor tensor; /* its type and shape */
	bool is_trainable;
	bool is_counted;    /* it is a parameter of what was walked */
	bool is_used;       /* some operation reads it */
	bool is_constant;   /* it counts only if something marks it as a weight */
	struct span reader; /* the full name of the first that does */
};

typedef VEC(struct parameter) parameter_vec;

/* A tensor that is known from the start: an input or a variable. */
struct preset {
	uint32_t node;
	struct tensor tensor;
};

enum record_state { RECORD_COUNTED, RECORD_NOT_COUNTED };

/* Where the nodes of a frame are: what calls them. */
struct call_site {
	struct span scope;            /* scope of the nodes; walk_name() gives their full names */
	struct span path;             /* names of the calls: a trace's names are walk_join() */
	struct span function;         /* function that the nodes are in; empty: the main graph */
	const struct op_node *caller; /* the call in the main graph; NULL: the nodes are there */
	uint32_t parent;              /* the site that holds the call; only if `caller` */
};

/* What the weights of a layer are, if they are known by their number only. */
struct layer_weights {
	int64_t parameters, trainable;
	int dtype;
	struct keeps keeps; /* only if the walk keeps all */
};

/* A node that was walked. There may be millions: memory that is touched first costs more
 * than anything else here. The function it is in may be gone: nothing points there. */
struct record {
	const struct op_type *type;
	const char *name; /* in the file, of name_length */
	struct cost cost;
	int64_t times;
	const int64_t *out_dims; /* dimensions of the first output; records may share them */
	int64_t out_bytes, in_bytes;
	uint32_t name_length;
	uint32_t site;                    /* in `sites` */
	uint32_t loop;                    /* in `loops`; 0: none */
	uint32_t weights;                 /* a layer's weights, in `weights`; 0: it is no layer */
	uint32_t serial;                  /* number of the record, as tensors name it */
	uint32_t parameter;               /* that its first result is, + 1; 0: none */
	uint32_t first_source, n_sources; /* producers of its inputs, in `sources` */
	uint32_t first_use, n_uses;       /* buffers it reads, in `uses` */
	uint32_t first_buffer, n_buffers; /* buffers the record makes */
	int16_t out_dtype;
	int8_t out_rank;
	uint8_t state; /* enum record_state */
	uint8_t place; /* enum op_place */
};

/* Multiply-accumulates on integers, as quantized models have them: no float operations. */
static inline int64_t record_integer_macs(const struct record *r)
{
	bool is_integer =
		r->out_dtype && !dtype_is_real(r->out_dtype) && !dtype_is_complex(r->out_dtype);

	return is_integer ? count_multiply(r->cost.macs, r->times) : 0;
}

struct loop {
	struct span name; /* name of the loop's frame */
	const void *frame;
	uint32_t parent;
	uint32_t depth;
	int64_t trips;               /* -1: not known yet */
	const struct tensor *finals; /* the loop's variables after the last turn; NULL: unknown */
};

enum note_kind {
	NOTE_LOOP,         /* number: trips */
	NOTE_LOOP_UNKNOWN, /* number: trips assumed */
	NOTE_LOOP_LIMIT,
	NOTE_LOOP_ALIKE, /* number: turns recorded */
	NOTE_DEARER_BRANCH,
	NOTE_BOTH_BRANCHES,
	/* from here on, operations are missing */
	NOTE_TOO_DEEP,
	NOTE_TOO_MANY,
	NOTE_NO_FUNCTION,
	NOTE_DAMAGED,
};

struct walk_note {
	enum note_kind kind;
	int64_t number;
	size_t n;
};

/* Shapes that are known from elsewhere, such as runs, of tensors that a graph leaves open. */
struct shape_source {
	/* Completes a tensor, by the name its node has in a run. False if it stays open. */
	bool (*complete)(const struct shape_source *s, struct span node, size_t output,
		struct tensor *t);
};

struct frame;
struct task;

struct walk {
	struct graph_source *source;
	const struct shape_source *shapes; /* or NULL */
	parameter_vec *parameters;
	bool keeps_all;     /* record also what neither costs nor occupies anything, and sources */
	bool is_of_layers;  /* nodes are layers: each shows in the report */
	bool runs_in_order; /* nodes are in the order in which they run; their names need not be */
	int64_t trip_count; /* turns of loops whose condition is unknown; 0: take 1 and note it */

	VEC(struct record) records;
	VEC(struct call_site) sites;
	VEC(struct layer_weights) weights; /* 0 is none */
	VEC(int64_t) buffers;              /* bytes of each; 0 is none */
	VEC(uint32_t) uses;
	VEC(uint32_t) sources; /* producers, or parameters with WALK_PARAMETER set; 0: unknown */
	VEC(uint32_t) input_serials; /* serials of presets that are inputs, in order */
	uint32_t serial;
	VEC(uint32_t) kept;     /* buffers of the results */
	size_t n_inputs;        /* buffers 1 … are the inputs' */
	VEC(struct loop) loops; /* 0 is none */
	VEC(struct walk_note) notes;
	struct buf conflict;    /* the first contradiction met, or empty */
	int64_t conflict_ratio; /* of the two sizes, if one is a multiple of the other; else 0 */
	int64_t config_surplus; /* parameters of layers' configurations less the parameters stored
				 */
	struct arena arena;
	bool no_memory;

	/* inner */
	VEC(struct task) stack;
	VEC(const struct tensor *) in;
	VEC(struct tensor) out;
	int64_t nodes_left, repeats_left, values_left, turns_left;
	int n_repeats; /* loops whose turn is not the first one recorded */
	size_t n_tensors;
	struct frame *spare;
	int depth, mute;
};

void walk_init(struct walk *w, struct graph_source *source, parameter_vec *parameters);
void walk_clear(struct walk *w);

/* Walks a main graph from its returns. False only on allocation failure. */
bool walk_run(struct walk *w, const struct graph *g, const struct preset *presets,
	size_t n_presets);

static inline struct span record_name(const struct record *r)
{
	return (struct span){r->name, r->name_length};
}

/* The full name of a node: prefixed with the names of the calls it is in, unless it starts
 * with them already. */
struct span walk_name(struct walk *w, struct span scope, struct span name);
struct span walk_record_name(struct walk *w, const struct record *r);

/* "path/name", or the name if there is no path. */
struct span walk_join(struct walk *w, struct span path, struct span name);

/* Loops multiply: call once after the walk, before reading times. */
void walk_finish(struct walk *w);

void walk_note(struct walk *w, enum note_kind kind, int64_t number);
/* What a note says. */
/* For programs: "loop_unknown". */
const char *walk_note_get_id(const struct walk_note *note);
void walk_note_put(const struct walk_note *note, struct buf *b);
/* Whether a note says that something was not counted, of unknown size. */
bool walk_note_is_gap(const struct walk_note *note);
/* Whether there is such a note. */
bool walk_is_cut(const struct walk *w);

#endif
