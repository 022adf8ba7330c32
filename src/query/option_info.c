/* What users are told of each option: its name, default and help, and the words that it takes
 * with what they mean. */
#include "query/limit.h"
#include "query/model_options.h"
#include "query/options.h"
#include "query/output_option.h"

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
#define X(id, word, column, unit, value, option, minimum, meaning, ...) \
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
#define X(id, word, column, unit, value, option, minimum, meaning, ...) meaning,
	METRICS(X)
#undef X
#define X(id, word, meaning, doc) meaning,
		ATTRIBUTES(X)
#undef X
			NULL,
};

static const char *const output_help[] = {
#define X(id, word, file, metrics, refuse, write, announce, meaning) meaning,
	OUTPUT_FORMATS(X)
#undef X
};

static const char *const table_words[] = {
#define X(name, ...) #name,
	TABLES(X)
#undef X
		NULL,
};

static const char *const table_help[] = {
#define X(name, needs, named_by, help) help,
	TABLES(X)
#undef X
};

static const char *const by_words[] = {
#define X(id, word, help) word,
	ROOFLINE_BY(X)
#undef X
		NULL,
};

static const char *const by_help[] = {
#define X(id, word, help) help,
	ROOFLINE_BY(X)
#undef X
		NULL,
};

static const char *const bool_words[] = {"true", "false", NULL};

/* By tfprof_level. */
static const char *const level_words[] = {"none", "notice", "warning", "high", NULL};
static const char *const level_help[] = {"never: the status is 0 whatever is found",
	"findings worth knowing", "findings worth a look", "findings that cost a lot", NULL};

static const char *const diff_order_words[] = {
#define X(id, word) word,
	DIFF_ORDERS(X)
#undef X
		NULL,
};

const struct tfprof_option_info *tfprof_option_get_info(size_t i)
{
	/* kind → its name, a value's placeholder, its words, their help, and its units */
	static const struct tfprof_option_info info[N_OPTIONS] = {
#define INFO_INT "int", "N", NULL, NULL, AMOUNT_UNITS_PLAIN
#define INFO_COUNT "int", "N[UNIT]", NULL, NULL, AMOUNT_UNITS_COUNT
#define INFO_MICROS "int", "N[UNIT]", NULL, NULL, AMOUNT_UNITS_MICROS
#define INFO_BYTES "int", "N[UNIT]", NULL, NULL, AMOUNT_UNITS_BYTES
#define INFO_BOOL "bool", "true|false", bool_words, NULL, NULL
#define INFO_WORD "word", "WORD", order_words, order_help, NULL
#define INFO_TABLE_WORD "word", "WORD", table_words, table_help, NULL
#define INFO_TEXT "text", "TEXT", NULL, NULL, NULL
#define INFO_RATE "int", "N[UNIT]", NULL, NULL, AMOUNT_UNITS_RATE
#define INFO_BY "word", "WORD", by_words, by_help, NULL
#define INFO_DEVICE "word", "NAME", model_device_words, NULL, NULL
#define INFO_POSITIVE "int", "N", NULL, NULL, NULL
#define INFO_LEVEL "word", "LEVEL", level_words, level_help, NULL
#define INFO_MODEL_ORDER "word", "WORD", model_order_words, NULL, NULL
#define INFO_OPTIMIZER "word", "NAME", model_optimizer_words, NULL, NULL
#define INFO_TRAINING_DTYPE "word", "TYPE", model_dtype_words, NULL, NULL
#define INFO_DIFF_ORDER "word", "WORD", diff_order_words, NULL, NULL
#define INFO_NAME "text", "NAME", NULL, NULL, NULL
#define INFO_SHAPES "shapes", "NAME:DIMS,...", NULL, NULL, NULL
#define INFO_PERCENT "percent", "PERCENT", NULL, NULL, NULL
#define INFO_LIMITS "conditions", "NAME>VALUE,...", NULL, NULL, NULL
#define INFO_CHANGES "conditions", "[REGEX:]NAME>VALUE,...", NULL, NULL, NULL
#define INFO_RULES "rules", "REGEX=>TEXT,...", NULL, NULL, NULL
#define INFO_FILE "file", "FILE", NULL, NULL, NULL
#define INFO_CHECKER "checker", "NAME[:OPTION=VALUE,...]", NULL, NULL, NULL
#define INFO_WORDS "words", "WORD,...", select_words, select_help, NULL
#define INFO_REGEXES "regexes", "REGEX,...", NULL, NULL, NULL
#define INFO_OUTPUT "output", "TYPE[:outfile=FILE]", output_words, output_help, NULL
#define X(id, name, kind, field, value, applies, help) \
	{name, value, help, INFO_##kind, field, applies},
		OPTIONS(X)
#undef X
	};

	return i < N_OPTIONS ? &info[i] : NULL;
}

int tfprof_option_applies(const struct tfprof_option_info *info, const char *question)
{
	size_t n = strlen(question);
	const char *at = info->applies_to;

	if (strcmp(at, OF_ALL) == 0)
		return true;
	for (; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == n && memcmp(at, question, n) == 0)
			return true;
		at += word;
	}
	return false;
}
