#include "flag.h"

#include <string.h>

#include <tfprof/tfprof.h>

static const char *const level_words[] = {"none", "notice", "warning", "high", NULL};
static const char *const shell_words[] = {"bash", "zsh", "fish", "man", NULL};

static const struct flag files[] = {
	{"profile_path", FLAG_FILE, FILE_PROFILE, .value = "FILE",
		.help = "Read a saved profile (ProfileProto)."},
	{"graph_path", FLAG_FILE, FILE_GRAPH, .value = "FILE",
		.help = "Read the graph (GraphDef), text or binary."},
	{"run_meta_path", FLAG_FILE, FILE_RUN_META, .value = "FILE,...",
		.help = "Read traces of runs (RunMetadata), one file per step."},
	{"op_log_path", FLAG_FILE, FILE_OP_LOG, .value = "FILE",
		.help = "Read float operations, custom types and call stacks (OpLogProto)."},
	{"checkpoint_path", FLAG_FILE, FILE_CHECKPOINT, .value = "PREFIX",
		.help = "Read a checkpoint: its variables get the type _checkpoint_variables, and "
			"tensor_value shows their values."},
};

static const struct flag others[] = {
	{"checker", FLAG_ADVICE, ADVICE_CHECKER, .value = "NAME[:OPTION=VALUE,...]",
		.help = "Run only this checker; may be repeated."},
	{"fail_on", FLAG_ADVICE, ADVICE_FAIL_ON, .value = "LEVEL", .default_value = "none",
		.words = level_words,
		.help = "Exit with status 3 if a finding reaches this level."},
	{"help", FLAG_PROGRAM, PROGRAM_HELP, .is_bool = true, .help = "Print help and exit."},
	{"version", FLAG_PROGRAM, PROGRAM_VERSION, .is_bool = true,
		.help = "Print the version and exit."},
	{"generate", FLAG_PROGRAM, PROGRAM_GENERATE, .is_hidden = true, .value = "WHAT",
		.words = shell_words, .help = "Generate a completion file or the manual page."},
};

enum { N_FILE_FLAGS = sizeof(files) / sizeof(*files), N_OTHERS = sizeof(others) / sizeof(*others) };

static const char *value_of_kind(const char *kind)
{
	static const struct {
		const char *kind, *value;
	} values[] = {
		{"int", "N"},
		{"bool", "true|false"},
		{"word", "WORD"},
		{"words", "WORD,..."},
		{"regexes", "REGEX,..."},
		{"output", "TYPE[:outfile=FILE]"},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (strcmp(values[i].kind, kind) == 0)
			return values[i].value;
	return "VALUE";
}

bool flag_get(size_t i, struct flag *flag)
{
	const struct tfprof_option_info *info;
	size_t n_options = 0;

	if (i < N_FILE_FLAGS) {
		*flag = files[i];
		return true;
	}
	i -= N_FILE_FLAGS;
	info = tfprof_option_get_info(i);
	if (info) {
		*flag = (struct flag){.name = info->name,
			.group = FLAG_OPTION,
			.id = (int)i,
			.is_bool = strcmp(info->kind, "bool") == 0,
			.value = value_of_kind(info->kind),
			.default_value = info->default_value,
			.help = info->help,
			.words = info->words};
		return true;
	}
	while (tfprof_option_get_info(n_options))
		n_options++;
	i -= n_options;
	if (i >= N_OTHERS)
		return false;
	*flag = others[i];
	return true;
}

bool flag_find(const char *name, size_t length, struct flag *flag)
{
	for (size_t i = 0; flag_get(i, flag); i++)
		if (strlen(flag->name) == length && memcmp(flag->name, name, length) == 0)
			return true;
	return false;
}

const char *flag_nearest(const char *name)
{
	const char *names[128];
	struct flag flag;
	size_t n = 0;

	for (size_t i = 0; flag_get(i, &flag) && n < 127; i++)
		if (!flag.is_hidden)
			names[n++] = flag.name;
	names[n] = NULL;
	return tfprof_word_get_nearest(name, names);
}

bool flag_applies_to(const struct flag *flag, const struct command *command)
{
	bool is_advise = command && command->id == COMMAND_ADVISE;

	switch (flag->group) {
	case FLAG_OPTION: return !is_advise || strcmp(flag->name, "output") == 0;
	case FLAG_ADVICE: return is_advise;
	default: return false;
	}
}

int flag_level(const char *word)
{
	for (int i = 0; level_words[i]; i++)
		if (strcmp(level_words[i], word) == 0)
			return i;
	return -1;
}
