/* Completion for zsh, as a specification for its _arguments. */
#include "generate.h"

#include <string.h>

/* Escapes text in '...' for _arguments, which splits it at colons and brackets. */
static void put_escaped(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'') {
			buf_text(out, "'\\''");
			continue;
		}
		if (strchr("[]:\\", *text))
			buf_char(out, '\\');
		buf_char(out, *text);
	}
}

static void put_value(struct buf *out, const struct flag *flag)
{
	struct buf words = {0};

	generate_words(&words, flag);
	buf_char(out, ':');
	put_escaped(out, flag->value);
	switch (generate_value_kind(flag)) {
	case VALUE_FILE: buf_text(out, ":_files"); break;
	case VALUE_FILES: buf_text(out, ":_tfprof_files"); break;
	case VALUE_WORDS: buf_printf(out, ":_values -s , word %s", buf_get(&words).at); break;
	case VALUE_WORD: buf_printf(out, ":(%s)", buf_get(&words).at); break;
	case VALUE_OUTPUT: buf_text(out, ":_tfprof_output"); break;
	case VALUE_CHECKER:
		generate_checkers(&words);
		buf_printf(out, ":(%s)", buf_get(&words).at);
		break;
	default: buf_char(out, ':'); break;
	}
	out->failed |= words.failed;
	buf_clear(&words);
}

static void put_flag(struct buf *out, const struct flag *flag)
{
	enum value_kind kind = generate_value_kind(flag);

	buf_text(out, " \\\n    '");
	if (strcmp(flag->kind, "checker") == 0)
		buf_char(out, '*');
	buf_printf(out, "--%s%s[", flag->name, kind == VALUE_NONE || flag->is_bool ? "" : "=");
	put_escaped(out, flag->help);
	buf_char(out, ']');
	if (kind != VALUE_NONE && !flag->is_bool)
		put_value(out, flag);
	buf_char(out, '\'');
}

/* Functions for values that zsh cannot complete by itself. */
static void put_functions(struct buf *out)
{
	buf_text(out,
		"_tfprof_output() {\n"
		"  if compset -P '*:outfile='; then\n"
		"    _files\n"
		"  else\n"
		"    compadd stdout none\n"
		"    compadd -S '' --");
	generate_outfiles(out);
	buf_text(out,
		"\n  fi\n}\n\n"
		"_tfprof_files() {\n  compset -P '*,'\n  _files\n}\n\n");
}

void generate_zsh(struct buf *out)
{
	const struct command *c;
	struct flag flag;

	buf_text(out, "#compdef tfprof\n# generated from tfprof's option table\n\n");
	put_functions(out);
	buf_text(out, "_tfprof() {\n  local -a commands help\n  commands=(\n");
	for (size_t i = 0; (c = command_get(i)); i++)
		if (c->where & IN_PROGRAM) {
			buf_printf(out, "    '%s:", c->name);
			put_escaped(out, c->summary);
			buf_text(out, "'\n");
		}
	buf_text(out, "  )\n  help=(");
	for (size_t i = 0; flag_get(i, &flag); i++)
		if (!flag.is_hidden)
			buf_printf(out, "%s%s", i ? " " : "", flag.name);
	buf_text(out, ")\n  _arguments");
	for (size_t i = 0; flag_get(i, &flag); i++)
		if (!flag.is_hidden)
			put_flag(out, &flag);
	buf_text(out,
		" \\\n    '1:command or file:{_describe command commands; _files}'"
		" \\\n    '*:word:{ if [[ ${words[(r)help]} == help ]]; then compadd -- $help; "
		"_describe command commands; else _describe command commands; _files; fi }'\n"
		"}\n\n_tfprof \"$@\"\n");
}
