/* Binary messages have no magic bytes, and all of ours start with a field 1 of bytes. So
 * a type is tried on the first fields, including nested ones: a field that matches the
 * schema scores a point, one that does not costs several. */
#include "proto/sniff.h"

#include "proto/schema.h"
#include "proto/text_scan.h"
#include "proto/wire.h"

enum looks { NOT_TEXT, LINES, ONE_LINE };

/* Whether the first bytes are UTF-8 without control characters. A vertical tab is
 * space to a parser, but does not occur in real text. */
static enum looks looks_of(struct span s, size_t most)
{
	size_t n = s.n < most ? s.n : most, tail = 0;
	enum looks looks = ONE_LINE;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s.at[i];

		if (tail) {
			if ((c & 0xc0) != 0x80)
				return NOT_TEXT;
			tail--;
		} else if (c >= 0x80) {
			if (c < 0xc2 || c > 0xf4)
				return NOT_TEXT;
			tail = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
		} else if (c < ' ' || c == 127) {
			if (!scan_is((char)c, SCAN_SPACE) || c == '\v')
				return NOT_TEXT;
			looks = LINES;
		}
	}
	return tail && n == s.n ? NOT_TEXT : looks;
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* ---- text ---------------------------------------------------------------- */

bool sniff_is_text(struct span bytes)
{
	return looks_of(bytes, 4096) != NOT_TEXT;
}

/* Positioned after leading space and comments, which may be long. */
static struct text_scan scan_start(struct span text)
{
	struct text_scan s = {.at = text.at, .start = text.at};

	s.end = text.at + (text.n < 65536 ? text.n : 65536);
	if (span_starts(text, SPAN("\xef\xbb\xbf")))
		s.at += 3;
	scan_space(&s);
	return s;
}

struct span sniff_first_field(struct span text)
{
	struct text_scan s = scan_start(text);
	struct span name = scan_name(&s);

	scan_space(&s);
	if (s.at == s.end || !is_one_of(*s.at, ":{<["))
		name.n = 0;
	return name;
}

bool sniff_is_json(struct span text)
{
	struct text_scan s = scan_start(text);

	if (!scan_take(&s, '{') && !scan_take(&s, '['))
		return false;
	scan_space(&s);
	return s.at < s.end && is_one_of(*s.at, "\"{[]}");
}

/* ---- binary messages ------------------------------------------------------ */

enum {
	MAX_LEVELS = 6,  /* of nesting */
	MAX_FIELDS = 64, /* per message */
	MAX_FIELDS_IN_ALL = 2000,
	MAX_TEXT = 256, /* bytes per string */
	/* Fields of our own in messages of TensorFlow tell neither for nor against a kind. */
	FIRST_OWN_FIELD = 1000,
	LAST_OWN_FIELD = 1009,
};

enum points {
	AS_EXPECTED = 1,
	IS_TEXT = 2,
	IS_NOT_TEXT = -4,
	NOT_A_BOOL = -4,
	LACKS_AN_OP = -3,
	NO_SUCH_FIELD = -5,
	OTHER_TYPE = -10,
	MALFORMED = -10,
};

struct level {
	const struct schema_message *message;
	struct wire_reader reader;
	unsigned n_fields;
	bool cut; /* may be truncated, as the file may be */
	bool has_op;
};

/* Names and the like. Newlines and tabs occur in prose but are also tags of field 1,
 * so they score nothing. */
static int points_of_string(struct span s)
{
	enum looks looks = looks_of(s, MAX_TEXT);

	if (looks == NOT_TEXT)
		return IS_NOT_TEXT;
	return looks == ONE_LINE && s.n ? IS_TEXT : 0;
}

static unsigned wire_type(const struct schema_field *field)
{
	switch ((enum schema_kind)field->kind) {
	case SCHEMA_STRING:
	case SCHEMA_BYTES:
	case SCHEMA_MESSAGE: return WIRE_T_LEN;
	case SCHEMA_FLOAT:
	case SCHEMA_FIXED32:
	case SCHEMA_SFIXED32: return WIRE_T_I32;
	case SCHEMA_DOUBLE:
	case SCHEMA_FIXED64:
	case SCHEMA_SFIXED64: return WIRE_T_I64;
	default: return WIRE_T_VARINT;
	}
}

