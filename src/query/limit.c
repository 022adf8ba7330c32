#include "query/limit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/spelling.h"
#include "base/words.h"

/* ---- numbers -------------------------------------------------------------------- */

bool limit_read_number(struct span text, double *value)
{
	static const struct {
		char unit;
		double factor;
	} units[] = {{'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}};
	char copy[40], *end;

	if (!text.n || text.n >= sizeof(copy))
		return false;
	memcpy(copy, text.at, text.n);
	copy[text.n] = '\0';
	if (text.n > 1 && copy[text.n - 1] == 'B')
		copy[text.n - 1] = '\0';
	*value = strtod(copy, &end);
	if (end == copy || copy[0] == '-' || !(*value < 1e30))
		return false;
	for (size_t i = 0; *end && i < sizeof(units) / sizeof(*units); i++)
		if (*end == units[i].unit) {
			*value *= units[i].factor;
			return !end[1];
		}
	return !*end;
}

bool limit_read_percent(struct span text, double *value)
{
	char copy[40], *end;

	if (text.n && text.at[text.n - 1] == '%')
		text.n--;
	if (!text.n || text.n >= sizeof(copy))
		return false;
	memcpy(copy, text.at, text.n);
	copy[text.n] = '\0';
	*value = strtod(copy, &end);
	return end != copy && !*end && *value >= 0 && *value < 1e30;
}

/* "10pt" or "10" */
static bool read_points(struct span text, double *value)
{
	if (span_ends(text, SPAN("%")))
		return false;
	if (span_ends(text, SPAN("pt")))
		text.n -= 2;
	return limit_read_percent(text, value);
}

/* A number with the units of its kind, such as 10ms; counts and bytes also take M and G. */
static bool read_value(enum amount_kind kind, struct span text, double *value)
{
	int64_t whole;

	if (kind != AMOUNT_MICROS && limit_read_number(text, value))
		return true;
	if (amount_parse("", kind, text, &whole, NULL) != TFPROF_OK || whole < 0)
		return false;
	*value = (double)whole;
	return true;
}

/* ---- one limit ------------------------------------------------------------------ */

static const char *example(const struct limit_rules *rules)
{
	return rules->is_of_change ? "micros>5%" : "macs>300M";
}

static enum tfprof_status unknown_word(const struct limit_rules *rules, struct span word,
	struct tfprof_error *err)
{
	VEC(const char *) words = {0};
	char what[100];
	enum tfprof_status status;
	bool ok = true;

	for (size_t i = 0; rules->words[i].word; i++)
		ok &= !*rules->words[i].word || vec_push(&words, rules->words[i].word);
	ok &= vec_push(&words, NULL);
	snprintf(what, sizeof(what), "%s: unknown word", OPTION(rules->option));
	status = ok ? words_error(err, what, word, words.at) : error_no_memory(err);
	vec_clear(&words);
	return status;
}

static bool find_word(const struct limit_rules *rules, struct span word, size_t *i)
{
	for (*i = 0; rules->words[*i].word; ++*i)
		if (span_equal(span_of(rules->words[*i].word), word))
			return true;
	return false;
}

static enum tfprof_status bad_value(const struct limit_rules *rules, struct span text,
	struct tfprof_error *err)
{
	return error_set(err, TFPROF_ARGUMENT,
		"%s: '%.*s': expected a number after '>', such as 300M%s64MB",
		OPTION(rules->option), ERROR_SPAN(text),
		rules->is_of_change ? ", 10ms, 5% or " : " or ");
}

/* The value is what follows the last '>', which no regex for names needs. */
static enum tfprof_status read_limit(struct limit *l, const struct limit_rules *rules,
	struct tfprof_error *err)
{
	struct span text = span_of(l->text), word, value;
	const char *sign = text.n ? memrchr(text.at, '>', text.n) : NULL, *colon;
	enum amount_kind kind;

	if (!sign || sign == text.at)
		return error_set(err, TFPROF_ARGUMENT,
			"%s: '%.*s': expected NAME>VALUE, such as %s", OPTION(rules->option),
			ERROR_SPAN(text), example(rules));
	word = (struct span){text.at, (size_t)(sign - text.at)};
	colon = rules->is_of_change ? memrchr(word.at, ':', word.n) : NULL;
	if (colon) {
		l->regex = (struct span){word.at, (size_t)(colon - word.at)};
		word = (struct span){colon + 1, (size_t)(sign - colon - 1)};
	}
	if (!find_word(rules, word, &l->word))
		return unknown_word(rules, word, err);
	l->inclusive = sign[1] == '=';
	value.at = sign + 1 + l->inclusive;
	value.n = (size_t)(text.at + text.n - value.at);
	kind = rules->words[l->word].kind;
	if (rules->words[l->word].is_share)
		return read_points(value, &l->value)
			? TFPROF_OK
			: error_set(err, TFPROF_ARGUMENT,
				  "%s: '%.*s': a share changes by points, such as %.*s>10pt",
				  OPTION(rules->option), ERROR_SPAN(text), ERROR_SPAN(word));
	l->is_percent = rules->is_of_change && value.n && value.at[value.n - 1] == '%';
	if (l->is_percent ? !limit_read_percent(value, &l->value)
			  : !read_value(kind, value, &l->value))
		return bad_value(rules, text, err);
	return TFPROF_OK;
}

static enum tfprof_status add_limit(limits *list, const struct limit_rules *rules, struct span text,
	struct tfprof_error *err)
{
	struct limit l = {.text = span_copy(text)};
	enum tfprof_status status;

	if (!l.text)
		return error_no_memory(err);
	status = read_limit(&l, rules, err);
	if (status == TFPROF_OK && !vec_push(list, l))
		status = error_no_memory(err);
	if (status != TFPROF_OK)
		mem_free(l.text);
	return status;
}

/* ---- lists ---------------------------------------------------------------------- */

/* The length of the first limit: up to the first comma after a '>'. */
static size_t item_length(struct span text)
{
	size_t i = span_find(text, SPAN(">"));

	while (i < text.n && text.at[i] != ',')
		i++;
	return i;
}

enum tfprof_status limits_read(limits *list, const struct limit_rules *rules, struct span text,
	struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	while (status == TFPROF_OK && text.n) {
		size_t n = item_length(text);

		status = add_limit(list, rules, ascii_trim((struct span){text.at, n}), err);
		n += n < text.n;
		text.at += n;
		text.n -= n;
	}
	return status;
}

enum tfprof_status limits_read_lines(limits *list, const struct limit_rules *rules,
	struct span text, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	while (status == TFPROF_OK && text.n) {
		size_t n = span_find(text, SPAN("\n"));
		struct span line = ascii_trim((struct span){text.at, n});

		if (line.n && line.at[0] != '#')
			status = limits_read(list, rules, line, err);
		n += n < text.n;
		text.at += n;
		text.n -= n;
	}
	return status;
}

void limits_clear(limits *list)
{
	for (size_t i = 0; i < list->n; i++)
		mem_free(list->at[i].text);
	vec_clear(list);
}
