#include "load/model_file.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/spelling.h"
#include "formats/checkpoint/checkpoint.h"
#include "load/load.h"
#include "load/recognize.h"
#include "load/recover.h"
#include "proto/tensor_shape.h"

/* ---- input shapes --------------------------------------------------------------- */

static bool read_dims(struct span text, struct tensor *shape)
{
	int64_t dims[TENSOR_MAX_RANK], n = 0;
	size_t at = 0;

	while (at < text.n) {
		int64_t value = 0;
		size_t start = at;

		while (at < text.n && text.at[at] >= '0' && text.at[at] <= '9' &&
			value < 1000000000000)
			value = value * 10 + (text.at[at++] - '0');
		if (at == start || n == TENSOR_MAX_RANK)
			return false;
		dims[n++] = value;
		if (at < text.n && text.at[at++] != 'x')
			return false;
	}
	*shape = tensor_make(0, dims, n);
	return true;
}

/* NAME:DIMS,…; a name may contain colons. */
static enum tfprof_status read_given(struct model_file *m, const char *text,
	struct tfprof_error *err)
{
	while (text && *text) {
		struct span item = {text, strcspn(text, ",")}, name = item;
		struct model_input_shape given;

		while (name.n && name.at[name.n - 1] != ':')
			name.n--;
		if (!name.n ||
			!read_dims((struct span){item.at + name.n, item.n - name.n}, &given.shape))
			return error_set(err, TFPROF_ARGUMENT,
				"--input_shapes: '%.*s': expected NAME:DIMxDIMx..., such as "
				"x:1x224x224x3",
				ERROR_SPAN(item));
		given.name = (struct span){name.at, name.n - 1};
		if (!vec_push(&m->given, given))
			return error_no_memory(err);
		text += item.n + (text[item.n] == ',');
	}
	return TFPROF_OK;
}

static void put_open_shape(struct buf *b, const struct tensor *t)
{
	if (t->rank < 0)
		buf_text(b, "of unknown rank");
	for (int d = 0; d < t->rank; d++)
		if (t->dims[d] < 0)
			buf_printf(b, "%s?", d ? "x" : "");
		else
			buf_printf(b, "%s%lld", d ? "x" : "", (long long)t->dims[d]);
}

static enum tfprof_status open_input(struct span name, const struct tensor *shape,
	struct tfprof_error *err)
{
	struct buf open = {0}, example = {0}, given = {0};
	enum tfprof_status status;

	put_open_shape(&open, shape);
	if (shape->rank < 1)
		buf_text(&example, "1x224x224x3");
	for (int d = 0; d < shape->rank; d++)
		buf_printf(&example, "%s%lld", d ? "x" : "",
			(long long)(shape->dims[d] >= 0 ? shape->dims[d]
					: d             ? 100
							: 1));
	buf_printf(&given, "%.*s:%s", ERROR_SPAN(name), buf_get(&example).at);
	status = error_set(err, TFPROF_FORMAT, "input '%.*s' is %s in the file: give %s",
		ERROR_SPAN(name), buf_get(&open).at, SETTING("input_shapes", buf_get(&given).at));
	buf_clear(&given);
	buf_clear(&open);
	buf_clear(&example);
	return status;
}

void model_file_name_note(struct model_file *m, const char *id)
{
	if (!vec_push(&m->note_ids, ((struct model_note_id){m->notes.n, id})))
		m->notes.failed = true;
}

const char *model_file_get_note_id(const struct model_file *m, size_t end)
{
	for (size_t i = 0; i < m->note_ids.n; i++)
		if (m->note_ids.at[i].end == end)
			return m->note_ids.at[i].id;
	return "file";
}

