/* Collapsed stacks, as flamegraph.pl, difffolded.pl and speedscope read them: a line for
 * each row that has something of its own.
 *
 *     layer1;conv;Conv2D 1234
 */
#include "base/visible.h"
#include "write/stack_rows.h"

void collapsed_refuse(const struct query *q, struct buf *why)
{
	stack_refuse(q, "collapsed", why);
}

/* A semicolon would end the frame. */
static void put_frame(struct buf *b, struct span name)
{
	size_t from = b->n;

	visible_put(b, name);
	for (size_t i = from; i < b->n; i++)
		if (b->at[i] == ';')
			b->at[i] = ':';
}

/* The stack of each row is that of its parent and its own frame. */
static void put_stack(struct buf *line, size_t *ends, const struct query *q, uint32_t row)
{
	line->n = ends[q->parent[row]];
	if (line->n)
		buf_char(line, ';');
	put_frame(line, stack_frame(q, row));
	ends[row] = line->n;
}

enum tfprof_status collapsed_write(const struct writing *w, struct tfprof_error *err)
{
	struct query *q = w->q;
	enum metric metric = stack_metric(q->options);
	int64_t *weights = metric < N_METRICS ? stack_weights(q, metric) : NULL;
	size_t *ends = arena_zero(&q->arena, q->n, sizeof(*ends));
	struct buf line = {0};
	bool failed = !weights || !ends;

	for (uint32_t i = 1; !failed && i < q->n && !query_cancelled(q); i++) {
		put_stack(&line, ends, q, i);
		failed = line.failed;
		if (weights[i] <= 0)
			continue;
		sink_span(w->out, buf_get(&line));
		sink_char(w->out, ' ');
		sink_int(w->out, weights[i]);
		sink_char(w->out, '\n');
	}
	buf_clear(&line);
	return failed ? error_no_memory(err) : TFPROF_OK;
}
