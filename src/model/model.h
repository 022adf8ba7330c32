/* The profile in memory: columns indexed by a 32-bit node index.
 *
 *     node ── name, op, device, host_device   interned strings
 *          ── types                           interned set of strings
 *          ── executed, executed_types        what it ran as (see executed.h)
 *          ── shape, outputs[]                interned shapes
 *          ── edges[]                         position, source name, output
 *          ── execs → exec → exec …           a row per step, ascending
 *          ── source                          its NodeDef or ProfileNode bytes,
 *                                             for attributes (read on demand)
 *          ── trace                           its CodeDef bytes (see trace.h)
 *
 * An edge names its source by string, so an input that is not known yet is
 * found once a later graph brings it. Sources own the bytes that strings and
 * slices are of.
 *
 * Bytes are read when a source is loaded, and slices of them again when somebody
 * asks for what they hold. By then another program may have written to the file:
 * nothing is taken for granted that was seen before, and whoever decodes a slice
 * says so if it is malformed (model_note_damage).
 *
 * Loaders (src/load/) add; everything else only reads. `generation` changes whenever anything was
 * added.
 */
#ifndef TFPROF_MODEL_MODEL_H
#define TFPROF_MODEL_MODEL_H

#include <assert.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/strings.h"
#include "model/accelerator.h"
#include "model/allocations.h"
#include "model/exec.h"
#include "model/sets.h"
#include "model/shapes.h"
#include "model/slice.h"
#include "model/compiled.h"
#include "model/source.h"
#include "proto/decoder.h"

struct edge {
	uint32_t source; /* string id of the node's name */
	int32_t position;
	int32_t output; /* index of the source's output */
};

struct output {
	int32_t slot;
	uint32_t shape;
};

enum node_flags {
	NODE_HAS_TRACE = 1,    /* a call stack was given, maybe an empty one */
	NODE_COVERED = 2,      /* seen in run metadata */
	NODE_FROM_PROFILE = 4, /* source is a ProfileNode, not a NodeDef */
	NODE_CHANGED = 8,      /* … and no longer says all there is to say */
	NODE_UNDEFINED = 16,   /* no graph says what it ran as: see model_op() */
	NODE_COMPILED = 32,    /* nodes of a compiled program have its float operations */
	NODE_COUNTED = 64,     /* float operations were counted here … */
	NODE_SHAPED = 128,     /* … and so is its output */
};

#define NODE_COLUMNS(X)                                                         \
	X(uint32_t, name)                                                       \
	X(uint32_t, op)                                                         \
	X(uint32_t, types)                                                      \
	X(uint32_t, executed)       /* see executed.h */                        \
	X(uint32_t, executed_types) /* see executed.h */                        \
	X(uint32_t, shape)                                                      \
	X(uint32_t, device)                                                     \
	X(uint32_t, host_device)                                                \
	X(uint32_t, placed) /* the device the graph asks for, lower-cased */    \
	X(uint32_t, first_edge)                                                 \
	X(uint32_t, n_edges) /* known before the edges are, see pending_flow */ \
	X(uint32_t, first_output)                                               \
	X(uint32_t, n_outputs)                                                  \
	X(uint32_t, first_exec)                                                 \
	X(uint32_t, last_exec) /* + 1; 0: not known, or there is none */        \
	X(uint8_t, flags)                                                       \
	X(uint8_t, kind) /* enum hlo_kind + 1; 0: not compiled */               \
	X(int64_t, id)                                                          \
	X(int64_t, float_ops)                                                   \
	X(struct slice, source)                                                 \
	X(struct slice, trace)

struct nodes {
#define X(type, column) type *column;
	NODE_COLUMNS(X)
#undef X
	size_t n, cap;
};

/* An entry that is not a node but records data moved between devices, kept for
 * the advisor: its NodeExecStats bytes. */
struct transfer {
	int64_t step;
	uint32_t device;
	struct span stats;
};

/* The shape that an output of a node had in a step (see run_shapes.h). */
struct run_shape {
	int64_t step;
	uint32_t node, shape;
	int32_t output;
	bool is_scalar; /* the shape is that of a vector of one, as everywhere */
};

/* Float operations of one run of a node in a step (see step_float_ops.h). */
struct step_float_ops {
	uint32_t node;
	int64_t step, float_ops;
};

/* What the host did for what a node ran on accelerators in a step. */
struct device_work {
	uint32_t node, n_kernels;
	int64_t step, launch_ps;
};

/* A text of call stacks. They may be as many as nodes, and nobody compares them, so
 * they are not interned: they stay in their source. */
struct trace_string {
	int64_t id;
	struct span text;
};

/* The call stack of a node of a function, for a trace in which the function ran. */
struct function_stack {
	struct span node, function; /* in a source */
	struct slice stack;
};

/* A node that has the float operations of several runs, as a model file tells of the turns of
 * a loop. */
struct node_turns {
	uint32_t node;
	int64_t n;
};

/* A node that others know by a key that is not its id. */
struct node_key {
	uint32_t node;
	int64_t key;
};

