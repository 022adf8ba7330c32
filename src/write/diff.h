/* Writes a comparison in its own formats. */
#ifndef TFPROF_WRITE_DIFF_H
#define TFPROF_WRITE_DIFF_H

#include "ask/diff_report.h"
#include "write/answer.h"

void diff_write_markdown(const struct diff_report *r, struct sink *out);
/* A profile whose samples are those of the new side and, negative and marked as
 * pprof::base, those of the base. */
enum tfprof_status diff_write_pprof(const struct diff_report *r, struct sink *out,
	struct tfprof_error *err);

#endif
