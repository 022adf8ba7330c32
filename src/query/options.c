#include "query/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "proto/fields.h"
#include "proto/wire.h"
#include "query/regex.h"

static size_t index_of(const char *const *words, struct span word)
{
	size_t i = 0;

	while (words[i] && !span_equal(span_of(words[i]), word))
		i++;
	return i;
}

static const char *const order_words[] = {
	"name",
#define X(id, word, ...) word,
	METRICS(X)
#undef X
		"depth",
	NULL,
};

/* Ordering by occurrence counts nodes, not runs. */
static const char *const order_help[] = {
	"A to Z",
#define X(id, word, column, selects, unit, graph, multi, option, value, header, tree, list, \
	meaning, ...)                                                                       \
	METRIC_##id == METRIC_OCCURRENCE ? "most nodes first (op, code)" : meaning,
	METRICS(X)
#undef X
		"outermost first",
	NULL,
};

/* By select_id. */
static const char *const select_words[] = {
#define X(id, word, ...) word,
	METRICS(X) ATTRIBUTES(X)
#undef X
		NULL,
};

static const char *const select_help[] = {
#define X(id, word, column, selects, unit, graph, multi, option, value, header, tree, list, \
	meaning, ...)                                                                       \
	meaning,
	METRICS(X)
#undef X
#define X(id, word, meaning, doc) meaning,
		ATTRIBUTES(X)
#undef X
			NULL,
};

static const char *const output_words[] = {
#define X(id, word, ...) word,
	OUTPUT_FORMATS(X)
#undef X
		NULL,
};

static const char *const output_help[] = {
#define X(id, word, file, metrics, refuse, write, announce, meaning) meaning,
	OUTPUT_FORMATS(X)
#undef X
};

static const char *const bool_words[] = {"true", "false", NULL};

enum option_kind { KIND_INT, KIND_BOOL, KIND_WORD, KIND_WORDS, KIND_REGEXES, KIND_OUTPUT };

static const struct option_def {
	const char *name;
	enum option_kind kind;
	uint32_t field;
	const char *value;
	const char *help;
} defs[N_OPTIONS] = {
#define X(id, name, kind, field, value, help) {name, KIND_##kind, field, value, help},
	OPTIONS(X)
#undef X
};

static const char *const *words_of(size_t id)
{
	switch (defs[id].kind) {
	case KIND_WORD: return order_words;
	case KIND_WORDS: return select_words;
	case KIND_OUTPUT: return output_words;
	case KIND_BOOL: return bool_words;
	default: return NULL;
	}
}

const struct tfprof_option_info *tfprof_option_get_info(size_t i)
{
	/* kind → its name, its words and their help */
	static const struct tfprof_option_info info[N_OPTIONS] = {
#define INFO_INT "int", NULL, NULL
#define INFO_BOOL "bool", bool_words, NULL
#define INFO_WORD "word", order_words, order_help
#define INFO_WORDS "words", select_words, select_help
#define INFO_REGEXES "regexes", NULL, NULL
#define INFO_OUTPUT "output", output_words, output_help
#define X(id, name, kind, field, value, help) {name, value, help, INFO_##kind, field},
		OPTIONS(X)
#undef X
	};

	return i < N_OPTIONS ? &info[i] : NULL;
}

/* ---- lists ------------------------------------------------------------- */

typedef VEC(struct span) spans_vec;

/* A list in one block: the spans, then their texts. */
static bool list_new(struct word_list *list, const struct span *words, size_t n)
{
	size_t bytes = 0, head;
	char *at;

	for (size_t i = 0; i < n; i++)
		if (__builtin_add_overflow(bytes, words[i].n + 1, &bytes))
			return false;
	if (__builtin_mul_overflow(n, sizeof(*words), &head) ||
		__builtin_add_overflow(bytes, head, &bytes))
		return false;
	list->at = mem_alloc(bytes);
	list->n = n;
	if (!list->at)
		return false;
	at = (char *)(list->at + n);
	for (size_t i = 0; i < n; i++) {
		if (words[i].n)
			memcpy(at, words[i].at, words[i].n);
		at[words[i].n] = '\0';
		list->at[i] = (struct span){at, words[i].n};
		at += words[i].n + 1;
	}
	return true;
}

