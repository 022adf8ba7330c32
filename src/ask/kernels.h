/* op --by=kernel: the kernels that GPUs ran, instead of rows of nodes. */
#ifndef TFPROF_ASK_KERNELS_H
#define TFPROF_ASK_KERNELS_H

#include "ask/question.h"

enum tfprof_status kernels_answer(struct answer *a, const struct asked *q,
	struct tfprof_error *err);

#endif
