#include "model/op_family.h"

#include <ctype.h>

const struct op_family_info op_families[] = {
#define X(id, name, title) {name, title},
	OP_FAMILIES(X)
#undef X
};

/* The first rule whose word is in the lower-cased type decides; `^` anchors a word at
 * the beginning, `$` at the end. */
static const struct rule {
	const char *word;
	enum op_family family;
} rules[] = {
	/* words that contain words of other families */
	{"resourceapply", FAMILY_VARIABLE},
	{"^apply", FAMILY_VARIABLE},
	{"sparseapply", FAMILY_VARIABLE},
	{"scatterupdate", FAMILY_VARIABLE},
	{"assign", FAMILY_VARIABLE},
	{"batchtospace", FAMILY_COPY},
	{"spacetobatch", FAMILY_COPY},
	{"broadcastgradientargs", FAMILY_CONTROL},
	{"collectivepermute", FAMILY_COMMUNICATION},
	{"collective-permute", FAMILY_COMMUNICATION},
	{"all-reduce", FAMILY_COMMUNICATION},
	{"allreduce", FAMILY_COMMUNICATION},
	{"all-gather", FAMILY_COMMUNICATION},
	{"allgather", FAMILY_COMMUNICATION},
	{"all-to-all", FAMILY_COMMUNICATION},
	{"alltoall", FAMILY_COMMUNICATION},
	{"reduce-scatter", FAMILY_COMMUNICATION},
	{"reducescatter", FAMILY_COMMUNICATION},
	{"nccl", FAMILY_COMMUNICATION},
	{"collective", FAMILY_COMMUNICATION},
	{"crossreplica", FAMILY_COMMUNICATION},
	{"^biasadd$", FAMILY_ELEMENT},
	{"rsqrt", FAMILY_ELEMENT},

	{"conv", FAMILY_MATRIX},
	{"matmul", FAMILY_MATRIX},
	{"einsum", FAMILY_MATRIX},
	{"^dot", FAMILY_MATRIX},
	{"gemm", FAMILY_MATRIX},
	{"cholesky", FAMILY_MATRIX},
	{"blocklstm", FAMILY_MATRIX},
	{"lstm", FAMILY_MATRIX},
	{"gru", FAMILY_MATRIX},
	{"cudnnrnn", FAMILY_MATRIX},
	{"attention", FAMILY_MATRIX},
	{"fft", FAMILY_MATRIX},
	{"triangular", FAMILY_MATRIX},

	{"batchnorm", FAMILY_REDUCTION},
	{"layernorm", FAMILY_REDUCTION},
	{"groupnorm", FAMILY_REDUCTION},
	{"^lrn", FAMILY_REDUCTION},
	{"pool", FAMILY_REDUCTION},
	{"softmax", FAMILY_REDUCTION},
	{"reduce", FAMILY_REDUCTION},
	{"^sum", FAMILY_REDUCTION},
	{"^mean", FAMILY_REDUCTION},
	{"^max$", FAMILY_REDUCTION},
	{"^min$", FAMILY_REDUCTION},
	{"^prod", FAMILY_REDUCTION},
	{"^all$", FAMILY_REDUCTION},
	{"^any$", FAMILY_REDUCTION},
	{"argm", FAMILY_REDUCTION},
	{"cumsum", FAMILY_REDUCTION},
	{"cumprod", FAMILY_REDUCTION},
	{"segment", FAMILY_REDUCTION},
	{"l2loss", FAMILY_REDUCTION},
	{"addn", FAMILY_REDUCTION},
	{"biasaddgrad", FAMILY_REDUCTION},
	{"topk", FAMILY_REDUCTION},
	{"sort", FAMILY_REDUCTION},
	{"moments", FAMILY_REDUCTION},

	{"^send", FAMILY_COMMUNICATION},
	{"^recv", FAMILY_COMMUNICATION},
	{"_send", FAMILY_COMMUNICATION},
	{"_recv", FAMILY_COMMUNICATION},
	{"_hostsend", FAMILY_COMMUNICATION},
	{"_hostrecv", FAMILY_COMMUNICATION},
	{"iterator", FAMILY_COMMUNICATION},
	{"dataset", FAMILY_COMMUNICATION},
	{"queue", FAMILY_COMMUNICATION},
	{"infeed", FAMILY_COMMUNICATION},
	{"outfeed", FAMILY_COMMUNICATION},
	{"decode", FAMILY_COMMUNICATION},
	{"readfile", FAMILY_COMMUNICATION},
	{"reader", FAMILY_COMMUNICATION},
	{"parseexample", FAMILY_COMMUNICATION},
	{"stage", FAMILY_COMMUNICATION},
	{"placeholder", FAMILY_COMMUNICATION},
	{"^_arg", FAMILY_COMMUNICATION},
	{"^_retval", FAMILY_COMMUNICATION},

	{"variable", FAMILY_VARIABLE},
	{"^varhandle", FAMILY_VARIABLE},
	{"save", FAMILY_VARIABLE},
	{"restore", FAMILY_VARIABLE},
	{"checkpoint", FAMILY_VARIABLE},
	{"random", FAMILY_VARIABLE},
	{"truncatednormal", FAMILY_VARIABLE},
	{"^rng", FAMILY_VARIABLE},

	{"^shape", FAMILY_CONTROL},
	{"^size$", FAMILY_CONTROL},
	{"^rank$", FAMILY_CONTROL},
	{"^noop", FAMILY_CONTROL},
	{"^no_op", FAMILY_CONTROL},
	{"switch", FAMILY_CONTROL},
	{"^merge", FAMILY_CONTROL},
	{"^enter", FAMILY_CONTROL},
	{"^exit", FAMILY_CONTROL},
	{"nextiteration", FAMILY_CONTROL},
	{"loopcond", FAMILY_CONTROL},
	{"while", FAMILY_CONTROL},
	{"conditional", FAMILY_CONTROL},
	{"^if$", FAMILY_CONTROL},
	{"^statelessif$", FAMILY_CONTROL},
	{"^case$", FAMILY_CONTROL},
	{"partitionedcall", FAMILY_CONTROL},
	{"^call$", FAMILY_CONTROL},
	{"controltrigger", FAMILY_CONTROL},
	{"assert", FAMILY_CONTROL},
	{"^const", FAMILY_CONTROL},
	{"^hostconst", FAMILY_CONTROL},
	{"^parameter", FAMILY_CONTROL},
	{"range", FAMILY_CONTROL},
	{"^iota", FAMILY_CONTROL},
	{"^gradient", FAMILY_CONTROL},
	{"merge_summary", FAMILY_CONTROL},
	{"summary", FAMILY_CONTROL},

	{"reshape", FAMILY_COPY},
	{"transpose", FAMILY_COPY},
	{"concat", FAMILY_COPY},
	{"split", FAMILY_COPY},
	{"slice", FAMILY_COPY},
	{"gather", FAMILY_COPY},
	{"scatter", FAMILY_COPY},
	{"^pad", FAMILY_COPY},
	{"mirrorpad", FAMILY_COPY},
	{"^tile", FAMILY_COPY},
	{"broadcast", FAMILY_COPY},
	{"pack", FAMILY_COPY},
	{"squeeze", FAMILY_COPY},
	{"expanddims", FAMILY_COPY},
	{"expand_dims", FAMILY_COPY},
	{"identity", FAMILY_COPY},
	{"copy", FAMILY_COPY},
	{"memcpy", FAMILY_COPY},
	{"memset", FAMILY_COPY},
	{"snapshot", FAMILY_COPY},
	{"bitcast", FAMILY_COPY},
	{"^fill", FAMILY_COPY},
	{"zeroslike", FAMILY_COPY},
	{"oneslike", FAMILY_COPY},
	{"onehot", FAMILY_COPY},
	{"reverse", FAMILY_COPY},
	{"stopgradient", FAMILY_COPY},
	{"preventgradient", FAMILY_COPY},
	{"tensorlist", FAMILY_COPY},
	{"tensorarray", FAMILY_COPY},
	{"dynamicstitch", FAMILY_COPY},
	{"dynamicpartition", FAMILY_COPY},
	{"^where$", FAMILY_COPY},
	{"tuple", FAMILY_COPY},
	{"spacetodepth", FAMILY_COPY},
	{"depthtospace", FAMILY_COPY},
	{"roll", FAMILY_COPY},
	{"resize", FAMILY_COPY},
};

enum { OP_MAX = 128 };

static bool matches(struct span op, const char *word)
{
	bool from_start = *word == '^', to_end;
	struct span w = span_of(word + from_start);

	to_end = w.n && w.at[w.n - 1] == '$';
	w.n -= to_end;
	if (from_start && to_end)
		return span_equal(op, w);
	return from_start ? span_starts(op, w) : span_contains(op, w);
}

enum op_family op_get_family(struct span op)
{
	char lower[OP_MAX];
	struct span type = {lower, op.n < OP_MAX ? op.n : OP_MAX};

	for (size_t i = 0; i < type.n; i++)
		lower[i] = (char)tolower((unsigned char)op.at[i]);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (matches(type, rules[i].word))
			return rules[i].family;
	return FAMILY_ELEMENT;
}
