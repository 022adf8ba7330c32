#include "load/xplane/join.h"

/* The length of a call that a name begins with, "PartitionedCall_3/"; 0 if it begins with
 * none. */
static size_t call_length(struct span name)
{
	static const char *const calls[] = {"StatefulPartitionedCall", "PartitionedCall"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		size_t n = strlen(calls[i]);

		if (!span_starts(name, span_of(calls[i])))
			continue;
		if (n < name.n && name.at[n] == '_')
			for (n++; n < name.n && name.at[n] >= '0' && name.at[n] <= '9'; n++)
				;
		if (n < name.n && name.at[n] == '/')
			return n + 1;
	}
	return 0;
}

uint32_t join_find(const struct model *m, struct span name)
{
	size_t n;

	while ((n = call_length(name))) {
		uint32_t node;

		name.at += n;
		name.n -= n;
		node = model_find_node(m, name);
		if (node != NONE)
			return node;
	}
	return NONE;
}
