/* Magic bytes identify some kinds, the name of the first field most texts. Binary
 * messages have no magic bytes, and all of ours start with a field 1 of bytes. So each
 * kind is tried on the first fields, including nested ones: a field that matches the
 * table scores a point, one that does not costs several. */
#include "proto/sniff.h"

#include "proto/schema.h"
#include "proto/text_scan.h"
#include "proto/wire.h"

static const struct {
	const char *name, *option;
} kinds[] = {
#define X(kind, phrase, option) {phrase, option},
	SNIFF_LIST(X)
#undef X
};

const char *sniff_name(enum sniff_kind kind)
{
	return kinds[kind].name;
}

const char *sniff_option(enum sniff_kind kind)
{
	return kinds[kind].option;
}

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

/* ---- magic bytes --------------------------------------------------------- */

static bool is_table(struct span bytes)
{
	enum { FOOTER = 48 };
	static const char magic[] = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";

	return bytes.n >= FOOTER && memcmp(bytes.at + bytes.n - 8, magic, 8) == 0;
}

/* Records are { length, checksum, bytes, checksum }; the first one has the version. */
static bool is_events(struct span bytes)
{
	static const struct span version = {"brain.Event:", 12};
	struct span head = {bytes.at, bytes.n < 64 ? bytes.n : 64};
	size_t at = span_find(head, version);

	return head.n > 12 && at > 12 && at < head.n;
}

static enum sniff_kind by_magic(struct span bytes)
{
	if (span_starts(bytes, SPAN("\x1f\x8b")))
		return SNIFF_GZIP;
	if (span_starts(bytes, SPAN("PK\x03\x04")))
		return SNIFF_ZIP;
	if (span_starts(bytes, SPAN("\x89HDF\r\n\x1a\n")))
		return SNIFF_HDF5;
	if (span_starts(bytes, SPAN("\x89PNG\r\n\x1a\n")))
		return SNIFF_PNG;
	if (span_starts(bytes,
		    SPAN("\x7f"
			 "ELF")))
		return SNIFF_ELF;
	if (is_table(bytes))
		return SNIFF_CHECKPOINT_INDEX;
	if (is_events(bytes))
		return SNIFF_EVENTS;
	return SNIFF_UNKNOWN;
}

/* ---- text ---------------------------------------------------------------- */

static const struct {
	const char *field;
	enum sniff_kind kind;
} first_fields[] = {
	{"node", SNIFF_GRAPH_TEXT},
	{"library", SNIFF_GRAPH_TEXT},
	{"version", SNIFF_GRAPH_TEXT},
	{"versions", SNIFF_GRAPH_TEXT},
	{"step_stats", SNIFF_RUN_META_TEXT},
	{"cost_graph", SNIFF_RUN_META_TEXT},
	{"partition_graphs", SNIFF_RUN_META_TEXT},
	{"function_graphs", SNIFF_RUN_META_TEXT},
	{"log_entries", SNIFF_OP_LOG_TEXT},
	{"nodes", SNIFF_PROFILE_TEXT},
	{"model_checkpoint_path", SNIFF_CHECKPOINT_STATE},
	{"meta_info_def", SNIFF_META_GRAPH_TEXT},
	{"graph_def", SNIFF_META_GRAPH_TEXT},
	{"saved_model_schema_version", SNIFF_SAVED_MODEL_TEXT},
	{"meta_graphs", SNIFF_SAVED_MODEL_TEXT},
};

static enum sniff_kind by_first_field(struct span bytes)
{
	struct text_scan s = {.at = bytes.at, .start = bytes.at};
	struct span name;

	s.end = bytes.at + (bytes.n < 65536 ? bytes.n : 65536); /* comments may be long */
	if (span_starts(bytes, SPAN("\xef\xbb\xbf")))
		s.at += 3;
	scan_space(&s);
	if (s.at == s.end)
		return SNIFF_TEXT;
	if (scan_take(&s, '{') || scan_take(&s, '[')) {
		scan_space(&s);
		return s.at < s.end && is_one_of(*s.at, "\"{[]}") ? SNIFF_JSON : SNIFF_TEXT;
	}
	name = scan_name(&s);
	scan_space(&s);
	if (s.at == s.end || !is_one_of(*s.at, ":{<["))
		return SNIFF_TEXT;
	for (size_t i = 0; i < sizeof(first_fields) / sizeof(first_fields[0]); i++)
		if (span_equal(name, span_of(first_fields[i].field)))
			return first_fields[i].kind;
	return SNIFF_TEXT;
}

/* ---- binary messages ------------------------------------------------------ */

enum {
	MAX_LEVELS = 6,  /* of nesting */
	MAX_FIELDS = 64, /* per message */
	MAX_FIELDS_IN_ALL = 2000,
	MAX_TEXT = 256, /* bytes per string */
	ENOUGH = 4,     /* points for a match */
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

/* How well the type matches, and whether the field `must`, without which the message is
 * useless, is present. */
static int points_of_message(const struct schema_message *message, const char *must,
	struct span bytes, bool *has_must)
{
	struct level stack[MAX_LEVELS] = {{message, wire_reader(bytes), 0, true, false}};
	unsigned n = 1, n_fields = 0;
	int points = 0;

	*has_must = false;
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
			points += NO_SUCH_FIELD;
			continue;
		}
		*has_must = *has_must || (n == 1 && strcmp(field->name, must) == 0);
		l->has_op = l->has_op || strcmp(field->name, "op") == 0;
		if (field->kind != SCHEMA_MESSAGE || (f.tag & 7) != WIRE_T_LEN)
			points += points_of_field(field, &f);
		else if (f.bytes.n && n < MAX_LEVELS) /* its contents score */
			stack[n++] = (struct level){field->of.message, wire_reader(f.bytes), 0, cut,
				false};
	}
	return points;
}

static enum sniff_kind by_fields(struct span bytes)
{
	static const struct {
		enum sniff_kind kind;
		const struct schema_message *message;
		const char *must;
	} messages[] = {
		{SNIFF_GRAPH, &schema_graph_def, "node"},
		{SNIFF_RUN_META, &schema_run_metadata, "step_stats"},
		{SNIFF_OP_LOG, &schema_op_log_proto, "log_entries"},
		{SNIFF_PROFILE, &schema_profile_proto, "nodes"},
		{SNIFF_META_GRAPH, &schema_meta_graph_def, "graph_def"},
		{SNIFF_SAVED_MODEL, &schema_saved_model, "saved_model_schema_version"},
		{SNIFF_PPROF, &schema_pprof_profile, "sample_type"},
	};
	enum sniff_kind best = SNIFF_UNKNOWN;
	int most = ENOUGH - 1;

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		bool has_must;
		int points =
			points_of_message(messages[i].message, messages[i].must, bytes, &has_must);

		if (points > most) {
			most = points;
			best = has_must ? messages[i].kind : SNIFF_UNKNOWN;
		} else if (points == most) {
			best = SNIFF_UNKNOWN;
		}
	}
	return best;
}

enum sniff_kind sniff(struct span bytes)
{
	enum sniff_kind kind;
	bool text;

	if (!bytes.n)
		return SNIFF_EMPTY;
	kind = by_magic(bytes);
	if (kind != SNIFF_UNKNOWN)
		return kind;
	text = looks_of(bytes, 4096) != NOT_TEXT;
	if (text) {
		kind = by_first_field(bytes);
		if (kind != SNIFF_TEXT)
			return kind;
	}
	kind = by_fields(bytes);
	return kind == SNIFF_UNKNOWN && text ? SNIFF_TEXT : kind;
}
