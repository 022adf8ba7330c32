/* A compiled program (HloProto) as columns.
 *
 *     blocks    computations; each has a range of ops, in the order of the file
 *     ops       instructions; each has a range of operands (ops), callees (blocks) and values
 *     values    what an op makes: an array, or a tuple followed by its elements
 *
 *                 f32[8]            ((f32[8], s32[]), f32[4])
 *                 0: array          0: tuple   1: tuple   2: f32[8]   3: s32[]   4: f32[4]
 *                    .end = 1          .end=5     .end=4
 *
 * Fields that few opcodes have stay in the message. Everything points into the bytes read.
 *
 * Reading takes time and memory in proportion to the message, whatever it says: unknown ids become
 * NONE, shapes nested deeper than HLO_DEEPEST lose what is below. */
#ifndef TFPROF_HLO_PROGRAM_H
#define TFPROF_HLO_PROGRAM_H

#include "base/hash.h"
#include "hlo/field.h"
#include "hlo/frames.h"
#include "hlo/opcodes.h"

enum { HLO_DEEPEST = 64 };

struct hlo_value {
	uint32_t end; /* behind its elements */
	uint32_t first_dim, n_dims;
	uint32_t first_element, n_elements; /* elements of a tuple, in .elements of the program */
	uint16_t type;                      /* PRIMITIVE_TYPE_… */
	bool is_dynamic;
	uint64_t space;          /* memory space */
	int64_t elements, bytes; /* a tuple's: sums over its arrays; at most HLO_MOST */
};

struct hlo_op {
	struct span name, opcode_text;
	struct span op_name; /* from the source: "jit(f)/mlp/dot_general" */
	struct span file;    /* in files without frames */
	int64_t line;
	struct span message; /* HloInstructionProto */
	uint64_t id;
	enum hlo_opcode opcode;
	uint32_t block;
	uint32_t value, end_value;
	uint32_t first_operand, n_operands;
	uint32_t first_callee, n_callees;
	uint32_t frame;  /* from 1 on; 0: none */
	uint64_t number; /* of a parameter, or of the element that get-tuple-element takes */
};

struct hlo_block {
	struct span name;
	uint64_t id, root_id;
	uint32_t first, n; /* ops */
	uint32_t root;     /* an op; NONE */
};

struct hlo_program {
	struct span name;
	uint32_t entry; /* block; NONE */
	VEC(struct hlo_block) blocks;
	VEC(struct hlo_op) ops;
	VEC(struct hlo_value) values;
	VEC(int64_t) dims;
	VEC(uint32_t) elements;          /* values */
	VEC(uint32_t) operands, callees; /* NONE: not in the program */
	hlo_frames frames;
	struct hash_index by_id, by_name, by_block_id, by_parameter;
	struct span schedule, aliases, assignment; /* messages, read when asked for */
	size_t n_damaged; /* ids that name nothing, sizes that are none, shapes too deep */
};

/* Reads an HloProto, which has to outlive the program. False if it is malformed (d->bad) or on
 * allocation failure; clear in any case. Zero is empty. */
bool hlo_program_read(struct hlo_program *p, struct decoder *d, struct span message);
void hlo_program_clear(struct hlo_program *p);

/* NONE if there is none. */
uint32_t hlo_program_find_id(const struct hlo_program *p, uint64_t id);
uint32_t hlo_program_find_name(const struct hlo_program *p, struct span name);
uint32_t hlo_program_find_block(const struct hlo_program *p, uint64_t id);
/* The parameter of a block, by its number. */
uint32_t hlo_program_find_parameter(const struct hlo_program *p, uint32_t block, uint64_t number);

/* An operand; NONE if there are fewer, or it is not in the program. */
static inline uint32_t hlo_operand(const struct hlo_program *p, const struct hlo_op *op, size_t i)
{
	return i < op->n_operands ? p->operands.at[op->first_operand + i] : NONE;
}

static inline uint32_t hlo_callee(const struct hlo_program *p, const struct hlo_op *op, size_t i)
{
	return i < op->n_callees ? p->callees.at[op->first_callee + i] : NONE;
}

/* All that an op makes. */
static inline const struct hlo_value *hlo_result(const struct hlo_program *p,
	const struct hlo_op *op)
{
	return &p->values.at[op->value];
}

/* The value of an operand; an empty one if it is not there. */
const struct hlo_value *hlo_operand_value(const struct hlo_program *p, const struct hlo_op *op,
	size_t i);

/* The first array of a value, which may be itself; NONE if it has none. */
uint32_t hlo_first_array(const struct hlo_program *p, uint32_t value);

/* An element of a tuple by its place; NONE if it is no tuple, or has fewer. */
static inline uint32_t hlo_element(const struct hlo_program *p, uint32_t value, uint64_t i)
{
	const struct hlo_value *v = &p->values.at[value];

	return i < v->n_elements ? p->elements.at[v->first_element + i] : NONE;
}

/* A dimension of an array; -1 if it has fewer. */
static inline int64_t hlo_dim(const struct hlo_program *p, const struct hlo_value *v, uint64_t i)
{
	return i < v->n_dims ? p->dims.at[v->first_dim + i] : -1;
}

#endif
