/* Programs that XLA compiled, as a trace holds them, and what of them ran. They are decoded when
 * somebody asks for them (hlo/program.h).
 *
 *     programs   jit_f(80)        where its message is
 *     ops        (program, instruction, device): executions, time, cost
 *     costs      by node: those of its ops
 *
 * A trace that is a mapped file stays mapped for them; what it says is checked when it is read.
 * Messages of other traces are copied. */
#ifndef TFPROF_MODEL_COMPILED_H
#define TFPROF_MODEL_COMPILED_H

#include "base/hash.h"
#include "base/vec.h"
#include "base/span.h"

struct compiled_program {
	uint32_t name;       /* string id, as in the trace: "jit_f(80)" */
	struct span message; /* HloProto, in the bytes of a trace that the model keeps */
	uint32_t n_runs;     /* 0: not known, or it did not run */
	bool has_run;
	bool has_failed; /* it was called, and none of its name ran */
};

struct compiled_op {
	uint32_t program;
	uint64_t instruction; /* id of the instruction in the program */
	uint32_t node;        /* that it is shown as */
	uint32_t device;      /* string id */
	bool is_accelerator;
	bool has_parts; /* its events are parts of executions */
	/* All instructions of a block run equally often, but one may have several events, or one
	 * get lost. */
	uint32_t n_events, n_executions;
	int64_t self_ps, total_ps;
	/* Of an execution: as the device recorded it, or counted from shapes (hlo/cost.h). */
	int64_t float_ops, matrix_float_ops, bytes;
	bool is_recorded; /* the float operations */
};

/* What all runs of a node cost. */
struct compiled_cost {
	int64_t n_runs, matrix_float_ops, bytes;
};

struct compiled {
	VEC(struct compiled_program) programs;
	VEC(struct compiled_op) ops;
	struct compiled_cost *costs; /* by node, below n_costs */
	uint32_t n_costs;
	/* By node: bytes of temporaries that are alive when its program's are largest; below 0,
	 * of the caller of a program: what others have of what was recorded for it. Filled when
	 * somebody asks (load/compiled_peaks.c), for nodes below n_peaks. */
	int64_t *peaks;
	uint32_t n_peaks;
	size_t n_peak_ops;      /* ops that were there then */
	size_t n_peak_programs; /* programs that ran and have a peak */
	int64_t unplaced_bytes; /* alive then, of no node */
};

void compiled_clear(struct compiled *c);
/* Called with what ran of each program. False stops it, and on allocation failure. */
typedef bool compiled_visit_fn(void *context, const struct compiled_op *const *ops, size_t n);
bool compiled_visit(const struct compiled *c, compiled_visit_fn *visit, void *context);

/* Adds the costs of the ops from a place on; the model has so many nodes. False on allocation
 * failure. */
bool compiled_add_costs(struct compiled *c, size_t first_op, uint32_t n_nodes);
/* The part of it that belongs to some of the runs. */
struct compiled_cost compiled_cost_of_runs(const struct compiled_cost *cost, int64_t n_runs);

static inline struct compiled_cost compiled_cost_of_run(const struct compiled *c, uint32_t node)
{
	return node < c->n_costs ? compiled_cost_of_runs(&c->costs[node], 1)
				 : (struct compiled_cost){0};
}

void compiled_forget_peaks(struct compiled *c);
/* Forgets what was added since there were so many. */
void compiled_truncate(struct compiled *c, size_t n_programs, size_t n_ops);

#endif
