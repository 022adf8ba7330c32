/* Locates a node in the model and in the user's program. */
#include "advise/advise.h"
#include "model/gradient.h"
#include "model/trace.h"

/* The innermost frame of the user's own code or, if there is none, of all. */
static struct span line_of(struct check *c, struct span trace, bool gradient)
{
	frames_vec frames = {0};
	struct buf text = {0};
	struct span line = {"", 0};
	size_t i;

	/* Code view reports a damaged stack; here it is ignored. */
	if (trace_read(c->model, trace, &frames, NULL) == TFPROF_OK && frames.n) {
		for (i = frames.n; i-- > 0;)
			if (!frame_is_library(frames.at[i].file))
				break;
		code_put_label(&text, &frames.at[i < frames.n ? i : frames.n - 1],
			c->options->number[OPT_SOURCE_LINES], gradient);
		line = check_copy(c, buf_get(&text));
	}
	c->advice->failed |= text.failed;
	vec_clear(&frames);
	buf_clear(&text);
	return line;
}

struct place check_node(struct check *c, uint32_t node)
{
	const struct model *m = c->model;
	struct buf scratch = {0};
	struct gradient g;
	bool is_gradient = gradient_parse(model_name(m, node), &g);
	uint32_t maker = is_gradient ? gradient_find_forward(m, &g, &scratch) : NONE;
	struct place place = {.device = model_text(m, m->nodes.device[node]),
		.node = model_name(m, node),
		.op = model_text(m,
			c->advice->as_tensorflow ? m->nodes.op[node] : model_executed(m, node))};

	if (maker != NONE && model_trace(m, maker).n)
		place.line = line_of(c, model_trace(m, maker), true);
	else if (model_trace(m, node).n)
		place.line = line_of(c, model_trace(m, node),
			is_gradient && gradient_has_forward_stack(&g));
	buf_clear(&scratch);
	return place;
}

void place_put(struct buf *b, const struct place *place)
{
	buf_span(b, place->node);
	if (place->line.n) {
		buf_text(b, " (");
		buf_span(b, place->line);
		buf_char(b, ')');
	}
}
