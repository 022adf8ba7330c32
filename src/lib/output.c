#include "lib/output.h"

#include "write/pprof.h"
#include "write/report.h"
#include "write/report_rows.h"
#include "write/timeline.h"

/* ---- reports ------------------------------------------------------------- */

/* What a writer ran into, a damaged tensor for one. */
static enum tfprof_status failure_of(const struct query *q, struct tfprof_error *err)
{
	if (q->failed != TFPROF_OK) {
		if (err)
			*err = q->error;
		return q->failed;
	}
	return query_check_cancelled(q, err);
}

typedef bool report_fn(struct query *q, struct sink *out);

/* Writes to a sink that is open, and closes it. */
static enum tfprof_status write_report(struct query *q, report_fn *report, struct sink *out,
	struct tfprof_error *err)
{
	enum tfprof_status status = report(q, out) ? failure_of(q, err) : error_no_memory(err);

	if (status == TFPROF_OK)
		return sink_commit(out, err);
	sink_abandon(out);
	return status;
}

static enum tfprof_status write_report_file(struct query *q, report_fn *report,
	enum sink_format format, struct tfprof_error *err)
{
	struct sink out;
	enum tfprof_status status = sink_open(&out, q->options->output.outfile.at, format, err);

	return status == TFPROF_OK ? write_report(q, report, &out, err) : status;
}

static enum tfprof_status write_stdout(struct query *q, tfprof_result *r, bool frame,
	struct tfprof_error *err)
{
	struct sink out;
	enum tfprof_status status;

	if (frame) {
		buf_text(&r->text,
			"\n=========================Options"
			"=============================\n");
		options_echo(q->options, &r->text, false);
		buf_text(&r->text,
			"\n==================Model Analysis Report"
			"======================\n");
	}
	status = sink_open_buf(&out, &r->text, SINK_PLAIN, err);
	if (status == TFPROF_OK)
		status = write_report(q, report_write, &out, err);
	if (frame)
		buf_text(&r->text,
			"\n======================End of Report"
			"==========================\n");
	return status;
}

static enum tfprof_status write_file(struct query *q, tfprof_result *r, bool frame,
	struct tfprof_error *err)
{
	return write_report_file(q, report_write, SINK_PLAIN, err);
}

static enum tfprof_status write_json(struct query *q, tfprof_result *r, bool frame,
	struct tfprof_error *err)
{
	return write_report_file(q, report_json_write, SINK_BY_SUFFIX, err);
}

static enum tfprof_status write_csv(struct query *q, tfprof_result *r, bool frame,
	struct tfprof_error *err)
{
	return write_report_file(q, report_csv_write, SINK_BY_SUFFIX, err);
}

static enum tfprof_status write_none(struct query *q, tfprof_result *r, bool frame,
	struct tfprof_error *err)
{
	return TFPROF_OK;
}

/* ---- the rest ------------------------------------------------------------ */

/* What an output says belongs on stdout, unless the output itself goes there. */
static struct buf *text_of(const struct query *q, tfprof_result *r)
{
	return span_equal(q->options->output.outfile, SPAN("-")) ? &r->notes : &r->text;
}

static enum tfprof_status write_timeline(struct query *q, tfprof_result *r, bool frame,
	struct tfprof_error *err)
{
	return timeline_write(q, text_of(q, r), err);
}

static enum tfprof_status write_pprof(struct query *q, tfprof_result *r, bool frame,
	struct tfprof_error *err)
{
	return pprof_write(q, text_of(q, r), err);
}

/* ---- the table ------------------------------------------------------------ */

static const struct output_kind {
	/* Says why not, if so; NULL if nothing is in the way. */
	void (*refuse)(const struct query *q, struct buf *why);
	unsigned metrics; /* needed, selected or not */
	enum tfprof_status (
		*write)(struct query *q, tfprof_result *r, bool frame, struct tfprof_error *err);
} outputs[] = {
	[OUT_CSV] = {NULL, 0, write_csv},
	[OUT_FILE] = {NULL, 0, write_file},
	[OUT_JSON] = {NULL, 0, write_json},
	[OUT_NONE] = {NULL, 0, write_none},
	[OUT_PPROF] = {pprof_refuse, 0, write_pprof},
	[OUT_STDOUT] = {NULL, 0, write_stdout},
	[OUT_TIMELINE] = {timeline_refuse, 1u << METRIC_MICROS, write_timeline},
};

static const struct output_kind *kind_of(const struct tfprof_options *o)
{
	return &outputs[o->output.type];
}

unsigned output_metrics(const struct tfprof_options *o)
{
	return kind_of(o)->metrics;
}

void output_refuse(const struct query *q, struct buf *why)
{
	const struct output_kind *kind = kind_of(q->options);

	if (kind->refuse)
		kind->refuse(q, why);
}

bool output_is_by_step(const struct query *q)
{
	return q->options->output.type == OUT_TIMELINE && q->kind == TFPROF_GRAPH &&
		q->options->number[OPT_STEP] < 0;
}

enum tfprof_status output_write(struct query *q, tfprof_result *r, bool frame,
	struct tfprof_error *err)
{
	return kind_of(q->options)->write(q, r, frame, err);
}
