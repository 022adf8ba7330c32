/* The library's errors as Python exceptions.
 *
 *     Error(Exception)                  .status: "STEP", "REGEX", ...
 *     ├── ArgumentError(.., ValueError)  an option, regex or step is invalid
 *     ├── FormatError(.., ValueError)    malformed input
 *     └── FileError(.., OSError)         a file cannot be read or written
 */
#include "native.h"

#include <string.h>

static PyObject *base, *argument_error, *format_error, *file_error;

static const char *const status_names[] = {
#define X(name, text) #name,
	TFPROF_STATUS_LIST(X)
#undef X
};

static PyObject *class_for(enum tfprof_status status)
{
	switch (status) {
	case TFPROF_IO: return file_error;
	case TFPROF_FORMAT: return format_error;
	case TFPROF_CANCELLED: return base;
	default: return argument_error;
	}
}

/* Derives from both Error and `other`, so that callers can catch either. */
static PyObject *make_class(const char *name, const char *doc, PyObject *other)
{
	PyObject *bases = PyTuple_Pack(2, base, other), *made = NULL;

	if (bases)
		made = PyErr_NewExceptionWithDoc(name, doc, bases, NULL);
	Py_XDECREF(bases);
	return made;
}

static int add(PyObject *module, const char *name, PyObject *class)
{
	if (!class)
		return -1;
	Py_INCREF(class);
	if (PyModule_AddObject(module, name, class) == 0)
		return 0;
	Py_DECREF(class);
	return -1;
}

int errors_add(PyObject *module)
{
	PyObject *status = Py_BuildValue("{s:s,s:z}", "status", "ARGUMENT", "id", NULL);

	if (!status)
		return -1;
	base = PyErr_NewExceptionWithDoc("tfprof.Error",
		"A call failed. The text says what failed, where, and what was expected;\n"
		"`status` is the kind of failure in one word, `id` names the few that are told\n"
		"apart within a kind, or is None.",
		PyExc_Exception, status);
	Py_DECREF(status);
	if (add(module, "Error", base) < 0)
		return -1;
	argument_error = make_class("tfprof.ArgumentError",
		"An option, a regular expression or a step is invalid.", PyExc_ValueError);
	format_error = make_class("tfprof.FormatError",
		"An input is not the expected message or is malformed.", PyExc_ValueError);
	file_error = make_class("tfprof.FileError", "A file could not be read or written.",
		PyExc_OSError);
	if (add(module, "ArgumentError", argument_error) < 0 ||
		add(module, "FormatError", format_error) < 0 ||
		add(module, "FileError", file_error) < 0)
		return -1;
	return 0;
}

PyObject *error_raise(const struct tfprof_error *err)
{
	PyObject *class = class_for(err->status), *text, *status, *id, *raised = NULL;

	if (err->status == TFPROF_NO_MEMORY)
		return PyErr_NoMemory();
	text = text_from(err->text, strlen(err->text));
	status = PyUnicode_FromString(status_names[err->status]);
	id = Py_BuildValue("z", err->id);
	if (text && status && id)
		raised = PyObject_CallFunctionObjArgs(class, text, NULL);
	if (raised && PyObject_SetAttrString(raised, "status", status) == 0 &&
		PyObject_SetAttrString(raised, "id", id) == 0)
		PyErr_SetObject(class, raised);
	Py_XDECREF(raised);
	Py_XDECREF(status);
	Py_XDECREF(id);
	Py_XDECREF(text);
	return NULL;
}

PyObject *error_raise_word(const char *what, const char *word, const char *expected)
{
	return PyErr_Format(argument_error, "unknown %s '%s': expected one of: %s", what, word,
		expected);
}
