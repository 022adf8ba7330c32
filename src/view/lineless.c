#include "view/lineless.h"

#include "model/executed.h"

const char *const lineless_labels[N_LINELESS] = {
#define X(id, label) label,
	LINELESS_KINDS(X)
#undef X
};

static bool starts_with_one(struct span text, const char *const *heads)
{
	for (; *heads; heads++)
		if (span_starts(text, span_of(*heads)))
			return true;
	return false;
}

/* What hands batches over. */
static bool is_input(struct span type)
{
	static const char *const heads[] = {"Iterator", "Optional", "MultiDeviceIterator",
		"OneShotIterator", "MakeIterator", "AnonymousIterator", "Dataset", NULL};

	return starts_with_one(type, heads) || span_ends(type, SPAN("Dataset"));
}

/* Calls and transfers that TensorFlow makes itself, and what a compiler adds. */
static bool is_of_framework(struct span name, struct span type)
{
	static const char *const heads[] = {"__inference_", "__forward_", "__backward_", "_Send",
		"_Recv", "_HostSend", "_HostRecv", "_Arg", "_Retval", "_DeviceArg", "_DeviceRetval",
		"Memcpy", "XLA_", "a_inference_", "NoOp", NULL};

	return starts_with_one(type, heads) || starts_with_one(name, heads) ||
		(type.n && type.at[0] >= 'a' && type.at[0] <= 'z');
}

/* TensorFlow records no name of an eager operation, only its type. */
enum lineless lineless_of(const struct model *m, uint32_t node)
{
	struct span name = model_name(m, node), type = model_text(m, model_op(m, node));

	if (is_input(type))
		return LINELESS_INPUT;
	if (is_of_framework(name, type))
		return LINELESS_FRAMEWORK;
	return span_equal(name, type) && !m->nodes.source[node].bits ? LINELESS_EAGER
								     : LINELESS_OTHER;
}

bool lineless_is_frame(const struct frame *frame)
{
	for (int i = 0; i < N_LINELESS; i++)
		if (frame->function.at == lineless_labels[i])
			return true;
	return false;
}
