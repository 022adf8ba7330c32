/* Profile.query and Profile.ask: run a query or a question and return a Result. */
#include "native.h"

#include <string.h>

/* A setting's value as the library takes it: text, or bytes that need not be UTF-8. It
 * lives as long as the object. NULL with an exception set. */
static const char *text_of(PyObject *value)
{
	const char *text = NULL;
	int ok = PyBytes_Check(value)
		? PyArg_Parse(value, "y;settings are (name, value) pairs", &text)
		: PyArg_Parse(value, "s;settings are (name, value) pairs", &text);

	return ok ? text : NULL;
}

/* Sets a list option. Returns 0, or -1 with an exception set. */
static int set_list(tfprof_options *options, const char *name, PyObject *list)
{
	Py_ssize_t n = PyList_Size(list);
	const char **values = PyMem_Calloc(n > 0 ? (size_t)n : 1, sizeof(*values));
	struct tfprof_error err = {0};
	int ok = values != NULL;

	if (!values)
		PyErr_NoMemory();
	for (Py_ssize_t i = 0; ok && i < n; i++) {
		values[i] = text_of(PyList_GetItem(list, i));
		ok = values[i] != NULL;
	}
	if (ok && tfprof_options_set_list(options, name, values, (size_t)n, &err) != TFPROF_OK) {
		error_raise(&err);
		ok = 0;
	}
	PyMem_Free(values);
	return ok ? 0 : -1;
}

static int set_one(tfprof_options *options, const char *question, const char *name, PyObject *value)
{
	const char *text;
	struct tfprof_error err = {0};

	if (PyList_Check(value))
		return set_list(options, name, value);
	text = text_of(value);
	if (!text)
		return -1;
	if (tfprof_options_set_for(options, question, name, text, &err) == TFPROF_OK)
		return 0;
	error_raise(&err);
	return -1;
}

int query_apply_settings(tfprof_options *options, const char *question, PyObject *settings)
{
	Py_ssize_t n = PySequence_Size(settings);

	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *pair = PySequence_GetItem(settings, i), *value;
		const char *name;
		int ok = is_tuple(pair, "settings are (name, value) pairs") &&
			PyArg_ParseTuple(pair, "sO;settings are (name, value) pairs", &name,
				&value) &&
			set_one(options, question, name, value) == 0;

		Py_XDECREF(pair);
		if (!ok)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

static int apply_message(tfprof_options *options, PyObject *message)
{
	struct tfprof_error err = {0};
	Py_ssize_t size;
	char *data;

	if (message == Py_None)
		return 0;
	if (PyBytes_AsStringAndSize(message, &data, &size) < 0)
		return -1;
	if (tfprof_options_set_message(options, data, (size_t)size, &err) == TFPROF_OK)
		return 0;
	error_raise(&err);
	return -1;
}

PyObject *query_frame(PyObject *module, PyObject *message)
{
	tfprof_options *options = tfprof_options_new();
	const char *text = NULL;
	PyObject *made = NULL;

	if (options && apply_message(options, message) == 0)
		text = tfprof_options_get_frame(options);
	if (text)
		made = PyBytes_FromString(text);
	else if (!PyErr_Occurred())
		PyErr_NoMemory();
	tfprof_options_free(options);
	return made;
}

static PyObject *run(struct profile_object *self, int view, const tfprof_options *options)
{
	struct tfprof_error err = {0};
	tfprof_result *result = NULL;
	enum tfprof_status status;

	Py_BEGIN_ALLOW_THREADS
	status =
		tfprof_ask(self->profile, tfprof_view_get_name(view), options, NULL, &result, &err);
	Py_END_ALLOW_THREADS
	return status == TFPROF_OK ? result_wrap(result) : error_raise(&err);
}

#define X(id, name, ...) ", " #name
static const char view_names[] = TFPROF_VIEW_LIST(X);
#undef X

PyObject *profile_query(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"view", "message", "settings", NULL};
	PyObject *message = Py_None, *settings = NULL, *made = NULL;
	tfprof_options *options;
	const char *view_name;
	int view;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|OO:query", names, &view_name, &message,
		    &settings))
		return NULL;
	view = tfprof_view_from_name(view_name);
	if (view < 0)
		return error_raise_word("view", view_name, view_names + strlen(", "));
	options = tfprof_options_new();
	if (!options)
		return PyErr_NoMemory();
	if (apply_message(options, message) == 0 &&
		(!settings || query_apply_settings(options, view_name, settings) == 0))
		made = run((struct profile_object *)self, view, options);
	tfprof_options_free(options);
	return made;
}

PyObject *profile_ask(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"question", "settings", NULL};
	struct profile_object *profile = (struct profile_object *)self;
	PyObject *settings = NULL, *made = NULL;
	tfprof_options *options;
	const char *question;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|O:ask", names, &question, &settings))
		return NULL;
	options = tfprof_options_new();
	if (!options)
		return PyErr_NoMemory();
	if (!settings || query_apply_settings(options, question, settings) == 0) {
		struct tfprof_error err = {0};
		tfprof_result *result = NULL;
		enum tfprof_status status;

		Py_BEGIN_ALLOW_THREADS
		status = tfprof_ask(profile->profile, question, options, NULL, &result, &err);
		Py_END_ALLOW_THREADS
		made = status == TFPROF_OK ? result_wrap(result) : error_raise(&err);
	}
	tfprof_options_free(options);
	return made;
}
