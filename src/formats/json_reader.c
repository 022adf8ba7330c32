#include "formats/json_reader.h"

#include <stdlib.h>

#include "base/utf8.h"

struct reader {
	struct json_doc *doc;
	const char *begin, *at, *end;
	const char *problem;
	uint32_t open[JSON_MAX_DEPTH]; /* containers around the current value */
	uint32_t n_items[JSON_MAX_DEPTH];
	int depth;
	bool expects_key, expects_value;
};

static bool fail(struct reader *r, const char *problem)
{
	if (!r->problem)
		r->problem = problem;
	return false;
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end &&
		(*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

static bool push(struct reader *r, enum json_type type, struct span text)
{
	struct json_value value = {.type = (uint8_t)type, .text = text};

	value.end = (uint32_t)r->doc->values.n + 1;
	if (r->doc->values.n > UINT32_MAX - 4 || !vec_push(&r->doc->values, value))
		return fail(r, "out of memory");
	return true;
}

static bool read_string(struct reader *r, struct span *text)
{
	const char *start = ++r->at;

	while (r->at < r->end && *r->at != '"') {
		if (*r->at == '\\')
			r->at++;
		else if ((unsigned char)*r->at < 32)
			return fail(r, "a control character in a string");
		r->at++;
	}
	if (r->at >= r->end) {
		r->at = r->end;
		return fail(r, "a string without an end");
	}
	*text = (struct span){start, (size_t)(r->at++ - start)};
	return true;
}

static bool read_word(struct reader *r, const char *word, enum json_type type)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
		return fail(r, "not a value");
	r->at += n;
	return push(r, type, (struct span){"", 0});
}

static bool read_number(struct reader *r)
{
	const char *start = r->at;
	bool is_long = r->depth && r->n_items[r->depth - 1] > JSON_MAX_NUMBERS &&
		r->doc->values.at[r->open[r->depth - 1]].type == JSON_ARRAY;

	while (r->at < r->end && ((*r->at >= '0' && *r->at <= '9') || memchr("+-.eE", *r->at, 5)))
		r->at++;
	if (r->at == start)
		return fail(r, "not a value");
	return is_long || push(r, JSON_NUMBER, (struct span){start, (size_t)(r->at - start)});
}

static bool open_container(struct reader *r, enum json_type type)
{
	r->at++;
	if (r->depth == JSON_MAX_DEPTH)
		return fail(r, "nested too deep");
	r->open[r->depth] = (uint32_t)r->doc->values.n;
	r->n_items[r->depth++] = 0;
	return push(r, type, (struct span){"", 0});
}

static bool read_value(struct reader *r)
{
	struct span text;

	if (r->depth)
		r->n_items[r->depth - 1]++;
	/* Python writes these for floats that are none. */
	switch (*r->at) {
	case '{': return open_container(r, JSON_OBJECT);
	case '[': return open_container(r, JSON_ARRAY);
	case '"': return read_string(r, &text) && push(r, JSON_STRING, text);
	case 't': return read_word(r, "true", JSON_TRUE);
	case 'f': return read_word(r, "false", JSON_FALSE);
	case 'n': return read_word(r, "null", JSON_NULL);
	case 'N': return read_word(r, "NaN", JSON_NULL);
	case 'I': return read_word(r, "Infinity", JSON_NULL);
	case '-':
		if (r->end - r->at > 1 && r->at[1] == 'I')
			return read_word(r, "-Infinity", JSON_NULL);
		return read_number(r);
	default: return read_number(r);
	}
}

/* Closes what ends here, and takes the comma after a value. False at the end of all. */
static bool finish_value(struct reader *r)
{
	while (r->depth) {
		struct json_value *container = &r->doc->values.at[r->open[r->depth - 1]];
		char close = container->type == JSON_OBJECT ? '}' : ']';

		skip_blanks(r);
		if (r->at >= r->end)
			return fail(r, "it ends in the middle");
		if (*r->at == ',') {
			r->at++;
			skip_blanks(r);
			return true;
		}
		if (*r->at != close)
			return fail(r, "expected a comma or the end of a list");
		r->at++;
		container->end = (uint32_t)r->doc->values.n;
		r->depth--;
	}
	return false;
}

static bool read_key(struct reader *r)
{
	struct span key;

	if (r->at >= r->end || *r->at != '"')
		return fail(r, "expected a key");
	if (!read_string(r, &key) || !push(r, JSON_STRING, key))
		return false;
	skip_blanks(r);
	if (r->at >= r->end || *r->at != ':')
		return fail(r, "expected a colon");
	r->at++;
	skip_blanks(r);
	return true;
}

static bool in_object(const struct reader *r)
{
	return r->depth && r->doc->values.at[r->open[r->depth - 1]].type == JSON_OBJECT;
}

static bool at_end_of_empty(const struct reader *r)
{
	return r->at < r->end && (*r->at == '}' || *r->at == ']');
}

const char *json_read(struct json_doc *doc, struct span text, size_t *at)
{
	struct reader r = {.doc = doc,
		.begin = text.at,
		.at = text.at,
		.end = text.n ? text.at + text.n : text.at};
	bool more = true;

	*doc = (struct json_doc){0};
	skip_blanks(&r);
	while (more && !r.problem) {
		int depth = r.depth;

		if (r.at >= r.end) {
			fail(&r, "it ends in the middle");
			break;
		}
		if (in_object(&r) && !read_key(&r))
			break;
		if (r.at >= r.end)
			fail(&r, "it ends in the middle");
		else if (read_value(&r)) {
			skip_blanks(&r);
			/* The first value of a container follows, unless it is empty. */
			more = (r.depth > depth && !at_end_of_empty(&r)) || finish_value(&r);
		}
	}
	if (!r.problem)
		skip_blanks(&r);
	if (!r.problem && r.at < r.end)
		fail(&r, "more text after the end");
	*at = r.at ? (size_t)(r.at - r.begin) : 0;
	return r.problem;
}

void json_doc_clear(struct json_doc *doc)
{
	vec_clear(&doc->values);
	arena_clear(&doc->arena);
}

/* ---- values --------------------------------------------------------------------- */

enum json_type json_type_of(const struct json_doc *doc, uint32_t value)
{
	return value < doc->values.n ? (enum json_type)doc->values.at[value].type : JSON_NULL;
}

uint32_t json_first(const struct json_doc *doc, uint32_t container)
{
	enum json_type type = json_type_of(doc, container);

	if (type != JSON_ARRAY && type != JSON_OBJECT)
		return NONE;
	return doc->values.at[container].end > container + 1 ? container + 1 : NONE;
}

uint32_t json_next(const struct json_doc *doc, uint32_t container, uint32_t item)
{
	uint32_t next = item < doc->values.n ? doc->values.at[item].end : NONE;

	return next < doc->values.at[container].end ? next : NONE;
}

uint32_t json_get(const struct json_doc *doc, uint32_t object, const char *key)
{
	struct span wanted = span_of(key);

	if (json_type_of(doc, object) != JSON_OBJECT)
		return NONE;
	for (uint32_t at = json_first(doc, object); at != NONE;) {
		uint32_t value = doc->values.at[at].end;

		if (value >= doc->values.n)
			return NONE;
		if (span_equal(doc->values.at[at].text, wanted))
			return value;
		at = json_next(doc, object, value);
	}
	return NONE;
}

static bool read_hex(struct span text, size_t at, uint32_t *code)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	*code = 0;
	for (size_t i = at; i < at + 4; i++) {
		const char *found = i < text.n ? memchr(digits, text.at[i], 22) : NULL;
		uint32_t digit = found ? (uint32_t)(found - digits) : 0;

		if (!found)
			return false;
		*code = *code << 4 | (digit < 16 ? digit : digit - 6);
	}
	return true;
}