static const struct schema_field *find_number(const struct schema_message *message, uint32_t number)
{
	for (uint32_t i = 0; i < message->n_fields; i++)
		if (message->fields[i].number == number)
			return &message->fields[i];
	return NULL;
}

/* A field that is not a message. */
static int points_of_field(const struct schema_field *field, const struct wire_field *f)
{
	unsigned type = f->tag & 7;

	/* Numbers that may be packed match too easily to prove anything. */
	if (field->how == SCHEMA_PACKED && (type == wire_type(field) || type == WIRE_T_LEN))
		return 0;
	if (type != wire_type(field))
		return OTHER_TYPE;
	if (field->kind == SCHEMA_STRING)
		return points_of_string(f->bytes);
	if (field->kind == SCHEMA_BYTES)
		return 0;
	if (field->kind == SCHEMA_BOOL && f->value > 1)
		return NOT_A_BOOL;
	return AS_EXPECTED;
}

/* Like wire_next(), but also returns the rest of a field truncated with the file. */
static bool next(struct level *l, struct wire_field *f, bool *cut)
{
	struct wire_reader before = l->reader;
	uint64_t tag, n;

	*cut = false;
	if (wire_next(&l->reader, f))
		return true;
	if (!l->reader.bad || !l->cut)
		return false;
	if (wire_varint(&before, &tag) && tag <= UINT32_MAX && tag >> 3 &&
		(tag & 7) == WIRE_T_LEN && wire_varint(&before, &n)) {
		f->tag = (uint32_t)tag;
		f->bytes = (struct span){before.at, (size_t)(before.end - before.at)};
		l->reader.at = l->reader.end;
		l->reader.bad = NULL;
		return *cut = true;
	}
	return false;
}

/* Points at the end of a message, or where sniffing it stops. */
static int points_of_end(const struct level *l)
{
	int points = 0;

	/* In a truncated file, the last number may be incomplete. */
	if (l->reader.bad && !(l->cut && l->reader.end - l->reader.bad < 12))
		points += MALFORMED;
	/* An entry of an op log starts like a node, but a node has an op. */
	if (strcmp(l->message->name, "NodeDef") == 0 && !l->has_op && !l->cut)
		points += LACKS_AN_OP;
	return points;
}

int sniff_points(const struct schema_message *type, const char *key_field, struct span bytes,
	bool *has_key_field)
{
	struct level stack[MAX_LEVELS] = {{type, wire_reader(bytes), 0, true, false}};
	unsigned n = 1, n_fields = 0;
	int points = 0;

	*has_key_field = false;
	while (n) {
		struct level *l = &stack[n - 1];
		const struct schema_field *field;
		struct wire_field f;
		bool cut;

		if (l->n_fields == MAX_FIELDS || n_fields == MAX_FIELDS_IN_ALL ||
			!next(l, &f, &cut)) {
			points += points_of_end(l);
			n--;
			continue;
		}
		l->n_fields++;
		n_fields++;
		field = find_number(l->message, f.tag >> 3);
		if (!field) {
			if (f.tag >> 3 < FIRST_OWN_FIELD || f.tag >> 3 > LAST_OWN_FIELD)
				points += NO_SUCH_FIELD;
			continue;
		}
		*has_key_field |= n == 1 && strcmp(field->name, key_field) == 0;
		l->has_op = l->has_op || strcmp(field->name, "op") == 0;
		if (field->kind != SCHEMA_MESSAGE || (f.tag & 7) != WIRE_T_LEN)
			points += points_of_field(field, &f);
		else if (f.bytes.n && n < MAX_LEVELS) /* its contents score */
			stack[n++] = (struct level){field->of.message, wire_reader(f.bytes), 0, cut,
				false};
	}
	return points;
}
