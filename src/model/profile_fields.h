/* A ProfileProto field of our own, which the original skips: transfers, for
 * the advisor. { step = 1, device = 2, NodeExecStats = 3 } */
#ifndef TFPROF_MODEL_PROFILE_FIELDS_H
#define TFPROF_MODEL_PROFILE_FIELDS_H

enum { PROFILE_TRANSFER = 1000, TRANSFER_STEP = 1, TRANSFER_DEVICE = 2, TRANSFER_STATS = 3 };

#endif
