/* Parses the value of a field that is neither a string nor a message: a number, a bool
 * or the name of an enum value. */
#ifndef TFPROF_PROTO_TEXT_VALUE_H
#define TFPROF_PROTO_TEXT_VALUE_H

#include "proto/schema.h"
#include "proto/text_scan.h"

struct text_value {
	uint64_t bits; /* as encoded on the wire */
	unsigned wire; /* WIRE_T_VARINT, WIRE_T_I32 or WIRE_T_I64 */
};

enum tfprof_status text_value_read(struct text_scan *s, const struct schema_field *field,
	struct text_value *value);

/* Fails with "NodeDef has no field "nmae": did you mean "name"?", or with the list of
 * words. The name must point into the text. */
enum tfprof_status text_no_such_word(struct text_scan *s, const char *of, const char *what,
	struct span name, const char *const *words);

#endif
