/* The ids of attribute names, and operation types with the names of their outputs. */
#include "load/op_graph.h"

/* ---- attribute names ------------------------------------------------------------ */

static unsigned attr_hash(struct span name)
{
	unsigned h = (unsigned)name.n * 37;

	h += (unsigned char)name.at[0] * 11u + (unsigned char)name.at[name.n - 1] * 5u +
		(unsigned char)name.at[name.n / 2] * 3u;
	return h % 512;
}

static const struct span attr_names[] = {
#define X(name) {#name, sizeof(#name) - 1},
	ATTRS(X)
#undef X
};

_Static_assert(N_ATTRS < 255, "a slot is a byte");

void op_library_index_attrs(struct op_library *l)
{
	for (unsigned i = 0; i < N_ATTRS; i++) {
		unsigned at = attr_hash(attr_names[i]);

		while (l->attr_slots[at])
			at = (at + 1) % 512;
		l->attr_slots[at] = (uint8_t)(i + 1);
	}
}

enum attr_id op_library_find_attr(const struct op_library *l, struct span name)
{
	unsigned at;

	if (!name.n)
		return N_ATTRS;
	for (at = attr_hash(name); l->attr_slots[at]; at = (at + 1) % 512)
		if (span_equal(attr_names[l->attr_slots[at] - 1], name))
			return (enum attr_id)(l->attr_slots[at] - 1);
	return N_ATTRS;
}

/* ---- operation types ------------------------------------------------------------ */

/* Outputs of types that have several, for files without OpDefs. */
static const struct {
	const char *type, *outputs;
} known_outputs[] = {
	{"FusedBatchNorm", "y batch_mean batch_variance reserve_space_1 reserve_space_2"},
	{"FusedBatchNormV2", "y batch_mean batch_variance reserve_space_1 reserve_space_2"},
	{"FusedBatchNormV3",
		"y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3"},
	{"FusedBatchNormGradV3",
		"x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5"},
	{"TopKV2", "values indices"},
	{"Unique", "y idx"},
	{"UniqueV2", "y idx"},
	{"UniqueWithCounts", "y idx count"},
	{"Switch", "output_false output_true"},
	{"RefSwitch", "output_false output_true"},
	{"Merge", "output value_index"},
	{"RefMerge", "output value_index"},
	{"SoftmaxCrossEntropyWithLogits", "loss backprop"},
	{"SparseSoftmaxCrossEntropyWithLogits", "loss backprop"},
	{"MaxPoolWithArgmax", "output argmax"},
	{"TensorListPopBack", "output_handle tensor"},
	{"TensorArrayV3", "handle flow"},
	{"BroadcastGradientArgs", "r0 r1"},
	{"QuantizeV2", "output output_min output_max"},
	{"NonMaxSuppressionV4", "selected_indices valid_outputs"},
	{"NonMaxSuppressionV5", "selected_indices selected_scores valid_outputs"},
	{"StatelessRandomGetKeyCounter", "key counter"},
};

static void use_known_outputs(struct op_kind *kind)
{
	for (size_t i = 0; i < sizeof(known_outputs) / sizeof(*known_outputs); i++) {
		const char *word = known_outputs[i].outputs;

		if (!span_equal(span_of(known_outputs[i].type), kind->type.name))
			continue;
		while (*word) {
			size_t n = strcspn(word, " ");

			kind->sizes[kind->n_outputs] = N_ATTRS;
			kind->outputs[kind->n_outputs++] = (struct span){word, n};
			word += n + (word[n] == ' ');
		}
	}
}

static void read_output_arg(struct op_library *l, struct op_kind *kind, struct span arg)
{
	struct wire_reader r = wire_reader(arg);
	struct wire_field f;

	if (kind->n_outputs == OP_MAX_OUTPUT_ARGS)
		return;
	kind->sizes[kind->n_outputs] = N_ATTRS;
	kind->outputs[kind->n_outputs] = (struct span){"", 0};
	while (decoder_next(&l->decoder, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(OP_DEF_ARG_DEF_NAME): kind->outputs[kind->n_outputs] = f.bytes; break;
		case WIRE_LEN(OP_DEF_ARG_DEF_NUMBER_ATTR):
		case WIRE_LEN(OP_DEF_ARG_DEF_TYPE_LIST_ATTR):
			kind->sizes[kind->n_outputs] = op_library_find_attr(l, f.bytes);
			break;
		}
	kind->n_outputs++;
}

static void read_op_def(struct op_library *l, struct op_kind *kind)
{
	struct wire_reader r = wire_reader(kind->type.definition);
	struct wire_field f;

	while (decoder_find(&l->decoder, &r, WIRE_LEN(OP_DEF_OUTPUT_ARG), &f))
		read_output_arg(l, kind, f.bytes);
}

struct named {
	const struct op_library *library;
	struct span name;
};

static bool same_kind(const void *context, uint32_t id)
{
	const struct named *n = context;

	return span_equal(n->library->kinds.at[id]->type.name, n->name);
}

struct span op_def_name(struct span def)
{
	struct decoder d = {0};
	struct wire_reader r = wire_reader(def);
	struct wire_field f;

	return decoder_find(&d, &r, WIRE_LEN(OP_DEF_NAME), &f) ? f.bytes : (struct span){"", 0};
}

static bool same_op_def(const void *context, uint32_t id)
{
	const struct named *n = context;

	return span_equal(op_def_name(n->library->op_defs.at[id]), n->name);
}

void op_library_add_op_defs(struct op_library *l, struct span list)
{
	struct wire_reader r = wire_reader(list);
	struct wire_field f;

	while (decoder_find(&l->decoder, &r, WIRE_LEN(OP_LIST_OP), &f)) {
		struct span name = op_def_name(f.bytes);
		struct named n = {l, name};
		uint64_t hash = hash_bytes(name.at, name.n);

		if (hash_find(&l->op_def_index, hash, same_op_def, &n) != NONE)
			continue;
		if (!decoder_alloc(&l->decoder,
			    vec_push(&l->op_defs, f.bytes) &&
				    hash_add(&l->op_def_index, hash, (uint32_t)l->op_defs.n - 1)))
			return;
	}
}

struct op_kind *op_library_get_kind(struct op_library *l, struct span name)
{
	struct named n = {l, name};
	uint64_t hash = hash_bytes(name.at, name.n);
	uint32_t id = hash_find(&l->kind_index, hash, same_kind, &n), def;
	struct op_kind *kind;

	if (id != NONE)
		return l->kinds.at[id];
	kind = arena_zero(&l->arena, 1, sizeof(*kind));
	if (!kind || !vec_push(&l->kinds, kind) ||
		!hash_add(&l->kind_index, hash, (uint32_t)l->kinds.n - 1))
		return NULL;
	kind->type.name = name;
	kind->type.id = (uint32_t)l->kinds.n - 1;
	kind->type.rule = op_find_rule(name);
	def = hash_find(&l->op_def_index, hash, same_op_def, &n);
	if (def != NONE) {
		kind->type.definition = l->op_defs.at[def];
		read_op_def(l, kind);
	} else {
		use_known_outputs(kind);
	}
	return kind;
}
