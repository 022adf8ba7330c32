/* Formats numbers for people: those of TensorFlow's reports as TensorFlow does, all others with
 * the prefixes of SI. */
#ifndef TFPROF_QUERY_FORMAT_H
#define TFPROF_QUERY_FORMAT_H

#include "base/buf.h"
#include "query/metric_list.h"

/* As TensorFlow's profiler: writes "17.63b", "1.37sec" or "36.58MB" to memory of at least
 * FORMAT_MAX bytes and returns the end. Fast, because reports consist of little else. */
enum { FORMAT_MAX = 32 };
char *format_write(char *at, enum unit unit, int64_t value);
void format_like_tensorflow(struct buf *b, enum unit unit, int64_t value);

/* "17.63G", "1.37s" or "7.10GB": what TensorFlow has no text for. */
void format_number(struct buf *b, enum unit unit, int64_t value);

/* The shortest text that reads back as the same finite double, with a point or an exponent,
 * in any locale; NUL-terminated, in memory of FORMAT_MAX bytes. */
void format_write_double(char *at, double value);

#endif
