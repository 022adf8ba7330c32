/* Completion for zsh, as a specification for its _arguments. */
#include "generate.h"

#include <string.h>

/* Escapes text in '...' for _arguments, which splits it at colons and brackets. */
static void put_escaped(struct text *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'') {
			text_add(out, "'\\''");
			continue;
		}
		if (strchr("[]:\\", *text))
			text_char(out, '\\');
		text_char(out, *text);
	}
}

static void put_value(struct text *out, const struct flag *flag)
{
	struct text words = {0};

	generate_words(&words, flag);
	text_char(out, ':');
	put_escaped(out, flag->value);
	switch (generate_value_kind(flag)) {
	case VALUE_FILE: text_add(out, ":_files"); break;
	case VALUE_FILES: text_add(out, ":_tfprof_files"); break;
	case VALUE_WORDS: text_printf(out, ":_values -s , word %s", text_get(&words)); break;
	case VALUE_WORD: text_printf(out, ":(%s)", text_get(&words)); break;
	case VALUE_OUTPUT: text_add(out, ":_tfprof_output"); break;
	case VALUE_CHECKER:
		generate_checkers(&words);
		text_printf(out, ":(%s)", text_get(&words));
		break;
	default: text_char(out, ':'); break;
	}
	out->failed |= words.failed;
	text_clear(&words);
}

static void put_flag(struct text *out, const struct flag *flag)
{
	enum value_kind kind = generate_value_kind(flag);

	text_add(out, " \\\n    '");
	if (flag->group == FLAG_ADVICE && flag->id == ADVICE_CHECKER)
		text_char(out, '*');
	text_printf(out, "--%s%s[", flag->name, kind == VALUE_NONE || flag->is_bool ? "" : "=");
	put_escaped(out, flag->help);
	text_char(out, ']');
	if (kind != VALUE_NONE && !flag->is_bool)
		put_value(out, flag);
	text_char(out, '\'');
}

/* Functions for values that zsh cannot complete by itself. */
static void put_functions(struct text *out)
{
	text_add(out,
		"_tfprof_output() {\n"
		"  if compset -P '*:outfile='; then\n"
		"    _files\n"
		"  else\n"
		"    compadd stdout none\n"
		"    compadd -S '' --");
	generate_outfiles(out);
	text_add(out,
		"\n  fi\n}\n\n"
		"_tfprof_files() {\n  compset -P '*,'\n  _files\n}\n\n");
}

void generate_zsh(struct text *out)
{
	const struct command *c;
	struct flag flag;

	text_add(out, "#compdef tfprof\n# generated from tfprof's option table\n\n");
	put_functions(out);
	text_add(out, "_tfprof() {\n  local -a commands help\n  commands=(\n");
	for (size_t i = 0; (c = command_get(i)); i++)
		if (c->where & IN_PROGRAM) {
			text_printf(out, "    '%s:", c->name);
			put_escaped(out, c->summary);
			text_add(out, "'\n");
		}
	text_add(out, "  )\n  help=(");
	for (size_t i = 0; flag_get(i, &flag); i++)
		if (!flag.is_hidden)
			text_printf(out, "%s%s", i ? " " : "", flag.name);
	text_add(out, ")\n  _arguments");
	for (size_t i = 0; flag_get(i, &flag); i++)
		if (!flag.is_hidden)
			put_flag(out, &flag);
	text_add(out,
		" \\\n    '1:command or file:{_describe command commands; _files}'"
		" \\\n    '*:word:{ if [[ ${words[(r)help]} == help ]]; then compadd -- $help; "
		"_describe command commands; else _describe command commands; _files; fi }'\n"
		"}\n\n_tfprof \"$@\"\n");
}
