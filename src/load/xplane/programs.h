/* Which functions of a graph the compiled programs of a trace were made from.
 *
 * A function with jit_compile=True that another function calls runs as a program, which has its
 * name with all characters but letters and digits replaced, and more behind it:
 *
 *     __inference_<lambda>_12    a_inference__lambda__12__.3
 *
 * Instructions have the names of the function's nodes. In the model they are below the call, or
 * below the function's name if it is not the main graph that calls it, or not only once:
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
	uint32_t graph;       /* of the library */
	struct span scope;    /* without the '/' */
	struct span call;     /* the only one, if it is in the main graph; otherwise empty */
	uint32_t n_calls;     /* of all graphs */
	bool is_shared;       /* functions of several graphs have the name */
	VEC(uint32_t) graphs; /* its own and those it calls, once asked for */
};

struct programs {
	struct strings names; /* as programs have them */
	VEC(struct program) at;
	VEC(uint32_t) by_name;
};

/* Reads the functions of all libraries. False on allocation failure; clear in any case. */
bool programs_read(struct programs *p, const struct join *j);
void programs_clear(struct programs *p);

/* The function that a module was made from; NULL if there is none, or more than one. */
struct program *programs_find(const struct programs *p, struct span module);

/* The node that `name`, the scope of the program and a name in it, means: a node of the function,
 * or of one that it calls if no other has it. False on allocation failure. */
bool program_find_node(struct program *p, struct span name, struct join_found *found);

#endif
