/* The module tfprof._native: types Profile and Result, exceptions, the step timeline,
 * and the tables of inputs, views, options, columns and checkers. */
#include "native.h"

#include <string.h>

/* ---- functions ------------------------------------------------------------ */

static PyObject *step_timeline(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"run_meta", "show_dataflow", "show_memory", "path", NULL};
	PyObject *object, *path_object = Py_None, *path = NULL, *made = NULL;
	int show_dataflow = 1, show_memory = 0;
	struct tfprof_error err = {0};
	enum tfprof_status status;
	struct input run_meta;
	const char *file;
	void *bytes = NULL;
	size_t size = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|ppO:step_timeline", names, &object,
		    &show_dataflow, &show_memory, &path_object))
		return NULL;
	if (path_object != Py_None && !PyUnicode_FSConverter(path_object, &path))
		return NULL;
	if (input_from(&run_meta, object, "run_meta", 0) < 0)
		goto out;
	file = path ? PyBytes_AsString(path) : NULL;
	Py_BEGIN_ALLOW_THREADS
	status = tfprof_step_timeline_write(input_get(&run_meta), show_dataflow, show_memory, file,
		&bytes, &size, &err);
	Py_END_ALLOW_THREADS
	input_clear(&run_meta);
	if (status != TFPROF_OK) {
		error_raise(&err);
	} else if (path) {
		Py_INCREF(Py_None);
		made = Py_None;
	} else {
		made = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
		tfprof_bytes_free(bytes);
	}
out:
	Py_XDECREF(path);
	return made;
}

void list_append(PyObject **list, PyObject *item)
{
	if (!item || PyList_Append(*list, item) < 0)
		Py_CLEAR(*list);
	Py_XDECREF(item);
}

static PyObject *words_from(const char *const *words)
{
	PyObject *list = PyList_New(0);

	for (; list && words && *words; words++)
		list_append(&list, PyUnicode_FromString(*words));
	return list;
}

static PyObject *options(PyObject *module, PyObject *unused)
{
	PyObject *list = PyList_New(0);
	const struct tfprof_option_info *info;

	for (size_t i = 0; list && (info = tfprof_option_get_info(i)); i++)
		list_append(&list,
			Py_BuildValue("(ssNssIzs)", info->name, info->kind, words_from(info->words),
				info->default_value, info->help, info->message_field, info->units,
				info->applies_to));
	return list;
}

/* The select words that show a column. */
static PyObject *words_of_column(size_t column)
{
	PyObject *list = PyList_New(0);
	const struct tfprof_option_info *info;

	for (size_t i = 0; list && (info = tfprof_option_get_info(i)); i++) {
		if (strcmp(info->name, "select") != 0)
			continue;
		for (size_t k = 0; list && info->words[k]; k++)
			if (tfprof_column_is_shown_by(column, info->words[k]))
				list_append(&list, PyUnicode_FromString(info->words[k]));
	}
	return list;
}

static PyObject *columns(PyObject *module, PyObject *unused)
{
	PyObject *list = PyList_New(0);
	const struct tfprof_column_info *info;

	for (size_t i = 0; list && (info = tfprof_column_get_info(i)); i++)
		list_append(&list,
			Py_BuildValue("(szNi)", info->name, info->unit, words_of_column(i),
				info->is_extra));
	return list;
}

static PyObject *inputs(PyObject *module, PyObject *unused)
{
	PyObject *list = PyList_New(0);
	const struct tfprof_input_info *info;

	for (size_t i = 0; list && (info = tfprof_input_get_info(i)); i++)
		list_append(&list,
			Py_BuildValue("(szsI)", info->name, info->message, info->help,
				info->traits));
	return list;
}

static PyObject *views(PyObject *module, PyObject *unused)
{
#define X(id, name, message, summary, ...) #name, message, summary,
	static const char *const texts[] = {TFPROF_VIEW_LIST(X) NULL};
#undef X
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && texts[i]; i += 3)
		list_append(&list, Py_BuildValue("(sss)", texts[i], texts[i + 1], texts[i + 2]));
	return list;
}

static PyObject *questions(PyObject *module, PyObject *unused)
{
	PyObject *list = PyList_New(0);
	struct tfprof_question_info info;

	for (size_t i = 0; list && tfprof_question_get_info(i, &info); i++)
		if (info.takes == TFPROF_TAKES_PROFILE && !info.is_view)
			list_append(&list, Py_BuildValue("(ss)", info.name, info.summary));
	return list;
}

