#include "load/audit.h"

#include "base/vec.h"
#include "load/recognize.h"
#include "model/profile_fields.h"

const struct schema_field *audit_find(const struct schema_message *type, uint32_t number)
{
	for (uint32_t i = 0; i < type->n_fields; i++)
		if (type->fields[i].number == number)
			return &type->fields[i];
	return NULL;
}

static uint32_t wire_type_of(uint8_t kind)
{
	switch (kind) {
	case SCHEMA_FIXED32:
	case SCHEMA_SFIXED32:
	case SCHEMA_FLOAT: return WIRE_T_I32;
	case SCHEMA_FIXED64:
	case SCHEMA_SFIXED64:
	case SCHEMA_DOUBLE: return WIRE_T_I64;
	case SCHEMA_STRING:
	case SCHEMA_BYTES:
	case SCHEMA_MESSAGE: return WIRE_T_LEN;
	default: return WIRE_T_VARINT;
	}
}

/* Repeated numbers may be packed or not, whatever the type says. */
static bool has_wire_type(const struct schema_field *field, uint32_t wire_type)
{
	return wire_type == wire_type_of(field->kind) ||
		(wire_type == WIRE_T_LEN && schema_is_repeated(field));
}

const struct schema_message *audit_get_profile_node(void)
{
	return audit_find(schema_profile_proto.fields[0].of.message, MAP_VALUE)->of.message;
}

static const struct schema_message *get_exec_profile(void)
{
	const struct schema_field *execs = audit_find(audit_get_profile_node(), PROFILE_NODE_EXECS);

	return audit_find(execs->of.message, MAP_VALUE)->of.message;
}

/* What only our own profiles have. */
static bool is_ours(const struct schema_message *type, uint32_t number)
{
	return (type == &schema_profile_proto && number >= PROFILE_TRANSFER &&
		       number <= PROFILE_WITHOUT_EDGES) ||
		(type == audit_get_profile_node() && number >= PROFILE_NODE_FIRST_CONTROL &&
			number < PROFILE_NODE_END) ||
		(type == get_exec_profile() &&
			(number == EXEC_PROFILE_BUSY_MICROS ||
				number == EXEC_PROFILE_WAITING_MICROS));
}

const struct schema_field *audit_field(const struct schema_message *type, uint32_t tag,
	struct field_counts *counts)
{
	const struct schema_field *field = audit_find(type, tag >> 3);

	if (field && has_wire_type(field, tag & 7))
		return field;
	if (field)
		counts->n_mistyped++;
	else
		counts->n_unknown += !is_ours(type, tag >> 3);
	return NULL;
}

void audit_message(struct decoder *d, const struct schema_message *type, struct span message,
	struct field_counts *counts)
{
	struct level {
		const struct schema_message *type;
		struct wire_reader reader;
	};
	VEC(struct level) open = {0};
	struct wire_field f;

	decoder_alloc(d, vec_push(&open, ((struct level){type, wire_reader(message)})));
	while (open.n && !d->failed) {
		struct level *at = &open.at[open.n - 1];
		const struct schema_field *field;

		if (!decoder_next(d, &at->reader, &f)) {
			open.n--;
			continue;
		}
		field = audit_field(at->type, f.tag, counts);
		if (field && field->kind == SCHEMA_MESSAGE)
			decoder_alloc(d,
				vec_push(&open,
					((struct level){field->of.message, wire_reader(f.bytes)})));
	}
	vec_clear(&open);
}

const struct schema_message *audit_get_type(enum input_kind kind)
{
	return kind == INPUT_UNKNOWN ? NULL : recognize_get_look(kind)->type;
}
