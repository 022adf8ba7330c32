/* Type Result: the result of a query or of advise, rendered on demand. */
#include "native.h"

#include <math.h>
#include <string.h>

struct result_object {
	PyObject_HEAD tfprof_result *result;
};

static PyTypeObject *result_type;

/* ---- creating and freeing ------------------------------------------------ */

static tfprof_result *result_of(PyObject *self)
{
	return ((struct result_object *)self)->result;
}

PyObject *result_wrap(tfprof_result *result)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot(result_type, Py_tp_alloc);
	PyObject *self = alloc(result_type, 0);

	if (!self) {
		tfprof_result_free(result);
		return NULL;
	}
	((struct result_object *)self)->result = result;
	return self;
}

/* Only queries and advise create results. */
static PyObject *result_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	PyErr_SetString(PyExc_TypeError,
		"a Result is returned by Profile.query() and cannot be constructed");
	return NULL;
}

static void result_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
	tfprof_result *result = result_of(self);

	Py_BEGIN_ALLOW_THREADS
	tfprof_result_free(result);
	Py_END_ALLOW_THREADS
	release(self);
	Py_DECREF((PyObject *)type);
}

/* ---- bytes ---------------------------------------------------------------- */

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

static PyObject *result_get_columns(PyObject *self, void *unused)
{
	PyObject *list = PyList_New(0);
	const char *name;

	for (size_t i = 0; list && (name = tfprof_result_get_column_name(result_of(self), i, NULL));
		i++)
		list_append(&list, PyUnicode_FromString(name));
	return list;
}

static PyObject *result_get_exported(PyObject *self, void *unused)
{
	PyObject *list = PyList_New(0);
	const char *name;
	int is_exported;

	for (size_t i = 0;
		list && (name = tfprof_result_get_column_name(result_of(self), i, &is_exported));
		i++)
		if (is_exported)
			list_append(&list, PyUnicode_FromString(name));
	return list;
}

static PyObject *result_get_level(PyObject *self, void *unused)
{
	return PyLong_FromLong(tfprof_result_get_level(result_of(self)));
}

static PyObject *result_output(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"flags", NULL};
	struct tfprof_error err = {0};
	enum tfprof_status status;
	unsigned flags = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|I:output", names, &flags))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	status = tfprof_result_output(result_of(self), flags, NULL, NULL, NULL, &err);
	Py_END_ALLOW_THREADS
	if (status != TFPROF_OK)
		return error_raise(&err);
	Py_RETURN_NONE;
}

static PyObject *result_render(PyObject *self, PyObject *args)
{
	struct tfprof_error err = {0};
	enum tfprof_status status;
	const char *format;
	PyObject *rendered;
	void *bytes;
	size_t size;

	if (!PyArg_ParseTuple(args, "s:render", &format))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	status = tfprof_result_render(result_of(self), format, &bytes, &size, &err);
	Py_END_ALLOW_THREADS
	if (status != TFPROF_OK)
		return error_raise(&err);
	rendered = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
	tfprof_bytes_free(bytes);
	return rendered;
}

static PyObject *result_save(PyObject *self, PyObject *args)
{
	struct tfprof_error err = {0};
	enum tfprof_status status;
	const char *format;
	PyObject *path;

	if (!PyArg_ParseTuple(args, "sO&:save", &format, PyUnicode_FSConverter, &path))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	status = tfprof_result_save(result_of(self), format, PyBytes_AsString(path), &err);
	Py_END_ALLOW_THREADS
	Py_DECREF(path);
	if (status != TFPROF_OK)
		return error_raise(&err);
	Py_RETURN_NONE;
}

/* ---- columns --------------------------------------------------------------- */

/* Returns 0, or -1 with an exception set: KeyError for an unknown column. */
static int find_column(PyObject *self, const char *name, struct tfprof_column *column)
{
	struct tfprof_error err = {0};
	enum tfprof_status status;

	Py_BEGIN_ALLOW_THREADS
	status = tfprof_result_get_column(result_of(self), name, column, &err);
	Py_END_ALLOW_THREADS
	if (status == TFPROF_OK)
		return 0;
	if (status == TFPROF_ARGUMENT)
		PyErr_Format(PyExc_KeyError, "no column '%s'", name);
	else
		error_raise(&err);
	return -1;
}

static PyObject *item_from(const struct tfprof_column *c, int64_t i)
{
	return text_from(c->bytes + c->offsets[i], (size_t)(c->offsets[i + 1] - c->offsets[i]));
}

