/* Type Result: what a query gave, as text, message and rows. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

struct result_object {
	PyObject_HEAD struct shared_result *shared;
};

static PyTypeObject *result_type;

const struct row_field row_fields[] = {
#define X(kind, name) {#name, ROW_##kind, offsetof(struct tfprof_row, name)},
	ROW_FIELDS(X)
#undef X
};

/* ---- life ---------------------------------------------------------------- */

void shared_result_use(struct shared_result *shared)
{
	atomic_fetch_add(&shared->n_users, 1);
}

void shared_result_drop(struct shared_result *shared)
{
	if (!shared || atomic_fetch_sub(&shared->n_users, 1) > 1)
		return;
	tfprof_result_free(shared->result);
	free(shared);
}

static struct shared_result *shared_of(PyObject *self)
{
	return ((struct result_object *)self)->shared;
}

static const tfprof_result *result_of(PyObject *self)
{
	return shared_of(self)->result;
}

PyObject *result_new(tfprof_result *result)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot(result_type, Py_tp_alloc);
	struct shared_result *shared = malloc(sizeof(*shared));
	PyObject *self = shared ? alloc(result_type, 0) : PyErr_NoMemory();

	if (!self) {
		free(shared);
		tfprof_result_free(result);
		return NULL;
	}
	shared->result = result;
	atomic_init(&shared->n_users, 1);
	((struct result_object *)self)->shared = shared;
	return self;
}

/* Only queries make results. */
static PyObject *result_refuse(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	PyErr_SetString(PyExc_TypeError, "a Result comes from Profile.query()");
	return NULL;
}

static void result_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
	struct shared_result *shared = shared_of(self);

	Py_BEGIN_ALLOW_THREADS
	shared_result_drop(shared);
	Py_END_ALLOW_THREADS
	release(self);
	Py_DECREF((PyObject *)type);
}

/* ---- parts ---------------------------------------------------------------- */

static PyObject *result_get_text(PyObject *self, void *unused)
{
	size_t n = 0;
	const char *text = tfprof_result_get_text(result_of(self), &n);

	return PyBytes_FromStringAndSize(text, (Py_ssize_t)n);
}

static PyObject *result_get_notes(PyObject *self, void *unused)
{
	size_t n = 0;
	const char *notes = tfprof_result_get_notes(result_of(self), &n);

	return text_from(notes, n);
}

static PyObject *result_get_message(PyObject *self, void *unused)
{
	size_t n = 0;
	const void *message = tfprof_result_get_message(result_of(self), &n);

	return PyBytes_FromStringAndSize(message, (Py_ssize_t)n);
}

static PyObject *result_get_level(PyObject *self, void *unused)
{
	return PyLong_FromLong(tfprof_result_get_level(result_of(self)));
}

/* ---- rows ----------------------------------------------------------------- */

static PyObject *value_from(const struct tfprof_row *row, const struct row_field *field)
{
	const void *at = row_at(row, field);
	const char *text;

	switch (field->kind) {
	case ROW_TEXT: text = *(const char *const *)at; return text_from(text, strlen(text));
	case ROW_BOOL: return PyBool_FromLong(*(const int32_t *)at);
	case ROW_INT32: return PyLong_FromLong(*(const int32_t *)at);
	case ROW_INT64: break;
	case ROW_INDEX:
		if (*(const int64_t *)at < 0)
			Py_RETURN_NONE;
		break;
	}
	return PyLong_FromLongLong(*(const int64_t *)at);
}

static Py_ssize_t result_length(PyObject *self)
{
	return (Py_ssize_t)tfprof_result_get_n_rows(result_of(self));
}

static PyObject *result_item(PyObject *self, Py_ssize_t i)
{
	const struct tfprof_row *row;
	PyObject *tuple;

	if (i < 0 || i >= result_length(self)) {
		PyErr_SetString(PyExc_IndexError, "no such row");
		return NULL;
	}
	row = tfprof_result_get_row(result_of(self), (size_t)i);
	tuple = PyTuple_New(N_ROW_FIELDS);
	for (Py_ssize_t k = 0; tuple && k < N_ROW_FIELDS; k++) {
		PyObject *value = value_from(row, &row_fields[k]);

		if (!value || PyTuple_SetItem(tuple, k, value) < 0)
			Py_CLEAR(tuple);
	}
	return tuple;
}

