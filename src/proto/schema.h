/* What messages look like: their fields, for reading text and for telling
 * files apart.
 *
 *     schema_graph_def ── fields ─▶ { "node", 1, MESSAGE, REPEATED, &node_def }
 *                                   { "library", 2, … }
 *
 * Only roots have names here; everything else is reached through fields. The
 * tables themselves are made by tools/make_schema.py. */
#ifndef TFPROF_PROTO_SCHEMA_H
#define TFPROF_PROTO_SCHEMA_H

#include <stdint.h>

#include "base/span.h"

enum schema_kind {
	SCHEMA_BOOL,
	SCHEMA_INT32,
	SCHEMA_INT64,
	SCHEMA_UINT32,
	SCHEMA_UINT64,
	SCHEMA_SINT32,
	SCHEMA_SINT64,
	SCHEMA_FIXED32,
	SCHEMA_FIXED64,
	SCHEMA_SFIXED32,
	SCHEMA_SFIXED64,
	SCHEMA_FLOAT,
	SCHEMA_DOUBLE,
	SCHEMA_STRING,
	SCHEMA_BYTES,
	SCHEMA_ENUM,
	SCHEMA_MESSAGE,
};

enum schema_how {
	SCHEMA_SINGLE,   /* zero and absent are the same */
	SCHEMA_OPTIONAL, /* zero is a value: messages, parts of map entries */
	SCHEMA_ONEOF,    /* likewise, and it excludes the message's other ONEOFs */
	SCHEMA_REPEATED,
	SCHEMA_PACKED, /* repeated, many values to a field */
	SCHEMA_MAP,    /* repeated, of { key = 1, value = 2 } */
};

/* Bounds that tools/make_schema.py keeps to. */
enum { SCHEMA_MAX_FIELDS = 64, SCHEMA_MAX_VALUES = 100 };

struct schema_message;
struct schema_enum;

struct schema_field {
	const char *name;
	uint16_t name_n;
	uint16_t number;
	uint8_t kind;
	uint8_t how;
	union {
		const struct schema_message *message;
		const struct schema_enum *enumeration;
	} of;
};

struct schema_message {
	const char *name;                  /* "AttrValue.ListValue" */
	const struct schema_field *fields; /* by ascending number */
	uint32_t n_fields;
};

struct schema_value {
	const char *name;
	uint32_t name_n;
	int32_t number;
};

struct schema_enum {
	const char *name;
	const struct schema_value *values;
	uint32_t n_values;
};

extern const struct schema_message schema_graph_def;
extern const struct schema_message schema_run_metadata;
extern const struct schema_message schema_op_log_proto;
extern const struct schema_message schema_profile_proto;
extern const struct schema_message schema_options_proto;
extern const struct schema_message schema_advisor_options_proto;
extern const struct schema_message schema_graph_node_proto;
extern const struct schema_message schema_multi_graph_node_proto;
extern const struct schema_message schema_advice_proto;

/* Only to recognize them: most of what they hold is opaque here. */
extern const struct schema_message schema_meta_graph_def;
extern const struct schema_message schema_saved_model;
extern const struct schema_message schema_pprof_profile;

/* All but those to recognize, then NULL. */
extern const struct schema_message *const schema_messages[];

static inline bool schema_is_repeated(const struct schema_field *field)
{
	return field->how >= SCHEMA_REPEATED;
}

#endif
