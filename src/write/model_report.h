/* Writes what a model costs: as a report, as JSON, as CSV, and as columns. */
#ifndef TFPROF_WRITE_MODEL_REPORT_H
#define TFPROF_WRITE_MODEL_REPORT_H

#include "base/sink.h"
#include "count/summary.h"
#include "load/model_file.h"
#include "query/model_options.h"
#include "query/table.h"

struct model_report {
	char *name; /* of the file */
	struct model_file file;
	struct walk walk;
	struct summary summary;
	uint32_t *order; /* of layers */
	const struct tfprof_model_options *options;
	struct model_device device; /* what times are for; flops 0: none */
};

void model_write_text(const struct model_report *r, struct sink *out);
void model_write_json(const struct model_report *r, struct sink *out);
void model_write_csv(const struct model_report *r, struct sink *out);
/* A row for each layer. False on allocation failure. */
bool model_make_table(const struct model_report *r, struct column_table *table);

/* "1x224x224x3", or "?" */
void model_put_shape(struct buf *b, const struct tensor *t);
/* Notes that do not come from the file: what was assumed, what does not fit. */
void model_put_notes(const struct model_report *r, struct buf *b);

#endif