/* Edges, outputs and shapes of a loaded profile that have not been needed yet: they
 * are in the bytes of its nodes, see model_complete(). */
struct pending_flow {
	bool is_pending;
	size_t n;                  /* of the first n nodes */
	VEC(struct node_key) keys; /* ascending by node */
	const char *profile;       /* what it was loaded from, for messages */
};

/* By whom traces were recorded, and what they lack. */
enum {
	MODEL_RECORDED_BY_TENSORFLOW = 1,
	MODEL_RECORDED_BY_JAX = 2,
	MODEL_RECORDED_NO_PROGRAMS = 4, /* though some ran */
	MODEL_RECORDED_NO_STEPS = 8,    /* of accelerators: what is said to be one is all of it */
};

struct model {
	struct strings strings;
	struct sets sets;
	struct shapes shapes;
	struct nodes nodes;
	VEC(uint32_t) node_of; /* string id → node, NONE if it names none */
	uint32_t *name_hashes; /* hashes of all nodes' names, until these are indexed; then NULL */
	VEC(struct edge) edges;
	VEC(struct output) outputs;
	struct pending_flow flow;
	struct execs execs;
	VEC(int64_t) steps; /* ascending */
	VEC(struct transfer) transfers;
	VEC(struct run_shape) run_shapes; /* the first n_run_shapes are sorted, see run_shapes.h */
	size_t n_run_shapes;
	VEC(struct step_float_ops) step_float_ops;
	VEC(struct device_work) device_work;
	VEC(struct accelerator) accelerators; /* of traces, that something ran on */
	VEC(struct accelerator_kernel) kernels;
	VEC(struct accelerator_transfer) device_transfers;
	size_t n_accelerators_seen; /* also accelerators that nothing ran on */
	struct accelerator_program main_program;
	VEC(uint64_t) device_programs; /* ids of programs that ran on accelerators */
	VEC(struct trace_string) trace_strings;
	VEC(uint32_t) trace_string_of;        /* small id → trace string + 1; 0: none */
	struct hash_index trace_string_index; /* index of the other ids */
	VEC(struct source) sources;
	VEC(struct source) traces; /* read again when somebody asks for their steps */
	VEC(uint32_t) graphs;      /* sources that are GraphDefs … */
	VEC(uint32_t) op_logs;     /* … and OpLogProtos */
	VEC(struct function_stack) function_stacks;
	VEC(struct node_turns) turns; /* see model_divide_turns() */
	slice_list listed_slices;
	atomic_size_t *damaged; /* a source, + 1, that is malformed; 0: none is */
	struct arena arena;     /* bytes that no source holds */
	size_t n_covered;
	unsigned recorded;     /* MODEL_RECORDED_…: traces that it has */
	const char *uncounted; /* what float operations lack (count/uncounted.h); NULL: nothing */
	bool assumes_batch;    /* float operations are of a batch of 1: a file leaves it open */
	bool has_trace;
	unsigned numbers_version; /* of what a tracer recorded (profile_fields.h); otherwise 0 */
	bool misses_accelerator_stream;
	bool has_negative; /* some number of some node is below 0 */
	bool has_executed; /* some node has executed_types */
	bool is_of_layers; /* nodes are layers of a model file and their weights */
	bool had_no_edges; /* of a saved profile: its graph */
	uint64_t generation;
	struct compiled compiled;
	struct allocations allocations;
	struct checkpoint *checkpoint; /* owned; NULL if none */
	enum tfprof_reading reading;
	/* How a model file that is loaded is to run; NULL: as it says. */
	const struct model_file_options *file_options;
	tfprof_progress_fn *progress;
	void *progress_context;
};

bool model_init(struct model *m);
void model_clear(struct model *m);

/* The node of a name, by string id or text; NONE if there is none. Names must be
 * indexed. */
static inline uint32_t model_node_of(const struct model *m, uint32_t string)
{
	return string < m->node_of.n ? m->node_of.at[string] : NONE;
}

uint32_t model_find_node(const struct model *m, struct span name);

/* Room for n more nodes and their names, so that adding them moves nothing. */
bool model_reserve(struct model *m, size_t n);

/* Pre-faults the memory of nodes still to come (see mem_prefault()), for which there
 * must be room. */
void model_prefault_nodes(const struct model *m, size_t first, size_t n);

/* Whether a tracer recorded it, which has more than a graph: see enum lineless. */
static inline bool model_is_recorded(const struct model *m)
{
	return m->numbers_version;
}

/* Whether a saved profile stands for what a tracer recorded: it has the operations only. */
static inline bool model_is_saved_trace(const struct model *m)
{
	return m->numbers_version && !m->traces.n;
}

/* Whether a graph is known though no node of it need have an input. */
static inline bool model_has_graph(const struct model *m)
{
	return m->graphs.n || m->had_no_edges;
}

/* A new node whose name no other has; columns not given are zero. NONE on
 * allocation failure. */
uint32_t model_add_node(struct model *m, uint32_t name, uint32_t op);

