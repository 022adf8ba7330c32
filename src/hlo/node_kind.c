#include "hlo/node_kind.h"

#include <ctype.h>

#include "base/clamped.h"
#include "count/ops.h"
#include "model/op_family.h"

/* Whether one of some words, separated by '|', is in a text of small letters. */
static bool has_word(const char *lower, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, "|");

		if (memmem(lower, strlen(lower), words, n))
			return true;
		words += n + (words[n] == '|');
	}
	return false;
}

/* Of types of TensorFlow, which have no instructions. */
static enum hlo_kind kind_of_family(struct span type)
{
	const char *picks = "gather|scatter|sort|topk";
	const struct op_rule *rule = op_find_rule(type);
	char lower[64] = "";

	for (size_t i = 0; i < type.n && i < sizeof(lower) - 1; i++)
		lower[i] = (char)tolower((unsigned char)type.at[i]);
	switch (op_get_family(type)) {
	case FAMILY_MATRIX:
		return has_word(lower, "cholesky|fft|triangular") ? HLO_KIND_OTHER
			: has_word(lower, "attention")            ? HLO_KIND_CUSTOM
			: has_word(lower, "conv")                 ? HLO_KIND_CONVOLUTION
								  : HLO_KIND_MATMUL;
	case FAMILY_REDUCTION: return has_word(lower, picks) ? HLO_KIND_PICK : HLO_KIND_REDUCTION;
	case FAMILY_COPY: return has_word(lower, picks) ? HLO_KIND_PICK : HLO_KIND_MOVE;
	case FAMILY_COMMUNICATION:
		return has_word(lower, "reduce|gather|collective|nccl|alltoall|all-to-all|replica")
			? HLO_KIND_COLLECTIVE
			: HLO_KIND_OTHER;
	case FAMILY_CONTROL: return HLO_KIND_CONTROL;
	case FAMILY_ELEMENT:
		return rule && rule->place == PLACE_OVER ? HLO_KIND_ELEMENT : HLO_KIND_OTHER;
	default: return HLO_KIND_OTHER;
	}
}

/* Types whose family or rule does not tell, by how their names begin. What draws random numbers has
 * the kind that XLA's rng has. */
static const struct {
	const char *start;
	enum hlo_kind kind;
} known_types[] = {
	{"Memcpy", HLO_KIND_MOVE},
	{"Memset", HLO_KIND_MOVE},
	{"Cast", HLO_KIND_MOVE},
	{"Fill", HLO_KIND_MOVE},
	{"ZerosLike", HLO_KIND_MOVE},
	{"OnesLike", HLO_KIND_MOVE},
	{"Equal", HLO_KIND_ELEMENT},
	{"NotEqual", HLO_KIND_ELEMENT},
	{"Greater", HLO_KIND_ELEMENT},
	{"Less", HLO_KIND_ELEMENT},
	{"Select", HLO_KIND_ELEMENT},
	{"RandomUniform", HLO_KIND_ELEMENT},
	{"RandomStandardNormal", HLO_KIND_ELEMENT},
	{"TruncatedNormal", HLO_KIND_ELEMENT},
	{"StatelessRandomUniform", HLO_KIND_ELEMENT},
	{"StatelessRandomNormal", HLO_KIND_ELEMENT},
	{"StatelessTruncatedNormal", HLO_KIND_ELEMENT},
	{"ResourceApply", HLO_KIND_ELEMENT},
};

static enum hlo_kind kind_of_type(struct span type)
{
	enum hlo_opcode opcode = hlo_opcode_find(type);

	for (size_t i = 0; i < sizeof(known_types) / sizeof(*known_types); i++)
		if (span_starts(type, span_of(known_types[i].start)))
			return known_types[i].kind;
	if (opcode != HLO_OTHER && opcode != HLO_FUSION)
		return hlo_kind_of_opcode(opcode);
	return type.n ? kind_of_family(type) : HLO_KIND_OTHER;
}

enum hlo_kind node_get_kind(const struct model *m, uint32_t node)
{
	return m->nodes.kind[node] ? (enum hlo_kind)(m->nodes.kind[node] - 1)
				   : kind_of_type(model_text(m, m->nodes.op[node]));
}

static int64_t time_of(const struct model *m, uint32_t node)
{
	int64_t us = 0;

	for (uint32_t row = m->nodes.first_exec[node]; row != NONE;
		row = exec_at(&m->execs, row)->next) {
		struct exec_sums sums = exec_get_sums(&m->execs, row);

		add_clamped(&us, clamped_sum(sums.accelerator_us, sums.cpu_us));
	}
	return us;
}

enum hlo_kind nodes_get_kind(const struct model *m, const uint32_t *nodes, size_t n)
{
	int64_t us[N_HLO_KINDS + 1] = {0};
	enum hlo_kind most = n ? node_get_kind(m, nodes[0]) : N_HLO_KINDS;

	for (size_t i = 0; i < n; i++)
		add_clamped(&us[node_get_kind(m, nodes[i])], time_of(m, nodes[i]));
	for (enum hlo_kind kind = 0; n && kind < N_HLO_KINDS; kind++)
		if (us[kind] > us[most])
			most = kind;
	return most;
}
