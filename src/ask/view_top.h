/* The option top of views: the first rows below each row as a table, and the others added up. */
#ifndef TFPROF_ASK_VIEW_TOP_H
#define TFPROF_ASK_VIEW_TOP_H

#include "ask/question.h"

/* Replaces the rows of a view by such a table. */
enum tfprof_status view_keep_top(struct answer *a, size_t n, size_t *n_left_out,
	struct tfprof_error *err);

#endif
