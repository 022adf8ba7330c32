/* The only way to write a file. It decides the file's name, writes it whole or not at
 * all, and never overwrites an input. */
#ifndef TFPROF_LIB_OUTPUT_H
#define TFPROF_LIB_OUTPUT_H

#include "base/file_id.h"
#include "base/sink.h"
#include "base/vec.h"
#include "query/format_list.h"

typedef VEC(struct file_id) file_ids;

/* Refuses a file that is one of the inputs, also through links. */
enum tfprof_status output_check(const char *path, const file_ids *inputs, struct tfprof_error *err);

/* Opens a file that is none of the inputs, or standard output for `-`. */
enum tfprof_status output_open(struct sink *out, const char *path, enum sink_format format,
	const file_ids *inputs, struct tfprof_error *err);

/* How files of a format are compressed. */
enum sink_format output_packing(enum format format);

/* Remembers the file of a path, if it is one. False on allocation failure. */
bool output_note_input(file_ids *inputs, const char *path);

#endif
