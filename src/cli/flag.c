#include "flag.h"

#include <string.h>

#include <tfprof/tfprof.h>

static const char *const level_words[] = {"none", "notice", "warning", "high", NULL};
static const char *const shell_words[] = {"bash", "zsh", "fish", "man", NULL};

static const struct flag others[] = {
	{"checker", FLAG_ADVICE, ADVICE_CHECKER, .value = "NAME[:OPTION=VALUE,...]",
		.help = "Run only this checker; may be repeated."},
	{"fail_on", FLAG_ADVICE, ADVICE_FAIL_ON, .value = "LEVEL", .default_value = "none",
		.words = level_words,
		.help = "Exit with status 3 if a finding reaches this level."},
	{"base", FLAG_DIFF, DIFF_BASE, .value = "FILE,...",
		.help = "Compare with these files (views and diff)."},
	{"strict", FLAG_PROGRAM, PROGRAM_STRICT, .is_bool = true,
		.help = "Refuse files with anything that would be ignored."},
	{"recover", FLAG_PROGRAM, PROGRAM_RECOVER, .is_bool = true,
		.help = "Load the intact parts of damaged files, and say what was dropped."},
	{"help", FLAG_PROGRAM, PROGRAM_HELP, .is_bool = true, .help = "Print help and exit."},
	{"version", FLAG_PROGRAM, PROGRAM_VERSION, .is_bool = true,
		.help = "Print the version and exit."},
	{"generate", FLAG_PROGRAM, PROGRAM_GENERATE, .is_hidden = true, .value = "WHAT",
		.words = shell_words, .help = "Generate a completion file or the manual page."},
};

enum { N_OTHERS = sizeof(others) / sizeof(*others) };

static const char *value_of_input(unsigned traits)
{
	if (traits & (TFPROF_INPUT_BY_STEP | TFPROF_INPUT_SEVERAL))
		return "FILE,...";
	return traits & TFPROF_INPUT_FILES ? "PREFIX" : "FILE";
}

static bool get_file(size_t i, struct flag *flag)
{
	const struct tfprof_input_info *info = tfprof_input_get_info(i);

	if (info)
		*flag = (struct flag){.name = info->flag,
			.group = FLAG_FILE,
			.id = (int)i,
			.value = value_of_input(info->traits),
			.help = info->help};
	return info;
}

static struct flag of_option(const struct tfprof_option_info *info, enum flag_group group, size_t i)
{
	return (struct flag){.name = info->name,
		.group = group,
		.id = (int)i,
		.is_bool = strcmp(info->kind, "bool") == 0,
		.is_list = strcmp(info->kind, "words") == 0 || strcmp(info->kind, "regexes") == 0,
		.value = info->placeholder,
		.units = info->units,
		.default_value = *info->default_value ? info->default_value : NULL,
		.help = info->help,
		.words = info->words};
}

static bool get_option(size_t i, struct flag *flag)
{
	const struct tfprof_option_info *info = tfprof_option_get_info(i);

	if (info)
		*flag = of_option(info,
			tfprof_option_applies(info, "op") || tfprof_option_applies(info, "scope")
				? FLAG_OPTION
				: FLAG_ASK,
			i);
	return info;
}

typedef const struct tfprof_option_info *get_info_fn(size_t i);

static bool is_in(get_info_fn *get_info, const char *name)
{
	const struct tfprof_option_info *info;

	for (size_t i = 0; (info = get_info(i)); i++)
		if (strcmp(info->name, name) == 0)
			return true;
	return false;
}

bool flag_is_of_model(const char *name)
{
	return is_in(tfprof_model_option_get_info, name);
}

bool flag_is_of_diff(const char *name)
{
	return is_in(tfprof_diff_option_get_info, name);
}

/* Those that queries do not have: the i-th of them. */
static bool get_model_option(size_t i, struct flag *flag)
{
	const struct tfprof_option_info *info;

	for (size_t n = 0; (info = tfprof_model_option_get_info(n)); n++) {
		if (is_in(tfprof_option_get_info, info->name) || i-- > 0)
			continue;
		*flag = of_option(info, FLAG_MODEL, n);
		return true;
	}
	return false;
}

/* Those that neither queries nor models have: the i-th of them. */
static bool get_diff_option(size_t i, struct flag *flag)
{
	const struct tfprof_option_info *info;

	for (size_t n = 0; (info = tfprof_diff_option_get_info(n)); n++) {
		if (is_in(tfprof_option_get_info, info->name) || flag_is_of_model(info->name) ||
			i-- > 0)
			continue;
		*flag = of_option(info, FLAG_DIFF, n);
		return true;
	}
	return false;
}

bool flag_get(size_t i, struct flag *flag)
{
	size_t n_files = 0, n_options = 0, n_model = 0, n_diff = 0;

	if (get_file(i, flag))
		return true;
	while (tfprof_input_get_info(n_files))
		n_files++;
	i -= n_files;
	if (get_option(i, flag))
		return true;
	while (tfprof_option_get_info(n_options))
		n_options++;
	i -= n_options;
	if (get_model_option(i, flag))
		return true;
	while (get_model_option(n_model, flag))
		n_model++;
	i -= n_model;
	if (get_diff_option(i, flag))
		return true;
	while (get_diff_option(n_diff, flag))
		n_diff++;
	i -= n_diff;
	if (i >= N_OTHERS)
		return false;
	*flag = others[i];
	return true;
}

static bool is_name(const char *flag, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (flag[i] != (name[i] == '-' ? '_' : name[i]))
			return false;
	return !flag[length];
}

bool flag_find(const char *name, size_t length, struct flag *flag)
{
	for (size_t i = 0; flag_get(i, flag); i++)
		if (is_name(flag->name, name, length))
			return true;
	return false;
}

static bool is_usable(const struct flag *flag, enum command_where where)
{
	return !flag->is_hidden &&
		(where != IN_SHELL || flag->group == FLAG_OPTION || flag->group == FLAG_ASK ||
			flag->group == FLAG_ADVICE);
}

const char *flag_nearest(const char *name, enum command_where where)
{
	const char *names[128];
	struct flag flag;
	size_t n = 0;

	for (size_t i = 0; flag_get(i, &flag) && n < 127; i++)
		if (is_usable(&flag, where))
			names[n++] = flag.name;
	names[n] = NULL;
	return tfprof_word_get_nearest(name, names);
}

bool flag_applies_to(const struct flag *flag, const struct command *command)
{
	bool is_advise = command && command->id == COMMAND_ADVISE;
	bool is_model = command && command->id == COMMAND_MODEL;
	bool is_diff = command && command->id == COMMAND_DIFF;

	switch (flag->group) {
	case FLAG_OPTION:
		if (is_model)
			return flag_is_of_model(flag->name);
		if (is_diff || !command || command->id == COMMAND_SET)
			return true;
		/* fallthrough */
	case FLAG_ASK:
		if (!command)
			return false;
		return tfprof_option_applies(tfprof_option_get_info((size_t)flag->id),
			command->name);
	case FLAG_ADVICE: return is_advise;
	case FLAG_MODEL: return is_model || (is_diff && flag_is_of_diff(flag->name));
	case FLAG_DIFF: return is_diff;
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
