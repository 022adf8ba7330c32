/* Where a report starts: a page that shows what is below a row (`root`), in a layer (`scope`) or
 * around a node (`around`) has its command and its exports start there, too. */
#ifndef TFPROF_SERVER_START_H
#define TFPROF_SERVER_START_H

#include "server/view_query.h"

/* Sets start_name_regexes, if the call names a place. */
enum tfprof_status start_at_root(struct call *c, enum tfprof_view view,
	const struct shown_profile *profile, tfprof_options *options, struct tfprof_error *err);

#endif
