#include "diff/options.h"

#include <strings.h>

#include "base/words.h"
#include "query/model_options.h"
#include "query/option_info.h"

static const char *const diff_order_words[] = {"delta", "percent", "base", "new", "name", NULL};

static const struct tfprof_option_info infos[] = {
	DIFF_OPTIONS(OPTION_INFO) SHARED_DIFF_OPTIONS(OPTION_INFO)};

const struct tfprof_option_info *tfprof_diff_option_get_info(size_t i)
{
	return i < N_DIFF_OPTIONS ? &infos[i] : NULL;
}

/* A number of models that queries have, too, is listed once. */
static const struct limit_word limit_words[] = {[COUNT_ADDED] = {"added", AMOUNT_COUNT, false},
	[COUNT_REMOVED] = {"removed", AMOUNT_COUNT, false},
	[COUNT_RENAMED] = {"renamed", AMOUNT_COUNT, false},
	[COUNT_MOVED] = {"moved", AMOUNT_COUNT, false},
#define X(id, word, column, unit, ...) {word, AMOUNT_##unit, false},
	METRICS(X)
#undef X
#define X(word, value) {#word, AMOUNT_COUNT, false},
		MODEL_NUMBERS(X)
#undef X
	/* The values of steps, in their order; a step as a whole is never idle. */
	{"wall", AMOUNT_MICROS, false},
	{"gap", AMOUNT_MICROS, false},
#define X(id, name, words) {ANATOMY_##id == ANATOMY_IDLE ? "" : name "_share", AMOUNT_PLAIN, true},
	ANATOMY_PARTS(X)
#undef X
		{NULL, AMOUNT_PLAIN, false}};

enum { N_LIMIT_WORDS = sizeof(limit_words) / sizeof(*limit_words) - 1 };

const struct limit_word *diff_limit_words(void)
{
	return limit_words;
}

unsigned diff_limit_step(const struct limit *l)
{
	return l->word < N_LIMIT_WORDS - N_STEP_VALUES
		? N_STEP_VALUES
		: (unsigned)(l->word - (N_LIMIT_WORDS - N_STEP_VALUES));
}

const char *diff_limit_metric(const struct limit *l)
{
	return l->word < N_DIFF_COUNTS ? NULL : limit_words[l->word].word;
}

tfprof_diff_options *tfprof_diff_options_new(void)
{
	struct tfprof_diff_options *o = mem_zero(sizeof(*o));

	if (!o)
		return NULL;
	o->base_step = -1;
	o->min_change = 0.05;
	return o;
}

void tfprof_diff_options_free(tfprof_diff_options *o)
{
	if (!o)
		return;
	rename_rules_clear(&o->rules);
	limits_clear(&o->budgets);
	mem_free(o);
}

/* ---- values ----------------------------------------------------------------------- */

static enum tfprof_status bad_value(enum diff_option_id id, struct span value, const char *expected,
	struct tfprof_error *err)
{
	return error_set(err, TFPROF_ARGUMENT, "-%s: '%.*s': expected %s", infos[id].name,
		ERROR_SPAN(value), expected);
}

static enum tfprof_status read_order(struct tfprof_diff_options *o, struct span value,
	struct tfprof_error *err)
{
	size_t word = words_find(diff_order_words, value);

	if (!diff_order_words[word])
		return words_error(err, "-order_by: unknown word", value, diff_order_words);
	o->order = (enum diff_order)word;
	return TFPROF_OK;
}

static enum tfprof_status read_rename(struct tfprof_diff_options *o, struct span value,
	struct tfprof_error *err)
{
	rename_rules rules = {0};
	enum tfprof_status status = rename_rules_read(&rules, value, err);

	if (status != TFPROF_OK) {
		rename_rules_clear(&rules);
		return status;
	}
	rename_rules_clear(&o->rules);
	vec_take(&o->rules, &rules);
	return TFPROF_OK;
}

/* Conditions add up, from the option and from files. On failure the new ones go. */
static enum tfprof_status read_budgets(struct tfprof_diff_options *o, enum diff_option_id id,
	struct span text, struct tfprof_error *err)
{
	struct limit_rules rules = {infos[id].name, limit_words, true};
	size_t n = o->budgets.n;
	enum tfprof_status status = limits_read_lines(&o->budgets, &rules, text, err);

	while (status != TFPROF_OK && o->budgets.n > n)
		mem_free(o->budgets.at[--o->budgets.n].text);
	return status;
}

enum tfprof_status tfprof_diff_options_add_budgets(tfprof_diff_options *o, const char *text,
	size_t length, struct tfprof_error *err)
{
	return read_budgets(o, DIFF_OPT_BUDGETS, (struct span){text, length}, err);
}

static enum tfprof_status read_value(struct tfprof_diff_options *o, enum diff_option_id id,
	struct span value, struct tfprof_error *err)
{
	enum tfprof_status status;
	int64_t number;

	switch (id) {
	case DIFF_OPT_BASE_STEP:
		status = amount_parse("base_step", AMOUNT_PLAIN, value, &number, err);
		o->base_step = status == TFPROF_OK ? number : o->base_step;
		return status;
	case DIFF_OPT_MIN_CHANGE:
		if (!limit_read_percent(value, &o->min_change))
			return bad_value(id, value, "a percentage such as 5%", err);
		o->min_change /= 100;
		return TFPROF_OK;
	case DIFF_OPT_MIN_DELTA_MICROS:
		return amount_parse("min_delta_micros", AMOUNT_MICROS, value, &o->min_delta_micros,
			err);
	case DIFF_OPT_RENAME: return read_rename(o, value, err);
	case DIFF_OPT_NO_GUESS:
		return words_read_bool(value, &o->no_guess)
			? TFPROF_OK
			: bad_value(id, value, "true or false", err);
	case DIFF_OPT_ORDER_BY: return read_order(o, value, err);
	case DIFF_OPT_FAIL_IF: return read_budgets(o, id, value, err);
	default: return bad_value(id, value, "the text of a file, not its name", err);
	}
}

enum tfprof_status tfprof_diff_options_set(tfprof_diff_options *o, const char *name,
	const char *value, struct tfprof_error *err)
{
	size_t id = option_info_find(infos, N_DIFF_OPTIONS, name);

	if (id == N_DIFF_OPTIONS)
		return error_set(err, TFPROF_ARGUMENT, "unknown diff option '%.100s'", name);
	return read_value(o, (enum diff_option_id)id, span_of(value), err);
}
