/* model: what a model costs, as a Result whose rows are layers. */
#include "native.h"

/* Applies (name, value) pairs. */
static int apply_settings(tfprof_model_options *options, PyObject *settings)
{
	Py_ssize_t n = PySequence_Size(settings);

	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *pair = PySequence_GetItem(settings, i);
		const char *name, *value;
		struct tfprof_error err = {0};
		int ok = is_tuple(pair, "settings are (name, value) pairs") &&
			PyArg_ParseTuple(pair, "ss;settings are (name, value) pairs", &name,
				&value);

		if (ok && tfprof_model_options_set(options, name, value, &err) != TFPROF_OK) {
			error_raise(&err);
			ok = 0;
		}
		Py_XDECREF(pair);
		if (!ok)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

PyObject *model_run(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"model", "settings", "strict", "recover", NULL};
	PyObject *model, *settings = NULL, *made = NULL;
	tfprof_model_options *options;
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};
	enum tfprof_status status;
	struct input input;
	int strict = 0, recover = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|Opp:model", names, &model, &settings,
		    &strict, &recover))
		return NULL;
	if (input_from(&input, model, "model", 0) < 0)
		return NULL;
	options = tfprof_model_options_new();
	if (!options) {
		input_clear(&input);
		return PyErr_NoMemory();
	}
	tfprof_model_options_set_reading(options, reading_from(strict, recover));
	if (!settings || apply_settings(options, settings) == 0) {
		Py_BEGIN_ALLOW_THREADS
		status = tfprof_model_run(&input.in, options, &result, &err);
		Py_END_ALLOW_THREADS
		made = status == TFPROF_OK ? result_wrap(result) : error_raise(&err);
	}
	tfprof_model_options_free(options);
	input_clear(&input);
	return made;
}

/* [(name, help)] */
PyObject *model_options(PyObject *module, PyObject *unused)
{
	PyObject *list = PyList_New(0);
	const struct tfprof_option_info *info;

	for (size_t i = 0; list && (info = tfprof_model_option_get_info(i)); i++) {
		PyObject *one = Py_BuildValue("(ss)", info->name, info->help);

		if (!one || PyList_Append(list, one) < 0)
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}
