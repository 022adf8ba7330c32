/* The compiled programs of a trace (HloProto), each decoded when the first event asks
 * for it: a trace may hold many that did not run. */
#ifndef TFPROF_LOAD_XPLANE_MODULES_H
#define TFPROF_LOAD_XPLANE_MODULES_H

#include "base/hash.h"
#include "hlo/cost.h"
#include "hlo/framework.h"
#include "hlo/kind.h"
#include "load/xplane/plane.h"

struct hlo_instruction {
	struct span name, opcode, op_name, op_type;
	struct span message;  /* HloInstructionProto */
	uint64_t id;          /* within the module */
	uint32_t computation; /* its place */
	uint32_t frame;       /* of the stack frames, from 1 on; 0: none */
	uint32_t node;        /* for the loader: NONE at first */
};

struct hlo_computation {
	uint64_t id, root;
	uint32_t first, n; /* instructions */
};

/* What all instructions of a module are, read once somebody asks. */
struct hlo_details {
	struct hlo_program program;
	struct hlo_kinds kinds;
	struct hlo_heroes heroes;
	struct hlo_costs costs;
};

struct hlo_module {
	uint64_t program;
	struct hlo_details *details; /* NULL: not read yet */
	struct span message;         /* HloProto */
	struct span title;           /* "jit_f(80)" */
	uint32_t kept;               /* for the loader: its place in the model */
	bool is_decoded, is_damaged;
	bool has_float_ops;         /* for the loader: instead of the nodes that it was made from */
	bool is_of_graph;           /* operations of the graph are among its products */
	struct program *program_of; /* for the loader: the function that it was made from; NULL */
	struct span name;
	uint64_t entry;
	VEC(struct hlo_instruction) instructions;
	VEC(struct hlo_computation) computations;
	hlo_frames frames;
	struct hash_index by_name, by_id, by_computation;
};

struct hlo_modules {
	VEC(struct hlo_module *) at;
	struct hash_index by_program;
	size_t n_damaged;
};

/* Finds the modules of a plane. Zero is empty; clear in any case. */
void hlo_modules_add(struct hlo_modules *m, const struct plane *p, struct decoder *d);
void hlo_modules_clear(struct hlo_modules *m);

/* The module of a program, decoded; NULL if it is not there or damaged. *ok is set to
 * false on allocation failure. */
struct hlo_module *hlo_modules_find(struct hlo_modules *m, uint64_t program, bool *ok);

/* Places of instructions; NONE if there is none. */
uint32_t hlo_find_name(const struct hlo_module *m, struct span name);
uint32_t hlo_find_id(const struct hlo_module *m, uint64_t id);
/* Of a computation. */
uint32_t hlo_find_computation(const struct hlo_module *m, uint64_t id);

/* Details of a module, and in *op the place of an instruction in them. NULL if it cannot be read;
 * *ok is set to false on allocation failure. */
const struct hlo_details *hlo_get_details(struct hlo_module *m, uint32_t instruction, uint32_t *op,
	bool *ok);

#endif