static PyObject *checkers(PyObject *module, PyObject *unused)
{
	return advice_checkers();
}

/* ---- the module ------------------------------------------------------------- */

static PyMethodDef functions[] = {
	{"step_timeline", (PyCFunction)(void (*)(void))step_timeline, METH_VARARGS | METH_KEYWORDS,
		"step_timeline(run_meta, show_dataflow=True, show_memory=False, path=None)\n\n"
		"Returns the Chrome trace of a RunMetadata (bytes or a path), or writes it to "
		"path."},
	{"frame", query_frame, METH_O,
		"frame(message)\n\nWhat TensorFlow prints around a report with these options, a "
		"serialized OptionsProto, if the report is empty."},
	{"options", options, METH_NOARGS,
		"The options of all questions: [(name, kind, accepted words, default, help, field "
		"of "
		"OptionsProto or 0, units or None, questions it applies to or 'all')]."},
	{"columns", columns, METH_NOARGS,
		"The columns of a query's result: [(name, unit, select words that show it, is "
		"extra)]."},
	{"inputs", inputs, METH_NOARGS,
		"The kinds of input, in the order in which to add them: [(name, message or None, "
		"help, traits)]."},
	{"arrange", given_arrange, METH_O,
		"arrange([(kind or None, input, step)])\n\n"
		"Recognizes inputs whose kind is None, checks that all go together, and returns "
		"them in the order in which to add them. The step NEXT_STEP is the one after the "
		"last; "
		"the path '-' is standard input."},
	{"count_runs", given_count_runs, METH_O,
		"count_runs([(kind or None, input, step)]) -> (n, [(kind, input, step)])\n\n"
		"Recognizes the inputs of one side of a comparison: n is 1 if they are parts of "
		"one run."},
	{"model", (PyCFunction)(void (*)(void))model_run, METH_VARARGS | METH_KEYWORDS,
		"model(model, settings=(), question='model') -> Result\n\n"
		"Counts what a model (bytes or a path) costs, or answers another question about "
		"it; settings are (name, value) pairs."},
	{"diff", compare_run, METH_VARARGS,
		"diff(view, base, new, settings) -> Result\n\n"
		"Compares two lists of profiles; settings are (name, value) pairs."},
	{"questions", questions, METH_NOARGS,
		"What can be asked of a profile besides the views: [(name, summary)]."},
	{"views", views, METH_NOARGS, "The views: [(name, result message, summary)]."},
	{"checkers", checkers, METH_NOARGS,
		"The checkers of advise: [(name, help, [(option, default, help)])]."},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "tfprof._native",
	.m_doc = "Bindings to libtfprof, for use by the modules of the package tfprof.",
	.m_size = -1,
	.m_methods = functions,
};

PyMODINIT_FUNC PyInit__native(void);

PyMODINIT_FUNC PyInit__native(void)
{
	PyObject *module = PyModule_Create(&definition);

	tfprof_set_spelling(TFPROF_SPELL_KEYWORDS);
	if (!module)
		return NULL;
	if (errors_add(module) < 0 || profile_type_add(module) < 0 || result_type_add(module) < 0 ||
		PyModule_AddStringConstant(module, "__version__", tfprof_get_version()) < 0 ||
		PyModule_AddIntConstant(module, "FRAMED", TFPROF_FRAMED) < 0 ||
		PyModule_AddObject(module, "NEXT_STEP", PyLong_FromLongLong(TFPROF_NEXT_STEP)) <
			0 ||
		PyModule_AddIntConstant(module, "INPUT_WHOLE", TFPROF_INPUT_WHOLE) < 0 ||
		PyModule_AddIntConstant(module, "INPUT_PART", TFPROF_INPUT_PART) < 0 ||
		PyModule_AddIntConstant(module, "INPUT_EXTRA", TFPROF_INPUT_EXTRA) < 0 ||
		PyModule_AddIntConstant(module, "INPUT_BY_STEP", TFPROF_INPUT_BY_STEP) < 0 ||
		PyModule_AddIntConstant(module, "INPUT_FILES", TFPROF_INPUT_FILES) < 0 ||
		PyModule_AddIntConstant(module, "INPUT_SEVERAL", TFPROF_INPUT_SEVERAL) < 0) {
		Py_DECREF(module);
		return NULL;
	}
	return module;
}
