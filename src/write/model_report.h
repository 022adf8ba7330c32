/* Writes what a model costs: as a report, as JSON, and as columns. */
#ifndef TFPROF_WRITE_MODEL_REPORT_H
#define TFPROF_WRITE_MODEL_REPORT_H

#include "ask/question.h"
#include "base/sink.h"
#include "count/summary.h"
#include "load/model_file.h"
#include "query/model_options.h"
#include "query/table.h"
#include "write/json.h"

struct model_report {
	char *name; /* of the file */
	struct model_file file;
	struct walk walk;
	struct summary summary;
	uint32_t *order; /* of layers */
	const struct tfprof_model_options *options;
	struct model_device device;  /* what times are for; flops 0: none */
	const struct answer *answer; /* of which it is a part: its notes */
};

void model_write_text(const struct model_report *r, struct sink *out);
/* What JSON has besides the layers as nodes; `report` is a model_report. */
void model_put_members(const void *report, struct json *j);
/* A row for each layer. False on allocation failure. */
bool model_make_table(const struct model_report *r, struct column_table *table);

/* "1x224x224x3", or "?" */
void model_put_shape(struct buf *b, const struct tensor *t);
/* What was assumed, what does not fit, and what the file's reader had to say. */
void model_collect_notes(const struct model_report *r, struct answer *a);

#endif
