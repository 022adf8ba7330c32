#include "load/xplane/hlo_text.h"

/* Where the opcode begins; the end if it is no such text. */
static size_t find_opcode(struct span text)
{
	size_t at = span_find(text, SPAN(" = "));
	int depth = 0;

	if (at == text.n)
		return text.n;
	for (at += 3; at < text.n && (depth || text.at[at] != ' '); at++) {
		depth += text.at[at] == '(' || text.at[at] == '{' || text.at[at] == '[';
		depth -= text.at[at] == ')' || text.at[at] == '}' || text.at[at] == ']';
	}
	return at < text.n ? at + 1 : text.n;
}

struct span hlo_text_name(struct span text)
{
	size_t n = span_find(text, SPAN(" = "));

	if (n == text.n)
		return text;
	return span_starts(text, SPAN("%")) ? (struct span){text.at + 1, n - 1}
					    : (struct span){text.at, n};
}

struct span hlo_text_opcode(struct span text)
{
	size_t at = find_opcode(text), end = at;

	while (end < text.n && text.at[end] != '(')
		end++;
	return end < text.n ? (struct span){text.at + at, end - at} : SPAN("");
}

struct span hlo_text_operand(struct span text)
{
	struct span rest = span_from(text, find_opcode(text)), name;
	size_t n = 0;

	name = span_from(rest, span_find(rest, SPAN("%")));
	if (!name.n)
		return SPAN("");
	name = span_from(name, 1);
	while (n < name.n && name.at[n] != ',' && name.at[n] != ')' && name.at[n] != ' ')
		n++;
	return (struct span){name.at, n};
}

enum transfer_direction hlo_text_direction(struct span text)
{
	size_t at = find_opcode(text);
	struct span opcode = hlo_text_opcode(text);

	if (!span_equal(opcode, SPAN("copy")) && !span_ends(opcode, SPAN("-done")))
		return GOES_UNKNOWN;
	if (span_contains((struct span){text.at, at}, SPAN("S(5)")))
		return GOES_TO_HOST;
	if (span_contains(span_from(text, at), SPAN("S(5)")))
		return GOES_TO_DEVICE;
	return span_starts(opcode, SPAN("copy")) ? GOES_WITHIN : GOES_UNKNOWN;
}