/* Skips empty words between commas. */
static bool split(struct span text, spans_vec *out)
{
	for (size_t i = 0; i <= text.n;) {
		const char *comma = i < text.n ? memchr(text.at + i, ',', text.n - i) : NULL;
		size_t end = comma ? (size_t)(comma - text.at) : text.n;

		if (end > i && !vec_push(out, ((struct span){text.at + i, end - i})))
			return false;
		i = end + 1;
	}
	return true;
}

/* ---- setting one option ------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists the words of select in byte order, others as documented. */
static enum tfprof_status word_error(struct tfprof_error *err, size_t id, struct span word)
{
	enum { MAX_WORDS = N_SELECTS + N_FORMATS };
	const char *const *known = words_of(id);
	const char *near = nearest_word(word, known), *words[MAX_WORDS];
	char expected[600] = "";
	size_t n = 0;

	for (; known[n] && n < MAX_WORDS; n++)
		words[n] = known[n];
	if (id == OPT_SELECT)
		qsort(words, n, sizeof(*words), by_name);
	for (size_t i = 0; i < n; i++) {
		size_t used = strlen(expected);

		snprintf(expected + used, sizeof(expected) - used, "%s%s", i ? ", " : "", words[i]);
	}
	return error_set(err, TFPROF_ARGUMENT, "-%s: unknown %s '%.*s': expected one of: %s%s%s%s",
		defs[id].name, id == OPT_OUTPUT ? "output type" : "word", ERROR_SPAN(word),
		expected, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static enum tfprof_status set_int(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	char text[32], *end;
	long long number;

	if (value.n == 0 || value.n >= sizeof(text))
		return error_set(err, TFPROF_ARGUMENT, "-%s: '%.*s' is not a whole number",
			defs[id].name, ERROR_SPAN(value));
	memcpy(text, value.at, value.n);
	text[value.n] = '\0';
	errno = 0;
	number = strtoll(text, &end, 10);
	if (*end || errno || text[0] == ' ')
		return error_set(err, TFPROF_ARGUMENT, "-%s: '%.*s' is not a %swhole number",
			defs[id].name, ERROR_SPAN(value), errno ? "64-bit " : "");
	o->number[id] = number;
	return TFPROF_OK;
}

static enum tfprof_status set_bool(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	if (span_equal(value, SPAN("true")) || span_equal(value, SPAN("1")))
		o->number[id] = 1;
	else if (span_equal(value, SPAN("false")) || span_equal(value, SPAN("0")))
		o->number[id] = 0;
	else
		return word_error(err, id, value);
	return TFPROF_OK;
}

/* Whether a comma starts another setting: `,word=`. */
static bool starts_setting(const char *at, const char *end)
{
	const char *c = at + 1;

	while (c < end && ((*c >= 'a' && *c <= 'z') || *c == '_'))
		c++;
	return c > at + 1 && c < end && *c == '=';
}

static const char *const viewer_words[] = {"chrome", "perfetto", NULL};

static bool takes_file(enum format format)
{
	static const enum format_file files[] = {
#define X(id, word, file, ...) FILE_##file,
		FORMATS(X)
#undef X
	};

	return files[format] != FILE_NOT;
}

static enum tfprof_status setting_error(struct tfprof_error *err, struct span setting,
	enum format format)
{
	return error_set(err, TFPROF_ARGUMENT,
		"-output: unknown setting '%.*s' of output type %s: expected %s",
		ERROR_SPAN(setting), output_words[format],
		format == FORMAT_TIMELINE    ? "outfile=PATH, viewer=chrome or viewer=perfetto"
			: takes_file(format) ? "outfile=PATH"
					     : "none");
}

static enum tfprof_status parse_setting(struct span setting, struct output_option *o,
	struct tfprof_error *err)
{
	struct span outfile = SPAN("outfile="), viewer = SPAN("viewer=");

	if (takes_file(o->format) && span_starts(setting, outfile)) {
		o->outfile = (struct span){setting.at + outfile.n, setting.n - outfile.n};
		return TFPROF_OK;
	}
	if (o->format == FORMAT_TIMELINE && span_starts(setting, viewer)) {
		size_t i = index_of(viewer_words,
			(struct span){setting.at + viewer.n, setting.n - viewer.n});

		o->viewer = (enum timeline_viewer)i;
		if (viewer_words[i])
			return TFPROF_OK;
	}
	return setting_error(err, setting, o->format);
}

/* An empty text means stdout. A path may contain `=`, and commas that do not start
 * another setting. */
static enum tfprof_status parse_output(struct span text, struct output_option *o,
	struct tfprof_error *err)
{
	const char *colon = text.n ? memchr(text.at, ':', text.n) : NULL, *end = text.at + text.n;
	struct span word = {text.at, colon ? (size_t)(colon - text.at) : text.n};
	size_t i = text.n ? index_of(output_words, word) : FORMAT_STDOUT;
	enum tfprof_status status = TFPROF_OK;

	*o = (struct output_option){.outfile = {"", 0}};
	if (!output_words[i])
		return word_error(err, OPT_OUTPUT, word);
	o->format = (enum format)i;
	for (const char *at = colon ? colon + 1 : end, *next; status == TFPROF_OK && at < end;
		at = next + 1) {
		for (next = at; next < end; next++)
			if (*next == ',' && starts_setting(next, end))
				break;
		status = parse_setting((struct span){at, (size_t)(next - at)}, o, err);
	}
	if (status == TFPROF_OK && takes_file(o->format) && !o->outfile.n)
		status = error_set(err, TFPROF_ARGUMENT,
			"-output: type %s needs a file: -output %s:outfile=PATH", output_words[i],
			output_words[i]);
	return status;
}

static int by_text(const void *a, const void *b)
{
	return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* Sets the words of a list option: checks them, sorts those of select. `tolerant`
 * accepts what TensorFlow's profiler accepts. */
static enum tfprof_status set_list(struct tfprof_options *o, size_t id, struct span *words,
	size_t n, bool tolerant, struct tfprof_error *err)
{
	struct output_option output;
	struct span output_texts[2];
	struct word_list list;
	unsigned selected = 0;
	size_t order = 0, unique = 0;

	if (id == OPT_ORDER_BY) {
		order = n && words[0].n ? index_of(order_words, words[0]) : ORDER_FOUND;
		if (n && words[0].n && !order_words[order]) {
			if (!tolerant)
				return word_error(err, id, words[0]);
			order = ORDER_NAME;
		}
	} else if (id == OPT_SELECT) {
		if (n)
			qsort(words, n, sizeof(*words), by_text);
		for (size_t i = 0; i < n; i++) {
			enum select_id select = options_find_select(words[i]);

			if (select == N_SELECTS && !tolerant)
				return word_error(err, id, words[i]);
			if (select != N_SELECTS)
				selected |= 1u << select;
			if (!unique || !span_equal(words[unique - 1], words[i]))
				words[unique++] = words[i];
		}
		n = unique;
	} else if (id == OPT_OUTPUT) {
		struct span text = n ? words[0] : (struct span){"", 0};
		enum tfprof_status status = parse_output(text, &output, err);

		if (status != TFPROF_OK)
			return status;
		output_texts[0] = text;
		output_texts[1] = output.outfile;
		words = output_texts;
		n = 2;
	}
	if (!list_new(&list, words, n))
		return error_no_memory(err);
	mem_free(o->list[id].at);
	o->list[id] = list;
	if (id == OPT_ORDER_BY) {
		o->order = (enum order)order;
	} else if (id == OPT_SELECT) {
		o->selected = selected;
	} else if (id == OPT_OUTPUT) {
		o->output = output;
		o->output.outfile = list.at[1];
	}
	return TFPROF_OK;
}

/* An invalid regex is rejected when set, not by each query that uses it. */
static enum tfprof_status check_regexes(size_t id, const spans_vec *patterns,
	struct tfprof_error *err)
{
	struct regexes *r;
	enum tfprof_status status;

	if (defs[id].kind != KIND_REGEXES)
		return TFPROF_OK;
	status = regexes_new(&r, defs[id].name, patterns->at, patterns->n, err);
	if (status == TFPROF_OK)
		regexes_free(r);
	return status;
}

static enum tfprof_status set_text(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	spans_vec words = {0};
	enum tfprof_status status;

	switch (defs[id].kind) {
	case KIND_INT: return set_int(o, id, value, err);
	case KIND_BOOL: return set_bool(o, id, value, err);
	case KIND_WORD:
	case KIND_OUTPUT: return set_list(o, id, &value, 1, false, err);
	default: break;
	}
	status = split(value, &words) ? check_regexes(id, &words, err) : error_no_memory(err);
	if (status == TFPROF_OK)
		status = set_list(o, id, words.at, words.n, false, err);
	vec_clear(&words);
	return status;
}

static size_t find_option(const char *name)
{
	size_t id = 0;

	while (id < N_OPTIONS && strcmp(defs[id].name, name) != 0)
		id++;
	return id;
}

enum tfprof_status tfprof_options_set(tfprof_options *o, const char *name, const char *value,
	struct tfprof_error *err)
{
	static const char *const names[] = {
#define X(id, name, kind, field, value, help) name,
		OPTIONS(X)
#undef X
			NULL};
	size_t id = find_option(name);
	const char *near;

	if (id < N_OPTIONS) {
		/* A caller who knows our own options does not expect TensorFlow's answers. */
		if (!defs[id].field)
			o->tolerant = false;
		return set_text(o, id, span_of(value), err);
	}
	near = nearest_word(span_of(name), names);
	return error_set(err, TFPROF_ARGUMENT, "unknown option '%s'%s%s%s", name,
		near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- reading options ----------------------------------------------------- */

static void put_value(const struct tfprof_options *o, size_t id, struct buf *b)
{
	const struct word_list *list = &o->list[id];

	switch (defs[id].kind) {
	case KIND_INT: buf_int(b, o->number[id]); break;
	case KIND_BOOL: buf_text(b, o->number[id] ? "true" : "false"); break;
	case KIND_OUTPUT: buf_span(b, list->at[0]); break;
	default:
		for (size_t i = 0; i < list->n; i++) {
			if (i)
				buf_char(b, ',');
			buf_span(b, list->at[i]);
		}
	}
}

const char *tfprof_options_get(tfprof_options *o, const char *name)
{
	size_t id = find_option(name);

	if (id == N_OPTIONS)
		return NULL;
	o->value.n = 0;
	put_value(o, id, &o->value);
	return buf_get(&o->value).n ? o->value.at : "";
}

static void put_output(const struct tfprof_options *o, struct buf *b)
{
	buf_text(b, output_words[o->output.format]);
	buf_char(b, ':');
	if (o->output.outfile.n) {
		buf_text(b, "outfile=");
		buf_span(b, o->output.outfile);
	}
	if (o->output.viewer != VIEWER_CHROME) {
		buf_text(b, ",viewer=");
		buf_text(b, viewer_words[o->output.viewer]);
	}
}

void options_echo(const struct tfprof_options *o, struct buf *b, bool own)
{
	for (size_t id = 0; id < N_OPTIONS; id++) {
		size_t pad = strlen(defs[id].name) + 1;

		if (!defs[id].field && !own)
			continue;
		buf_char(b, '-');
		buf_text(b, defs[id].name);
		buf_fill(b, ' ', pad < 28 ? 28 - pad : 0);
		if (id == OPT_OUTPUT) {
			put_output(o, b);
		} else {
			put_value(o, id, b);
		}
		buf_char(b, '\n');
	}
}

const char *tfprof_options_get_text(tfprof_options *o, size_t *length)
{
	o->echo.n = 0;
	options_echo(o, &o->echo, true);
	if (length)
		*length = o->echo.n;
	return buf_get(&o->echo).at;
}

enum select_id options_find_select(struct span word)
{
	return (enum select_id)index_of(select_words, word);
}

/* ---- lifetime ----------------------------------------------------------- */

tfprof_options *tfprof_options_new(void)
{
	tfprof_options *o = mem_zero(sizeof(*o));

	if (!o)
		return NULL;
	for (size_t id = 0; id < N_OPTIONS; id++)
		if (set_text(o, id, span_of(defs[id].value), NULL) != TFPROF_OK) {
			tfprof_options_free(o);
			return NULL;
		}
	return o;
}

tfprof_options *tfprof_options_copy(const tfprof_options *from)
{
	tfprof_options *o = mem_alloc(sizeof(*o));
	bool ok = true;

	if (!o)
		return NULL;
	*o = *from;
	o->echo = o->value = (struct buf){0};
	for (size_t id = 0; id < N_OPTIONS; id++) {
		o->list[id] = (struct word_list){0};
		if (from->list[id].at)
			ok = ok && list_new(&o->list[id], from->list[id].at, from->list[id].n);
	}
	if (!ok) {
		tfprof_options_free(o);
		return NULL;
	}
	o->output.outfile = o->list[OPT_OUTPUT].at[1];
	return o;
}

void tfprof_options_free(tfprof_options *o)
{
	if (!o)
		return;
	for (size_t id = 0; id < N_OPTIONS; id++)
		mem_free(o->list[id].at);
	buf_clear(&o->echo);
	buf_clear(&o->value);
	mem_free(o);
}

/* ---- OptionsProto ------------------------------------------------------- */

static enum tfprof_status read_message(tfprof_options *o, struct span message, spans_vec *lists,
	struct span *dump, struct tfprof_error *err)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f)) {
		if (f.tag == WIRE_LEN(OPTIONS_DUMP_TO_FILE))
			*dump = f.bytes;
		for (size_t id = 0; id < N_OPTIONS; id++) {
			if (!defs[id].field || f.tag >> 3 != defs[id].field)
				continue;
			if (defs[id].kind == KIND_INT || defs[id].kind == KIND_BOOL) {
				if ((f.tag & 7) == WIRE_T_VARINT)
					o->number[id] = (int64_t)f.value;
			} else if ((f.tag & 7) == WIRE_T_LEN) {
				if (defs[id].kind == KIND_WORD || defs[id].kind == KIND_OUTPUT)
					lists[id].n = 0;
				if (!vec_push(&lists[id], f.bytes))
					return error_no_memory(err);
			}
		}
	}
	if (r.bad)
		return error_set(err, TFPROF_FORMAT, "not an OptionsProto: invalid at byte %zu",
			(size_t)(r.bad - message.at));
	return TFPROF_OK;
}

enum tfprof_status tfprof_options_set_message(tfprof_options *o, const void *bytes, size_t size,
	struct tfprof_error *err)
{
	struct tfprof_options *fresh = tfprof_options_new(), swap;
	spans_vec lists[N_OPTIONS] = {0};
	struct span dump = {0};
	struct buf output = {0};
	enum tfprof_status status;

	if (!fresh)
		return error_no_memory(err);
	memset(fresh->number, 0, sizeof(fresh->number));
	fresh->tolerant = true;
	status = read_message(fresh, (struct span){bytes, size}, lists, &dump, err);
	if (status == TFPROF_OK && dump.n) {
		buf_text(&output, "file:outfile=");
		buf_span(&output, dump);
		lists[OPT_OUTPUT].n = 0;
		fresh->took_dump_to_file = true;
		if (output.failed || !vec_push(&lists[OPT_OUTPUT], buf_get(&output)))
			status = error_no_memory(err);
	}
	for (size_t id = 0; status == TFPROF_OK && id < N_OPTIONS; id++)
		if (defs[id].field && defs[id].kind != KIND_INT && defs[id].kind != KIND_BOOL)
			status = set_list(fresh, id, lists[id].at, lists[id].n, true, err);
	if (status == TFPROF_OK) {
		swap = *o;
		*o = *fresh;
		*fresh = swap;
	}
	for (size_t id = 0; id < N_OPTIONS; id++)
		vec_clear(&lists[id]);
	buf_clear(&output);
	tfprof_options_free(fresh);
	return status;
}
