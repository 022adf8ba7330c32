/* Shapes that tensors had in runs, for what the graph leaves open.
 *
 *     run metadata ── model.run_shapes[]: node, output, step, shape     as they arrive
 *         │ run_shapes_prepare()
 *         ▼
 *     sorted by node, output and step; what was fed, or fetched, under the name of its tensor.
 *     Before the steps of an output whose shapes differ is an entry for all of them
 *     (RUN_SHAPES_ALL): -1 where they differ.
 *
 * A node that ran several times in a step with different shapes has none in that step. */
#ifndef TFPROF_MODEL_RUN_SHAPES_H
#define TFPROF_MODEL_RUN_SHAPES_H

#include "model/model.h"

#define RUN_SHAPES_ALL INT64_MIN

/* Sorts what arrived since the last call. False on allocation failure. */
bool run_shapes_prepare(struct model *m);

/* The shape of an output in a step or, if that is negative, in all of them; NULL if no run says.
 * Call after run_shapes_prepare(). */
const struct run_shape *run_shapes_find(const struct model *m, uint32_t node, int32_t output,
	int64_t step);

/* The shape that arrives over an edge in a step or, if that is negative, in all of them: that
 * of the graph, completed by runs. 0 if unknown. */
uint32_t run_shapes_of_edge(const struct model *m, const struct edge *e, int64_t step);

#endif
