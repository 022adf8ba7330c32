#include "load/counts.h"

bool counts_has_ignored(const struct load_counts *c)
{
	return c->n_outside || c->n_dangling || c->n_nameless || c->n_unread ||
		c->fields.n_unknown || c->fields.n_mistyped;
}

void counts_put_phrase(struct buf *notes, const char **before, size_t n, const char *one,
	const char *several)
{
	if (!n)
		return;
	buf_printf(notes, "%s%zu %s", *before, n, n == 1 ? one : several);
	*before = ", ";
}

void counts_put(const struct load_counts *c, const char *name, const char *outside,
	struct buf *notes)
{
	const char *before = ": ";

	if (c->n_entries && !counts_has_ignored(c))
		return;
	buf_text(notes, name);
	if (!c->n_entries) {
		buf_printf(notes, "%sit names no node", before);
		before = ", ";
	}
	if (c->n_outside) {
		buf_printf(notes, "%s%zu of %zu entries name no node of the graph: %s", before,
			c->n_outside, c->n_entries, outside);
		before = ", ";
	}
	counts_put_phrase(notes, &before, c->n_dangling, "input of a node names no node: ignored",
		"inputs of nodes name no node: ignored");
	counts_put_phrase(notes, &before, c->n_nameless, "node or device without a name",
		"nodes or devices without names");
	counts_put_phrase(notes, &before, c->n_unread, "implausible event", "implausible events");
	counts_put_phrase(notes, &before, c->fields.n_mistyped,
		"field with the wrong wire type skipped",
		"fields with the wrong wire type skipped");
	counts_put_phrase(notes, &before, c->fields.n_unknown, "unknown field skipped",
		"unknown fields skipped");
	buf_char(notes, '\n');
}
