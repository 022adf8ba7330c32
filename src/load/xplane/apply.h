/* Adds the contents of a trace to a model. */
#ifndef TFPROF_LOAD_XPLANE_APPLY_H
#define TFPROF_LOAD_XPLANE_APPLY_H

#include "load/xplane/join.h"
#include "load/xplane/programs.h"
#include "load/xplane/trace.h"
#include "model/model.h"

/* A node that ran as part of another one's kernel. */
struct fused_node {
	uint32_t node, owner;
};

struct apply {
	struct model *model;
	struct trace *trace;
	struct span host;                  /* the host's name */
	int64_t base_ns;                   /* when picosecond 0 of the trace was */
	int64_t recorded_ns;               /* when recording began; 0: not known */
	uint32_t *nodes;                   /* by target */
	uint64_t *n_events, *n_executions; /* by target, of instructions */
	int64_t *output_bytes; /* by target: bytes of one execution's outputs, if a program tells */
	uint32_t *devices;     /* string ids, by device */
	uint32_t host_device;  /* the device of the host's processors, string id */
	bool is_host_again;    /* an earlier trace has the host */
	uint32_t *lanes;       /* the model's lanes, by line */
	size_t first_new;      /* nodes from here on were made for the trace */
	bool *is_joined;   /* by target: its node, or the node it was made from, was there before */
	uint32_t *origins; /* by target: the node it was made from; NONE */
	uint32_t *served;  /* by target: the op of its program that it was added for; NONE */
	uint32_t *line_of; /* by target: the op whose line is its, if it has none; NONE */
	bool *is_gradient; /* by target: not joined, but in a scope that was there before */
	bool *is_fused;    /* by target: a fused kernel, its node is the owner */
	VEC(struct fused_node) fused;
	struct join join;
	struct programs programs;
	size_t n_ambiguous; /* names that several operations share in the graph */
	uint64_t joined_ps, gradient_ps, fused_ps, all_ps;
	uint32_t first_op; /* place of the trace's first operation among the model's runs */
	size_t n_damaged;  /* damaged instructions */
	struct buf scratch;
};

/* Makes nodes, devices and lanes of the targets and lines. These return false on
 * allocation failure. */
bool apply_targets(struct apply *a);
/* Whether it is the first target of its name: programs of a function have targets of the same. */
static inline bool apply_is_first(const struct apply *a, size_t target)
{
	return a->trace->target_of.at[a->trace->targets.at[target].name] == target;
}

/* Moves the operations that are fused kernels to the convolution or product in them
 * (apply_fused.c). */
bool apply_fused(struct apply *a);
/* Adds the runs of the other nodes in fused kernels. Call after operations have been added. */
bool apply_fused_runs(struct apply *a);
/* Finds the gradients of nodes that were there before (apply_gradients.c). */
bool apply_gradients(struct apply *a);
/* Adds what op logs say about nodes of functions (apply_functions.c). */
bool apply_function_logs(struct apply *a);
/* Finds lines of what has none (apply_served.c). */
bool apply_served(struct apply *a);
/* Adds what the accelerators did (apply_devices.c). Call before the operations are added. */
bool apply_devices(struct apply *a);
/* Adds the kernels that GPUs ran (apply_kernels.c); the same. */
bool apply_kernels(struct apply *a);
/* Whether a target is a copy of a GPU. */
bool apply_is_copy(const struct trace *t, uint32_t target);
/* Finds the program that they spend their time on (apply_device_runs.c); the same. */
bool apply_device_runs(struct apply *a);
/* Adds the operations to their nodes (apply_ops.c). */
bool apply_ops(struct apply *a);
/* Adds what compiled programs say about the nodes: types, shapes, float operations, edges, and
 * the parameters that they come from. */
bool apply_modules(struct apply *a);
/* Adds the call stacks of programs. */
enum tfprof_status apply_stacks(struct apply *a, struct tfprof_error *err);
/* Keeps which programs ran, how often and at what cost; their messages stay in the bytes of the
 * trace. Call before apply_modules(). */
bool apply_compiled(struct apply *a);
/* Counts executions of instructions (apply_executions.c). Call when programs are kept. */
bool apply_executions(struct apply *a);
/* Whether an execution of an instruction has several events, which views count: a sort on a CPU is
 * a copy and what sorts. */
bool apply_has_parts(const struct apply *a, const struct trace_target *target);
/* Adds memory that the trace says operations took. */
bool apply_memory(struct apply *a);

/* A time of the trace in whole microseconds, cut off, so that an event within another stays
 * within it. */
int64_t apply_time_us(const struct apply *a, int64_t ps);

/* The node of the main graph that an instruction was made from, by the name that the compiler kept;
 * NONE if there is none. */
uint32_t apply_find_origin(const struct apply *a, const struct hlo_module *module,
	uint32_t instruction);

/* Finds the functions of the graph that programs were compiled from (apply_programs.c). */
bool apply_programs(struct apply *a);
/* The program that an operation belongs to; NULL if there is none. */
struct program *apply_get_program(const struct apply *a, size_t target);
/* Finds the node that a program's operation was made from, and the operation's name in the model.
 */
bool apply_join_program(struct apply *a, size_t target, struct span *name);
/* Removes the float operations of the calls, products and convolutions of all functions that ran
 * as programs: the programs' nodes have them. Does so once. */
void apply_take_float_ops(struct apply *a);

void apply_clear(struct apply *a);

#endif
