/* Reads the headers of HDF5 files as Keras writes them: which datasets there are, their
 * shapes and types, and texts in attributes; never data.
 *
 *     superblock ─▶ object header ── symbol table ─▶ B-tree ─▶ names and object headers
 *                                 ── dataspace, datatype     of a dataset
 *                                 ── attributes
 *
 * By hand: libhdf5 is 20 MB with what it needs, to read four kinds of headers. Versions
 * that Keras does not write are refused. Addresses are checked, and as many objects are
 * visited as the file has room for, so that cycles end. */
#ifndef TFPROF_FORMATS_HDF5_H
#define TFPROF_FORMATS_HDF5_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

enum { HDF5_MAX_RANK = 8, HDF5_MAX_PATH = 1000 };

struct hdf5_object {
	struct span path; /* "layers/dense/vars/0"; the root is "" */
	bool is_dataset;
	int rank; /* -1: more than HDF5_MAX_RANK */
	int64_t dims[HDF5_MAX_RANK];
	int dtype;        /* a DataType of TensorFlow; 0 if it is none of them */
	struct span name; /* the attribute `name` of a group */
};

struct hdf5_file {
	VEC(struct hdf5_object) objects;
	struct span model_config, keras_version; /* attributes of the root, or empty */
	struct arena arena;
};

/* The error is without the file's name. Clear in any case. */
enum tfprof_status hdf5_read(struct hdf5_file *f, struct span bytes, struct tfprof_error *err);
void hdf5_clear(struct hdf5_file *f);

#endif
