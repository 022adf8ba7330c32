/* Windows that slide over the spatial dimensions of a tensor. */
#ifndef TFPROF_COUNT_WINDOW_H
#define TFPROF_COUNT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "count/tensor.h"

struct eval;
struct layout;

enum window_padding { WINDOW_VALID, WINDOW_SAME, WINDOW_EXPLICIT };

/* How many places a window has along a dimension; -1 if unknown. `before` and `after`
 * are of explicit padding. */
int64_t window_size(int64_t in, int64_t kernel, int64_t stride, int64_t dilation,
	enum window_padding padding, int64_t before, int64_t after);

/* A convolution's filter: spatial dimensions, input channels of a group, output channels; the last
 * two are the other way round in a transposed one. TensorFlow Lite's begin with output channels. */
struct tensor window_filter(const struct eval *e, bool is_transposed);

/* The sizes of a pool's window, one for each spatial dimension. */
bool window_pool_sizes(const struct eval *e, const struct layout *l, int64_t *sizes);

#endif
