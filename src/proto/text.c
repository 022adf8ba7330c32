/* The length of a nested message precedes it but is known only at its end. So one byte
 * is reserved, which is enough for most; for longer messages the position and length are
 * kept in `longer`, and at the end those lengths are inserted, moving every byte at most
 * once:
 *
 *     read:   0a ?? [ 0a 05 (5 bytes)  0a ?? [ 300 bytes ] ]
 *     after:  0a b8 02 [ 0a 05 (5 bytes)  0a ac 02 [ 300 bytes ] ]
 *
 * Open messages are frames on an explicit stack: text may be nested deeper than the C
 * stack allows. */
#include "proto/text.h"

#include "proto/text_parser.h"
#include "proto/text_value.h"
#include "proto/wire_write.h"

/* ---- messages ---------------------------------------------------------- */

static enum tfprof_status push(struct parser *p, const struct schema_message *type,
	const char *bracket)
{
	struct frame frame = {.type = type,
		.bracket = bracket,
		.open = p->out->n,
		.longer = p->longer.n};
	struct length length = {p->out->n, 0};

	if (!vec_push(&p->frames, frame) || !vec_push(&p->longer, length))
		return error_no_memory(p->scan.err);
	return TFPROF_OK;
}

static enum tfprof_status open_message(struct parser *p, const struct schema_field *field)
{
	struct text_scan *s = &p->scan;
	struct span shown;

	if (s->at == s->end || (*s->at != '{' && *s->at != '<')) {
		shown = scan_shown(s);
		return scan_fail(s, s->at,
			"found \"%.*s\", expected %s: its type is %s, "
			"write it in { }",
			ERROR_SPAN(shown), field->name, field->of.message->name);
	}
	wire_open(p->out, field->number);
	return push(p, field->of.message, s->at++);
}

static void close_packed(struct parser *p, struct frame *f)
{
	if (f->packed)
		wire_close(p->out, f->packed_open);
	f->packed = NULL;
}

/* Ends the top frame and stores its length in the output or in the list. */
void parser_pop(struct parser *p)
{
	struct frame *f = top(p), *parent = f - 1;
	size_t length;

	close_packed(p, f);
	length = p->out->n - f->open + f->extra;
	if (length < 0x80 && !p->out->failed) {
		p->out->at[f->open - 1] = (char)length;
		p->longer.n--; /* the last one, as nested messages are not longer */
	} else {
		p->longer.at[f->longer].length = length;
		parent->extra += f->extra + wire_varint_size(length) - 1;
	}
	p->frames.n--;
}

static void skip_separator(struct text_scan *s)
{
	scan_space(s);
	if (!scan_take(s, ','))
		scan_take(s, ';');
}

static enum tfprof_status close_message(struct parser *p)
{
	struct text_scan *s = &p->scan;
	struct frame *f = top(p);
	size_t line, column;
	char wanted;

	if (!f->bracket)
		return scan_fail(s, s->at, "unmatched %c: there is no open bracket", *s->at);
	wanted = *f->bracket == '{' ? '}' : '>';
	if (*s->at != wanted) {
		scan_position(s, f->bracket, &line, &column);
		return scan_fail(s, s->at,
			"%c does not match the %c at line %zu column %zu: "
			"expected %c",
			*s->at, *f->bracket, line, column, wanted);
	}
	s->at++;
	parser_pop(p);
	if (!top(p)->list)
		skip_separator(s);
	return TFPROF_OK;
}

static enum tfprof_status at_end(struct parser *p)
{
	struct text_scan *s = &p->scan;
	struct frame *f = top(p);
	const char *bracket = f->list ? f->list_bracket : f->bracket;
	size_t line, column;

	if (!bracket)
		return TFPROF_OK;
	scan_position(s, bracket, &line, &column);
	return scan_fail(s, s->at,
		"the text ends inside %s: the %c at line %zu column "
		"%zu is not closed",
		f->type->name, *bracket, line, column);
}

/* After a message in a list: another one, or the end of the list. */
static enum tfprof_status continue_list(struct parser *p)
{
	struct text_scan *s = &p->scan;
	struct frame *f = top(p);
	struct span shown;

	if (scan_take(s, ']')) {
		f->list = NULL;
		skip_separator(s);
		return TFPROF_OK;
	}
	if (scan_take(s, ',')) {
		scan_space(s);
		return open_message(p, f->list);
	}
	if (s->at == s->end)
		return at_end(p);
	shown = scan_shown(s);
	return scan_fail(s, s->at, "found \"%.*s\" in the list of %s: expected a comma or ]",
		ERROR_SPAN(shown), f->list->name);
}

