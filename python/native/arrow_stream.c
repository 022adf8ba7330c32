/* A result as the Arrow stream (or schema) capsule that pyarrow, polars,
 * DuckDB, pandas and others take. */
#include "arrow.h"

#include <errno.h>
#include <stdlib.h>

#define ROWS_PER_BATCH 65536

struct stream {
	struct shared_result *shared;
	size_t next;
	int failed;
};

static int stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct stream *s = stream->private_data;

	s->failed = arrow_schema_make(out);
	return s->failed;
}

static int stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct stream *s = stream->private_data;
	size_t left = tfprof_result_get_n_rows(s->shared->result) - s->next, n_taken;

	if (!left) {
		out->release = NULL;
		return 0;
	}
	s->failed = arrow_batch_make(s->shared->result, s->next,
		left < ROWS_PER_BATCH ? left : ROWS_PER_BATCH, &n_taken, out);
	if (!s->failed)
		s->next += n_taken;
	return s->failed;
}

static const char *stream_get_last_error(struct ArrowArrayStream *stream)
{
	struct stream *s = stream->private_data;

	return s->failed == EOVERFLOW ? "a text of more than 2 GiB does not fit a column"
		: s->failed           ? "out of memory"
				      : NULL;
}

static void stream_release(struct ArrowArrayStream *stream)
{
	struct stream *s = stream->private_data;

	shared_result_drop(s->shared);
	free(s);
	stream->release = NULL;
}

static void free_stream_capsule(PyObject *capsule)
{
	struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");

	if (stream->release)
		stream->release(stream);
	free(stream);
}

PyObject *result_arrow_stream(struct shared_result *shared)
{
	struct ArrowArrayStream *stream = malloc(sizeof(*stream));
	struct stream *s = calloc(1, sizeof(*s));
	PyObject *capsule;

	if (!stream || !s) {
		free(stream);
		free(s);
		return PyErr_NoMemory();
	}
	s->shared = shared;
	shared_result_use(shared);
	*stream = (struct ArrowArrayStream){stream_get_schema, stream_get_next,
		stream_get_last_error, stream_release, s};
	capsule = PyCapsule_New(stream, "arrow_array_stream", free_stream_capsule);
	if (!capsule) {
		stream->release(stream);
		free(stream);
	}
	return capsule;
}

static void free_schema_capsule(PyObject *capsule)
{
	struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");

	if (schema->release)
		schema->release(schema);
	free(schema);
}

PyObject *result_arrow_schema(struct shared_result *shared)
{
	struct ArrowSchema *schema = malloc(sizeof(*schema));
	PyObject *capsule;

	if (!schema || arrow_schema_make(schema)) {
		free(schema);
		return PyErr_NoMemory();
	}
	capsule = PyCapsule_New(schema, "arrow_schema", free_schema_capsule);
	if (!capsule) {
		schema->release(schema);
		free(schema);
	}
	return capsule;
}
