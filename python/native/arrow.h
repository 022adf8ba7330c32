/* Building Arrow schemas and arrays out of rows; no Python in it. */
#ifndef TFPROF_PYTHON_ARROW_H
#define TFPROF_PYTHON_ARROW_H

#include "arrow_abi.h"
#include "native.h"

/* A struct of N_ROW_FIELDS columns. 0 or an errno. */
int arrow_schema_make(struct ArrowSchema *out);
/* The rows from `first` on, at most `n`, as many as the text offsets of one
 * batch can address. `*n_taken` is how many. 0 or an errno. */
int arrow_batch_make(const tfprof_result *result, size_t first, size_t n, size_t *n_taken,
	struct ArrowArray *out);

#endif
