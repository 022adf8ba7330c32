/* Windows of convolutions and pooling. */
#ifndef TFPROF_HLO_WINDOW_H
#define TFPROF_HLO_WINDOW_H

#include "hlo/field.h"

/* Along one dimension. */
struct hlo_window {
	int64_t size, stride, padding_low, window_dilation, base_dilation;
};

struct hlo_window hlo_window_read(struct decoder *d, struct span message);

/* Pairs of an output and a place of the window that reads the input, not padding or a gap of its
 * dilation. `*budget` limits the work, since sizes come from files: it shrinks by what was done.
 * -1 if it is used up, or the sizes are not those of a window. */
int64_t hlo_window_count_pairs(const struct hlo_window *w, int64_t input, int64_t output,
	int64_t *budget);

#endif
