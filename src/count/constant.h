/* The values of constants, read on demand. */
#ifndef TFPROF_COUNT_CONSTANT_H
#define TFPROF_COUNT_CONSTANT_H

#include "count/ops.h"
#include "proto/decoder.h"

/* Type and shape of a TensorProto; its values stay encoded. */
struct constant constant_of_message(struct decoder *d, struct span message);

/* Sets the value of e->out[0] if it is small. */
void constant_read(const struct constant *c, struct eval *e);

#endif
