/* Type Profile: a tfprof_profile, what is added to it and how it is saved. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

static struct profile_object *as_profile(PyObject *self)
{
	return (struct profile_object *)self;
}

/* Called from within the library, without the interpreter's lock: numbers for
 * another thread to look at, nothing more. */
static void keep_progress(void *context, uint64_t done, uint64_t total, uint64_t n_nodes)
{
	struct profile_object *self = context;

	atomic_store_explicit(&self->bytes_done, done, memory_order_relaxed);
	atomic_store_explicit(&self->bytes_total, total, memory_order_relaxed);
	atomic_store_explicit(&self->n_nodes, n_nodes, memory_order_relaxed);
}

static PyObject *profile_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	static char *names[] = {NULL};
	struct profile_object *self;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, ":Profile", names))
		return NULL;
	self = as_profile(alloc(type, 0));
	if (!self)
		return NULL;
	pthread_mutex_init(&self->adding, NULL);
	self->notes = PyUnicode_FromString("");
	self->profile = tfprof_profile_new();
	if (!self->profile || !self->notes) {
		Py_DECREF((PyObject *)self);
		return PyErr_NoMemory();
	}
	tfprof_profile_set_progress(self->profile, keep_progress, self);
	return (PyObject *)self;
}

static void profile_dealloc(PyObject *object)
{
	struct profile_object *self = as_profile(object);
	PyTypeObject *type = Py_TYPE(object);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	Py_BEGIN_ALLOW_THREADS
	tfprof_profile_free(self->profile);
	Py_END_ALLOW_THREADS
	pthread_mutex_destroy(&self->adding);
	Py_CLEAR(self->notes);
	release(object);
	Py_DECREF((PyObject *)type);
}

/* ---- adding ------------------------------------------------------------ */

static PyObject *profile_set_reading(PyObject *object, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"strict", "recover", NULL};
	int strict, recover;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "pp:set_reading", names, &strict, &recover))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	tfprof_profile_set_reading(as_profile(object)->profile, reading_from(strict, recover));
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

/* One call that adds something: an input, or a step with all that comes with it. */
struct addition {
	const char *kind; /* NULL: as its content says */
	int is_step;
	int is_count;       /* nothing is added: what is there is counted */
	struct input input; /* of a step, its run metadata */
	struct input graph, op_log;
	long long step;
	double coverage;
};

static enum tfprof_status add_locked(tfprof_profile *profile, struct addition *a,
	struct tfprof_error *err)
{
	if (a->is_count)
		return tfprof_profile_count_float_ops(profile, err);
	if (!a->is_step)
		return tfprof_profile_add(profile, a->kind, input_get(&a->input), a->step, err);
	return tfprof_profile_add_step(profile, a->step, input_get(&a->graph), input_get(&a->input),
		input_get(&a->op_log), &a->coverage, err);
}

static void addition_clear(struct addition *a)
{
	input_clear(&a->input);
	input_clear(&a->graph);
	input_clear(&a->op_log);
}

static int keep_notes(struct profile_object *self, const char *notes)
{
	PyObject *text = text_from(notes, notes ? strlen(notes) : 0), *old = self->notes;

	if (!text)
		return -1;
	self->notes = text;
	Py_XDECREF(old);
	return 0;
}

/* Makes the addition and clears it. 0, or -1 with an exception set. */
static int add(PyObject *object, struct addition *a)
{
	struct profile_object *self = as_profile(object);
	struct tfprof_error err = {0};
	enum tfprof_status status;
	char *notes;

	Py_BEGIN_ALLOW_THREADS
	pthread_mutex_lock(&self->adding);
	keep_progress(self, 0, 0, 0);
	status = add_locked(self->profile, a, &err);
	notes = strdup(tfprof_profile_get_notes(self->profile));
	pthread_mutex_unlock(&self->adding);
	Py_END_ALLOW_THREADS
	addition_clear(a);
	if (keep_notes(self, notes) < 0)
		status = TFPROF_NO_MEMORY;
	else if (status != TFPROF_OK)
		error_raise(&err);
	free(notes);
	return status == TFPROF_OK ? 0 : -1;
}

