/* Text that every match of a regular expression must contain, found by scanning the
 * pattern. Most names do not contain it, and searching for it is much cheaper than
 * matching. */
#ifndef TFPROF_QUERY_REQUIRED_H
#define TFPROF_QUERY_REQUIRED_H

#include "base/span.h"

/* The longest such text in the pattern; empty if none is certain. */
struct span regex_required(struct span pattern);

#endif
