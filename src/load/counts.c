#include "load/counts.h"

bool counts_is_unknown(const struct schema_message *type, uint32_t tag)
{
	for (uint32_t i = 0; i < type->n_fields; i++)
		if (type->fields[i].number == tag >> 3)
			return false;
	return true;
}

void counts_put(const struct load_counts *c, const char *name, const char *outside,
	struct buf *notes)
{
	const char *before = ": ";

	if (c->n_entries && !c->n_outside && !c->n_unknown && !c->n_dangling)
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
	if (c->n_dangling) {
		buf_printf(notes, "%s%zu input%s: ignored", before, c->n_dangling,
			c->n_dangling == 1 ? " of a node names no node"
					   : "s of nodes name no node");
		before = ", ";
	}
	if (c->n_unknown)
		buf_printf(notes, "%s%zu unknown field%s skipped", before, c->n_unknown,
			c->n_unknown == 1 ? "" : "s");
	buf_char(notes, '\n');
}