static PyObject *profile_add(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"kind", "input", "step", NULL};
	struct addition a = {0};
	PyObject *input;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "zO|L:add", names, &a.kind, &input, &a.step))
		return NULL;
	if (input_from(&a.input, input, a.kind ? a.kind : "input", 0) < 0 || add(self, &a) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *profile_add_step(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"step", "graph", "run_meta", "op_log", NULL};
	struct addition a = {.is_step = 1};
	PyObject *graph, *run_meta, *op_log = Py_None;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "LOO|O:add_step", names, &a.step, &graph,
		    &run_meta, &op_log))
		return NULL;
	if (input_from(&a.graph, graph, "graph", 1) < 0 ||
		input_from(&a.input, run_meta, "run_meta", 0) < 0 ||
		input_from(&a.op_log, op_log, "op_log", 1) < 0) {
		addition_clear(&a);
		return NULL;
	}
	return add(self, &a) < 0 ? NULL : PyFloat_FromDouble(a.coverage);
}

static PyObject *profile_count_float_ops(PyObject *self, PyObject *unused)
{
	struct addition a = {.is_count = 1};

	if (add(self, &a) < 0)
		return NULL;
	Py_RETURN_NONE;
}

/* ---- saving ------------------------------------------------------------ */

static PyObject *profile_serialize(PyObject *self, PyObject *unused)
{
	struct tfprof_error err = {0};
	enum tfprof_status status;
	void *bytes = NULL;
	size_t size = 0;
	PyObject *made;

	Py_BEGIN_ALLOW_THREADS
	status = tfprof_profile_serialize(as_profile(self)->profile, &bytes, &size, &err);
	Py_END_ALLOW_THREADS
	if (status != TFPROF_OK)
		return error_raise(&err);
	made = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
	tfprof_bytes_free(bytes);
	return made;
}

static PyObject *profile_save(PyObject *self, PyObject *object)
{
	struct tfprof_error err = {0};
	enum tfprof_status status;
	PyObject *path;

	if (!PyUnicode_FSConverter(object, &path))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	status = tfprof_profile_save(as_profile(self)->profile, PyBytes_AsString(path), &err);
	Py_END_ALLOW_THREADS
	Py_DECREF(path);
	if (status != TFPROF_OK)
		return error_raise(&err);
	Py_RETURN_NONE;
}

/* ---- asking ------------------------------------------------------------- */

static PyObject *profile_get_steps(PyObject *object, void *unused)
{
	struct profile_object *self = as_profile(object);
	const int64_t *steps;
	int64_t *copy;
	PyObject *list;
	size_t n;

	Py_BEGIN_ALLOW_THREADS
	pthread_mutex_lock(&self->adding);
	steps = tfprof_profile_get_steps(self->profile, &n);
	copy = calloc(n + 1, sizeof(*copy));
	if (copy && n)
		memcpy(copy, steps, n * sizeof(*copy));
	pthread_mutex_unlock(&self->adding);
	Py_END_ALLOW_THREADS
	list = copy ? PyList_New((Py_ssize_t)n) : PyErr_NoMemory();
	for (size_t i = 0; list && i < n; i++) {
		PyObject *step = PyLong_FromLongLong(copy[i]);

		if (!step || PyList_SetItem(list, (Py_ssize_t)i, step) < 0)
			Py_CLEAR(list);
	}
	free(copy);
	return list;
}

