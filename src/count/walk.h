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
 * Calls, loops and conditionals are followed (control.c, loops.c). A loop's body is
 * recorded once and counts as often as its condition holds; of a condition that depends
 * on data, that is unknown. Nothing a file contains makes the walk fail: what is unknown
 * is recorded as not counted. Work is limited: see the enum. */
#ifndef TFPROF_COUNT_WALK_H
#define TFPROF_COUNT_WALK_H

#include "base/buf.h"
#include "count/ops.h"

enum {
	WALK_MAX_CALLS = 100,       /* deep */
	WALK_MAX_TURNS = 1000000,   /* of all loops */
	WALK_MAX_NODES = 30000000,  /* evaluated */
	WALK_MAX_VALUES = 32000000, /* kept, over all */
	WALK_MAX_LOOPS = 4096,      /* lowered ones */
	WALK_MAX_RECORDS = 2000000,
	WALK_MAX_OUTPUTS = 1000000, /* of one node */
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

struct record {
	const struct op_node *node;
	const struct graph *graph;
	const struct op_node *caller; /* of the main graph; NULL: it is itself there */
	struct span scope;            /* of the calls it is in; its full name is walk_name() */
	struct cost cost;
	int64_t times;
	enum record_state state;
	uint32_t loop;                 /* in `loops`; 0: none */
	uint32_t parameter;            /* that it reads, + 1 */
	int64_t parameters, trainable; /* of a layer */
	int weight_dtype;
	bool is_layer;
	const int64_t *out_dims; /* of its first output */
	int16_t out_dtype;
	int8_t out_rank;
	int64_t out_bytes, in_bytes;
	uint32_t serial;                  /* of the records, as tensors name them */
	uint32_t first_source, n_sources; /* producers of its inputs, in `sources` */
	uint32_t first_use, n_uses;       /* buffers it reads, in `uses` */
	uint32_t first_buffer, n_buffers; /* that it makes */
	enum op_place place;
};

struct loop {
	struct span name; /* of its frame */
	const void *frame;
	uint32_t parent;
	uint32_t depth;
	int64_t trips;               /* -1: not known yet */
	const struct tensor *finals; /* its variables after the last turn; NULL: unknown */
};

enum note_kind {
	NOTE_LOOP,         /* number: trips */
	NOTE_LOOP_UNKNOWN, /* number: trips assumed */
	NOTE_LOOP_LIMIT,
	NOTE_DEARER_BRANCH,
	NOTE_BOTH_BRANCHES,
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

struct frame;
struct task;

struct walk {
	struct graph_source *source;
	parameter_vec *parameters;
	bool keeps_all;     /* record also what neither costs anything nor has memory */
	bool is_of_layers;  /* nodes are layers: each shows in the report */
	int64_t trip_count; /* of loops whose condition is unknown; 0: 1, and say so */

	VEC(struct record) records;
	VEC(int64_t) buffers; /* bytes of each; 0 is none */
	VEC(uint32_t) uses;
	VEC(uint32_t) sources; /* producers, or parameters with WALK_PARAMETER set; 0: unknown */
	VEC(uint32_t) input_serials; /* of presets that are inputs, in order */
	uint32_t serial;
	VEC(uint32_t) kept;     /* buffers of the results */
	size_t n_inputs;        /* buffers 1 … are the inputs' */
	VEC(struct loop) loops; /* 0 is none */
	VEC(struct walk_note) notes;
	struct buf conflict; /* the first contradiction met, or empty */
	struct arena arena;
	bool no_memory;

	/* inner */
	VEC(struct task) stack;
	VEC(const struct tensor *) in;
	VEC(struct tensor) out;
	int64_t nodes_left, values_left, turns_left;
	size_t n_tensors;
	struct frame *spare;
	int depth, mute;
};

void walk_init(struct walk *w, struct graph_source *source, parameter_vec *parameters);
void walk_clear(struct walk *w);

/* Walks a main graph from its returns. False only on allocation failure. */
bool walk_run(struct walk *w, const struct graph *g, const struct preset *presets,
	size_t n_presets);

/* The full name of a recorded node: that of the calls it is in, unless it has that itself. */
struct span walk_name(struct walk *w, struct span scope, struct span name);

/* Loops multiply: call once after the walk, before reading times. */
void walk_finish(struct walk *w);

void walk_note(struct walk *w, enum note_kind kind, int64_t number);
/* What a note says. */
void walk_note_put(const struct walk_note *note, struct buf *b);

#endif
