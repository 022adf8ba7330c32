#include "flag.h"

#include <string.h>

#include <tfprof/tfprof.h>

static const char *const shell_words[] = {"bash", "zsh", "fish", "man", NULL};

/* Like options of diff, but read here. */
enum { BASE_ID = -1 };

static const struct flag others[] = {
	{"base", FLAG_OWN, BASE_ID, .question = "diff", .value = "FILE,...",
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
			.help = info->help,
			.kind = ""};
	return info;
}

static bool find_question(const char *name, size_t length, struct tfprof_question_info *question)
{
	for (size_t i = 0; tfprof_question_get_info(i, question); i++)
		if (strlen(question->name) == length && memcmp(question->name, name, length) == 0)
			return true;
	return false;
}

/* The first question that it applies to decides. */
static void set_group(struct flag *flag, const struct tfprof_option_info *info)
{
	struct tfprof_question_info first;
	bool is_found = find_question(info->applies_to, strcspn(info->applies_to, " "), &first);

	flag->group = FLAG_ASK;
	if (!is_found || first.is_view || tfprof_option_applies(info, "op")) {
		flag->group = FLAG_VIEW;
	} else if (first.options_title) {
		flag->group = FLAG_OWN;
		flag->question = first.name;
	}
}

/* Whether an option of the same name came before: it applies to other questions. */
static bool is_repeated(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(tfprof_option_get_info(k)->name, tfprof_option_get_info(i)->name) == 0)
			return true;
	return false;
}

static void set_option(size_t i, struct flag *flag)
{
	const struct tfprof_option_info *info = tfprof_option_get_info(i);

	*flag = (struct flag){.name = info->name,
		.id = (int)i,
		.is_bool = strcmp(info->kind, "bool") == 0,
		.is_list = strcmp(info->kind, "words") == 0 || strcmp(info->kind, "regexes") == 0,
		.value = info->placeholder,
		.units = info->units,
		.default_value = *info->default_value ? info->default_value : NULL,
		.help = info->help,
		.words = info->words,
		.kind = info->kind};
	set_group(flag, info);
}

/* The i-th name of an option. */
static bool get_option(size_t i, struct flag *flag)
{
	for (size_t n = 0; tfprof_option_get_info(n); n++) {
		if (is_repeated(n) || i-- > 0)
			continue;
		set_option(n, flag);
		return true;
	}
	return false;
}

static void get_other(size_t i, struct flag *flag)
{
	*flag = others[i];
	flag->kind = "";
}

bool flag_get(size_t i, struct flag *flag)
{
	size_t n_files = 0, n_options = 0;

	if (get_file(i, flag))
		return true;
	while (tfprof_input_get_info(n_files))
		n_files++;
	i -= n_files;
	if (get_option(i, flag))
		return true;
	for (size_t n = 0; tfprof_option_get_info(n); n++)
		n_options += !is_repeated(n);
	i -= n_options;
	if (i >= N_OTHERS)
		return false;
	get_other(i, flag);
	return true;
}

static bool is_name(const char *flag, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (flag[i] != (name[i] == '-' ? '_' : name[i]))
			return false;
	return !flag[length];
}

/* Of options of one name, the first. By number, each would look for others of its name. */
bool flag_find(const char *name, size_t length, struct flag *flag)
{
	const struct tfprof_option_info *info;

	for (size_t i = 0; get_file(i, flag); i++)
		if (is_name(flag->name, name, length))
			return true;
	for (size_t i = 0; (info = tfprof_option_get_info(i)); i++)
		if (is_name(info->name, name, length)) {
			set_option(i, flag);
			return true;
		}
	for (size_t i = 0; i < N_OTHERS; i++)
		if (is_name(others[i].name, name, length)) {
			get_other(i, flag);
			return true;
		}
	return false;
}

bool flag_is_usable(const struct flag *flag, enum command_where where)
{
	const struct command *c;

	if (where == IN_PROGRAM || flag->group == FLAG_VIEW)
		return true;
	for (size_t i = 0; flag_is_option(flag) && (c = command_get(i)); i++)
		if (c->where & where && command_is_question(c->id) && flag_applies_to(flag, c))
			return true;
	return false;
}

const char *flag_nearest(const char *name, enum command_where where)
{
	const char *names[128];
	struct flag flag;
	size_t n = 0;

	for (size_t i = 0; flag_get(i, &flag) && n < 127; i++)
		if (!flag.is_hidden && flag_is_usable(&flag, where))
			names[n++] = flag.name;
	names[n] = NULL;
	return tfprof_word_get_nearest(name, names);
}

bool flag_applies_to(const struct flag *flag, const struct command *command)
{
	const struct tfprof_option_info *info;

	if (!flag_is_option(flag))
		return flag->question && command && strcmp(flag->question, command->name) == 0;
	if (!command || command->id == COMMAND_SET)
		return flag->group == FLAG_VIEW;
	for (size_t i = 0; (info = tfprof_option_get_info(i)); i++)
		if (strcmp(info->name, flag->name) == 0 &&
			tfprof_option_applies(info, command->name))
			return true;
	return false;
}