static const struct row_field *find_field(const char *name)
{
	for (size_t i = 0; i < N_ROW_FIELDS; i++)
		if (strcmp(row_fields[i].name, name) == 0)
			return &row_fields[i];
	PyErr_Format(PyExc_KeyError, "no column '%s'", name);
	return NULL;
}

/* The column as 64-bit numbers in this machine's order. */
static PyObject *numbers_of(const tfprof_result *result, const struct row_field *field)
{
	size_t n = tfprof_result_get_n_rows(result);
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n * sizeof(int64_t)));
	char *out = bytes ? PyBytes_AsString(bytes) : NULL;

	for (size_t i = 0; out && i < n; i++) {
		const void *at = row_at(tfprof_result_get_row(result, i), field);
		int64_t value = field->kind == ROW_INT64 || field->kind == ROW_INDEX
			? *(const int64_t *)at
			: *(const int32_t *)at;

		memcpy(out + i * sizeof(value), &value, sizeof(value));
	}
	return bytes;
}

static PyObject *result_column(PyObject *self, PyObject *args)
{
	const tfprof_result *result = result_of(self);
	const struct row_field *field;
	const char *name;
	PyObject *list;
	size_t n;

	if (!PyArg_ParseTuple(args, "s:column", &name))
		return NULL;
	field = find_field(name);
	if (!field)
		return NULL;
	if (field->kind != ROW_TEXT)
		return numbers_of(result, field);
	n = tfprof_result_get_n_rows(result);
	list = PyList_New((Py_ssize_t)n);
	for (size_t i = 0; list && i < n; i++) {
		PyObject *text = value_from(tfprof_result_get_row(result, i), field);

		if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *result_schema(PyObject *self, PyObject *unused)
{
	return result_arrow_schema(shared_of(self));
}

static PyObject *result_stream(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"requested_schema", NULL};
	PyObject *requested = Py_None;

	/* A producer may give its own schema whatever is requested. */
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:__arrow_c_stream__", names, &requested))
		return NULL;
	return result_arrow_stream(shared_of(self));
}

/* ---- the type --------------------------------------------------------------- */

static PyMethodDef methods[] = {
	{"column", result_column, METH_VARARGS,
		"A column by name: a list of str, or int64s as bytes."},
	{"__arrow_c_schema__", result_schema, METH_NOARGS, "The rows' Arrow schema."},
	{"__arrow_c_stream__", (PyCFunction)(void (*)(void))result_stream,
		METH_VARARGS | METH_KEYWORDS, "The rows as an Arrow stream."},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
	{"text", result_get_text, NULL, "bytes: what belongs on stdout.", NULL},
	{"notes", result_get_notes, NULL, "str: what belongs on stderr.", NULL},
	{"message", result_get_message, NULL, "bytes: the result message.", NULL},
	{"level", result_get_level, NULL,
		"int: how much the worst finding of advice matters, 0 to 3.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_doc, "What a query gave. A sequence of rows, each a tuple of ROW_FIELDS."},
	{Py_tp_dealloc, result_dealloc},
	{Py_tp_methods, methods},
	{Py_tp_getset, attributes},
	{Py_sq_length, result_length},
	{Py_sq_item, result_item},
	{Py_tp_new, result_refuse},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "tfprof._native.Result",
	.basicsize = sizeof(struct result_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

static PyObject *field_names(void)
{
	PyObject *names = PyTuple_New(N_ROW_FIELDS);

	for (Py_ssize_t i = 0; names && i < N_ROW_FIELDS; i++) {
		PyObject *name = PyUnicode_InternFromString(row_fields[i].name);

		if (!name || PyTuple_SetItem(names, i, name) < 0)
			Py_CLEAR(names);
	}
	return names;
}

int result_type_add(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec), *names;

	if (!type)
		return -1;
	result_type = (PyTypeObject *)type;
	Py_INCREF(type);
	names = field_names();
	if (PyModule_AddObject(module, "Result", type) < 0 || !names)
		return -1;
	return PyModule_AddObject(module, "ROW_FIELDS", names);
}
