/* Bytes of temporaries of compiled programs at their peaks, by node: for views that show
 * peak_bytes.
 *
 * Each live value belongs to the node of the op that its name is from (hlo/borrow.h), or else of
 * one that is near. A node of several programs, such as a function compiled for two shapes, has
 * the most of any: they do not run at the same time. */
#ifndef TFPROF_LOAD_COMPILED_PEAKS_H
#define TFPROF_LOAD_COMPILED_PEAKS_H

#include "base/error.h"
#include "model/model.h"

/* Decodes the buffer assignments of what ran; what is damaged is left out. Does nothing if that is
 * done. */
enum tfprof_status model_find_peaks(struct model *m, struct tfprof_error *err);

static inline bool model_has_peaks(const struct model *m)
{
	return !m->compiled.ops.n || m->compiled.n_peak_ops == m->compiled.ops.n;
}

#endif
