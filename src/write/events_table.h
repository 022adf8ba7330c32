/* What ran when and where, as a table: a row per execution, by device and start. */
#ifndef TFPROF_WRITE_EVENTS_TABLE_H
#define TFPROF_WRITE_EVENTS_TABLE_H

#include "model/model.h"
#include "query/table.h"

/* Of a step, or of all if it is negative. Clear the table in any case. */
enum tfprof_status events_table_make(struct column_table *t, const struct model *m, int64_t step,
	struct tfprof_error *err);

#endif
