/* A result as Arrow capsules for pyarrow, polars, DuckDB, pandas and others. The
 * library makes the stream; this only wraps it. */
#include "native.h"

#include <stdlib.h>

static void free_stream_capsule(PyObject *capsule)
{
	struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");

	if (stream->release)
		stream->release(stream);
	free(stream);
}

static void free_schema_capsule(PyObject *capsule)
{
	struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");

	if (schema->release)
		schema->release(schema);
	free(schema);
}

/* The columns a schema requests. Returns 0, or -1 with an exception set. */
static int names_of(PyObject *requested, const char ***names, size_t *n)
{
	struct ArrowSchema *schema;

	*names = NULL;
	*n = 0;
	if (requested == Py_None)
		return 0;
	schema = PyCapsule_GetPointer(requested, "arrow_schema");
	if (!schema)
		return -1;
	*n = (size_t)schema->n_children;
	*names = malloc((*n + 1) * sizeof(**names));
	if (!*names) {
		PyErr_NoMemory();
		return -1;
	}
	for (size_t i = 0; i < *n; i++)
		(*names)[i] = schema->children[i]->name;
	return 0;
}

static int export(tfprof_result *result, const char *const *names, size_t n,
	struct ArrowArrayStream *stream)
{
	struct tfprof_error err = {0};
	enum tfprof_status status;

	stream->release = NULL;
	Py_BEGIN_ALLOW_THREADS
	status = tfprof_result_export_arrow(result, names, n, stream, &err);
	Py_END_ALLOW_THREADS
	if (status != TFPROF_OK)
		error_raise(&err);
	return status == TFPROF_OK ? 0 : -1;
}

PyObject *arrow_stream_capsule(tfprof_result *result, PyObject *requested)
{
	struct ArrowArrayStream *stream = malloc(sizeof(*stream));
	PyObject *capsule = NULL;
	const char **names;
	size_t n;

	if (!stream)
		return PyErr_NoMemory();
	if (names_of(requested, &names, &n) == 0) {
		if (export(result, names, n, stream) == 0)
			capsule = PyCapsule_New(stream, "arrow_array_stream", free_stream_capsule);
		if (!capsule && stream->release)
			stream->release(stream);
		free(names);
	}
	if (!capsule)
		free(stream);
	return capsule;
}

PyObject *arrow_schema_capsule(tfprof_result *result)
{
	struct ArrowSchema *schema = malloc(sizeof(*schema));
	struct ArrowArrayStream stream;
	PyObject *capsule = NULL;

	if (!schema)
		return PyErr_NoMemory();
	if (export(result, NULL, 0, &stream) == 0) {
		if (stream.get_schema(&stream, schema) != 0)
			PyErr_NoMemory();
		else
			capsule = PyCapsule_New(schema, "arrow_schema", free_schema_capsule);
		stream.release(&stream);
	}
	if (!capsule)
		free(schema);
	return capsule;
}
