#include "model/transfer.h"

#include <stdlib.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/clamped.h"
#include "proto/step_stats.h"
#include "proto/tensor_description.h"

/* Reads "1.5MB" or "2048B", from the brackets of a label; -1 if it is no size.
 * TensorFlow's KB is 1024 bytes. */
static int64_t read_size(struct span text)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = {
		{"B", 1},
		{"KB", 1024},
		{"MB", 1024.0 * 1024},
		{"GB", 1024.0 * 1024 * 1024},
		{"KiB", 1024},
		{"MiB", 1024.0 * 1024},
		{"GiB", 1024.0 * 1024 * 1024},
	};
	double value = 0, place = 1;
	bool point = false;
	size_t i = 0;

	for (; i < text.n && ((text.at[i] >= '0' && text.at[i] <= '9') || text.at[i] == '.'); i++) {
		if (text.at[i] == '.') {
			point = true;
			continue;
		}
		if (point)
			place /= 10;
		value = point ? value + place * (text.at[i] - '0')
			      : value * 10 + (text.at[i] - '0');
	}
	if (!i)
		return -1;
	for (size_t k = 0; k < sizeof(units) / sizeof(*units); k++)
		if (span_equal((struct span){text.at + i, text.n - i}, span_of(units[k].suffix)))
			return to_int(value * units[k].factor + 0.5);
	return -1;
}

/* Removes a leading "[…] ". */
static bool take_bracket(struct span *label, struct span *inside)
{
	const char *close;

	if (!label->n || label->at[0] != '[')
		return false;
	close = memchr(label->at, ']', label->n);
	if (!close)
		return false;
	*inside = (struct span){label->at + 1, (size_t)(close - label->at - 1)};
	label->n -= (size_t)(close + 1 - label->at);
	label->at = close + 1;
	while (label->n && label->at[0] == ' ')
		*label = span_from(*label, 1);
	return true;
}

/* The position of the last `word`, or text.n. */
static size_t find_last(struct span text, struct span word)
{
	for (size_t i = text.n; i-- > 0;)
		if (text.n - i >= word.n && memcmp(text.at + i, word.at, word.n) == 0)
			return i;
	return text.n;
}

/* "edge_15_w/read" is output w/read. */
static struct span tensor_of(struct span edge)
{
	struct span head = SPAN("edge_");
	size_t i = head.n;

	if (edge.n <= head.n || memcmp(edge.at, head.at, head.n) != 0)
		return edge;
	i += ascii_leading_digits(span_from(edge, i));
	if (i == head.n || i == edge.n || edge.at[i] != '_')
		return edge;
	return (struct span){edge.at + i + 1, edge.n - i - 1};
}

/* "[1.0MB] [3.0Gb/s] edge_8_w/read from DEVICE to DEVICE" */
static void read_label(struct transfer_entry *t, struct span label)
{
	struct span from = SPAN(" from "), to = SPAN(" to "), inside;
	size_t at;

	while (take_bracket(&label, &inside))
		if (!t->bytes && read_size(inside) > 0)
			t->bytes = read_size(inside);
	at = find_last(label, to);
	if (at == label.n)
		return;
	t->to = (struct span){label.at + at + to.n, label.n - at - to.n};
	label.n = at;
	at = find_last(label, from);
	if (at == label.n) {
		t->to = (struct span){"", 0};
		return;
	}
	t->from = (struct span){label.at + at + from.n, label.n - at - from.n};
	t->tensor = tensor_of((struct span){label.at, at});
}

/* Reads "… 4096 bytes …", the label of a copy. */
static int64_t read_bytes_word(struct span label)
{
	size_t at = span_find(label, SPAN(" bytes")), start = at;

	if (at == label.n)
		return 0;
	while (start && label.at[start - 1] >= '0' && label.at[start - 1] <= '9')
		start--;
	if (start == at || at - start > 18)
		return 0;
	return (int64_t)strtoll(label.at + start, NULL, 10);
}

static enum transfer_kind kind_of(struct span name, struct span label, bool is_copy)
{
	static const struct {
		const char *word;
		enum transfer_kind kind;
	} words[] = {
		{"MEMCPYHtoD", TRANSFER_TO_DEVICE},
		{"MEMCPYDtoH", TRANSFER_TO_HOST},
		{"MEMCPY", TRANSFER_ON_DEVICE},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (span_contains(name, span_of(words[i].word)))
			return words[i].kind;
	for (size_t i = 0; is_copy && i < sizeof(words) / sizeof(*words); i++)
		if (span_contains(label, span_of(words[i].word)))
			return words[i].kind;
	return is_copy ? TRANSFER_COPY : TRANSFER_TENSOR;
}

bool transfer_is_copy(struct span type, enum transfer_kind *kind)
{
	static const struct {
		const char *start;
		enum transfer_kind kind;
	} types[] = {
		{"MemcpyH2D", TRANSFER_TO_DEVICE},
		{"MemcpyHtoD", TRANSFER_TO_DEVICE},
		{"MemcpyD2H", TRANSFER_TO_HOST},
		{"MemcpyDtoH", TRANSFER_TO_HOST},
		{"Memcpy", TRANSFER_ON_DEVICE},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		size_t n = strlen(types[i].start);

		if (type.n < n || strncasecmp(type.at, types[i].start, n) != 0)
			continue;
		*kind = types[i].kind;
		return true;
	}
	return false;
}

bool transfer_crosses_bus(const struct transfer_entry *t)
{
	return t->kind == TRANSFER_TO_DEVICE || t->kind == TRANSFER_TO_HOST ||
		t->kind == TRANSFER_COPY;
}

struct transfer_entry transfer_read(struct span stats, bool is_copy)
{
	struct node_exec_stats read = node_exec_stats(stats);
	struct decoder d = {0};
	struct wire_field f;
	struct transfer_entry t = {.tensor = {"", 0}, .from = {"", 0}, .to = {"", 0}};
	int64_t duration;

	while (node_exec_stats_next(&d, &read, &f))
		if (f.tag == WIRE_LEN(NODE_EXEC_STATS_OUTPUT)) {
			struct node_output output;

			node_output_read(&d, f.bytes, &output, NULL);
			if (output.tensor.requested_bytes > 0)
				add_clamped(&t.bytes, output.tensor.requested_bytes);
		}
	t.name = read.node_name;
	t.kind = kind_of(t.name, read.timeline_label, is_copy);
	if (t.kind == TRANSFER_TENSOR)
		read_label(&t, read.timeline_label);
	else if (!t.bytes)
		t.bytes = read_bytes_word(read.timeline_label);
	t.start_us = read.all_start_micros;
	duration = read.op_end_rel_micros;
	if (duration < 1)
		duration = 1;
	if (t.start_us <= 0 || __builtin_add_overflow(t.start_us, duration, &t.end_us))
		t.start_us = t.end_us = 0;
	return t;
}
