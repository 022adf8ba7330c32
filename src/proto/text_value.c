#include "proto/text_value.h"

#include <stdio.h>

#include "base/words.h"
#include "proto/wire.h"

enum tfprof_status text_no_such_word(struct text_scan *s, const char *of, const char *what,
	struct span name, const char *const *words)
{
	const char *near = words_nearest(words, name);
	const char *at = name.at;
	char all[300];

	if (near)
		return scan_fail(s, at, "%s has no %s \"%.*s\": did you mean \"%s\"?", of, what,
			ERROR_SPAN(name), near);
	words_join(all, sizeof(all), words);
	return scan_fail(s, at, "%s has no %s \"%.*s\": expected one of: %s", of, what,
		ERROR_SPAN(name), all);
}

static enum tfprof_status out_of_range(struct text_scan *s, const char *at,
	const struct schema_field *field, const char *range)
{
	return scan_fail(s, at, "%.*s is out of range for %s: expected a value %s",
		(int)(s->at - at > 200 ? 200 : s->at - at), at, field->name, range);
}

static enum tfprof_status signed_value(struct text_scan *s, const struct schema_field *field,
	bool small, int64_t *value)
{
	const char *at = s->at;
	struct scan_integer number;
	enum tfprof_status status = scan_integer(s, &number);
	uint64_t most = small ? INT32_MAX : INT64_MAX;

	if (status != TFPROF_OK)
		return status;
	if (number.magnitude > most + number.negative)
		return out_of_range(s, at, field,
			small ? "from -2^31 to 2^31 - 1" : "from -2^63 to 2^63 - 1");
	*value = (int64_t)(number.negative ? 0 - number.magnitude : number.magnitude);
	return TFPROF_OK;
}

static enum tfprof_status unsigned_value(struct text_scan *s, const struct schema_field *field,
	bool small, uint64_t *value)
{
	const char *at = s->at;
	struct scan_integer number;
	enum tfprof_status status = scan_integer(s, &number);

	if (status != TFPROF_OK)
		return status;
	if (number.magnitude > (small ? UINT32_MAX : UINT64_MAX) ||
		(number.negative && number.magnitude))
		return out_of_range(s, at, field,
			small ? "from 0 to 2^32 - 1" : "from 0 to 2^64 - 1");
	*value = number.magnitude;
	return TFPROF_OK;
}

static enum tfprof_status enum_value(struct text_scan *s, const struct schema_field *field,
	uint64_t *value)
{
	const struct schema_enum *of = field->of.enumeration;
	const char *words[SCHEMA_MAX_VALUES + 1];
	struct span name = scan_name(s);
	enum tfprof_status status;
	int64_t number = 0;

	if (!name.n) {
		status = signed_value(s, field, true, &number);
		*value = (uint64_t)number;
		return status;
	}
	for (uint32_t i = 0; i < of->n_values; i++) {
		if (of->values[i].name_n == name.n &&
			memcmp(of->values[i].name, name.at, name.n) == 0) {
			*value = (uint64_t)(int64_t)of->values[i].number;
			return TFPROF_OK;
		}
		words[i] = of->values[i].name;
	}
	words[of->n_values] = NULL;
	return text_no_such_word(s, of->name, "value", name, words);
}

static enum tfprof_status float_value(struct text_scan *s, bool small, struct text_value *value)
{
	double number = 0;
	enum tfprof_status status = scan_float(s, &number);

	if (small) {
		float narrow = (float)number;
		uint32_t bits;

		memcpy(&bits, &narrow, sizeof(bits));
		*value = (struct text_value){bits, WIRE_T_I32};
	} else {
		memcpy(&value->bits, &number, sizeof(value->bits));
		value->wire = WIRE_T_I64;
	}
	return status;
}

enum tfprof_status text_value_read(struct text_scan *s, const struct schema_field *field,
	struct text_value *value)
{
	enum tfprof_status status;
	int64_t number = 0;
	bool truth = false;

	*value = (struct text_value){0, WIRE_T_VARINT};
	switch ((enum schema_kind)field->kind) {
	case SCHEMA_BOOL:
		status = scan_bool(s, &truth);
		value->bits = truth;
		return status;
	case SCHEMA_ENUM: return enum_value(s, field, &value->bits);
	case SCHEMA_INT32:
	case SCHEMA_INT64:
		status = signed_value(s, field, field->kind == SCHEMA_INT32, &number);
		value->bits = (uint64_t)number;
		return status;
	case SCHEMA_SINT32:
	case SCHEMA_SINT64:
		status = signed_value(s, field, field->kind == SCHEMA_SINT32, &number);
		value->bits = (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
		return status;
	case SCHEMA_UINT32:
	case SCHEMA_UINT64:
		return unsigned_value(s, field, field->kind == SCHEMA_UINT32, &value->bits);
	case SCHEMA_FIXED32:
	case SCHEMA_FIXED64:
		value->wire = field->kind == SCHEMA_FIXED32 ? WIRE_T_I32 : WIRE_T_I64;
		return unsigned_value(s, field, field->kind == SCHEMA_FIXED32, &value->bits);
	case SCHEMA_SFIXED32:
	case SCHEMA_SFIXED64:
		value->wire = field->kind == SCHEMA_SFIXED32 ? WIRE_T_I32 : WIRE_T_I64;
		status = signed_value(s, field, field->kind == SCHEMA_SFIXED32, &number);
		value->bits = (uint64_t)number;
		return status;
	case SCHEMA_FLOAT:
	case SCHEMA_DOUBLE: return float_value(s, field->kind == SCHEMA_FLOAT, value);
	case SCHEMA_STRING:
	case SCHEMA_BYTES:
	case SCHEMA_MESSAGE: break;
	}
	return TFPROF_OK;
}
