/* Completion for fish: one line per command and flag. */
#include "generate.h"

#include <string.h>

static void put_quoted(struct text *out, const char *text)
{
	text_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			text_char(out, '\\');
		text_char(out, *text);
	}
	text_char(out, '\'');
}

static void put_value(struct text *out, const struct flag *flag)
{
	struct text words = {0};

	switch (generate_value_kind(flag)) {
	case VALUE_NONE: break;
	case VALUE_FREE: text_add(out, " -x"); break;
	case VALUE_FILE: text_add(out, " -r -F"); break;
	case VALUE_FILES: text_add(out, " -x -a '(__tfprof_files)'"); break;
	case VALUE_WORDS:
		generate_words(&words, flag);
		text_printf(out, " -x -a '(__fish_append , %s)'", text_get(&words));
		break;
	case VALUE_WORD:
		generate_words(&words, flag);
		text_printf(out, "%s -a '%s'", flag->is_bool ? " -f" : " -x", text_get(&words));
		break;
	case VALUE_CHECKER:
		generate_checkers(&words);
		text_printf(out, " -x -a '%s'", text_get(&words));
		break;
	case VALUE_OUTPUT: text_add(out, " -x -a '(__tfprof_outputs)'"); break;
	}
	out->failed |= words.failed;
	text_clear(&words);
}

/* Functions for values that fish cannot complete by itself. */
static void put_functions(struct text *out)
{
	text_add(out,
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
	text_add(out,
		"\nend\n\n"
		"function __tfprof_files\n"
		"    set -l token (commandline -ct | string replace -r '^--?[a-z_]*=' '')\n"
		"    set -l head (string match -r '^.*,' -- $token)\n"
		"    for path in (__fish_complete_path (string replace -r '^.*,' '' -- $token))\n"
		"        echo \"$head$path\"\n"
		"    end\n"
		"end\n\n");
}

void generate_fish(struct text *out)
{
	struct text commands = {0};
	const struct command *c;
	struct flag flag;

	command_put_names(&commands, IN_PROGRAM, " ");
	text_add(out, "# fish completion for tfprof, generated from its option table\n\n");
	put_functions(out);
	text_printf(out, "set -l commands %s\n\n", text_get(&commands));
	text_add(out,
		"complete -c tfprof -f\n"
		"complete -c tfprof -n 'not __fish_seen_subcommand_from help' -F\n");
	for (size_t i = 0; (c = command_get(i)); i++) {
		if (!(c->where & IN_PROGRAM))
			continue;
		text_printf(out,
			"complete -c tfprof -n \"not __fish_seen_subcommand_from $commands\" "
			"-a %s -d ",
			c->name);
		put_quoted(out, c->summary);
		text_char(out, '\n');
	}
	for (size_t i = 0; flag_get(i, &flag); i++) {
		if (flag.is_hidden)
			continue;
		text_printf(out, "complete -c tfprof -l %s", flag.name);
		put_value(out, &flag);
		text_add(out, " -d ");
		put_quoted(out, flag.help);
		text_char(out, '\n');
		text_printf(out,
			"complete -c tfprof -n '__fish_seen_subcommand_from help' -f -a %s\n",
			flag.name);
	}
	out->failed |= commands.failed;
	text_clear(&commands);
}
