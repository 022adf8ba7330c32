/* The manual page: a template in which lines such as @OPTIONS@ are replaced by
 * entries from the tables. */
#include "generate.h"

#include <string.h>

#include "words.h"

/* Escapes text so that troff prints it unchanged. */
static void put(struct text *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			text_add(out, "\\-");
		else if (*text == '\\')
			text_add(out, "\\e");
		else if (strchr(".'", *text) && (!out->n || out->at[out->n - 1] == '\n'))
			text_printf(out, "\\&%c", *text);
		else
			text_char(out, *text);
	}
}

/* Starts an entry: a bold term and, if not NULL, its value. */
static void put_term(struct text *out, const char *term, const char *value)
{
	text_add(out, ".TP\n\\fB");
	put(out, term);
	text_add(out, "\\fR");
	if (value) {
		text_add(out, "=\\fI");
		put(out, value);
		text_add(out, "\\fR");
	}
	text_char(out, '\n');
}

/* Lets long lists break after a comma. */
static void put_default(struct text *out, const char *value)
{
	if (!value || !*value)
		return;
	text_add(out, "\nDefault: \\fB");
	while (*value) {
		char piece[64];
		size_t n = strcspn(value, ",");

		n += value[n] == ',';
		n = n < sizeof(piece) ? n : sizeof(piece) - 1;
		memcpy(piece, value, n);
		piece[n] = '\0';
		put(out, piece);
		value += n;
		if (*value)
			text_add(out, "\\:");
	}
	text_add(out, "\\fR.");
}

static void put_commands(struct text *out)
{
	const struct command *c;

	for (size_t i = 0; (c = command_get(i)); i++) {
		if (!c->summary || !(c->where & IN_PROGRAM))
			continue;
		put_term(out, c->name, NULL);
		put(out, c->description);
		text_char(out, '\n');
	}
}

static void put_word_list(struct text *out, const struct flag *flag)
{
	bool has_meanings = false;

	for (size_t i = 0; flag->words[i]; i++)
		has_meanings |= word_meaning(flag->name, flag->words[i]) != NULL;
	if (!has_meanings)
		return;
	text_add(out, ".RS\n");
	for (size_t i = 0; flag->words[i]; i++) {
		const char *meaning = word_meaning(flag->name, flag->words[i]);

		put_term(out, flag->words[i], NULL);
		put(out, meaning ? meaning : "");
		text_char(out, '\n');
	}
	text_add(out, ".RE\n");
}

static void put_flags(struct text *out, enum flag_group group)
{
	struct flag flag;
	struct text name = {0};

	for (size_t i = 0; flag_get(i, &flag); i++) {
		if (flag.group != group || flag.is_hidden)
			continue;
		name.n = 0;
		text_printf(&name, "--%s", flag.name);
		put_term(out, text_get(&name), flag.value);
		put(out, flag.help);
		put_default(out, flag.default_value);
		text_char(out, '\n');
		if (flag.words)
			put_word_list(out, &flag);
	}
	text_clear(&name);
}

static void put_checkers(struct text *out)
{
	const struct tfprof_checker_info *info;
	const struct tfprof_checker_option_info *option;

	for (size_t i = 0; (info = tfprof_checker_get_info(i)); i++) {
		put_term(out, info->name, NULL);
		put(out, info->help);
		text_char(out, '\n');
		if (!info->options || !info->options->name)
			continue;
		text_add(out, ".RS\n");
		for (option = info->options; option->name; option++) {
			put_term(out, option->name, NULL);
			put(out, option->help);
			put_default(out, option->default_value);
			text_char(out, '\n');
		}
		text_add(out, ".RE\n");
	}
}

static void put_files(struct text *out)
{
	put_flags(out, FLAG_FILE);
}

static void put_options(struct text *out)
{
	put_flags(out, FLAG_OPTION);
}

static void put_advice(struct text *out)
{
	put_flags(out, FLAG_ADVICE);
}

static void put_model(struct text *out)
{
	put_flags(out, FLAG_MODEL);
}

static void put_diff(struct text *out)
{
	put_flags(out, FLAG_DIFF);
}

static void put_program(struct text *out)
{
	put_flags(out, FLAG_PROGRAM);
}

static void put_title(struct text *out)
{
	text_printf(out, ".TH TFPROF 1 \"\" \"tfprof %s\" \"User Commands\"\n",
		tfprof_get_version());
}

void generate_man(struct text *out, const char *template)
{
	static const struct {
		const char *line;
		void (*put)(struct text *out);
	} sections[] = {
		{"@TITLE@", put_title},
		{"@COMMANDS@", put_commands},
		{"@FILES@", put_files},
		{"@OPTIONS@", put_options},
		{"@ADVICE@", put_advice},
		{"@CHECKERS@", put_checkers},
		{"@MODEL@", put_model},
		{"@DIFF@", put_diff},
		{"@PROGRAM@", put_program},
	};
	const size_t n_sections = sizeof(sections) / sizeof(*sections);

	while (*template) {
		size_t length = strcspn(template, "\n"), i = 0;

		while (i < n_sections &&
			(strlen(sections[i].line) != length ||
				memcmp(sections[i].line, template, length) != 0))
			i++;
		if (i < n_sections) {
			sections[i].put(out);
		} else {
			text_put(out, template, length);
			text_char(out, '\n');
		}
		template += length;
		template += *template == '\n';
	}
}
