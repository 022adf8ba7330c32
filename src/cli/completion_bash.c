/* Completion for bash, which also splits words at = and :, so `--output
 * file:outfile=x` arrives as six words. */
#include "generate.h"

static const char head[] =
	"# bash completion for tfprof, generated from its option table\n"
	"\n"
	"# Completes the last word of a comma-separated list.\n"
	"_tfprof_list()\n"
	"{\n"
	"	local head=\n"
	"	[[ $cur == *,* ]] && head=${cur%,*},\n"
	"	COMPREPLY=($(compgen -P \"$head\" \"$@\" -- \"${cur##*,}\"))\n"
	"	compopt -o nospace\n"
	"}\n"
	"\n"
	"_tfprof_output()\n"
	"{\n"
	"	local type\n"
	"	for type in $(compgen -W \"$1\" -- \"$cur\"); do\n"
	"		case $type in\n"
	"		stdout|none) COMPREPLY+=(\"$type \") ;;\n"
	"		*) COMPREPLY+=(\"$type:outfile=\") ;;\n"
	"		esac\n"
	"	done\n"
	"	compopt -o nospace\n"
	"}\n"
	"\n"
	"_tfprof_files()\n"
	"{\n"
	"	compopt -o filenames\n"
	"	mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"}\n"
	"\n"
	"_tfprof()\n"
	"{\n"
	"	local IFS=$' \\t\\n'\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flag= i\n"
	"	COMPREPLY=()\n"
	"	if [[ $cur == = || $cur == : ]]; then\n"
	"		flag=$prev cur=\n"
	"	elif [[ $prev == = || $prev == : ]]; then\n"
	"		flag=${COMP_WORDS[COMP_CWORD-2]}\n"
	"	elif [[ $prev == -* ]]; then\n"
	"		flag=$prev\n"
	"	fi\n"
	"	flag=${flag#-}\n"
	"	flag=${flag#-}\n"
	"	case $flag in\n";

static const char middle[] = "	esac\n"
			     "	if [[ $cur == -* ]]; then\n"
			     "		COMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n"
			     "		[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
			     "		return\n"
			     "	fi\n";

static const char tail[] =
	"	for ((i = 1; i < COMP_CWORD; i++)); do\n"
	"		case ${COMP_WORDS[i]} in\n"
	"		help) COMPREPLY=($(compgen -W '%s %s' -- \"$cur\")); return ;;\n"
	"		*) [[ ' %s ' == *\" ${COMP_WORDS[i]} \"* ]] && { _tfprof_files; return; } "
	";;\n"
	"		esac\n"
	"	done\n"
	"	COMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n"
	"	[[ ${COMPREPLY[0]} ]] || _tfprof_files\n"
	"}\n"
	"\n"
	"complete -F _tfprof tfprof\n";

/* Appends a case pattern, a|b|c, of the flags whose values are of this kind. */
static void put_pattern(struct text *out, enum value_kind kind)
{
	struct flag flag;
	bool is_first = !out->n || out->at[out->n - 1] == '\t';

	for (size_t i = 0; flag_get(i, &flag); i++)
		if (!flag.is_hidden && generate_value_kind(&flag) == kind) {
			text_printf(out, "%s%s", is_first ? "" : "|", flag.name);
			is_first = false;
		}
}

static void put_files(struct text *out)
{
	text_add(out, "	outfile");
	put_pattern(out, VALUE_FILE);
	text_add(out,
		") _tfprof_files; return ;;\n"
		"	");
	put_pattern(out, VALUE_FREE);
	text_add(out, ") return ;;\n");
}

/* A bool takes a value only after an =. */
static void put_bool(struct text *out, const struct flag *flag, const char *words)
{
	text_printf(out,
		"	%s)\n"
		"		if [[ $prev == = || ${COMP_WORDS[COMP_CWORD]} == = ]]; then\n"
		"			COMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n"
		"			return\n"
		"		fi ;;\n",
		flag->name, words);
}

/* TYPE: is followed by outfile=, whatever precedes it. */
static void put_output(struct text *out, const struct flag *flag, const char *words)
{
	text_printf(out, "	%s) _tfprof_output '%s'; return ;;\n	", flag->name, words);
	for (size_t i = 0; flag->words[i]; i++)
		text_printf(out, "%s%s", i ? "|" : "", flag->words[i]);
	text_add(out,
		")\n"
		"		COMPREPLY=($(compgen -W 'outfile=' -- \"$cur\"))\n"
		"		compopt -o nospace\n"
		"		return ;;\n");
}

static void put_case(struct text *out, const struct flag *flag)
{
	struct text words = {0};
	enum value_kind kind = generate_value_kind(flag);

	if (kind == VALUE_CHECKER)
		generate_checkers(&words);
	else
		generate_words(&words, flag);
	if (kind == VALUE_FILES)
		text_printf(out, "	%s) _tfprof_list -f; return ;;\n", flag->name);
	else if (kind == VALUE_WORDS)
		text_printf(out, "	%s) _tfprof_list -W '%s'; return ;;\n", flag->name,
			text_get(&words));
	else if (kind == VALUE_OUTPUT)
		put_output(out, flag, text_get(&words));
	else if (kind == VALUE_WORD && flag->is_bool)
		put_bool(out, flag, text_get(&words));
	else if (kind == VALUE_WORD || kind == VALUE_CHECKER)
		text_printf(out,
			"	%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
			flag->name, text_get(&words));
	out->failed |= words.failed;
	text_clear(&words);
}

void generate_bash(struct text *out)
{
	struct text commands = {0}, flags = {0}, names = {0};
	struct flag flag;

	text_add(out, head);
	put_files(out);
	for (size_t i = 0; flag_get(i, &flag); i++) {
		if (flag.is_hidden)
			continue;
		put_case(out, &flag);
		text_printf(&flags, "%s--%s%s", flags.n ? " " : "", flag.name,
			flag.is_bool ? "" : "=");
		text_printf(&names, "%s%s", names.n ? " " : "", flag.name);
	}
	command_put_names(&commands, IN_PROGRAM, " ");
	text_printf(out, middle, text_get(&flags));
	text_printf(out, tail, text_get(&commands), text_get(&names), text_get(&commands),
		text_get(&commands));
	out->failed |= commands.failed || flags.failed || names.failed;
	text_clear(&commands);
	text_clear(&flags);
	text_clear(&names);
}
