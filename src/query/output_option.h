/* The value of the option output: FORMAT[:SETTING=VALUE[,SETTING=VALUE...]] */
#ifndef TFPROF_QUERY_OUTPUT_OPTION_H
#define TFPROF_QUERY_OUTPUT_OPTION_H

#include "query/options.h"

/* By enum format, NULL-terminated. */
extern const char *const output_words[];

/* An empty text means stdout. `o->outfile` points into the text. */
enum tfprof_status output_option_parse(struct span text, struct output_option *o,
	struct tfprof_error *err);
/* The value in full, with a colon even if it has no settings, as TensorFlow prints it. */
void output_option_put(const struct output_option *o, struct buf *b);

#endif
