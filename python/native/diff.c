/* diff: compares profiles, as a Result whose rows are those of both sides. */
#include "native.h"

#include <string.h>

struct side {
	tfprof_profile **profiles;
	Py_ssize_t n;
};

/* Borrows the profiles of a list. Returns 0, or -1 with an exception set. */
static int side_from(struct side *side, PyObject *list, PyTypeObject *type)
{
	side->n = PyList_Size(list);
	side->profiles = PyMem_Calloc(side->n > 0 ? (size_t)side->n : 1, sizeof(*side->profiles));
	if (!side->profiles) {
		PyErr_NoMemory();
		return -1;
	}
	for (Py_ssize_t i = 0; i < side->n; i++) {
		PyObject *item = PyList_GetItem(list, i);

		if (!PyObject_TypeCheck(item, type)) {
			PyErr_SetString(PyExc_TypeError, "a side is a list of profiles");
			return -1;
		}
		side->profiles[i] = ((struct profile_object *)item)->profile;
	}
	return 0;
}

static PyObject *run(const struct side *base, const struct side *new_side, int view,
	const tfprof_options *options)
{
	struct tfprof_diff_side old = {.profiles = base->profiles, .n = (size_t)base->n};
	struct tfprof_diff_side now = {.profiles = new_side->profiles, .n = (size_t)new_side->n};
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};
	enum tfprof_status status;

	Py_BEGIN_ALLOW_THREADS
	status = tfprof_diff_run(&old, &now, (enum tfprof_view)view, options, NULL, &result, &err);
	Py_END_ALLOW_THREADS
	return status == TFPROF_OK ? result_wrap(result) : error_raise(&err);
}

PyObject *compare_run(PyObject *module, PyObject *args)
{
	PyObject *base_list, *new_list, *settings, *made = NULL;
	tfprof_options *options = tfprof_options_new();
	struct side base = {0}, new_side = {0};
	PyObject *type = PyObject_GetAttrString(module, "Profile");
	const char *view_name;
	int view = -1, ok;

	ok = options && type &&
		PyArg_ParseTuple(args, "sO!O!O!:diff", &view_name, &PyList_Type, &base_list,
			&PyList_Type, &new_list, &PyList_Type, &settings);
	if (ok) {
		view = tfprof_view_from_name(view_name);
		ok = view >= 0;
		if (!ok)
			PyErr_Format(PyExc_ValueError, "unknown view '%s'", view_name);
	} else if (!PyErr_Occurred()) {
		PyErr_NoMemory();
	}
	if (ok && side_from(&base, base_list, (PyTypeObject *)type) == 0 &&
		side_from(&new_side, new_list, (PyTypeObject *)type) == 0 &&
		query_apply_settings(options, "diff", settings) == 0)
		made = run(&base, &new_side, view, options);
	PyMem_Free(base.profiles);
	PyMem_Free(new_side.profiles);
	tfprof_options_free(options);
	Py_XDECREF(type);
	return made;
}
