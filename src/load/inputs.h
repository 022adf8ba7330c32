/* The kinds of input, a line each. Flags, help, completion, manual page, Python
 * keywords and messages follow from this table.
 *
 *     id, name   INPUT_GRAPH, graph: its name in the C API and its keyword in Python.
 *                Its flag is --graph_path, its loader load_graph()
 *     subject    what messages call one that was given as bytes
 *     look       how its bytes are recognized (see recognize.h)
 *     message    its full name in protobuf; NULL if it is no message
 *     traits     how it is given (enum tfprof_input_traits)
 *     progress   what the program says while it is read
 *     help       one sentence
 *
 * in the order in which those of one command line are read. */
#ifndef TFPROF_LOAD_INPUTS_H
#define TFPROF_LOAD_INPUTS_H

#include <tfprof/tfprof.h>

/* clang-format off */
#define INPUTS(X) \
	X(PROFILE, profile, "the profile", \
		MESSAGE("a ProfileProto", profile_proto, "nodes", "nodes", \
			.claim = directory_find_profile), \
		"tensorflow.tfprof.ProfileProto", TFPROF_INPUT_WHOLE | TFPROF_INPUT_RUN, \
		"Parsing ProfileProto...", \
		"Read a saved profile (ProfileProto): everything in one file.") \
	X(GRAPH, graph, "the graph", \
		MESSAGE("a GraphDef", graph_def, "node", "node library version versions"), \
		"tensorflow.GraphDef", TFPROF_INPUT_PART, "Parsing GraphDef...", \
		"Read the graph (GraphDef), text or binary.") \
	X(SAVED_MODEL, saved_model, "the SavedModel", \
		MESSAGE("a SavedModel", saved_model, "saved_model_schema_version", \
			"saved_model_schema_version meta_graphs", .claim = directory_find_saved_model), \
		"tensorflow.SavedModel", TFPROF_INPUT_PART, \
		"Parsing SavedModel...", \
		"Read a SavedModel: what its signature runs, with float operations.") \
	X(META_GRAPH, meta_graph, "the MetaGraph", \
		MESSAGE("a MetaGraphDef", meta_graph_def, "graph_def", "meta_info_def graph_def"), \
		"tensorflow.MetaGraphDef", TFPROF_INPUT_PART, \
		"Parsing MetaGraphDef...", \
		"Read a MetaGraphDef (.meta): all of its operations, with float operations.") \
	X(KERAS, keras, "the Keras model", \
		CONTAINER("a zip archive (perhaps a Keras model)", "PK\x03\x04", "a Keras model"), \
		NULL, TFPROF_INPUT_PART, "Reading Keras model...", \
		"Read a Keras model (.keras): its layers, with float operations.") \
	X(KERAS_H5, keras_h5, "the Keras model", \
		CONTAINER("an HDF5 file (perhaps a Keras model)", "\x89HDF\r\n\x1a\n", "a Keras model"), \
		NULL, TFPROF_INPUT_PART, "Reading Keras model...", \
		"Read a Keras model (.h5): its layers, with float operations.") \
	X(TFLITE, tflite, "the TensorFlow Lite model", \
		MARK("a TensorFlow Lite model", foreign_is_tflite), \
		NULL, TFPROF_INPUT_PART, "Reading TensorFlow Lite model...", \
		"Read a TensorFlow Lite model: its operators, with float operations.") \
	X(OP_LOG, op_log, "the op log", \
		MESSAGE("an OpLogProto", op_log_proto, "log_entries", "log_entries"), \
		"tensorflow.tfprof.OpLogProto", TFPROF_INPUT_EXTRA, "Parsing OpLogProto...", \
		"Read float operations, custom types and call stacks (OpLogProto).") \
	X(DEBUG_INFO, debug_info, "the debug information", \
		MESSAGE("the debug information of a graph (GraphDebugInfo)", graph_debug_info, \
			"files", "files traces frames_by_id traces_by_id name_to_trace_id"), \
		"tensorflow.GraphDebugInfo", TFPROF_INPUT_EXTRA, "Parsing GraphDebugInfo...", \
		"Read call stacks (GraphDebugInfo), as a SavedModel has them in debug/.") \
	X(RUN_META, run_meta, "the run metadata", \
		MESSAGE("a RunMetadata", run_metadata, "step_stats", \
			"step_stats cost_graph partition_graphs function_graphs"), \
		"tensorflow.RunMetadata", TFPROF_INPUT_PART | TFPROF_INPUT_BY_STEP, \
		"Parsing RunMetadata...", \
		"Read traces of runs (RunMetadata), one file per step.") \
	X(XPLANE, xplane, "the trace", \
		MESSAGE("a trace of tf.profiler or jax.profiler (XSpace)", xspace, "planes", \
			"planes errors warnings hostnames", .has_mark = xplane_has_mark, \
			.claim = xplane_find_run), \
		"tensorflow.profiler.XSpace", \
		TFPROF_INPUT_PART | TFPROF_INPUT_SEVERAL | TFPROF_INPUT_RUN, "Parsing XSpace...", \
		"Read a trace of tf.profiler, a Keras callback or jax.profiler (*.xplane.pb).") \
	X(CHECKPOINT, checkpoint, "the checkpoint", \
		FILES("a table of a TensorFlow checkpoint", table_has_magic, ".index", \
			"the list of checkpoints in a directory", "model_checkpoint_path", \
			.claim = directory_find_checkpoint), \
		NULL, TFPROF_INPUT_FILES, "Reading Checkpoint...", \
		"Read a checkpoint: its variables get the type _checkpoint_variables, and " \
		"tensor_value shows their values.")
/* clang-format on */

enum input_kind {
	INPUT_UNKNOWN = -1, /* its content decides */
#define X(id, ...) INPUT_##id,
	INPUTS(X)
#undef X
		N_INPUTS
};

/* The public description of a kind; NULL past the end. */
const struct tfprof_input_info *input_get_info(size_t kind);

/* INPUT_UNKNOWN if there is none of that name. */
enum input_kind input_from_name(const char *name);

/* "the run metadata" */
const char *input_get_subject(enum input_kind kind);

#endif
