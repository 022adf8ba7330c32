/* Arguments that are bytes or name a file. */
#include "native.h"

static int is_bytes_like(PyObject *object)
{
	return PyBytes_Check(object) || PyByteArray_Check(object) || PyMemoryView_Check(object);
}

static int input_from_bytes(struct input *input, PyObject *object)
{
	Py_ssize_t size;
	char *data;

	if (PyBytes_CheckExact(object)) {
		Py_INCREF(object);
		input->holder = object;
	} else {
		/* Others can change while the interpreter's lock is off. */
		input->holder = PyBytes_FromObject(object);
	}
	if (!input->holder || PyBytes_AsStringAndSize(input->holder, &data, &size) < 0)
		return -1;
	input->in = tfprof_input_bytes(data, (size_t)size);
	return 0;
}

int input_from(struct input *input, PyObject *object, const char *name, int optional)
{
	*input = (struct input){{0}, NULL};
	if (object == Py_None && optional)
		return 0;
	if (is_bytes_like(object))
		return input_from_bytes(input, object);
	if (!PyUnicode_Check(object) && !PyObject_HasAttrString(object, "__fspath__")) {
		PyErr_Format(PyExc_TypeError, "%s: expected bytes or a path, got %R", name,
			(PyObject *)Py_TYPE(object));
		return -1;
	}
	if (!PyUnicode_FSConverter(object, &input->holder))
		return -1;
	input->in = tfprof_input_file(PyBytes_AsString(input->holder));
	return 0;
}

void input_clear(struct input *input)
{
	Py_XDECREF(input->holder);
	input->holder = NULL;
}

const struct tfprof_input *input_get(const struct input *input)
{
	return input->holder ? &input->in : NULL;
}

int is_tuple(PyObject *object, const char *expected)
{
	if (object && !PyTuple_Check(object))
		PyErr_SetString(PyExc_TypeError, expected);
	return object && PyTuple_Check(object);
}

PyObject *text_from(const char *at, size_t n)
{
	return PyUnicode_DecodeUTF8(at ? at : "", (Py_ssize_t)n, "replace");
}

enum tfprof_reading reading_from(int strict, int recover)
{
	if (strict)
		return TFPROF_READ_STRICT;
	return recover ? TFPROF_READ_RECOVER : TFPROF_READ_AS_IS;
}
