#ifndef TFPROF_QUERY_TABLE_TOP_H
#define TFPROF_QUERY_TABLE_TOP_H

#include "query/table.h"

/* Keeps the first n rows below each row of a tree that is not finished yet, with what is below
 * them; the others become one row, "... 893 more", with the sums of the columns named in `sums`,
 * which ends in NULL. False on allocation failure. */
bool column_table_keep_top(struct column_table *t, size_t n, const char *const *sums);

#endif
