/* Fields of HLO messages that are read where they are needed, and arithmetic that stops at
 * HLO_MOST: larger numbers can only come from a damaged file. */
#ifndef TFPROF_HLO_FIELD_H
#define TFPROF_HLO_FIELD_H

#include "base/vec.h"
#include "proto/decoder.h"

#define HLO_MOST (INT64_C(1) << 62)

/* Of numbers from 0 to HLO_MOST. */
static inline int64_t hlo_sum(int64_t a, int64_t b)
{
	return a > HLO_MOST - b ? HLO_MOST : a + b;
}

static inline int64_t hlo_product(int64_t a, int64_t b)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) || product > HLO_MOST ? HLO_MOST : product;
}

static inline void hlo_add(int64_t *sum, int64_t value)
{
	*sum = hlo_sum(*sum, value);
}

/* The numbers of a repeated field, packed or not. */
typedef VEC(uint64_t) hlo_numbers;
void hlo_read_numbers(struct decoder *d, struct span message, uint32_t field, hlo_numbers *numbers);
/* Appends the numbers of one field to those that are there. */
void hlo_add_numbers(struct decoder *d, const struct wire_field *f, hlo_numbers *numbers);

/* A nested message or text; empty if it is not there. */
struct span hlo_find_field(struct decoder *d, struct span message, uint32_t field);
/* A number; 0 if it is not there. */
uint64_t hlo_find_number(struct decoder *d, struct span message, uint32_t field);

/* What follows `"key":` in a text of JSON; empty if it is not there. The few keys asked for occur
 * once in what compilers write. */
struct span hlo_json_after(struct span json, struct span key);
/* Removes the number that the text begins with, perhaps in quotes, behind spaces, commas and
 * opening brackets; -1 if there is none. */
int64_t hlo_json_take_number(struct span *json);

#endif
