/* Windows that slide over the spatial dimensions of a tensor. */
#ifndef TFPROF_COUNT_WINDOW_H
#define TFPROF_COUNT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct eval;
struct layout;

enum window_padding { WINDOW_VALID, WINDOW_SAME, WINDOW_EXPLICIT };

/* How many places a window has along a dimension; -1 if unknown. `before` and `after`
 * are of explicit padding. */
int64_t window_size(int64_t in, int64_t kernel, int64_t stride, int64_t dilation,
	enum window_padding padding, int64_t before, int64_t after);

/* The sizes of a pool's window, one for each spatial dimension. */
bool window_pool_sizes(const struct eval *e, const struct layout *l, int64_t *sizes);

#endif