/* ---- fields ------------------------------------------------------------ */

static const struct schema_field *find_field(struct frame *f, struct span name)
{
	const struct schema_message *type = f->type;

	/* Fields are mostly in the order of the table. */
	for (uint32_t i = f->next, n = type->n_fields; n;
		n--, i = i + 1 < type->n_fields ? i + 1 : 0)
		if (type->fields[i].name_n == name.n &&
			memcmp(type->fields[i].name, name.at, name.n) == 0) {
			f->next = i;
			return &type->fields[i];
		}
	return NULL;
}

static enum tfprof_status no_such_field(struct parser *p, struct span name)
{
	const struct schema_message *type = top(p)->type;
	const char *words[SCHEMA_MAX_FIELDS + 1];
	struct text_scan *s = &p->scan;

	for (uint32_t i = 0; i < type->n_fields; i++)
		words[i] = type->fields[i].name;
	words[type->n_fields] = NULL;
	if (name.n)
		return text_no_such_word(s, type->name, "field", name, words);
	if (*s->at == '[')
		return scan_fail(s, s->at, "%s has no extensions: [ ] cannot name a field of it",
			type->name);
	name = scan_shown(s);
	return scan_fail(s, s->at, "found \"%.*s\" in %s: expected the name of a field",
		ERROR_SPAN(name), type->name);
}

/* A single field may occur once, and only one field of a oneof. */
static enum tfprof_status check_single(struct parser *p, struct frame *f,
	const struct schema_field *field, const char *at)
{
	uint64_t bit = (uint64_t)1 << (field - f->type->fields);

	if (f->seen & bit)
		return scan_fail(&p->scan, at, "%s is repeated: %s has only one", field->name,
			f->type->name);
	if (field->how == SCHEMA_ONEOF) {
		if (f->chosen)
			return scan_fail(&p->scan, at,
				"%s conflicts with %s: %s has only one of them", field->name,
				f->chosen->name, f->type->name);
		f->chosen = field;
	}
	/* Where zero means absent, scalar() decides. */
	if (field->how != SCHEMA_SINGLE)
		f->seen |= bit;
	return TFPROF_OK;
}

/* ---- values ------------------------------------------------------------ */

static void put_value(struct buf *out, struct text_value value)
{
	if (value.wire == WIRE_T_VARINT)
		wire_put_varint(out, value.bits);
	else /* little-endian, like all supported machines */
		buf_put(out, &value.bits, value.wire == WIRE_T_I32 ? 4 : 8);
}

/* Parses one value that is not a message and writes it with its tag. */
static enum tfprof_status scalar(struct parser *p, struct frame *f,
	const struct schema_field *field)
{
	struct buf *out = p->out;
	size_t before = out->n, open;
	enum tfprof_status status;
	struct text_value value;
	bool zero;

	if (field->how == SCHEMA_PACKED) {
		status = text_value_read(&p->scan, field, &value);
		if (!f->packed) {
			f->packed = field;
			f->packed_open = wire_open(out, field->number);
		}
		put_value(out, value);
		return status;
	}
	if (field->kind == SCHEMA_STRING || field->kind == SCHEMA_BYTES) {
		open = wire_open(out, field->number);
		status = scan_string(&p->scan, out);
		zero = out->n == open;
		wire_close(out, open);
	} else {
		status = text_value_read(&p->scan, field, &value);
		zero = !value.bits;
		wire_put_varint(out, (uint32_t)field->number << 3 | value.wire);
		put_value(out, value);
	}
	if (field->how != SCHEMA_SINGLE || out->failed)
		return status;
	if (zero)
		out->at[out->n = before] = '\0';
	else
		f->seen |= (uint64_t)1 << (field - f->type->fields);
	return status;
}

static enum tfprof_status scalar_list(struct parser *p, struct frame *f,
	const struct schema_field *field)
{
	struct text_scan *s = &p->scan;
	enum tfprof_status status;
	struct span shown;

	scan_space(s);
	if (scan_take(s, ']'))
		return TFPROF_OK;
	for (;;) {
		scan_space(s);
		status = scalar(p, f, field);
		if (status != TFPROF_OK)
			return status;
		scan_space(s);
		if (scan_take(s, ']'))
			return TFPROF_OK;
		if (scan_take(s, ','))
			continue;
		shown = scan_shown(s);
		return scan_fail(s, s->at,
			"found \"%.*s\" in the list of %s: expected a comma or ]",
			ERROR_SPAN(shown), field->name);
	}
}

