/* Which functions of a graph the compiled programs of a trace were made from.
 *
 * A function with jit_compile=True that another function calls runs as a program, which has its
 * name with all characters but letters and digits replaced, followed by more:
 *
 *     __inference_<lambda>_12    a_inference__lambda__12__.3
 *
 * Instructions have the names of the function's nodes. In the model they are below the call, or
 * below the function's name if another function calls it, or it is called more than once:
 *
 *     dense/MatMul/dot.3         StatefulPartitionedCall/dense/MatMul/dot.3
 *                                __inference_<lambda>_12/dense/MatMul/dot.3 */
#ifndef TFPROF_LOAD_XPLANE_PROGRAMS_H
#define TFPROF_LOAD_XPLANE_PROGRAMS_H

#include "load/xplane/join.h"
#include "load/xplane/modules.h"

/* A function that a program may have been made from. */
struct program {
	const struct library *library;
	uint32_t graph;    /* of the library */
	struct span scope; /* without the '/' */
	struct span call;  /* the only one, if it is in the main graph; otherwise empty */
	uint32_t n_calls;  /* of all graphs */
	bool is_shared; /* several functions have the name, also two of one graph: f<x> and f_x_ */
	bool has_run;
	uint32_t first_callee, n_callees; /* functions it calls directly, in `callees` */
	uint32_t found_by;                /* number of the last search that found this function */
	VEC(uint32_t) reached;            /* this function and its callees; computed on first use */
};

struct programs {
	struct strings names; /* as programs have them */
	VEC(struct program) at;
	VEC(uint32_t) by_name;
	VEC(uint32_t) firsts;  /* in `at`, by library */
	VEC(uint32_t) callees; /* in `at` */
	struct strings scopes; /* of programs that ran */
	uint32_t n_searches;
	size_t n_followed; /* calls, in all searches */
	bool is_taken;     /* see apply_take_float_ops() */
};

/* Reads the functions of all libraries. False on allocation failure; clear in any case. */
bool programs_read(struct programs *p, const struct join *j);
void programs_clear(struct programs *p);

/* The function that a module was made from; NULL if there is none, or more than one. */
struct program *programs_find(const struct programs *p, struct span module);

/* Notes that a program of the function ran. False on allocation failure. */
bool programs_add_run(struct programs *p, struct program *program);
/* Whether a node of a graph calls a function that ran as a program. */
bool programs_is_call(const struct programs *p, const struct join *j, const struct library *l,
	const struct graph *g, uint32_t node);
/* Whether names that begin like this are below the scope of a function that ran as a program. */
bool programs_is_in_scope(const struct programs *p, struct span prefix);

/* The node that `name`, the scope of the program and a name in it, means: a node of the function,
 * or of one that it calls if no other has it. False on allocation failure. */
bool programs_find_node(struct programs *p, struct program *program, struct span name,
	struct join_found *found);

#endif