static PyObject *profile_get_summary(PyObject *self, void *unused)
{
	struct tfprof_summary s;

	Py_BEGIN_ALLOW_THREADS
	tfprof_profile_get_summary(as_profile(self)->profile, &s);
	Py_END_ALLOW_THREADS
	return Py_BuildValue("{s:n,s:n,s:n,s:N,s:N,s:N,s:N,s:N}", "n_nodes", (Py_ssize_t)s.n_nodes,
		"n_steps", (Py_ssize_t)s.n_steps, "n_devices", (Py_ssize_t)s.n_devices,
		"has_code_traces", PyBool_FromLong(s.has_code_traces), "has_run_meta",
		PyBool_FromLong(s.has_run_meta), "has_float_ops", PyBool_FromLong(s.has_float_ops),
		"has_checkpoint", PyBool_FromLong(s.has_checkpoint), "misses_accelerator_stream",
		PyBool_FromLong(s.misses_accelerator_stream));
}

static PyObject *profile_get_notes(PyObject *self, void *unused)
{
	PyObject *notes = as_profile(self)->notes;

	Py_INCREF(notes);
	return notes;
}

static PyObject *profile_get_progress(PyObject *object, void *unused)
{
	struct profile_object *self = as_profile(object);

	return Py_BuildValue("(KKK)", (unsigned long long)self->bytes_done,
		(unsigned long long)self->bytes_total, (unsigned long long)self->n_nodes);
}

/* ---- the type ------------------------------------------------------------ */

#define WITH_KEYWORDS(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef methods[] = {
	{"add", WITH_KEYWORDS(profile_add), METH_VARARGS | METH_KEYWORDS,
		"add(kind, input, step=0)\n\n"
		"Adds an input, bytes or a path, of the kind of that name (see inputs());\n"
		"None recognizes it by its content."},
	{"add_step", WITH_KEYWORDS(profile_add_step), METH_VARARGS | METH_KEYWORDS,
		"add_step(step, graph, run_meta, op_log=None) -> coverage\n\n"
		"Adds a step, whole or not at all."},
	{"count_float_ops", profile_count_float_ops, METH_NOARGS,
		"Counts the float operations of graph nodes that have none."},
	{"set_reading", WITH_KEYWORDS(profile_set_reading), METH_VARARGS | METH_KEYWORDS,
		"set_reading(strict, recover): what to do about damage from now on."},
	{"serialize", profile_serialize, METH_NOARGS, "The profile as ProfileProto bytes."},
	{"save", profile_save, METH_O, "Writes the ProfileProto to a path."},
	{"ask", WITH_KEYWORDS(profile_ask), METH_VARARGS | METH_KEYWORDS,
		"ask(question, settings=()) -> Result\n\n"
		"`settings` are (name, value) pairs as on the command line."},
	{"query", WITH_KEYWORDS(profile_query), METH_VARARGS | METH_KEYWORDS,
		"query(view, message=None, settings=(), flags=0) -> Result\n\n"
		"`message` is a serialized OptionsProto, taken as TensorFlow's API takes it;\n"
		"`settings` are (name, value) pairs as on the command line, set after it."},
	{"advise", WITH_KEYWORDS(profile_advise), METH_VARARGS | METH_KEYWORDS,
		"advise(message=None, settings=(), output=None) -> Result\n\n"
		"`message` is a serialized AdvisorOptionsProto, taken as TensorFlow's API takes "
		"it;\n"
		"`settings` are (checker, option, value) triples, option and value may be None."},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
	{"steps", profile_get_steps, NULL, "The steps added, ascending.", NULL},
	{"summary", profile_get_summary, NULL, "What the profile holds, as a dict.", NULL},
	{"notes", profile_get_notes, NULL, "What the last call that added had to say.", NULL},
	{"progress", profile_get_progress, NULL,
		"(bytes done, bytes in all, nodes) of the call that adds right now.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_doc, "A profile: files go in, queries are asked of it."},
	{Py_tp_new, profile_new},
	{Py_tp_dealloc, profile_dealloc},
	{Py_tp_methods, methods},
	{Py_tp_getset, attributes},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "tfprof._native.Profile",
	.basicsize = sizeof(struct profile_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

int profile_type_add(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&spec);

	return type ? PyModule_AddObject(module, "Profile", type) : -1;
}
