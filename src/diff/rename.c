/* Rules of the option rename. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/buf.h"
#include "base/spelling.h"
#include "diff/match.h"

enum { MATCH_LIMIT = 2000000 };

struct rename_rule {
	pcre2_code *code;
	pcre2_match_context *context;
	struct buf text; /* put in its place */
};

static void free_rule(struct rename_rule *rule)
{
	if (!rule)
		return;
	pcre2_code_free(rule->code);
	pcre2_match_context_free(rule->context);
	buf_clear(&rule->text);
	mem_free(rule);
}

void rename_rules_clear(rename_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		free_rule(rules->at[i]);
	vec_clear(rules);
}

static enum tfprof_status compile(struct rename_rule *rule, struct span regex,
	struct tfprof_error *err)
{
	char why[120];
	size_t offset;
	int code;

	rule->code = pcre2_compile((PCRE2_SPTR)regex.at, regex.n, PCRE2_UTF, &code, &offset, NULL);
	if (rule->code)
		return TFPROF_OK;
	pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
	return error_set(err, TFPROF_REGEX, "%s: %s at position %zu of '%.*s'", OPTION("rename"),
		why, offset, ERROR_SPAN(regex));
}

/* A text that asks for a group the regex does not have is an error at once. */
static enum tfprof_status check_text(const struct rename_rule *rule, struct tfprof_error *err)
{
	struct span text = buf_get(&rule->text);
	uint32_t n_groups = 0;

	pcre2_pattern_info(rule->code, PCRE2_INFO_CAPTURECOUNT, &n_groups);
	for (size_t i = 0; i + 1 < text.n; i++)
		if (text.at[i] == '$' && text.at[i + 1] > '0' && text.at[i + 1] <= '9' &&
			(uint32_t)(text.at[i + 1] - '0') > n_groups)
			return error_set(err, TFPROF_ARGUMENT,
				"%s: '%.*s' uses $%c, but the regex has %u groups",
				OPTION("rename"), ERROR_SPAN(text), text.at[i + 1], n_groups);
	return TFPROF_OK;
}

static enum tfprof_status read_rule(rename_rules *rules, struct span text, struct tfprof_error *err)
{
	size_t arrow = span_find(text, SPAN("=>"));
	struct rename_rule *rule;
	enum tfprof_status status;

	if (!arrow || arrow >= text.n)
		return error_set(err, TFPROF_ARGUMENT,
			"%s: '%.*s': expected REGEX=>TEXT, such as unit_(.*)=>block/unit$1",
			OPTION("rename"), ERROR_SPAN(text));
	rule = mem_zero(sizeof(*rule));
	if (!rule || !vec_push(rules, rule)) {
		free_rule(rule);
		return error_no_memory(err);
	}
	rule->context = pcre2_match_context_create(NULL);
	buf_put(&rule->text, text.at + arrow + 2, text.n - arrow - 2);
	status = compile(rule, (struct span){text.at, arrow}, err);
	if (status != TFPROF_OK)
		return status;
	if (!rule->context || rule->text.failed)
		return error_no_memory(err);
	pcre2_set_match_limit(rule->context, MATCH_LIMIT);
	return check_text(rule, err);
}

/* Up to a comma after the first =>, so that a regex may have some. */
enum tfprof_status rename_rules_read(rename_rules *rules, struct span text,
	struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	while (status == TFPROF_OK && text.n) {
		size_t n = span_find(text, SPAN("=>"));

		while (n < text.n && text.at[n] != ',')
			n++;
		status = read_rule(rules, (struct span){text.at, n}, err);
		n += n < text.n;
		text.at += n;
		text.n -= n;
	}
	return status;
}

/* Names that are not UTF-8 match nothing. */
static bool apply(const struct rename_rule *rule, struct span name, struct buf *out)
{
	size_t room = 2 * name.n + rule->text.n + 64;
	struct span text = buf_get(&rule->text);
	int n = PCRE2_ERROR_NOMEMORY;

	for (int tries = 0; tries < 2 && n == PCRE2_ERROR_NOMEMORY; tries++) {
		if (!buf_reserve(out, room))
			return false;
		n = pcre2_substitute(rule->code, (PCRE2_SPTR)name.at, name.n, 0,
			PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH |
				PCRE2_SUBSTITUTE_UNSET_EMPTY,
			NULL, rule->context, (PCRE2_SPTR)text.at, text.n, (PCRE2_UCHAR *)out->at,
			&room);
	}
	out->n = n > 0 ? room : 0;
	return n > 0;
}

bool rename_rules_apply(const rename_rules *rules, struct span name, struct buf *out)
{
	for (size_t i = 0; i < rules->n; i++)
		if (apply(rules->at[i], name, out))
			return true;
	return false;
}
