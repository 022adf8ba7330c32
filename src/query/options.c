#include "query/options.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/spelling.h"
#include "base/vec.h"
#include "base/words.h"
#include "query/amount.h"
#include "query/limit.h"
#include "query/model_options.h"
#include "query/output_option.h"
#include "query/regex.h"

static const struct option_def {
	const char *name;
	enum option_kind kind;
	uint32_t field;
	const char *value;
	const char *help;
} defs[N_OPTIONS] = {
#define X(id, name, kind, field, value, applies, help) {name, KIND_##kind, field, value, help},
	OPTIONS(X)
#undef X
};

/* Those that it accepts; NULL if it takes no words. */
static const char *const *words_of(size_t id)
{
	return tfprof_option_get_info(id)->words;
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

/* Skips empty words between commas, and blanks after a comma. */
static bool split(struct span text, spans_vec *out)
{
	for (size_t i = 0; i <= text.n;) {
		const char *comma = i < text.n ? memchr(text.at + i, ',', text.n - i) : NULL;
		size_t end = comma ? (size_t)(comma - text.at) : text.n;

		while (i && i < end && text.at[i] == ' ')
			i++;
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
enum tfprof_status option_word_error(struct tfprof_error *err, enum option_id id, struct span word)
{
	enum { MAX_WORDS = N_SELECTS + N_FORMATS };
	const char *const *known = words_of(id);
	const char *words[MAX_WORDS + 1] = {NULL};
	char what[100];
	size_t n = 0;

	for (; known[n] && n < MAX_WORDS; n++)
		words[n] = known[n];
	if (id == OPT_SELECT)
		qsort(words, n, sizeof(*words), by_name);
	snprintf(what, sizeof(what), "%s: unknown %s", OPTION(defs[id].name),
		id == OPT_OUTPUT ? "output type" : "word");
	return words_error(err, what, word, words);
}

static enum tfprof_status set_bool(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	bool yes;

	if (!words_read_bool(value, &yes))
		return option_word_error(err, id, value);
	o->number[id] = yes;
	return TFPROF_OK;
}

static int by_text(const void *a, const void *b)
{
	return span_compare(*(const struct span *)a, *(const struct span *)b);
}

/* The order of op view: by the first number among the words of select. */
static enum order first_number(const struct span *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum select_id select = options_find_select(words[i]);

		if (select < (enum select_id)N_METRICS)
			return ORDER_NAME + 1 + (enum order)select;
	}
	return ORDER_NAME;
}

enum tfprof_status options_set_list(struct tfprof_options *o, size_t id, struct span *words,
	size_t n, bool tolerant, struct tfprof_error *err)
{
	struct output_option output;
	struct span output_texts[2];
	struct word_list list;
	enum order first = ORDER_NAME;
	unsigned selected = 0;
	size_t order = 0, unique = 0, word = 0;

	if (id == OPT_ORDER_BY) {
		order = n && words[0].n ? words_find(words_of(id), words[0]) : ORDER_FOUND;
		if (n && words[0].n && !words_of(id)[order]) {
			if (!tolerant)
				return option_word_error(err, id, words[0]);
			order = ORDER_NAME;
		}
	} else if (id == OPT_DEVICE) {
		word = words_find(words_of(id), n ? words[0] : SPAN(""));
		if (!words_of(id)[word] && n && words[0].n)
			return option_word_error(err, id, words[0]);
	} else if (id == OPT_SELECT) {
		first = first_number(words, n);
		if (n)
			qsort(words, n, sizeof(*words), by_text);
		for (size_t i = 0; i < n; i++) {
			enum select_id select = options_find_select(words[i]);

			if (select == N_SELECTS && !tolerant)
				return option_word_error(err, id, words[i]);
			if (select != N_SELECTS)
				selected |= 1u << select;
			if (!unique || !span_equal(words[unique - 1], words[i]))
				words[unique++] = words[i];
		}
		n = unique;
	} else if (id == OPT_OUTPUT) {
		struct span text = n ? words[0] : (struct span){"", 0};
		enum tfprof_status status = output_option_parse(text, &output, err);

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
	} else if (id == OPT_DEVICE) {
		/* From 1 on; 0 is none. */
		o->number[id] = words_of(id)[word] ? (int64_t)word + 1 : 0;
	} else if (id == OPT_SELECT) {
		o->selected = selected;
		o->first_number = first;
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

/* One of several words: its index is the value. */
static enum tfprof_status set_word(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	size_t word = words_find(words_of(id), value);
	enum tfprof_status status;

	if (!words_of(id)[word])
		return option_word_error(err, id, value);
	status = options_set_list(o, id, &value, 1, false, err);
	if (status == TFPROF_OK)
		o->number[id] = (int64_t)word;
	return status;
}

static enum tfprof_status expected(size_t id, struct span value, const char *what,
	struct tfprof_error *err)
{
	return error_set(err, TFPROF_ARGUMENT, "%s: '%.*s': expected %s", OPTION(defs[id].name),
		ERROR_SPAN(value), what);
}

static enum tfprof_status set_number(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	enum { MAX_POSITIVE = 1000000000 };
	int64_t number;
	double real;
	enum tfprof_status status;

	if (id == OPT_PEAK_FLOPS && span_equal(value, SPAN("sheet"))) {
		o->number[id] = PEAK_FLOPS_SHEET;
		return TFPROF_OK;
	}
	if (defs[id].kind == KIND_POSITIVE) {
		if (amount_parse("", AMOUNT_PLAIN, value, &number, NULL) != TFPROF_OK ||
			number < 1 || number / 1000 > MAX_POSITIVE)
			return expected(id, value, "a number of at least 1", err);
		o->number[id] = number;
		return TFPROF_OK;
	}
	status = amount_parse(defs[id].name, (enum amount_kind)defs[id].kind, value, &number, err);
	/* Rates are also written as 1.55e12. */
	if (status != TFPROF_OK && defs[id].kind == KIND_RATE && limit_read_number(value, &real) &&
		real < 9e18) {
		number = (int64_t)real;
		status = TFPROF_OK;
	}
	if (status == TFPROF_OK)
		o->number[id] = number;
	return status;
}

/* Limits given later replace those given before. */
static enum tfprof_status set_limits(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	limits list = {0};
	enum tfprof_status status = limits_read(&list, &model_limit_rules, value, err);

	limits_clear(&list);
	return status == TFPROF_OK ? options_set_list(o, id, &value, 1, false, err) : status;
}

/* Words between commas, or regexes. */
static enum tfprof_status set_words(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	spans_vec words = {0};
	enum tfprof_status status =
		split(value, &words) ? check_regexes(id, &words, err) : error_no_memory(err);

	if (status == TFPROF_OK)
		status = options_set_list(o, id, words.at, words.n, false, err);
	vec_clear(&words);
	return status;
}

static enum tfprof_status set_text(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	double percent;

	switch (defs[id].kind) {
	case KIND_INT:
	case KIND_COUNT:
	case KIND_MICROS:
	case KIND_BYTES:
	case KIND_RATE:
	case KIND_POSITIVE: return set_number(o, id, value, err);
	case KIND_BOOL: return set_bool(o, id, value, err);
	case KIND_BY:
	case KIND_LEVEL:
	case KIND_MODEL_ORDER:
	case KIND_OPTIMIZER:
	case KIND_TRAINING_DTYPE:
	case KIND_DIFF_ORDER:
	case KIND_TABLE_WORD: return set_word(o, id, value, err);
	case KIND_LIMITS: return set_limits(o, id, value, err);
	case KIND_PERCENT:
		if (!limit_read_percent(value, &percent))
			return expected(id, value, "a percentage such as 5%", err);
		return options_set_list(o, id, &value, 1, false, err);
	case KIND_WORDS:
	case KIND_REGEXES: return set_words(o, id, value, err);
	default: return options_set_list(o, id, &value, 1, false, err);
	}
}

size_t options_find(const char *question, const char *name)
{
	size_t id = 0;

	while (id < N_OPTIONS &&
		(strcmp(defs[id].name, name) != 0 ||
			(question && !tfprof_option_applies(tfprof_option_get_info(id), question))))
		id++;
	return id;
}

const char *option_get_name(size_t id)
{
	return defs[id].name;
}

enum tfprof_status options_set(struct tfprof_options *o, size_t id, struct span value,
	struct tfprof_error *err)
{
	enum tfprof_status status = set_text(o, id, value, err);

	if (status == TFPROF_OK)
		o->given[id] = true;
	return status;
}

bool options_append(struct tfprof_options *o, size_t id, const struct span *words, size_t n)
{
	struct word_list list;
	spans_vec all = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < o->list[id].n; i++)
		ok = vec_push(&all, o->list[id].at[i]);
	for (size_t i = 0; ok && i < n; i++)
		ok = vec_push(&all, words[i]);
	ok = ok && list_new(&list, all.at, all.n);
	vec_clear(&all);
	if (!ok)
		return false;
	mem_free(o->list[id].at);
	o->list[id] = list;
	o->given[id] = true;
	return true;
}

const char *options_get_text(const struct tfprof_options *o, enum option_id id)
{
	const struct word_list *list = &o->list[id];

	return list->n && list->at[0].n ? list->at[0].at : NULL;
}

enum tfprof_status tfprof_options_set_list(tfprof_options *o, const char *name,
	const char *const *values, size_t n, struct tfprof_error *err)
{
	size_t id = options_find(NULL, name);
	enum tfprof_status status = TFPROF_OK;
	spans_vec words = {0};

	if (id == N_OPTIONS || (defs[id].kind != KIND_WORDS && defs[id].kind != KIND_REGEXES))
		return error_set(err, TFPROF_ARGUMENT, "%s takes one value, not a list",
			OPTION(name));
	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		if (!vec_push(&words, span_of(values[i])))
			status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = check_regexes(id, &words, err);
	if (status == TFPROF_OK)
		status = options_set_list(o, id, words.at, words.n, false, err);
	if (status == TFPROF_OK)
		o->given[id] = true;
	vec_clear(&words);
	return status;
}

/* The option of this name that is set or, if none is, the first. */
static size_t find_set(const tfprof_options *o, const char *name)
{
	for (size_t id = 0; id < N_OPTIONS; id++)
		if (o->given[id] && strcmp(defs[id].name, name) == 0)
			return id;
	return options_find(NULL, name);
}

int tfprof_options_is_set(const tfprof_options *o, const char *name)
{
	size_t id = find_set(o, name);

	return id < N_OPTIONS && o->given[id];
}

bool options_choose_defaults(struct tfprof_options *o, enum tfprof_view view, bool has_run)
{
	struct span word = SPAN("params");

	if (!has_run && !options_is_given(o, OPT_SELECT) &&
		options_set_list(o, OPT_SELECT, &word, 1, false, NULL) != TFPROF_OK)
		return false;
	if (view != TFPROF_OP || options_is_given(o, OPT_ORDER_BY))
		return true;
	/* The first should be one that works. */
	word = span_of(words_of(
		OPT_ORDER_BY)[o->first_number == ORDER_MICROS ? ORDER_WORK : o->first_number]);
	return options_set_list(o, OPT_ORDER_BY, &word, 1, false, NULL) == TFPROF_OK;
}

/* ---- reading options ----------------------------------------------------- */

/* NAME, or NAME:OPTION=VALUE, of each setting. */
static void put_checkers(const struct word_list *list, struct buf *b)
{
	for (size_t i = 0; i + 3 <= list->n; i += 3) {
		buf_text(b, i ? "," : "");
		buf_span(b, list->at[i]);
		if (!list->at[i + 1].n)
			continue;
		buf_char(b, ':');
		buf_span(b, list->at[i + 1]);
		buf_char(b, '=');
		buf_span(b, list->at[i + 2]);
	}
}

static void put_value(const struct tfprof_options *o, size_t id, struct buf *b)
{
	const struct word_list *list = &o->list[id];

	if (id == OPT_PEAK_FLOPS && o->number[id] == PEAK_FLOPS_SHEET) {
		buf_text(b, "sheet");
		return;
	}
	/* One without a default has no value until it is given. */
	if (!*defs[id].value && !o->given[id])
		return;
	switch (defs[id].kind) {
	case KIND_INT:
	case KIND_COUNT:
	case KIND_MICROS:
	case KIND_BYTES:
	case KIND_POSITIVE:
	case KIND_RATE: buf_int(b, o->number[id]); break;
	case KIND_BOOL: buf_text(b, o->number[id] ? "true" : "false"); break;
	case KIND_OUTPUT: buf_span(b, list->at[0]); break;
	case KIND_CHECKER: put_checkers(list, b); break;
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
	size_t id = find_set(o, name);

	if (id == N_OPTIONS)
		return NULL;
	o->value.n = 0;
	put_value(o, id, &o->value);
	return buf_get(&o->value).n ? o->value.at : "";
}

void options_echo(const struct tfprof_options *o, struct buf *b, bool own)
{
	for (size_t id = 0; id < N_OPTIONS; id++) {
		size_t pad = strlen(defs[id].name) + 1;

		if (!defs[id].field &&
			(!own || !tfprof_option_applies(tfprof_option_get_info(id), "scope")))
			continue;
		buf_char(b, '-');
		buf_text(b, defs[id].name);
		buf_fill(b, ' ', pad < 28 ? 28 - pad : 0);
		if (id == OPT_OUTPUT)
			output_option_put(&o->output, b);
		else
			put_value(o, id, b);
		if (id == OPT_ORDER_BY && !options_is_given(o, id))
			buf_text(b, " (op: first number in select)");
		if (id == OPT_SELECT && !options_is_given(o, id))
			buf_text(b, " (without a run: params)");
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
	return (enum select_id)words_find(words_of(OPT_SELECT), word);
}

/* ---- lifetime ----------------------------------------------------------- */

/* Of the others, one without a default has no value. */
static bool has_text(size_t id)
{
	return defs[id].kind > KIND_BOOL && defs[id].kind != KIND_CHANGES &&
		defs[id].kind != KIND_CHECKER;
}

tfprof_options *tfprof_options_new(void)
{
	tfprof_options *o = mem_zero(sizeof(*o));

	if (!o)
		return NULL;
	o->number[OPT_BASE_STEP] = -1;
	for (size_t id = 0; id < N_OPTIONS; id++)
		if ((*defs[id].value || has_text(id)) &&
			set_text(o, id, span_of(defs[id].value), NULL) != TFPROF_OK) {
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
