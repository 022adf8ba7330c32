/* Where recorders leave traces: a directory for each recording, a file for each host.
 *
 *     LOGDIR/plugins/profile/2026_08_01_12_00_00/host.xplane.pb
 *     LOGDIR/train/plugins/…                                      Keras' callback */
#ifndef TFPROF_LOAD_XPLANE_RUN_H
#define TFPROF_LOAD_XPLANE_RUN_H

#include "base/buf.h"
#include "base/vec.h"

/* The newest recording in a directory, or the directory if it is one; returns how many there
 * are (see `claim` in recognize.h). */
size_t xplane_find_run(const char *directory, struct buf *path);

/* The paths of a recording's traces, by name: to be freed with xplane_free_paths(). False
 * on allocation failure. */
typedef VEC(char *) xplane_paths;
bool xplane_list_run(const char *directory, xplane_paths *paths);
void xplane_free_paths(xplane_paths *paths);

/* Why a file is not a trace despite its name; NULL if it may be one. */
const char *xplane_explain(const char *path, struct span bytes);

#endif
