/* Inputs of any kinds that are given together. */
#include "native.h"

#include <string.h>

struct givens {
	size_t n;
	struct tfprof_given *at;
	struct input *inputs; /* as they came */
};

static int givens_init(struct givens *g, Py_ssize_t n)
{
	g->n = (size_t)n;
	g->at = PyMem_Calloc((size_t)n + 1, sizeof(*g->at));
	g->inputs = PyMem_Calloc((size_t)n + 1, sizeof(*g->inputs));
	if (g->at && g->inputs)
		return 0;
	PyErr_NoMemory();
	return -1;
}

static void givens_clear(struct givens *g)
{
	if (g->at)
		tfprof_given_release(g->at, g->n);
	for (size_t i = 0; g->inputs && i < g->n; i++)
		input_clear(&g->inputs[i]);
	PyMem_Free(g->at);
	PyMem_Free(g->inputs);
}

static int read_one(struct givens *g, size_t i, PyObject *one)
{
	const char *kind;
	long long step;
	PyObject *given;

	if (!is_tuple(one, "expected (kind, input, step)") ||
		!PyArg_ParseTuple(one, "zOL", &kind, &given, &step) ||
		input_from(&g->inputs[i], given, "input", 0) < 0)
		return -1;
	g->at[i] = (struct tfprof_given){kind, g->inputs[i].in, step, NULL};
	return 0;
}

/* What was read once is bytes now; the rest is as it came. */
static PyObject *input_of(const struct givens *g, const struct tfprof_given *given, PyObject *list)
{
	if (given->owned)
		return PyBytes_FromStringAndSize(given->input.data, (Py_ssize_t)given->input.size);
	for (size_t i = 0; i < g->n; i++)
		if (g->inputs[i].in.path == given->input.path &&
			g->inputs[i].in.data == given->input.data) {
			PyObject *found = PyTuple_GetItem(PyList_GetItem(list, (Py_ssize_t)i), 1);

			Py_XINCREF(found);
			return found;
		}
	PyErr_SetString(PyExc_SystemError, "an input got lost");
	return NULL;
}

static PyObject *arranged(const struct givens *g, PyObject *list)
{
	PyObject *out = PyList_New(0);

	for (size_t i = 0; out && i < g->n; i++) {
		PyObject *input = input_of(g, &g->at[i], list), *one = NULL;

		if (input)
			one = Py_BuildValue("(sNL)", g->at[i].kind, input,
				(long long)g->at[i].step);
		list_append(&out, one);
	}
	return out;
}

static int read_all(struct givens *g, PyObject *list)
{
	if (!PyList_Check(list)) {
		PyErr_SetString(PyExc_TypeError, "expected a list");
		return -1;
	}
	if (givens_init(g, PyList_Size(list)) < 0)
		return -1;
	for (size_t i = 0; i < g->n; i++)
		if (read_one(g, i, PyList_GetItem(list, (Py_ssize_t)i)) < 0)
			return -1;
	return 0;
}

PyObject *given_arrange(PyObject *module, PyObject *list)
{
	struct tfprof_error err;
	enum tfprof_status status;
	struct givens g = {0};
	PyObject *out = NULL;

	if (read_all(&g, list) == 0) {
		Py_BEGIN_ALLOW_THREADS
		status = tfprof_given_arrange(g.at, g.n, &err);
		Py_END_ALLOW_THREADS
		out = status == TFPROF_OK ? arranged(&g, list) : error_raise(&err);
	}
	givens_clear(&g);
	return out;
}

PyObject *given_count_runs(PyObject *module, PyObject *list)
{
	struct tfprof_error err;
	enum tfprof_status status;
	struct givens g = {0};
	PyObject *out = NULL;
	size_t n = 0;

	if (read_all(&g, list) == 0) {
		Py_BEGIN_ALLOW_THREADS
		status = tfprof_given_count_runs(g.at, g.n, &n, &err);
		Py_END_ALLOW_THREADS
		out = status == TFPROF_OK ? arranged(&g, list) : error_raise(&err);
	}
	givens_clear(&g);
	return out ? Py_BuildValue("(nN)", (Py_ssize_t)n, out) : NULL;
}
