/* Which part of a row is gradients. */
#ifndef TFPROF_SERVER_GRADIENTS_H
#define TFPROF_SERVER_GRADIENTS_H

#include "server/call.h"
#include "server/table_json.h"

/* By row, the part of its own number that gradients take, in the call's metric; of scope and
 * code view. Free it. */
enum tfprof_status gradients_sum(struct call *c, const struct table_json *t, tfprof_result *result,
	tfprof_profile *profile, int64_t **sums, struct tfprof_error *err);

#endif
