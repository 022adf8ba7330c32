/* Completion for fish: one line per command and flag. */
#include "generate.h"

#include <string.h>

static void put_quoted(struct buf *out, const char *text)
{
	buf_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf_char(out, '\\');
		buf_char(out, *text);
	}
	buf_char(out, '\'');
}

static void put_value(struct buf *out, const struct flag *flag)
{
	struct buf words = {0};

	switch (generate_value_kind(flag)) {
	case VALUE_NONE: break;
	case VALUE_FREE: buf_text(out, " -x"); break;
	case VALUE_FILE: buf_text(out, " -r -F"); break;
	case VALUE_FILES: buf_text(out, " -x -a '(__tfprof_files)'"); break;
	case VALUE_WORDS:
		generate_words(&words, flag);
		buf_printf(out, " -x -a '(__fish_append , %s)'", buf_get(&words).at);
		break;
	case VALUE_WORD:
		generate_words(&words, flag);
		buf_printf(out, "%s -a '%s'", flag->is_bool ? " -f" : " -x", buf_get(&words).at);
		break;
	case VALUE_CHECKER:
		generate_checkers(&words);
		buf_printf(out, " -x -a '%s'", buf_get(&words).at);
		break;
	case VALUE_OUTPUT: buf_text(out, " -x -a '(__tfprof_outputs)'"); break;
	}
	out->failed |= words.failed;
	buf_clear(&words);
}

/* Functions for values that fish cannot complete by itself. */
static void put_functions(struct buf *out)
{
	buf_text(out,
		"function __tfprof_outputs\n"
		"    set -l token (commandline -ct | string replace -r '^--?output=' '')\n"
		"    set -l type (string match -r '^[a-z]+:outfile=' -- $token)\n"
		"    if test -n \"$type\"\n"
		"        for path in (__fish_complete_path (string replace -- $type '' $token))\n"
		"            echo $type$path\n"
		"        end\n"
		"        return\n"
		"    end\n"
		"    printf '%s\\n' stdout none");
	generate_outfiles(out);
	buf_text(out,
		"\nend\n\n"
		"function __tfprof_files\n"
		"    set -l token (commandline -ct | string replace -r '^--?[a-z_]*=' '')\n"
		"    set -l head (string match -r '^.*,' -- $token)\n"
		"    for path in (__fish_complete_path (string replace -r '^.*,' '' -- $token))\n"
		"        echo \"$head$path\"\n"
		"    end\n"
		"end\n\n");
}

void generate_fish(struct buf *out)
{
	struct buf commands = {0};
	const struct command *c;
	struct flag flag;

	command_put_names(&commands, IN_PROGRAM, " ");
	buf_text(out, "# fish completion for tfprof, generated from its option table\n\n");
	put_functions(out);
	buf_printf(out, "set -l commands %s\n\n", buf_get(&commands).at);
	buf_text(out,
		"complete -c tfprof -f\n"
		"complete -c tfprof -n 'not __fish_seen_subcommand_from help' -F\n");
	for (size_t i = 0; (c = command_get(i)); i++) {
		if (!(c->where & IN_PROGRAM))
			continue;
		buf_printf(out,
			"complete -c tfprof -n \"not __fish_seen_subcommand_from $commands\" "
			"-a %s -d ",
			c->name);
		put_quoted(out, c->summary);
		buf_char(out, '\n');
	}
	for (size_t i = 0; flag_get(i, &flag); i++) {
		if (flag.is_hidden)
			continue;
		buf_printf(out, "complete -c tfprof -l %s", flag.name);
		put_value(out, &flag);
		buf_text(out, " -d ");
		put_quoted(out, flag.help);
		buf_char(out, '\n');
		buf_printf(out,
			"complete -c tfprof -n '__fish_seen_subcommand_from help' -f -a %s\n",
			flag.name);
	}
	out->failed |= commands.failed;
	buf_clear(&commands);
}
