#include "write/timeline.h"

void timeline_refuse(const struct query *q, struct buf *why)
{
	if (q->kind == TFPROF_OP)
		buf_text(why,
			"op view doesn't support timeline yet. "
			"Consider graph/scope/code view.");
}

static bool ends_in(struct span text, struct span tail)
{
	return text.n > tail.n && memcmp(text.at + text.n - tail.n, tail.at, tail.n) == 0;
}

/* A step's number goes behind the name, but before what says how the file is
 * packed. */
static void put_path(struct buf *b, struct span outfile, int64_t step)
{
	struct span suffix = SPAN(".gz");

	if (span_equal(outfile, SPAN("-"))) {
		buf_span(b, outfile);
		return;
	}
	if (!ends_in(outfile, suffix))
		suffix.n = 0;
	buf_put(b, outfile.at, outfile.n - suffix.n);
	buf_char(b, '_');
	buf_int(b, step);
	buf_span(b, suffix);
}

static void put_box(struct buf *text, const char *path, bool perfetto)
{
	static const char stars[] = "******************************************************\n";

	buf_char(text, '\n');
	buf_text(text, stars);
	buf_text(text, "Timeline file is written to ");
	buf_text(text, path);
	buf_text(text,
		perfetto ? ".\nOpen https://ui.perfetto.dev and load the timeline file.\n"
			 : ".\nOpen a Chrome browser, enter URL chrome://tracing and load "
			   "the timeline file.\n");
	buf_text(text, stars);
}

static enum tfprof_status write_to(struct query *q, const char *path, struct buf *text,
	struct tfprof_error *err)
{
	struct sink out;
	enum tfprof_status status = sink_open(&out, path, SINK_BY_SUFFIX, err);

	if (status != TFPROF_OK)
		return status;
	if (q->kind == TFPROF_GRAPH)
		status = timeline_graph_write(q, &out, text, err);
	else
		status = timeline_flame_write(q, &out, err);
	if (status != TFPROF_OK) {
		sink_abandon(&out);
		return status;
	}
	return sink_commit(&out, err);
}

enum tfprof_status timeline_write(struct query *q, struct buf *text, struct tfprof_error *err)
{
	struct buf path = {0};
	enum tfprof_status status;

	put_path(&path, q->options->output.outfile, q->options->number[OPT_STEP]);
	status = path.failed ? error_no_memory(err) : write_to(q, path.at, text, err);
	if (status == TFPROF_OK && !span_equal(buf_get(&path), SPAN("-")))
		put_box(text, path.at, timeline_is_for_perfetto(q));
	buf_clear(&path);
	return status;
}