static enum tfprof_status message_field(struct parser *p, struct frame *f,
	const struct schema_field *field)
{
	struct text_scan *s = &p->scan;
	const char *bracket = s->at;

	if (!schema_is_repeated(field) || !scan_take(s, '['))
		return open_message(p, field);
	scan_space(s);
	if (scan_take(s, ']')) {
		skip_separator(s);
		return TFPROF_OK;
	}
	f->list = field;
	f->list_bracket = bracket;
	return open_message(p, field);
}

static enum tfprof_status any_field(struct parser *p)
{
	struct text_scan *s = &p->scan;
	struct frame *f = top(p);
	struct span name = scan_name(s);
	const struct schema_field *field = find_field(f, name);
	enum tfprof_status status;
	bool colon;

	if (!field)
		return no_such_field(p, name);
	if (f->packed != field)
		close_packed(p, f);
	if (!schema_is_repeated(field)) {
		status = check_single(p, f, field, name.at);
		if (status != TFPROF_OK)
			return status;
	}
	scan_space(s);
	colon = scan_take(s, ':');
	if (colon)
		scan_space(s);
	if (field->kind == SCHEMA_MESSAGE)
		return message_field(p, f, field);
	if (!colon)
		return scan_fail(s, s->at, "missing colon after %s: expected %s: and a value",
			field->name, field->name);
	if (schema_is_repeated(field) && scan_take(s, '['))
		status = scalar_list(p, f, field);
	else
		status = scalar(p, f, field);
	skip_separator(s);
	return status;
}

/* ---- the whole text ----------------------------------------------------- */

enum tfprof_status parser_run(struct parser *p)
{
	struct text_scan *s = &p->scan;
	enum tfprof_status status;

	do {
		scan_space(s);
		if (p->out->failed)
			return error_no_memory(s->err);
		if (p->marks_fields && !top(p)->list)
			parser_mark(p);
		if (top(p)->list)
			status = continue_list(p);
		else if (s->at == s->end)
			return at_end(p);
		else if (*s->at == '}' || *s->at == '>')
			status = close_message(p);
		else
			status = any_field(p);
	} while (status == TFPROF_OK);
	return status;
}

/* From last to first: moves the bytes between two lengths to their final position and
 * writes the length before them. */
static enum tfprof_status insert_lengths(struct parser *p)
{
	struct buf *out = p->out;
	size_t extra = p->frames.at[0].extra, from = out->n, to = from + extra;

	if (out->failed || !buf_reserve(out, extra))
		return error_no_memory(p->scan.err);
	out->n = to;
	out->at[to] = '\0';
	for (size_t i = p->longer.n; i-- > 1;) { /* the first is the whole text */
		struct length l = p->longer.at[i];

		to -= from - l.open;
		memmove(out->at + to, out->at + l.open, from - l.open);
		from = l.open - 1;
		to -= wire_varint_size(l.length);
		wire_write_varint(out->at + to, l.length);
	}
	return TFPROF_OK;
}

enum tfprof_status parser_init(struct parser *p, const struct schema_message *type,
	struct span text, struct buf *out, struct tfprof_error *err)
{
	*p = (struct parser){.out = out};
	if (!text.n)
		text.at = "";
	p->scan = (struct text_scan){.at = text.at,
		.end = text.at + text.n,
		.start = text.at,
		.err = err};
	if (span_starts(text, SPAN("\xef\xbb\xbf")))
		p->scan.at = p->scan.start += 3; /* a byte order mark, written by some editors */
	return push(p, type, NULL);
}

enum tfprof_status parser_finish(struct parser *p)
{
	close_packed(p, top(p));
	return insert_lengths(p);
}

void parser_clear(struct parser *p)
{
	scan_clear(&p->scan);
	vec_clear(&p->frames);
	vec_clear(&p->longer);
}

enum tfprof_status text_to_wire(const struct schema_message *type, struct span text,
	struct buf *out, struct tfprof_error *err)
{
	struct parser p;
	size_t before = out->n;
	enum tfprof_status status = parser_init(&p, type, text, out, err);

	if (status == TFPROF_OK)
		status = parser_run(&p);
	if (status == TFPROF_OK)
		status = parser_finish(&p);
	if (status != TFPROF_OK && out->at)
		out->at[out->n = before] = '\0';
	parser_clear(&p);
	return status;
}
