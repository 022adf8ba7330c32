/* Names from samples of Python's stack. */
#ifndef TFPROF_LOAD_ANATOMY_SAMPLES_H
#define TFPROF_LOAD_ANATOMY_SAMPLES_H

#include "load/anatomy/scene.h"

/* Names stretches of the main thread after the functions that it was found in; without such
 * samples they stay as they are. False if the decoder failed, or on allocation failure. */
bool scene_name_python(struct scene *s, const struct plane *planes, size_t n_planes);

#endif
