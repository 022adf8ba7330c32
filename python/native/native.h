/* Shared by the files of the extension module.
 *
 *     module.c   the module: functions, constants, tables of options and columns
 *     error.c    turns a tfprof_error into a Python exception
 *     input.c    turns bytes or a path into a tfprof_input
 *     given.c    arrange: recognizes, checks and orders several inputs
 *     profile.c  type Profile: add, load, save, inspect
 *     query.c    Profile.query, Profile.ask: run a query or a question, return a Result
 *     advice.c   Profile.advise: runs checkers and returns a Result
 *     model.c    what a model costs
 *     diff.c     what changed
 *     result.c   type Result: text, notes, columns
 *     arrow.c    a Result as Arrow capsules
 *
 * Written against the stable ABI of Python 3.9 and the public header of
 * libtfprof. Library calls that may take long release the interpreter's lock. */
#ifndef TFPROF_PYTHON_NATIVE_H
#define TFPROF_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <stdatomic.h>

#include "tfprof/tfprof.h"

/* ---- errors ----------------------------------------------------------- */

/* Adds the exceptions to the module. Returns 0, or -1 with an exception set. */
int errors_add(PyObject *module);
/* Sets the Python exception for a failed call. Always returns NULL. */
PyObject *error_raise(const struct tfprof_error *err);
PyObject *error_raise_word(const char *what, const char *word, const char *expected);

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
/* Callers refuse both together. */
enum tfprof_reading reading_from(int strict, int recover);

/* arrange([(kind or None, input, step)]) */
PyObject *given_arrange(PyObject *module, PyObject *list);
PyObject *given_count_runs(PyObject *module, PyObject *list);

/* Returns 1, or 0 with an exception set: one that says what is `expected` or, if the
 * object is NULL, the one already set. */
int is_tuple(PyObject *object, const char *expected);

/* Appends an item and releases it. If it is NULL, or on failure, the list is released
 * and set to NULL. */
void list_append(PyObject **list, PyObject *item);

/* A str; invalid UTF-8 is replaced. */
PyObject *text_from(const char *at, size_t n);

/* ---- types ------------------------------------------------------------ */

struct profile_object {
	PyObject_HEAD tfprof_profile *profile;
	PyObject *notes; /* str: notes of the last addition */
	/* Held while adding, and while reading what adding moves. Taken only
	 * without the interpreter's lock, so the two cannot deadlock. */
	pthread_mutex_t adding;
	_Atomic uint64_t bytes_done, bytes_total, n_nodes;
};

int profile_type_add(PyObject *module);

PyObject *profile_ask(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *profile_query(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *profile_advise(PyObject *self, PyObject *args, PyObject *kwargs);
/* Applies (name, value) pairs of a question; values are texts, or lists of them. Returns 0,
 * or -1 with an exception set. */
int query_apply_settings(tfprof_options *options, const char *question, PyObject *settings);
/* What TensorFlow prints around an empty report; the message is an OptionsProto. */
PyObject *query_frame(PyObject *module, PyObject *message);
PyObject *compare_run(PyObject *module, PyObject *args);
PyObject *model_run(PyObject *module, PyObject *args, PyObject *kwargs);
/* The list of checkers. */
PyObject *advice_checkers(void);

int result_type_add(PyObject *module);
/* Takes ownership of the result. */
PyObject *result_wrap(tfprof_result *result);
PyObject *arrow_schema_capsule(tfprof_result *result);
/* `requested`: a capsule with a schema of the columns wanted, or None. */
PyObject *arrow_stream_capsule(tfprof_result *result, PyObject *requested);

#endif