/* A batch size fixed in the file is kept: constants may depend on it. */
static void note_fixed_batch(struct model_file *m, struct span name, const struct tensor *shape)
{
	struct tensor wanted = *shape;
	struct buf given = {0};

	wanted.dims[0] = m->batch_size;
	buf_printf(&m->notes, "%s: input '%.*s' is ", OPTION("batch_size"), ERROR_SPAN(name));
	put_open_shape(&m->notes, shape);
	buf_printf(&given, "%.*s:", ERROR_SPAN(name));
	put_open_shape(&given, &wanted);
	buf_printf(&m->notes, " in the file and does not change: give %s\n",
		SETTING("input_shapes", buf_get(&given).at));
	m->notes.failed |= given.failed;
	buf_clear(&given);
	model_file_name_note(m, "fixed_batch");
}

enum tfprof_status model_file_add_input(struct model_file *m, struct span name, struct tensor shape,
	struct tensor *concrete, struct tfprof_error *err)
{
	const struct tensor in_file = shape;
	bool was_given = false;

	for (size_t i = 0; i < m->given.n; i++)
		if (span_equal(m->given.at[i].name, name)) {
			int16_t dtype = shape.dtype;

			shape = m->given.at[i].shape;
			shape.dtype = dtype;
			was_given = true;
		}
	if (!was_given && m->shapes && !tensor_is_known(&shape)) {
		m->shapes->complete(m->shapes, name, 0, &shape);
	} else if (!was_given && shape.rank > 0 && shape.dims[0] < 0) {
		shape.dims[0] = m->batch_size;
		m->assumes_batch = true;
	} else if (!was_given && m->asks_batch && shape.rank > 0 &&
		shape.dims[0] != m->batch_size) {
		note_fixed_batch(m, name, &shape);
	}
	*concrete = shape;
	if (!tensor_is_known(&shape) && m->is_lenient) {
		buf_printf(&m->notes, "input '%.*s' is ", ERROR_SPAN(name));
		put_open_shape(&m->notes, &shape);
		buf_text(&m->notes,
			m->shapes ? " in the file and differs, or is not known, in runs: "
				    "operations that need its shape are not counted\n"
				  : " in the file: operations that need its shape are not "
				    "counted\n");
		model_file_name_note(m, "open_input");
	} else if (!tensor_is_known(&shape)) {
		return open_input(name, &in_file, err);
	}
	return vec_push(&m->inputs, ((struct model_input){name, shape})) ? TFPROF_OK
									 : error_no_memory(err);
}

static enum tfprof_status check_given(const struct model_file *m, struct tfprof_error *err)
{
	for (size_t i = 0; i < m->given.n; i++) {
		struct buf names = {0};
		bool found = false;
		enum tfprof_status status;

		for (size_t k = 0; k < m->inputs.n; k++) {
			found |= span_equal(m->inputs.at[k].name, m->given.at[i].name);
			if (names.n < 300)
				buf_printf(&names, "%s%.*s", k ? ", " : "",
					ERROR_SPAN(m->inputs.at[k].name));
		}
		status = found
			? TFPROF_OK
			: error_set(err, TFPROF_ARGUMENT,
				  "--input_shapes: the model has no input '%.*s': expected one "
				  "of: %s",
				  ERROR_SPAN(m->given.at[i].name), buf_get(&names).at);
		buf_clear(&names);
		if (status != TFPROF_OK)
			return status;
	}
	return TFPROF_OK;
}

/* ---- opening -------------------------------------------------------------------- */

static const struct {
	enum input_kind kind; /* that recognize() reports */
	const char *format;
	model_reader_fn *read;
} readers[] = {
	{INPUT_SAVED_MODEL, "SavedModel", model_read_saved_model},
	{INPUT_META_GRAPH, "MetaGraph", model_read_meta_graph},
	{INPUT_GRAPH, "graph", model_read_graph},
	{INPUT_TFLITE, "TensorFlow Lite", model_read_tflite},
	{INPUT_KERAS, "Keras", model_read_keras},
	{INPUT_KERAS_H5, "Keras", model_read_keras_h5},
	{INPUT_CHECKPOINT, "checkpoint", model_read_checkpoint},
};

/* Whether the path is the prefix of a checkpoint's files; `file` becomes its index. */
static bool is_prefix(const char *path, char *file, size_t size)
{
	struct stat st;

	return stat(path, &st) != 0 && snprintf(file, size, "%s.index", path) < (int)size &&
		stat(file, &st) == 0;
}

