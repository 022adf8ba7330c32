/* The one way to write a file. It owns how the file is named, that it is written
 * whole or not at all, and that no input is written over. */
#ifndef TFPROF_LIB_OUTPUT_H
#define TFPROF_LIB_OUTPUT_H

#include "base/file_id.h"
#include "base/sink.h"
#include "base/vec.h"

typedef VEC(struct file_id) file_ids;

/* Opens a file, or standard output for `-`, unless it is one of the inputs: by its
 * identity, so through links too. */
enum tfprof_status output_open(struct sink *out, const char *path, enum sink_format format,
	const file_ids *inputs, struct tfprof_error *err);

/* Notes what a path names, if it names a file. False on allocation failure. */
bool output_note_input(file_ids *inputs, const char *path);

#endif
