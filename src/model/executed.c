#include "model/executed.h"

uint32_t executed_make_types(struct sets *sets, const struct strings *strings, uint32_t types,
	uint32_t without, uint32_t executed)
{
	if (without)
		types = sets_without(sets, types, without);
	return types == NONE ? NONE : sets_with(sets, strings, types, executed);
}

bool executed_add(struct model *m, uint32_t node, struct span type)
{
	struct nodes *nodes = &m->nodes;
	bool same = span_equal(type, model_text(m, nodes->op[node]));
	uint32_t string, types, without;

	if (same ? !nodes->executed[node]
		 : nodes->executed[node] && span_equal(type, model_text(m, nodes->executed[node])))
		return true;
	string = same ? 0 : strings_add(&m->strings, type);
	if (string == NONE)
		return false;
	if (!same) {
		without = nodes->flags[node] & NODE_UNDEFINED ? nodes->op[node] : 0;
		types = executed_make_types(&m->sets, &m->strings, model_types(m, node), without,
			string);
		if (types == NONE)
			return false;
		nodes->executed_types[node] = types;
		m->has_executed = true;
	}
	if (nodes->executed[node] != string)
		nodes->flags[node] |= NODE_CHANGED;
	nodes->executed[node] = string;
	return true;
}

/* The operation that oneDNN's kernels implement: "MatMul" for "_MklNativeMatMul". */
static struct span without_prefix(struct span type)
{
	static const char *const prefixes[] = {"_MklNative", "_Mkl"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (span_starts(type, span_of(prefixes[i]))) {
			size_t n = strlen(prefixes[i]);

			return (struct span){type.at + n, type.n - n};
		}
	return type;
}

bool executed_is_other(const struct model *m, uint32_t node)
{
	struct span op = model_text(m, model_op(m, node));
	struct span executed = model_text(m, model_executed(m, node));

	return !span_equal(op, executed) && !span_equal(op, without_prefix(executed));
}
