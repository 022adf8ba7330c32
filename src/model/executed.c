#include "model/executed.h"

#include "base/ascii.h"

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

bool executed_place(struct model *m, uint32_t node, uint32_t device)
{
	uint32_t types = sets_with(&m->sets, &m->strings, model_types(m, node), device);

	if (types == NONE)
		return false;
	m->nodes.placed[node] = device;
	m->nodes.executed_types[node] = types;
	m->has_executed = true;
	return true;
}

bool executed_ran_on(struct model *m, uint32_t node, uint32_t device, uint32_t host_device)
{
	struct nodes *nodes = &m->nodes;
	uint32_t types = nodes->executed_types[node];

	if (types && nodes->placed[node])
		types = sets_without(&m->sets, types, nodes->placed[node]);
	if (types == NONE)
		return false;
	nodes->executed_types[node] = types == nodes->types[node] ? 0 : types;
	nodes->device[node] = device;
	nodes->host_device[node] = host_device;
	return model_add_type(m, node, device);
}

/* Whether a kernel is one of this operation: "_MklNativeFusedConv2D" of "Conv2D". What comes
 * before and after its name says how it is done, or with what else. */
bool executed_is_fused_of(struct span kernel, struct span type)
{
	static const char *const words[] = {"_", "Mkl", "Native", "Fused", "Quantized", "PadWith"};
	size_t n_words = sizeof(words) / sizeof(*words), i = 0;

	/* "V3" of the type */
	if (type.n > 2 && type.at[type.n - 2] == 'V' &&
		ascii_leading_digits(span_from(type, type.n - 1)))
		type.n -= 2;
	while (i < n_words && type.n) {
		struct span word = span_of(words[i++]);

		if (span_starts(kernel, type)) {
			struct span rest = span_from(kernel, type.n);

			return !(rest.n && rest.at[0] >= 'a' && rest.at[0] <= 'z') &&
				!span_starts(rest, SPAN("Backprop")) &&
				!span_starts(rest, SPAN("Grad"));
		}
		if (span_starts(kernel, word)) {
			kernel = span_from(kernel, word.n);
			i = 0;
		}
	}
	return false;
}

bool executed_is_fused(struct span kernel, struct span type)
{
	if (!span_starts(kernel, SPAN("_")))
		return false;
	return span_find(kernel, SPAN("Fused")) < kernel.n ||
		span_equal(kernel, SPAN("_UnaryOpsComposition")) ||
		(span_starts(kernel, SPAN("_Mkl")) && !executed_is_fused_of(kernel, type));
}

bool executed_is_other(const struct model *m, uint32_t node)
{
	struct span op = model_text(m, model_op(m, node));
	struct span executed = model_text(m, model_executed(m, node));

	return !span_equal(op, executed) &&
		!(span_starts(executed, SPAN("_")) && executed_is_fused_of(executed, op));
}
