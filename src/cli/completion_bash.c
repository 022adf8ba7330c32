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
	"	mapfile -t COMPREPLY < <(compgen -P \"$head\" \"$@\" -- \"${cur##*,}\")\n"
	"	compopt -o nospace\n"
	"}\n"
	"\n"
	"# Completes the last path of a comma-separated list. Bash would not quote the $ of what "
	"is no\n"
	"# file as a whole; within quotes nothing is completed.\n"
	"_tfprof_paths()\n"
	"{\n"
	"	local head= path paths\n"
	"	[[ $cur == *[\\'\\\"]* ]] && return\n"
	"	[[ $cur == *,* ]] && head=${cur%,*},\n"
	"	mapfile -t paths < <(compgen -f -- \"${cur##*,}\")\n"
	"	for path in \"${paths[@]}\"; do\n"
	"		[[ $path == \"${cur##*,}\"* ]] || continue # a line of a name\n"
	"		[[ -d $path ]] && path+=/\n"
	"		printf -v path %q \"$path\"\n"
	"		COMPREPLY+=(\"$head$path\")\n"
	"	done\n"
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
static void put_pattern(struct buf *out, enum value_kind kind)
{
	struct flag flag;
	bool is_first = !out->n || out->at[out->n - 1] == '\t';

	for (size_t i = 0; flag_get(i, &flag); i++)
		if (!flag.is_hidden && generate_value_kind(&flag) == kind) {
			buf_printf(out, "%s%s", is_first ? "" : "|", flag.name);
			is_first = false;
		}
}

static void put_files(struct buf *out)
{
	buf_text(out, "	outfile");
	put_pattern(out, VALUE_FILE);
	buf_text(out,
		") _tfprof_files; return ;;\n"
		"	");
	put_pattern(out, VALUE_FREE);
	buf_text(out, ") return ;;\n");
}

/* A bool takes a value only after an =. */
static void put_bool(struct buf *out, const struct flag *flag, const char *words)
{
	buf_printf(out,
		"	%s)\n"
		"		if [[ $prev == = || ${COMP_WORDS[COMP_CWORD]} == = ]]; then\n"
		"			COMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n"
		"			return\n"
		"		fi ;;\n",
		flag->name, words);
}

/* TYPE: is followed by outfile=, whatever precedes it. */
static void put_output(struct buf *out, const struct flag *flag, const char *words)
{
	buf_printf(out, "	%s) _tfprof_output '%s'; return ;;\n	", flag->name, words);
	for (size_t i = 0; flag->words[i]; i++)
		buf_printf(out, "%s%s", i ? "|" : "", flag->words[i]);
	buf_text(out,
		")\n"
		"		COMPREPLY=($(compgen -W 'outfile=' -- \"$cur\"))\n"
		"		compopt -o nospace\n"
		"		return ;;\n");
}

static void put_case(struct buf *out, const struct flag *flag)
{
	struct buf words = {0};
	enum value_kind kind = generate_value_kind(flag);

	if (kind == VALUE_CHECKER)
		generate_checkers(&words);
	else
		generate_words(&words, flag);
	if (kind == VALUE_FILES)
		buf_printf(out, "	%s) _tfprof_paths; return ;;\n", flag->name);
	else if (kind == VALUE_WORDS)
		buf_printf(out, "	%s) _tfprof_list -W '%s'; return ;;\n", flag->name,
			buf_get(&words).at);
	else if (kind == VALUE_OUTPUT)
		put_output(out, flag, buf_get(&words).at);
	else if (kind == VALUE_WORD && flag->is_bool)
		put_bool(out, flag, buf_get(&words).at);
	else if (kind == VALUE_WORD || kind == VALUE_CHECKER)
		buf_printf(out,
			"	%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
			flag->name, buf_get(&words).at);
	out->failed |= words.failed;
	buf_clear(&words);
}

void generate_bash(struct buf *out)
{
	struct buf commands = {0}, flags = {0}, names = {0};
	struct flag flag;

	buf_text(out, head);
	put_files(out);
	for (size_t i = 0; flag_get(i, &flag); i++) {
		if (flag.is_hidden)
			continue;
		put_case(out, &flag);
		buf_printf(&flags, "%s--%s%s", flags.n ? " " : "", flag.name,
			flag.is_bool ? "" : "=");
		buf_printf(&names, "%s%s", names.n ? " " : "", flag.name);
	}
	command_put_names(&commands, IN_PROGRAM, " ");
	buf_printf(out, middle, buf_get(&flags).at);
	buf_printf(out, tail, buf_get(&commands).at, buf_get(&names).at, buf_get(&commands).at,
		buf_get(&commands).at);
	out->failed |= commands.failed || flags.failed || names.failed;
	buf_clear(&commands);
	buf_clear(&flags);
	buf_clear(&names);
}