/* A character written as \uXXXX, or as a pair of these, at a backslash; returns the length of the
 * escape, 0 if it is none. */
static size_t read_unicode(struct span text, size_t at, uint32_t *code)
{
	uint32_t low;

	if (!read_hex(text, at + 2, code))
		return 0;
	if (*code < 0xd800 || *code > 0xdfff)
		return 6;
	if (*code < 0xdc00 && at + 8 < text.n && text.at[at + 6] == '\\' &&
		text.at[at + 7] == 'u' && read_hex(text, at + 8, &low) &&
		low >> 10 == 0xdc00 >> 10) {
		*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
		return 12;
	}
	*code = 0xfffd;
	return 6;
}

/* The length of the escape at a backslash. What is none stays as it is. */
static size_t read_escape(struct span text, size_t at, uint32_t *code)
{
	static const char letters[] = "bfnrt\"\\/", meanings[] = "\b\f\n\r\t\"\\/";
	const char *letter =
		at + 1 < text.n ? memchr(letters, text.at[at + 1], sizeof(letters) - 1) : NULL;
	size_t n = at + 1 < text.n && text.at[at + 1] == 'u' ? read_unicode(text, at, code) : 0;

	if (letter) {
		*code = (unsigned char)meanings[letter - letters];
		return 2;
	}
	if (!n)
		*code = '\\';
	return n ? n : 1;
}

/* No escape is shorter than what it stands for. */
struct span json_text_of(struct json_doc *doc, uint32_t value)
{
	struct span text = {"", 0}, copy;
	char *to;

	if (json_type_of(doc, value) != JSON_STRING)
		return text;
	text = doc->values.at[value].text;
	if (!text.n || !memchr(text.at, '\\', text.n))
		return text;
	copy = arena_copy(&doc->arena, text);
	if (!copy.at)
		return text;
	to = (char *)copy.at;
	for (size_t i = 0; i < text.n;) {
		uint32_t code;

		if (text.at[i] != '\\') {
			*to++ = text.at[i++];
			continue;
		}
		i += read_escape(text, i, &code);
		to = utf8_put(to, code);
	}
	copy.n = (size_t)(to - copy.at);
	return copy;
}

bool json_int_of(const struct json_doc *doc, uint32_t value, int64_t *number)
{
	enum json_type type = json_type_of(doc, value);
	struct span text;
	char copy[32], *end;

	if (type == JSON_TRUE || type == JSON_FALSE) {
		*number = type == JSON_TRUE;
		return true;
	}
	if (type != JSON_NUMBER)
		return false;
	text = doc->values.at[value].text;
	if (text.n >= sizeof(copy))
		return false;
	memcpy(copy, text.at, text.n);
	copy[text.n] = '\0';
	*number = strtoll(copy, &end, 10);
	/* 1.0 is a whole number, too. */
	return end != copy && (!*end || strcmp(end, ".0") == 0);
}
