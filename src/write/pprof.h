/* The code view as a profile for the pprof tool: gzip'd
 * perftools.profiles.Profile.
 *
 * A sample is a graph node with its number, under the calls that made it. The
 * message is written as it is found; what is kept are its tables (strings,
 * functions, locations), which grow with the program, not with the graph. */
#ifndef TFPROF_WRITE_PPROF_H
#define TFPROF_WRITE_PPROF_H

#include "base/sink.h"
#include "query/query.h"

/* Why the query cannot be written so; nothing if it can. */
void pprof_refuse(const struct query *q, struct buf *why);

/* Writes the file that the options name (`-` is standard output). `text` gets
 * a line how to look at it. */
enum tfprof_status pprof_write(struct query *q, struct buf *text, struct tfprof_error *err);

#endif