static PyObject *list_from(const struct tfprof_column *c, Py_ssize_t row)
{
	int64_t first = c->lists[row], n = c->lists[row + 1] - first;
	PyObject *list = PyList_New((Py_ssize_t)n);

	for (int64_t i = 0; list && i < n; i++) {
		PyObject *text = item_from(c, first + i);

		if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *value_from(const struct tfprof_column *c, Py_ssize_t row)
{
	switch (c->type) {
	case TFPROF_COLUMN_TEXT:
		if (c->is_nullable && c->offsets[row] == c->offsets[row + 1])
			Py_RETURN_NONE;
		return item_from(c, row);
	case TFPROF_COLUMN_TEXTS: return list_from(c, row);
	case TFPROF_COLUMN_BOOL: return PyBool_FromLong(c->numbers[row] != 0);
	case TFPROF_COLUMN_DOUBLE:
		if (c->is_nullable && isnan(c->doubles[row]))
			Py_RETURN_NONE;
		return PyFloat_FromDouble(c->doubles[row]);
	case TFPROF_COLUMN_INT64: break;
	}
	if (c->is_nullable && c->numbers[row] < 0)
		Py_RETURN_NONE;
	return PyLong_FromLongLong(c->numbers[row]);
}

static Py_ssize_t result_length(PyObject *self)
{
	return (Py_ssize_t)tfprof_result_get_n_rows(result_of(self));
}

static int check_row(PyObject *self, Py_ssize_t row)
{
	if (row >= 0 && row < result_length(self))
		return 0;
	PyErr_SetString(PyExc_IndexError, "row out of range");
	return -1;
}

static PyObject *result_value(PyObject *self, PyObject *args)
{
	struct tfprof_column column;
	const char *name;
	Py_ssize_t row;

	if (!PyArg_ParseTuple(args, "sn:value", &name, &row) || check_row(self, row) < 0 ||
		find_column(self, name, &column) < 0)
		return NULL;
	return value_from(&column, row);
}

static PyObject *result_item(PyObject *self, Py_ssize_t row)
{
	PyObject *values, *tuple;
	const char *name;

	if (check_row(self, row) < 0)
		return NULL;
	values = PyList_New(0);
	for (size_t i = 0;
		values && (name = tfprof_result_get_column_name(result_of(self), i, NULL)); i++) {
		struct tfprof_column column;
		list_append(&values,
			find_column(self, name, &column) == 0 ? value_from(&column, row) : NULL);
	}
	tuple = values ? PyList_AsTuple(values) : NULL;
	Py_XDECREF(values);
	return tuple;
}

static PyObject *result_column(PyObject *self, PyObject *args)
{
	struct tfprof_column column;
	const char *name;
	PyObject *list;

	if (!PyArg_ParseTuple(args, "s:column", &name) || find_column(self, name, &column) < 0)
		return NULL;
	if (column.numbers || column.doubles)
		return PyBytes_FromStringAndSize((const char *)(column.numbers
								 ? (const void *)column.numbers
								 : (const void *)column.doubles),
			(Py_ssize_t)(column.n_rows * sizeof(int64_t)));
	list = PyList_New((Py_ssize_t)column.n_rows);
	for (size_t i = 0; list && i < column.n_rows; i++) {
		PyObject *value = value_from(&column, (Py_ssize_t)i);

		if (!value || PyList_SetItem(list, (Py_ssize_t)i, value) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *result_column_type(PyObject *self, PyObject *args)
{
	static const char *const types[] = {
		[TFPROF_COLUMN_INT64] = "int64",
		[TFPROF_COLUMN_BOOL] = "bool",
		[TFPROF_COLUMN_TEXT] = "text",
		[TFPROF_COLUMN_TEXTS] = "texts",
		[TFPROF_COLUMN_DOUBLE] = "double",
	};
	struct tfprof_column column;
	const char *name;

	if (!PyArg_ParseTuple(args, "s:column_type", &name) || find_column(self, name, &column) < 0)
		return NULL;
	return Py_BuildValue("(sN)", types[column.type], PyBool_FromLong(column.is_nullable));
}

/* ---- Arrow ------------------------------------------------------------------ */

static PyObject *result_schema(PyObject *self, PyObject *unused)
{
	return arrow_schema_capsule(result_of(self));
}

static PyObject *result_stream(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"requested_schema", NULL};
	PyObject *requested = Py_None;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:__arrow_c_stream__", names, &requested))
		return NULL;
	return arrow_stream_capsule(result_of(self), requested);
}

/* ---- the type --------------------------------------------------------------- */

static PyMethodDef methods[] = {
	{"output", (PyCFunction)(void (*)(void))result_output, METH_VARARGS | METH_KEYWORDS,
		"Carries out the option output and sets text and notes."},
	{"render", result_render, METH_VARARGS,
		"Returns the result as bytes in a format: text, json, csv, message, ..."},
	{"save", result_save, METH_VARARGS, "Writes a file in a format, completely or not at all."},
	{"value", result_value, METH_VARARGS, "Returns the value of a column (by name) in a row."},
	{"column", result_column, METH_VARARGS,
		"Returns a column by name: a list, or bytes of int64s or doubles."},
	{"column_type", result_column_type, METH_VARARGS,
		"Returns (type, is nullable) of a column: int64, bool, double, text or texts."},
	{"__arrow_c_schema__", result_schema, METH_NOARGS, "Returns the Arrow schema."},
	{"__arrow_c_stream__", (PyCFunction)(void (*)(void))result_stream,
		METH_VARARGS | METH_KEYWORDS,
		"Returns the rows as an Arrow stream: all columns, or those of requested_schema."},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
	{"text", result_get_text, NULL, "bytes: text for stdout.", NULL},
	{"notes", result_get_notes, NULL, "str: text for stderr.", NULL},
	{"columns", result_get_columns, NULL, "list of str: names of the columns.", NULL},
	{"exported", result_get_exported, NULL,
		"list of str: names of the columns of its Arrow stream.", NULL},
	{"level", result_get_level, NULL, "int: the highest level among the findings, 0 to 3.",
		NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_doc, "The result of a query: a sequence of rows, each a tuple of ROW_FIELDS."},
	{Py_tp_dealloc, result_dealloc},
	{Py_tp_methods, methods},
	{Py_tp_getset, attributes},
	{Py_sq_length, result_length},
	{Py_sq_item, result_item},
	{Py_tp_new, result_new},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "tfprof._native.Result",
	.basicsize = sizeof(struct result_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

/* The default columns of a query's result. */
static PyObject *field_names(void)
{
	PyObject *list = PyList_New(0), *names;
	const struct tfprof_column_info *info;

	for (size_t i = 0; list && (info = tfprof_column_get_info(i)); i++) {
		PyObject *name = PyUnicode_InternFromString(info->name);

		if (!name || (!info->is_extra && PyList_Append(list, name) < 0))
			Py_CLEAR(list);
		Py_XDECREF(name);
	}
	names = list ? PyList_AsTuple(list) : NULL;
	Py_XDECREF(list);
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
