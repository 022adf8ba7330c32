/* Profile.advise: runs checkers with their options and returns a Result. */
#include "native.h"

/* Applies (checker, option or None, value or None) triples. */
static int apply_settings(tfprof_options *options, PyObject *settings)
{
	Py_ssize_t n = PySequence_Size(settings);

	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *triple = PySequence_GetItem(settings, i);
		const char *checker, *option, *value;
		struct tfprof_error err = {0};
		int ok = is_tuple(triple, "settings are (checker, option, value) triples") &&
			PyArg_ParseTuple(triple,
				"szz;settings are (checker, option, value) triples", &checker,
				&option, &value);

		if (ok &&
			tfprof_options_add_checker(options, checker, option, value, &err) !=
				TFPROF_OK) {
			error_raise(&err);
			ok = 0;
		}
		Py_XDECREF(triple);
		if (!ok)
			return -1;
	}
	return n < 0 ? -1 : 0;
}

static int apply_message(tfprof_options *options, const char *bytes, Py_ssize_t size)
{
	struct tfprof_error err = {0};

	if (tfprof_options_set_advice_message(options, bytes, (size_t)size, &err) == TFPROF_OK)
		return 0;
	error_raise(&err);
	return -1;
}

static int apply_output(tfprof_options *options, const char *output)
{
	struct tfprof_error err = {0};

	if (tfprof_options_set(options, "output", output, &err) == TFPROF_OK)
		return 0;
	error_raise(&err);
	return -1;
}

static PyObject *run(struct profile_object *self, const tfprof_options *options)
{
	struct tfprof_error err = {0};
	tfprof_result *result = NULL;
	enum tfprof_status status;

	Py_BEGIN_ALLOW_THREADS
	status = tfprof_ask(self->profile, "advise", options, NULL, &result, &err);
	Py_END_ALLOW_THREADS
	return status == TFPROF_OK ? result_wrap(result) : error_raise(&err);
}

PyObject *profile_advise(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"message", "settings", "output", NULL};
	const char *message = NULL, *output = NULL;
	tfprof_options *options;
	PyObject *settings = NULL, *made = NULL;
	Py_ssize_t size = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|z#Oz:advise", names, &message, &size,
		    &settings, &output))
		return NULL;
	options = tfprof_options_new();
	if (!options)
		return PyErr_NoMemory();
	if ((!message || apply_message(options, message, size) == 0) &&
		(!settings || apply_settings(options, settings) == 0) &&
		(!output || apply_output(options, output) == 0))
		made = run((struct profile_object *)self, options);
	tfprof_options_free(options);
	return made;
}

/* [(name, help, [(option, default, help)])] */
PyObject *advice_checkers(void)
{
	PyObject *list = PyList_New(0);
	const struct tfprof_checker_info *info;

	for (size_t i = 0; list && (info = tfprof_checker_get_info(i)); i++) {
		PyObject *options = PyList_New(0), *one;

		for (size_t k = 0; options && info->options[k].name; k++) {
			const struct tfprof_checker_option_info *option = &info->options[k];
			list_append(&options,
				Py_BuildValue("(sss)", option->name, option->default_value,
					option->help));
		}
		one = options ? Py_BuildValue("(ssN)", info->name, info->help, options) : NULL;
		list_append(&list, one);
	}
	return list;
}
