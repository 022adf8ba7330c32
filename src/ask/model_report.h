/* What a model costs: the detail of the answer to `model`. */
#ifndef TFPROF_ASK_MODEL_REPORT_H
#define TFPROF_ASK_MODEL_REPORT_H

#include "ask/totals.h"
#include "count/summary.h"
#include "load/model_file.h"
#include "query/model_options.h"

struct model_report {
	char *name; /* of the file */
	struct model_file file;
	struct walk walk;
	struct summary summary;
	uint32_t *order;                      /* of layers */
	const struct tfprof_options *options; /* that the result owns */
	struct model_device device;           /* what times are for; flops 0: none */
};

/* A row for each layer. False on allocation failure. */
bool model_make_table(const struct model_report *r, struct column_table *table);

/* "1x224x224x3", or "?" */
void model_put_shape(struct buf *b, const struct tensor *t);
/* A layer's part of all float operations. */
double model_share(const struct model_report *r, const struct layer *l);
/* Counts a model; `keeps_all` as in walk.h. Free the report in any case, which NULL may be. */
enum tfprof_status model_count(struct model_report **report, const struct tfprof_input *in,
	const struct asked *q, bool keeps_all, struct tfprof_error *err);
void model_get_totals(const struct model_report *r, struct totals *t);
/* How the options say that a model file is to run; they must outlive it. */
struct model_file_options model_file_options_of(const struct tfprof_options *o,
	enum tfprof_reading reading);
/* An error if an option is given that only says how a model file would run. */
enum tfprof_status model_refuse_options(const struct tfprof_options *o, const char *question,
	struct tfprof_error *err);
void model_report_free(void *report);
/* What was assumed, what does not fit, and what the file's reader had to say. */
void model_collect_notes(const struct model_report *r, struct answer *a);

#endif
