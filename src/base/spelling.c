#include "base/spelling.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static enum tfprof_spelling spelling = TFPROF_SPELL_FLAGS;

void tfprof_set_spelling(enum tfprof_spelling wanted)
{
	spelling = wanted;
}

static const char *dashes(void)
{
	static const char *const texts[] = {[TFPROF_SPELL_FLAGS] = "--",
		[TFPROF_SPELL_SHELL] = "-",
		[TFPROF_SPELL_KEYWORDS] = ""};

	return texts[spelling];
}

const char *spell_option(struct spelled *out, const char *name)
{
	snprintf(out->text, sizeof(out->text), "%s%.100s", dashes(), name);
	return out->text;
}

const char *spell_setting(struct spelled *out, const char *name, const char *value)
{
	bool is_keyword = spelling == TFPROF_SPELL_KEYWORDS;
	const char *equals = is_keyword ? "=" : !*value ? "" : dashes()[1] ? "=" : " ";
	/* In Python, what is not a number or a word is quoted. */
	const char *quote = is_keyword && strpbrk(value, ":/") ? "'" : "";

	snprintf(out->text, sizeof(out->text), "%s%.60s%s%s%.80s%s", dashes(), name, equals, quote,
		value, quote);
	return out->text;
}

const char *spell_switch(struct spelled *out, const char *name)
{
	return spelling == TFPROF_SPELL_KEYWORDS ? spell_setting(out, name, "True")
						 : spell_option(out, name);
}

const char *spell_input(struct spelled *out, const char *name)
{
	snprintf(out->text, sizeof(out->text), "%s%.100s%s", dashes(), name,
		spelling == TFPROF_SPELL_KEYWORDS ? "=" : "_path");
	return out->text;
}

const char *spell_dash(void)
{
	return spelling == TFPROF_SPELL_KEYWORDS ? "" : "-";
}
