#include "diff/options.h"

#include "query/model_options.h"

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

void diff_options_clear(struct diff_options *d)
{
	rename_rules_clear(&d->rules);
	limits_clear(&d->budgets);
}

enum tfprof_status diff_options_read(struct diff_options *d, const struct tfprof_options *o,
	struct tfprof_error *err)
{
	struct limit_rules rules = {"fail_if", limit_words, true};
	const struct word_list *budgets = &o->list[OPT_FAIL_IF];
	enum tfprof_status status;

	*d = (struct diff_options){0};
	limit_read_percent(o->list[OPT_MIN_CHANGE].at[0], &d->min_change);
	d->min_change /= 100;
	status = rename_rules_read(&d->rules, o->list[OPT_RENAME].at[0], err);
	for (size_t i = 0; status == TFPROF_OK && i < budgets->n; i++)
		status = limits_read(&d->budgets, &rules, budgets->at[i], err);
	return status;
}
