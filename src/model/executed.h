/* What a node ran as, and where the graph places it.
 *
 * The graph says what a node is. TensorFlow may run something else in its place: the
 * Relu that ends a convolution runs as _MklNativeFusedConv2D, a call as what was inlined
 * for it. Run metadata says so in labels. A node that no graph defines, such as one of a
 * function's body, has its own name for an op, and its only type in its label.
 *
 *     node ── op, types           as TensorFlow's profiler has them
 *          ── executed            what it ran as; 0: unknown, or the same as op
 *          ── placed              the device the graph asks for; 0: none
 *          ── executed_types      types with `executed`, without the op of a node that no
 *                                 graph defines, and with `placed` until a run places the
 *                                 node; 0: the same as types
 */
#ifndef TFPROF_MODEL_EXECUTED_H
#define TFPROF_MODEL_EXECUTED_H

#include "model/model.h"

/* Records that a node ran as this type. If it runs as several, the last one is
 * `executed`, and all are types. False on allocation failure. */
bool executed_add(struct model *m, uint32_t node, struct span type);

/* Records that the graph asks for this device, lower-cased. False on allocation failure. */
bool executed_place(struct model *m, uint32_t node, uint32_t device);
/* Records that a run placed it, whatever the graph asks for. False on allocation failure. */
bool executed_ran_on(struct model *m, uint32_t node, uint32_t device, uint32_t host_device);

/* The set of types with an executed one, for a node whose op is to be left out of it
 * unless it is 0. NONE on allocation failure. */
uint32_t executed_make_types(struct sets *sets, const struct strings *strings, uint32_t types,
	uint32_t without, uint32_t executed);

/* The type of a node: that in the graph or, if no graph defines it or it is the last of a fused
 * chain whose start is not known, that it ran as. */
static inline uint32_t model_op(const struct model *m, uint32_t node)
{
	return m->nodes.flags[node] & NODE_UNDEFINED && m->nodes.executed[node]
		? m->nodes.executed[node]
		: m->nodes.op[node];
}

/* What it ran as, if known. */
static inline uint32_t model_executed(const struct model *m, uint32_t node)
{
	return m->nodes.executed[node] ? m->nodes.executed[node] : m->nodes.op[node];
}

/* Whether a kernel does the work of an operation of this type, alone or with others: "_FusedConv2D"
 * that of "Conv2D", not of the "Relu" it may end with. */
bool executed_is_fused_of(struct span kernel, struct span type);
/* Whether a node of this type that ran as this kernel may stand for others: they were fused. */
bool executed_is_fused(struct span kernel, struct span type);

/* Whether a node ran as another operation, not just as another implementation of its own. */
bool executed_is_other(const struct model *m, uint32_t node);

/* A node's types, including what it ran as and where it is placed. */
static inline uint32_t model_types(const struct model *m, uint32_t node)
{
	return m->nodes.executed_types[node] ? m->nodes.executed_types[node] : m->nodes.types[node];
}

#endif
