/* Views other than code, for pprof. */
#ifndef TFPROF_WRITE_PPROF_ROWS_H
#define TFPROF_WRITE_PPROF_ROWS_H

#include "write/writer.h"

enum tfprof_status pprof_write_rows(const struct writing *w, struct tfprof_error *err);

#endif
