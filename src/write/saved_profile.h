/* Writes the model as a saved profile (ProfileProto), read by load/profile_read.c. */
#ifndef TFPROF_WRITE_SAVED_PROFILE_H
#define TFPROF_WRITE_SAVED_PROFILE_H

#include "model/model.h"

/* Appends the model as a ProfileProto. */
void model_write_profile(const struct model *m, struct buf *b);

#endif
