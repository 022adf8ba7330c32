/* What the files of the extension module share.
 *
 *     module.c   the module: functions, constants, what options there are
 *     error.c    a tfprof_error becomes a Python exception
 *     input.c    bytes or a path become a tfprof_input
 *     profile.c  type Profile: add, load, save, ask about
 *     query.c    Profile's query: options in, a Result out
 *     advice.c   Profile's advise
 *     result.c   type Result: text, notes, columns
 *     arrow.c    a Result as Arrow capsules
 *
 * Written against the stable ABI of Python 3.9 and the public header of
 * libtfprof. Every call into the library that may take time is made without
 * the interpreter's lock. */
#ifndef TFPROF_PYTHON_NATIVE_H
#define TFPROF_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <stdatomic.h>

#include "tfprof/tfprof.h"

/* ---- errors ----------------------------------------------------------- */

/* Adds the exceptions to the module; 0 or -1 as Python has it. */
int errors_add(PyObject *module);
/* Sets the Python exception for a failed call; always NULL. */
PyObject *error_raise(const struct tfprof_error *err);
PyObject *error_raise_argument(const char *format, const char *argument);

/* ---- inputs ----------------------------------------------------------- */

/* An argument that is bytes (also bytearray, memoryview) or a path (str or
 * os.PathLike). `holder` keeps what `in` points into. */
struct input {
	struct tfprof_input in;
	PyObject *holder;
};

/* `name` is the argument's, for messages. None is no input if `optional`.
 * Returns 0, or -1 with an exception set. */
int input_from(struct input *input, PyObject *object, const char *name, int optional);
void input_clear(struct input *input);
/* NULL if there is none. */
const struct tfprof_input *input_get(const struct input *input);

/* 1; or 0 with an exception set, which says what is `expected` unless the
 * object is NULL because of another one. */
int is_tuple(PyObject *object, const char *expected);

/* Text that may not be UTF-8: what is not is replaced. */
PyObject *text_from(const char *at, size_t n);

/* ---- types ------------------------------------------------------------ */

struct profile_object {
	PyObject_HEAD tfprof_profile *profile;
	PyObject *notes; /* str: what the last add had to say */
	/* Held by whoever adds or reads what adding moves. It is only ever
	 * taken without the interpreter's lock, so the two cannot wait for
	 * each other. */
	pthread_mutex_t adding;
	_Atomic uint64_t bytes_done, bytes_total, n_nodes;
};

int profile_type_add(PyObject *module);

PyObject *profile_query(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *profile_advise(PyObject *self, PyObject *args, PyObject *kwargs);
/* A list of what checkers there are. */
PyObject *advice_checkers(void);

int result_type_add(PyObject *module);
/* Takes the result. */
PyObject *result_wrap(tfprof_result *result);
PyObject *arrow_schema_capsule(tfprof_result *result);
/* `requested`: the capsule of a schema whose columns are wanted, or None. */
PyObject *arrow_stream_capsule(tfprof_result *result, PyObject *requested);

#endif
