/* Numbers as reports print them. */
#ifndef TFPROF_OUTPUT_FORMAT_H
#define TFPROF_OUTPUT_FORMAT_H

#include "base/buf.h"

enum unit { UNIT_COUNT, UNIT_MICROS, UNIT_BYTES };

/* "17.63b", "1.37sec", "36.58MB" */
void format_number(struct buf *b, enum unit unit, int64_t value);

#endif