/* Whether a model was exported to this directory; `file` becomes its saved_model.pb. */
static bool in_directory(const char *path, char *file, size_t size)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
		snprintf(file, size, "%s/saved_model.pb", path) < (int)size && stat(file, &st) == 0;
}

bool model_file_recognize(const char *path)
{
	struct source source = {0};
	struct tfprof_input in = {.path = path};
	char file[4096];
	struct recognized is;
	bool found = false;

	if (in_directory(path, file, sizeof(file)))
		return true;
	if (source_open(&source, &in, NULL) != TFPROF_OK)
		return false;
	is = recognize(source.bytes);
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
		found |= readers[i].read != model_read_graph &&
			readers[i].read != model_read_checkpoint && readers[i].kind == is.kind &&
			!is.is_text;
	source_close(&source);
	return found;
}

static enum tfprof_status refuse(const char *name, const char *looks_like, struct tfprof_error *err)
{
	return error_set(err, TFPROF_FORMAT,
		"%s: it looks like %s: expected a model: a SavedModel (its directory or "
		"saved_model.pb), a .keras, .h5 or .tflite file, a GraphDef or a MetaGraphDef",
		name, looks_like);
}

/* Converts text; recovers a damaged file, or refuses bytes that would be ignored, as requested. */
static enum tfprof_status check_bytes(struct model_file *m, const struct tfprof_input *in,
	enum input_kind kind, bool is_text, enum tfprof_reading reading, struct tfprof_error *err)
{
	enum tfprof_status status;

	if (is_text && reading == TFPROF_READ_RECOVER)
		return recover_text(&m->source, kind, input_name(in, kind), &m->notes, err);
	status = is_text ? input_convert_text(&m->source, in, kind, err) : TFPROF_OK;
	if (status != TFPROF_OK)
		return status;
	switch (reading) {
	case TFPROF_READ_RECOVER:
		return recover(&m->source, kind, input_name(in, kind), &m->notes, err);
	case TFPROF_READ_STRICT: return load_audit(in, kind, &m->source, err);
	default: return TFPROF_OK;
	}
}

static enum tfprof_status read_bytes(struct model_file *m, const struct tfprof_input *in,
	const struct model_file_options *options, struct tfprof_error *err)
{
	struct recognized is = recognize(m->source.bytes);
	const char *name = in->path ? in->path : "the model";
	enum tfprof_status status;

	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
		if (readers[i].kind == is.kind) {
			/* Its values are in other files. */
			if (readers[i].read == model_read_checkpoint && tfprof_input_is_memory(in))
				break;
			m->format = readers[i].format;
			status = check_bytes(m, in, is.kind, is.is_text, options->reading, err);
			return status == TFPROF_OK ? readers[i].read(m, name, options, err)
						   : status;
		}
	return refuse(name, is.name, err);
}

static void set_options(struct model_file *m, const struct model_file_options *options)
{
	*m = (struct model_file){.stored_parameters = -1};
	m->batch_size = options->batch_size ? options->batch_size : 1;
	m->asks_batch = options->batch_size != 0;
	m->trip_count = options->trip_count;
	m->is_lenient = options->is_lenient;
	m->shapes = options->shapes;
}

enum tfprof_status model_file_open_graph(struct model_file *m, struct span bytes,
	const struct model_file_options *options, struct tfprof_error *err)
{
	set_options(m, options);
	m->is_walked_whole = true;
	m->source.bytes = bytes;
	if (!op_library_init(&m->library, NULL))
		return error_no_memory(err);
	return model_read_graph(m, "the graph", options, err);
}

/* Models of more than 2 GB are saved in another format. */
static bool has_chunks(const char *directory)
{
	struct buf path = {0};
	struct stat st;
	bool found;

	buf_printf(&path, "%s/saved_model.cpb", directory);
	found = !path.failed && stat(buf_get(&path).at, &st) == 0;
	buf_clear(&path);
	return found;
}

