/* A text that every match of a regular expression contains, found by reading the
 * pattern. Most names do not contain it, and looking for it is much cheaper than
 * running the expression. */
#ifndef TFPROF_QUERY_REQUIRED_H
#define TFPROF_QUERY_REQUIRED_H

#include "base/span.h"

/* The longest one that stands in the pattern as such; empty if none is sure. */
struct span regex_required(struct span pattern);

#endif
