/* A model file, read for counting what the model costs: a graph to walk, where it starts,
 * and its parameters. One reader for each format, like the loaders of profiles.
 *
 *     bytes ── model_file_open ─▶ main graph, presets (inputs, variables), parameters
 */
#ifndef TFPROF_LOAD_MODEL_FILE_H
#define TFPROF_LOAD_MODEL_FILE_H

#include "base/buf.h"
#include "load/op_graph.h"
#include "model/source.h"

/* Shapes that the user gives for inputs: "x:1x224x224x3,…" */
struct model_input_shape {
	struct span name;
	struct tensor shape;
};

struct model_file_options {
	int64_t batch_size;                   /* 0: 1 is assumed, and that is said */
	const char *input_shapes, *signature; /* or NULL */
	/* Nobody can be asked: an input whose shape is open stays unknown, and of several
	 * signatures the last is taken; notes say so. */
	bool is_lenient;
	const struct shape_source *shapes; /* of runs: no batch is assumed; or NULL */
	enum tfprof_reading reading;       /* of bytes that are not checked yet */
	int64_t trip_count;                /* see walk.h */
};

struct model_input {
	struct span name;
	struct tensor tensor; /* with every dimension known */
};

/* A line of the notes, by where it ends, and what programs call it. */
struct model_note_id {
	size_t end;
	const char *id;
};

struct model_file {
	const char *format; /* "SavedModel" */
	struct buf title;   /* what else it says of itself: versions, a name */
	struct source source;
	struct model_keras *keras;     /* what the graph of layers aliases, or NULL */
	struct checkpoint *checkpoint; /* what the parameters alias, or NULL */
	struct op_library library;     /* of operations; its main graph is walked */
	VEC(struct preset) presets;
	VEC(struct model_input) inputs;
	parameter_vec parameters;
	bool is_of_layers;     /* nodes are layers; else layers are scopes of nodes */
	bool runs_in_order;    /* see walk.h */
	bool hides_training;   /* the format does not say which parameters are trained */
	bool asks_batch;       /* batch_size was set by the user */
	bool assumes_batch;    /* some input has an open batch dimension */
	bool has_open_weights; /* constants are weights only if the walk says so */
	int64_t batch_size, trip_count;
	bool is_lenient, is_walked_whole; /* else a GraphDef is walked from what nobody reads */
	int64_t stored_parameters;        /* what the file stores, to check against; -1: unknown */
	struct buf notes;                 /* lines */
	VEC(struct model_note_id) note_ids; /* of lines that have an id */
	VEC(struct model_input_shape) given;
	const struct shape_source *shapes; /* of runs, or NULL */
	struct arena arena;
};

/* Reads a model; `path` may be a directory with a saved_model.pb. Clear in any case. */
enum tfprof_status model_file_open(struct model_file *m, const struct tfprof_input *in,
	const struct model_file_options *options, struct tfprof_error *err);
/* The same for bytes that are known to be a GraphDef; all of its operations are walked. */
enum tfprof_status model_file_open_graph(struct model_file *m, struct span bytes,
	const struct model_file_options *options, struct tfprof_error *err);
void model_file_clear(struct model_file *m);

/* Whether a path leads to a model, by its content; a plain GraphDef does not count. */
bool model_file_recognize(const char *path);

/* Walks what was opened, ready for reading records; `keeps_all` as in walk.h. Clear the
 * walk in any case. */
enum tfprof_status model_file_walk(struct model_file *m, struct walk *w,
	const struct tfprof_input *in, bool keeps_all, struct tfprof_error *err);

/* How decoding went. */
enum tfprof_status model_file_check(const struct model_file *m, const struct tfprof_input *in,
	struct tfprof_error *err);

/* ---- for readers ---------------------------------------------------------------- */

typedef enum tfprof_status model_reader_fn(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err);
model_reader_fn model_read_saved_model, model_read_meta_graph, model_read_graph, model_read_keras,
	model_read_keras_h5, model_read_tflite, model_read_checkpoint;

/* Whether a variable is what training keeps besides the model: a slot of an optimizer, a counter.
 */
bool model_is_of_optimizer(struct span name);

/* What was read of a Keras file (model_keras.c). */
void model_keras_free(struct model_keras *keras);
/* After the walk: whether the parameters found are those that the file stores. */
void model_keras_check(struct model_file *m, int64_t parameters, int64_t config_surplus);

/* Makes an input concrete: what the user gave for it, or the file's shape with the batch
 * put in. Fails if something is still open. */
enum tfprof_status model_file_add_input(struct model_file *m, struct span name, struct tensor shape,
	struct tensor *concrete, struct tfprof_error *err);

/* Walks all nodes, or those whose outputs are not read. */
enum tfprof_status model_start_anywhere(struct model_file *m, bool everywhere,
	struct tfprof_error *err);
/* Placeholders that are walked are the inputs. */
enum tfprof_status model_add_placeholders(struct model_file *m, struct tfprof_error *err);

/* Names the line that was just added to the notes. */
void model_file_name_note(struct model_file *m, const char *id);
/* The id of the line that ends there; "file" if it was not named. */
const char *model_file_get_note_id(const struct model_file *m, size_t end);

#endif
