/* What a profile can lack, and which file would provide it: for the overview, and for
 * reports that are empty because of it. */
#ifndef TFPROF_ASK_GAPS_H
#define TFPROF_ASK_GAPS_H

#include "model/model.h"

/* clang-format off */
/* id, id of its note, what is missing, what would bring it */
#define GAPS(X) \
	X(RUNS, "no_runs", "times, memory and devices", \
		"run metadata (RunMetadata) of a step run with trace_level=FULL_TRACE, or a trace (*.xplane.pb)") \
	X(GRAPH, "no_graph", "data flow, shapes and parameters", \
		"the graph (GraphDef), as tf.io.write_graph() writes it") \
	X(FLOAT_OPS, "no_float_ops", "float operations", \
		"an op log (OpLogProto), as tfprof.write_op_log() writes it, or the option count_float_ops") \
	X(STACKS, "no_stacks", "lines of code", \
		"an op log (OpLogProto), as tfprof.write_op_log() writes it, or save the model with " \
		"save_debug_info=True") \
	X(SHAPES, "no_shapes", "shapes of inputs", \
		"the graph with its shapes, from as_graph_def(add_shapes=True)") \
	X(VALUES, "no_values", "values of variables", \
		"a checkpoint, as tf.train.Checkpoint writes it")
/* clang-format on */

enum gap {
#define X(id, ...) GAP_##id,
	GAPS(X)
#undef X
		N_GAPS
};

struct gap_info {
	const char *what, *remedy;
	const char *id; /* of its note */
};

const struct gap_info *gap_get(enum gap gap);

/* Why a trace of tf.profiler or jax.profiler lacks it, if the model is of one; otherwise NULL. */
const char *gap_get_reason(const struct model *m, enum gap gap);

/* What to add, in words of those who recorded it: "the model (a SavedModel), or …". */
const char *gap_get_remedy(const struct model *m, enum gap gap);

/* Whether the model lacks this. Shapes are known only of a complete model. */
bool gap_is_open(const struct model *m, enum gap gap);

#endif
