/* The shown nodes for programs, with plain numbers: as JSON or as CSV. What
 * is in them is described in docs/output.md. */
#ifndef TFPROF_WRITE_REPORT_ROWS_H
#define TFPROF_WRITE_REPORT_ROWS_H

#include "base/sink.h"
#include "query/query.h"

/* False when memory is out; failures of the sink stay in it. */
bool report_json_write(struct query *q, struct sink *out);
bool report_csv_write(struct query *q, struct sink *out);

#endif
