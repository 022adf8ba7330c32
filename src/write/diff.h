/* Writes a comparison in its own formats. */
#ifndef TFPROF_WRITE_DIFF_H
#define TFPROF_WRITE_DIFF_H

#include "ask/diff_report.h"
#include "write/answer.h"

/* Of two models, one table: the rows that are shown. */
void diff_models_text(const struct diff_report *r, const bool *shown, struct sink *out);
void diff_models_markdown(const struct diff_report *r, const bool *shown, size_t most,
	struct buf *b);
/* Text that nothing takes for markup. */
void diff_put_markdown(struct buf *b, struct span text);

void diff_write_markdown(const struct diff_report *r, struct sink *out);
/* A profile whose samples are those of the new side and, negative and marked as
 * pprof::base, those of the base. */
enum tfprof_status diff_write_pprof(const struct diff_report *r, struct sink *out,
	struct tfprof_error *err);

#endif
