/* Numbers as reports print them. */
#ifndef TFPROF_WRITE_FORMAT_H
#define TFPROF_WRITE_FORMAT_H

#include "base/buf.h"
#include "query/metric_list.h"

/* "17.63b", "1.37sec", "36.58MB": into memory that has room for FORMAT_MAX
 * bytes; returns the end. Reports are made of little else, so it is quick. */
enum { FORMAT_MAX = 32 };
char *format_write(char *at, enum unit unit, int64_t value);

void format_number(struct buf *b, enum unit unit, int64_t value);

#endif
