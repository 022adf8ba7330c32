/* model: what a model costs, as a Result whose rows are layers; or another question that can be
 * asked of a model file. */
#include "native.h"

PyObject *model_run(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"model", "settings", "strict", "recover", "question", NULL};
	PyObject *model, *settings = NULL, *made = NULL;
	tfprof_options *options;
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};
	enum tfprof_status status;
	struct input input;
	int strict = 0, recover = 0;
	const char *question = "model";

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|Opps:model", names, &model, &settings,
		    &strict, &recover, &question))
		return NULL;
	if (input_from(&input, model, "model", 0) < 0)
		return NULL;
	options = tfprof_options_new();
	if (!options) {
		input_clear(&input);
		return PyErr_NoMemory();
	}
	if (!settings || query_apply_settings(options, question, settings) == 0) {
		Py_BEGIN_ALLOW_THREADS
		status = tfprof_model_ask(question, &input.in, reading_from(strict, recover),
			options, &result, &err);
		Py_END_ALLOW_THREADS
		made = status == TFPROF_OK ? result_wrap(result) : error_raise(&err);
	}
	tfprof_options_free(options);
	input_clear(&input);
	return made;
}
