#ifndef TFPROF_QUERY_TABLE_TOP_H
#define TFPROF_QUERY_TABLE_TOP_H

#include "query/table.h"

/* Keeps the first n rows below each row of a tree that is not finished yet, with what is below
 * them; the others become one row, "... 893 more", with the sums of the columns named in `sums`,
 * which ends in NULL. Sums stop at the largest number. `n_left_out` is how many rows of the tree
 * are gone, with those below them.
 * A flat table keeps its first n rows. False on allocation failure. */
bool column_table_keep_top(struct column_table *t, size_t n, const char *const *sums,
	size_t *n_left_out);

#endif
