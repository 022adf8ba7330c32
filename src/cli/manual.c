/* The manual page: a template in which lines such as @OPTIONS@ are replaced by
 * entries from the tables. */
#include "generate.h"

#include <string.h>

#include "words.h"

/* Escapes text so that troff prints it unchanged. */
static void put(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			buf_text(out, "\\-");
		else if (*text == '\\')
			buf_text(out, "\\e");
		else if (strchr(".'", *text) && (!out->n || out->at[out->n - 1] == '\n'))
			buf_printf(out, "\\&%c", *text);
		else
			buf_char(out, *text);
	}
}

/* Starts an entry: a bold term and, if not NULL, its value. */
static void put_term(struct buf *out, const char *term, const char *value)
{
	buf_text(out, ".TP\n\\fB");
	put(out, term);
	buf_text(out, "\\fR");
	if (value) {
		buf_text(out, "=\\fI");
		put(out, value);
		buf_text(out, "\\fR");
	}
	buf_char(out, '\n');
}

/* Lets long lists break after a comma. */
static void put_default(struct buf *out, const char *value)
{
	if (!value || !*value)
		return;
	buf_text(out, "\nDefault: \\fB");
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
			buf_text(out, "\\:");
	}
	buf_text(out, "\\fR.");
}

static void put_commands(struct buf *out)
{
	const struct command *c;

	for (size_t i = 0; (c = command_get(i)); i++) {
		if (!c->summary || !(c->where & IN_PROGRAM))
			continue;
		put_term(out, c->name, NULL);
		put(out, c->description);
		buf_char(out, '\n');
	}
}

static void put_word_list(struct buf *out, const struct flag *flag)
{
	bool has_meanings = false;

	for (size_t i = 0; flag->words[i]; i++)
		has_meanings |= word_meaning(flag->name, flag->words[i]) != NULL;
	if (!has_meanings)
		return;
	buf_text(out, ".RS\n");
	for (size_t i = 0; flag->words[i]; i++) {
		const char *meaning = word_meaning(flag->name, flag->words[i]);

		put_term(out, flag->words[i], NULL);
		put(out, meaning ? meaning : "");
		buf_char(out, '\n');
	}
	buf_text(out, ".RE\n");
}

/* `question` of FLAG_OWN, else NULL. */
static void put_flags(struct buf *out, enum flag_group group, const char *question)
{
	struct flag flag;
	struct buf name = {0};

	for (size_t i = 0; flag_get(i, &flag); i++) {
		if (flag.group != group || flag.is_hidden ||
			(question && strcmp(flag.question, question) != 0))
			continue;
		buf_reset(&name);
		buf_printf(&name, "--%s", flag.name);
		put_term(out, buf_get(&name).at, flag.value);
		put(out, flag.help);
		put_default(out, flag.default_value);
		buf_char(out, '\n');
		if (flag.words)
			put_word_list(out, &flag);
	}
	buf_clear(&name);
}

static void put_checkers(struct buf *out)
{
	const struct tfprof_checker_info *info;
	const struct tfprof_checker_option_info *option;

	for (size_t i = 0; (info = tfprof_checker_get_info(i)); i++) {
		put_term(out, info->name, NULL);
		put(out, info->help);
		buf_char(out, '\n');
		if (!info->options || !info->options->name)
			continue;
		buf_text(out, ".RS\n");
		for (option = info->options; option->name; option++) {
			put_term(out, option->name, NULL);
			put(out, option->help);
			put_default(out, option->default_value);
			buf_char(out, '\n');
		}
		buf_text(out, ".RE\n");
	}
}

static void put_files(struct buf *out)
{
	put_flags(out, FLAG_FILE, NULL);
}

static void put_options(struct buf *out)
{
	put_flags(out, FLAG_VIEW, NULL);
}

static void put_questions(struct buf *out)
{
	put_flags(out, FLAG_ASK, NULL);
}

static void put_advice(struct buf *out)
{
	put_flags(out, FLAG_OWN, "advise");
}

static void put_model(struct buf *out)
{
	put_flags(out, FLAG_OWN, "model");
}

static void put_diff(struct buf *out)
{
	put_flags(out, FLAG_OWN, "diff");
}

static void put_program(struct buf *out)
{
	put_flags(out, FLAG_PROGRAM, NULL);
}

static void put_title(struct buf *out)
{
	buf_printf(out, ".TH TFPROF 1 \"\" \"tfprof %s\" \"User Commands\"\n",
		tfprof_get_version());
}

void generate_man(struct buf *out, const char *template)
{
	static const struct {
		const char *line;
		void (*put)(struct buf *out);
	} sections[] = {
		{"@TITLE@", put_title},
		{"@COMMANDS@", put_commands},
		{"@FILES@", put_files},
		{"@OPTIONS@", put_options},
		{"@QUESTIONS@", put_questions},
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
			buf_put(out, template, length);
			buf_char(out, '\n');
		}
		template += length;
		template += *template == '\n';
	}
}
