/* The model as a saved profile (ProfileProto), which load/profile_read.c reads. */
#ifndef TFPROF_WRITE_SAVED_PROFILE_H
#define TFPROF_WRITE_SAVED_PROFILE_H

#include "model/model.h"

/* Appends the model as a ProfileProto. */
void model_write_profile(const struct model *m, struct buf *b);

#endif
