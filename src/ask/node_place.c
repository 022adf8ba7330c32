#include "ask/node_place.h"

/* Parts of names that TensorFlow's optimizers of graphs add:
 * planted/ArithmeticOptimizer/ReplaceMulWithBroadcastByTile_Tile_mul was planted/mul. */
static bool is_optimizer(struct span part)
{
	return part.n > 9 && span_equal((struct span){part.at + part.n - 9, 9}, SPAN("Optimizer"));
}

/* The scope in front of the last part, or of an optimizer's. */
static struct span scope_of(struct span name, bool *is_rewritten)
{
	size_t start = 0, last = 0;

	*is_rewritten = false;
	for (size_t i = 0; i < name.n; i++) {
		if (name.at[i] != '/')
			continue;
		*is_rewritten = is_optimizer((struct span){name.at + start, i - start});
		if (*is_rewritten)
			return (struct span){name.at, start ? start - 1 : 0};
		last = i;
		start = i + 1;
	}
	return (struct span){name.at, last};
}

void node_put_scope(const struct model *m, uint32_t node, struct buf *b)
{
	bool is_rewritten;
	struct span scope = scope_of(model_name(m, node), &is_rewritten);

	if (scope.n)
		buf_span(b, scope);
	else
		buf_text(b, "(no scope)");
}

uint32_t node_find_rewritten(const struct model *m, uint32_t node, struct buf *scratch)
{
	struct span name = model_name(m, node), last = span_after_last(name, '/'), scope;
	bool is_rewritten;
	uint32_t found = NONE;

	scope = scope_of(name, &is_rewritten);
	for (size_t i = 0; is_rewritten && found == NONE && i < last.n; i++) {
		if (last.at[i] != '_')
			continue;
		scratch->n = 0;
		buf_span(scratch, scope);
		if (scope.n)
			buf_char(scratch, '/');
		buf_span(scratch, (struct span){last.at + i + 1, last.n - i - 1});
		found = scratch->failed ? NONE : model_find_node(m, buf_get(scratch));
	}
	scratch->n = 0;
	return found;
}
