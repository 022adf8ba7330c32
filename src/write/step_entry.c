#include "write/step_entry.h"

#include "base/clamped.h"
#include "proto/step_stats.h"
#include "proto/timeline_label.h"

struct step_entry step_entry_read(struct decoder *d, struct span message)
{
	struct node_exec_stats stats = node_exec_stats(message);
	struct step_entry entry = {.message = message};
	struct wire_field f;

	while (node_exec_stats_next(d, &stats, &f))
		;
	entry.node_name = stats.node_name;
	entry.label = stats.timeline_label;
	entry.start = stats.all_start_micros;
	entry.duration = stats.all_end_rel_micros;
	entry.end = clamped_sum(entry.start, entry.duration);
	return entry;
}

/* Parses `node:Type` in the entry's name, or in its label between @@ and #. */
static void parse_kernel(const struct step_entry *entry, struct step_operation *op)
{
	struct span name = entry->node_name, label = entry->label;
	size_t at = span_find(label, SPAN("@@")), hash = span_find(label, SPAN("#")), colon;

	if (hash < label.n && hash > at + 2)
		name = (struct span){label.at + at + 2, hash - at - 2};
	colon = span_find(name, SPAN(":"));
	op->node = (struct span){name.at, colon};
	if (colon == name.n)
		return;
	name = (struct span){name.at + colon + 1, name.n - colon - 1};
	op->type = (struct span){name.at, span_find(name, SPAN(":"))};
}

static void parse_label(struct span label, struct step_operation *op)
{
	struct timeline_label read;

	if (!timeline_label_read(label, &read))
		return;
	op->type = read.type;
	op->inputs = read.inputs;
}

struct step_operation step_entry_get_operation(const struct step_entry *entry,
	enum device_kind device)
{
	struct step_operation op = {.node = entry->node_name, .type = SPAN("unknown")};

	if (device == DEVICE_KIND_STREAM || device == DEVICE_KIND_COPY_ENGINE)
		parse_kernel(entry, &op);
	else if (span_equal(entry->node_name, SPAN("RecvTensor")))
		op.type = entry->node_name;
	else
		parse_label(entry->label, &op);
	return op;
}

bool step_next_input(struct span *inputs, struct span *input)
{
	size_t n;

	if (!inputs->at)
		return false;
	n = span_find(*inputs, SPAN(", "));
	*input = (struct span){inputs->at, n};
	if (n < inputs->n)
		*inputs = (struct span){inputs->at + n + 2, inputs->n - n - 2};
	else
		*inputs = (struct span){0};
	return true;
}
