#include "ask/gaps.h"

#include "load/load.h"

static const struct gap_info gaps[] = {
#define X(id, word, what, remedy) {what, remedy, word},
	GAPS(X)
#undef X
};

const struct gap_info *gap_get(enum gap gap)
{
	return &gaps[gap];
}

static const char *reason_of_tensorflow(const struct model *m, enum gap gap)
{
	switch (gap) {
	case GAP_GRAPH:
		return "TensorFlow records the names of what ran, not the graph: add a graph";
	case GAP_STACKS:
		return "TensorFlow writes no Python frames into this trace: add a graph and "
		       "an op log";
	case GAP_FLOAT_OPS:
		return m->edges.n ? NULL : "TensorFlow records none on a CPU: add a graph";
	default: return NULL;
	}
}

static const char *reason_of_jax(const struct model *m, enum gap gap)
{
	bool is_of_programs = gap == GAP_GRAPH || gap == GAP_STACKS || gap == GAP_FLOAT_OPS;

	return is_of_programs && m->recorded & MODEL_RECORDED_NO_PROGRAMS
		? "the trace has no compiled programs: leave enable_hlo_proto of "
		  "jax.profiler.ProfileOptions on"
		: NULL;
}

/* Who trains with Keras has no op log to add, but a model, and a program that can be recorded
 * again. */
const char *gap_get_remedy(const struct model *m, enum gap gap)
{
	const char *reason = gap_get_reason(m, gap);

	if (!(m->recorded & MODEL_RECORDED_BY_TENSORFLOW))
		return m->recorded && reason ? "compiled programs, which enable_hlo_proto of "
					       "jax.profiler.ProfileOptions records"
					     : gaps[gap].remedy;
	switch (gap) {
	case GAP_GRAPH:
	case GAP_FLOAT_OPS:
		return "the model (a SavedModel), or record with tfprof.KerasCallback or "
		       "tfprof.profile_function()";
	case GAP_STACKS:
		return "a SavedModel saved with save_debug_info=True, or record with "
		       "tfprof.KerasCallback or tfprof.profile_function()";
	default: return gaps[gap].remedy;
	}
}

const char *gap_get_reason(const struct model *m, enum gap gap)
{
	if (!m->recorded || gap == GAP_VALUES)
		return NULL;
	if (!m->execs.n_rows && (gap == GAP_RUNS || !m->edges.n))
		return "no operation ran in a step while the trace was recorded";
	return m->recorded & MODEL_RECORDED_BY_TENSORFLOW ? reason_of_tensorflow(m, gap)
							  : reason_of_jax(m, gap);
}

static bool has_float_ops(const struct model *m)
{
	for (size_t i = 0; i < m->nodes.n; i++)
		if (m->nodes.float_ops[i])
			return true;
	return false;
}

/* Compiled programs tell all that JAX knows, and traces have no variables. */
static bool is_told_by_programs(const struct model *m)
{
	return m->recorded &&
		!(m->recorded & (MODEL_RECORDED_BY_TENSORFLOW | MODEL_RECORDED_NO_PROGRAMS));
}

bool gap_is_open(const struct model *m, enum gap gap)
{
	switch (gap) {
	case GAP_RUNS: return !m->execs.n_rows;
	/* Edges of a saved profile may not have been read yet; a graph need not have any. */
	case GAP_GRAPH:
		return model_is_complete(m) && !m->edges.n && !model_has_graph(m) &&
			!m->is_of_layers && !m->checkpoint;
	case GAP_FLOAT_OPS: return !has_float_ops(m) && !is_told_by_programs(m);
	case GAP_STACKS: return !m->has_trace;
	case GAP_SHAPES: return model_is_complete(m) && !m->outputs.n && !m->run_shapes.n;
	case GAP_VALUES: return !m->checkpoint && !m->recorded;
	default: return false;
	}
}
