/* Views other than code, for pprof. */
#ifndef TFPROF_WRITE_PPROF_ROWS_H
#define TFPROF_WRITE_PPROF_ROWS_H

#include "write/pprof_table.h"
#include "write/writer.h"

/* The operation and the device of a node, unless it is NONE, and the step of the query. */
enum { PPROF_NODE_LABELS = 3 };
size_t pprof_label_node(const struct query *q, uint32_t node, struct pprof_label *labels);

enum tfprof_status pprof_write_rows(const struct writing *w, struct tfprof_error *err);

#endif
