/* What the JSON of every question begins with. */
#ifndef TFPROF_WRITE_DOCUMENT_H
#define TFPROF_WRITE_DOCUMENT_H

#include "query/options.h"
#include "write/json.h"

/* Of keys: it changes when one is removed or changes its meaning. */
enum { DOCUMENT_VERSION = 2 };

/* Opens an object: "schema", "version", "question", and the options that apply to it.
 * `options` may be NULL. */
void document_open(struct json *j, const char *question, const struct tfprof_options *options);

#endif