/* Makes the nodes of a profile about to be loaded, in a model that has none: all
 * columns are zero, for the loader to fill. Each name is a string of its own, for
 * the loader to fill, too, with its short hash (see strings_short_hash()). */
bool model_make_nodes(struct model *m, size_t n);
/* Makes names of nodes known that are not yet. Loaders do so before they add anything;
 * op and scope view need no names, so a one-shot report is 5 % faster without. False on
 * allocation failure. */
bool model_index_names(struct model *m);

/* Drops the nodes from `n` on, to undo a load that failed. */
void model_truncate_nodes(struct model *m, size_t n, size_t n_edges, size_t n_outputs);

bool model_add_type(struct model *m, uint32_t node, uint32_t string);
/* Many at once, with less memory than one by one. */
bool model_add_types(struct model *m, uint32_t node, const uint32_t *strings, size_t n);
/* Whether time on an accelerator was recorded, or could have been: some node is placed on one,
 * or a trace has a line for one. */
bool model_has_accelerator(const struct model *m);
bool model_add_step(struct model *m, int64_t step);
/* Puts steps that were appended in any order, some maybe twice, in theirs. */
void model_sort_steps(struct model *m);
/* The place of a step among all steps; NONE if it was not added. */
uint32_t model_find_step(const struct model *m, int64_t step);
/* Leaves a node that has run the float operations of one run, since reports multiply them by the
 * number of its runs. Call when something was added. */
void model_divide_turns(struct model *m);
/* Adds the text of a call-stack string id unless the id is known. The text must be one
 * of a source that the model keeps. */
bool model_add_trace_string(struct model *m, int64_t id, struct span text);
/* Where the text of a call-stack string id is; NONE if it is not known. */
uint32_t model_find_trace_string(const struct model *m, int64_t id);
/* Takes a source over: it is closed with the model. */
enum tfprof_status model_keep(struct model *m, struct source *s, struct tfprof_error *err);
/* The same for a trace, which is not borrowed: compiled programs point into its bytes. */
enum tfprof_status model_keep_trace(struct model *m, struct source *s, struct tfprof_error *err);
/* Whether the bytes of all traces are what they were: ask before reading programs. */
enum tfprof_status model_check_traces(const struct model *m, struct tfprof_error *err);
/* Whether the bytes of all sources, and of the checkpoint, are what they were: ask
 * before reading any. */
enum tfprof_status model_check_sources(const struct model *m, struct tfprof_error *err);

/* Slices of the source that was kept last. */
struct slicer model_slicer(const struct model *m, slice_list *listed);
/* One of them. NULL bytes are none. False on allocation failure. */
bool model_make_slice(struct model *m, struct slice *slice, struct span bytes);

/* The bytes of a slice; none are {NULL, 0}. */
static inline struct span model_slice(const struct model *m, struct slice slice)
{
	struct slice_parts parts;
	struct span source;

	if (!slice.bits)
		return (struct span){NULL, 0};
	parts = slice_get(slice, &m->listed_slices);
	assert(parts.source < m->sources.n);
	source = m->sources.at[parts.source].bytes;
	assert(parts.offset <= source.n && parts.n <= source.n - parts.offset);
	return (struct span){source.at + parts.offset, parts.n};
}

/* Makes it known if a slice turned out to be malformed: from then on
 * model_check_damage() says so, and model_check_sources(). */
void model_note_damage(const struct model *m, struct slice slice, const struct decoder *d);
enum tfprof_status model_check_damage(const struct model *m, struct tfprof_error *err);

static inline struct span model_text(const struct model *m, uint32_t string)
{
	return strings_get(&m->strings, string);
}

static inline struct span model_name(const struct model *m, uint32_t node)
{
	return strings_get(&m->strings, m->nodes.name[node]);
}

PREFETCHES model_prefetch_name(const struct model *m, uint32_t node)
{
	struct span name = model_name(m, node);

	prefetch_bytes(name.at, name.n);
}

static inline struct span model_source(const struct model *m, uint32_t node)
{
	return model_slice(m, m->nodes.source[node]);
}

static inline struct span model_trace(const struct model *m, uint32_t node)
{
	return model_slice(m, m->nodes.trace[node]);
}

/* Calls the caller's progress function, if there is one. */
static inline void model_progress(const struct model *m, size_t done, size_t total)
{
	if (m->progress)
		m->progress(m->progress_context, done, total, m->nodes.n);
}

/* Parameters of a node: the elements of its shape. */
static inline int64_t model_parameters(const struct model *m, uint32_t node)
{
	return shapes_get(&m->shapes, m->nodes.shape[node])->elements;
}

/* Where a node ran or, if that is not known, where the graph places it; 0: neither is known. */
static inline uint32_t model_device(const struct model *m, uint32_t node)
{
	return m->nodes.device[node] ? m->nodes.device[node] : m->nodes.placed[node];
}

/* The shape that arrives over an edge; 0 if unknown. */
uint32_t model_edge_shape(const struct model *m, const struct edge *e);

#endif