enum tfprof_status model_file_open(struct model_file *m, const struct tfprof_input *in,
	const struct model_file_options *options, struct tfprof_error *err)
{
	struct tfprof_input file = *in;
	char path[4096];
	enum tfprof_status status;
	struct stat st;

	set_options(m, options);
	if (in->path &&
		(in_directory(in->path, path, sizeof(path)) ||
			is_prefix(in->path, path, sizeof(path))))
		file.path = path;
	else if (in->path && !tfprof_input_is_memory(in) && stat(in->path, &st) == 0 &&
		S_ISDIR(st.st_mode))
		return refuse(in->path,
			has_chunks(in->path) ? "a SavedModel in chunks (saved_model.cpb)"
					     : "a directory without a saved_model.pb",
			err);
	status = read_given(m, options->input_shapes, err);
	if (status == TFPROF_OK)
		status = source_open(&m->source, &file, err);
	if (status == TFPROF_OK)
		status = input_unpack(&m->source, in,
			options->reading == TFPROF_READ_RECOVER ? &m->notes : NULL, err);
	if (status == TFPROF_OK && !op_library_init(&m->library, NULL))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = read_bytes(m, in, options, err);
	if (status == TFPROF_OK)
		status = check_given(m, err);
	return status;
}

enum tfprof_status model_file_check(const struct model_file *m, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	const struct decoder *d = &m->library.decoder;
	const char *name = in->path ? in->path : "the model";
	struct span bytes = m->source.bytes;

	if (!d->failed)
		return TFPROF_OK;
	if (!d->bad)
		return error_no_memory(err);
	return error_set(err, TFPROF_FORMAT, "%s: damaged or cut short at byte %zu of %zu%s", name,
		d->bad >= bytes.at && d->bad <= bytes.at + bytes.n ? (size_t)(d->bad - bytes.at)
								   : 0,
		bytes.n, RECOVER_HINT);
}

/* In a frozen graph that does not say which constants are weights, all but scalars are. */
static void choose_weights(struct model_file *m)
{
	bool found = false;

	for (size_t i = 0; i < m->parameters.n; i++)
		found |= m->parameters.at[i].is_counted;
	for (size_t i = 0; !found && i < m->parameters.n; i++)
		m->parameters.at[i].is_counted =
			m->parameters.at[i].is_used && m->parameters.at[i].tensor.rank > 0;
}

/* About how many records a file makes, if it has `_output_shapes` and full names. */
static size_t records_in(struct span file)
{
	enum { BYTES_PER_RECORD = 128, MOST = 1000000 };
	size_t n = file.n / BYTES_PER_RECORD;

	return n < MOST ? n : MOST;
}

enum tfprof_status model_file_walk(struct model_file *m, struct walk *w,
	const struct tfprof_input *in, bool keeps_all, struct tfprof_error *err)
{
	enum tfprof_status status;

	walk_init(w, &m->library.source, &m->parameters);
	w->keeps_all = keeps_all;
	w->shapes = m->shapes;
	w->is_of_layers = m->is_of_layers;
	w->runs_in_order = m->runs_in_order;
	w->trip_count = m->trip_count;
	/* Memory that is not touched costs nothing, while a growing array is copied. */
	if (!vec_reserve(&w->records, records_in(m->source.bytes)) ||
		!walk_run(w, &m->library.main, m->presets.at, m->presets.n))
		return error_no_memory(err);
	/* Checked again: the walk reads more of the file. */
	status = model_file_check(m, in, err);
	if (status != TFPROF_OK)
		return status;
	walk_finish(w);
	if (m->has_open_weights)
		choose_weights(m);
	return TFPROF_OK;
}

void model_file_clear(struct model_file *m)
{
	op_library_clear(&m->library);
	model_keras_free(m->keras);
	checkpoint_free(m->checkpoint);
	vec_clear(&m->presets);
	vec_clear(&m->inputs);
	vec_clear(&m->parameters);
	vec_clear(&m->given);
	buf_clear(&m->title);
	buf_clear(&m->notes);
	vec_clear(&m->note_ids);
	arena_clear(&m->arena);
	source_close(&m->source);
}
