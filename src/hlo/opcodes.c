#include "hlo/opcodes.h"

static const struct span texts[] = {
#define X(id, text, rule) {text, sizeof(text) - 1},
	HLO_OPCODES(X)
#undef X
};

enum hlo_opcode hlo_opcode_find(struct span text)
{
	size_t from = 0, to = HLO_OTHER;

	while (from < to) {
		size_t middle = (from + to) / 2;
		int order = span_compare(text, texts[middle]);

		if (!order)
			return (enum hlo_opcode)middle;
		if (order < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return HLO_OTHER;
}
