/* Nodes within loops and conditionals, by the names of the calls that lead to them and their own:
 *
 *     a trace   while/body/_12/while/MatMul
 *     here      while/while/MatMul           as walk_join() has it
 *
 * A node of one branch may share that with one of the other: then it is none, unless the float
 * operations of one are known. */
#ifndef TFPROF_LOAD_BRANCH_NAMES_H
#define TFPROF_LOAD_BRANCH_NAMES_H

#include "model/model.h"

/* The length of "body/_12/" or "branch3/_4/" at the beginning of a text; 0: there is none. */
size_t branch_length(struct span text);

struct branch_names {
	struct strings names;
	VEC(uint32_t) nodes; /* by id of the name; NONE: not of a branch; NONE - 1: several */
};

/* Of all nodes. Clear in any case; false on allocation failure. */
bool branch_names_init(struct branch_names *b, const struct model *m);
void branch_names_clear(struct branch_names *b);

/* NONE if there is no such node, or it is not known which. */
uint32_t branch_names_find(const struct branch_names *b, struct span name);

#endif
