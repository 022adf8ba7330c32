#include "write/timeline.h"

/* As in TensorFlow's profiler. */
void timeline_refuse(const struct query *q, struct buf *why)
{
	if (q->kind == TFPROF_OP && q->options->tolerant)
		buf_text(why,
			"op view doesn't support timeline yet. "
			"Consider graph/scope/code view.");
}

void timeline_announce(const struct query *q, const char *path, struct buf *text)
{
	static const char stars[] = "******************************************************\n";

	buf_char(text, '\n');
	buf_text(text, stars);
	buf_text(text, "Timeline file is written to ");
	buf_text(text, path);
	buf_text(text,
		timeline_is_for_perfetto(q)
			? ".\nOpen https://ui.perfetto.dev and load the timeline file.\n"
			: ".\nOpen a Chrome browser, enter URL chrome://tracing and load "
			  "the timeline file.\n");
	buf_text(text, stars);
}

enum tfprof_status timeline_write(const struct writing *w, struct tfprof_error *err)
{
	switch (w->q->kind) {
	case TFPROF_GRAPH: return timeline_graph_write(w->q, w->out, w->text, err);
	case TFPROF_OP: return timeline_op_write(w->q, w->out, w->text, err);
	default: return timeline_flame_write(w->q, w->out, err);
	}
}
