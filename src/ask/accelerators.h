/* What is said of the accelerators of traces in several places: a sentence, and their peak. */
#ifndef TFPROF_ASK_ACCELERATORS_H
#define TFPROF_ASK_ACCELERATORS_H

#include "base/buf.h"
#include "model/model.h"
#include "query/options.h"

/* Which they are, what they ran, and what limits them. Nothing if there are none. */
void accelerators_put_headline(const struct model *m, struct buf *b);

/* Peak float operations per second of an accelerator: as the options say, as the file says, or
 * of the data sheet if the options ask for it; 0: not known. */
double accelerator_peak_flops(const struct accelerator_facts *facts,
	const struct tfprof_options *o);

#endif
