/* The regex that a page looks for: it may match any part of a name, and capitals matter
 * only if it has one. */
#ifndef TFPROF_SERVER_FIND_H
#define TFPROF_SERVER_FIND_H

#include "query/regex.h"
#include "server/call.h"

/* NULL if there is no pattern. Free it. */
enum tfprof_status find_compile_text(const char *pattern, struct regexes **regexes,
	struct tfprof_error *err);
/* Of the parameter `find`. */
enum tfprof_status find_compile(const struct call *c, struct regexes **regexes,
	struct tfprof_error *err);

#endif
