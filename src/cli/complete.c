#include "complete.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/span.h"
#include "command.h"
#include "flag.h"

/* The word to complete, and what precedes it. */
struct place {
	const char *word;
	const struct command *command; /* NULL: none yet */
	struct flag flag;              /* whose value the word may be */
	bool has_flag;
	bool is_optional; /* the flag's value may be omitted */
	tfprof_profile *profile;
};

/* ---- files ------------------------------------------------------------------- */

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void add_files(struct candidates *c)
{
	const char *slash = strrchr(c->typed, '/');
	size_t head = slash ? (size_t)(slash + 1 - c->typed) : 0;
	char *directory =
		slash ? span_copy((struct span){c->typed, head}) : span_copy(span_of("."));
	DIR *dir = directory ? opendir(directory) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		struct buf path = {0};

		if (name[0] == '.' &&
			(c->typed[head] != '.' || !strcmp(name, ".") || !strcmp(name, "..")))
			continue;
		buf_put(&path, c->typed, head);
		buf_text(&path, name);
		if (is_directory(buf_get(&path).at))
			buf_char(&path, '/');
		if (!path.failed)
			candidates_add(c, path.at, path.n);
		buf_clear(&path);
	}
	if (dir)
		closedir(dir);
	mem_free(directory);
	candidates_sort(c);
}

/* ---- names of the profile ------------------------------------------------------ */

static int add_name(void *context, const char *name, size_t length)
{
	candidates_add(context, name, length);
	return 0;
}

static void add_types(struct candidates *c, tfprof_profile *profile)
{
	const char *type;
	size_t length;

	for (size_t i = 0; (type = tfprof_profile_get_type(profile, i, &length)); i++)
		candidates_add(c, type, length);
}

/* Adds what this view's regexes match: node names, or types in op view. Lines of
 * code are not completed. */
static void add_names(struct candidates *c, const struct place *p)
{
	struct tfprof_error err;

	if (strcmp(p->flag.name, "account_type_regexes") == 0)
		add_types(c, p->profile);
	else if (p->command && p->command->id == COMMAND_OP)
		add_types(c, p->profile);
	else if (!p->command || p->command->id != COMMAND_CODE)
		tfprof_profile_find_names(p->profile, c->typed, add_name, c, &err);
}

/* ---- values ------------------------------------------------------------------- */

/* Completes only what follows this part of the word. */
static void skip(struct candidates *c, size_t n)
{
	c->typed += n;
	c->head += n;
}

static void skip_to_last(struct candidates *c, char separator)
{
	const char *last = strrchr(c->typed, separator);

	if (last)
		skip(c, (size_t)(last + 1 - c->typed));
}

/* TYPE:outfile=PATH */
static void add_output(struct candidates *c, const char *const *types)
{
	const char *colon = strchr(c->typed, ':');
	struct buf type = {0};

	if (colon && strncmp(colon + 1, "outfile=", 8) == 0) {
		skip(c, (size_t)(colon + 9 - c->typed));
		add_files(c);
		return;
	}
	for (; types && *types; types++) {
		buf_reset(&type);
		buf_text(&type, *types);
		if (strcmp(*types, "stdout") != 0 && strcmp(*types, "none") != 0)
			buf_text(&type, ":outfile=");
		if (!type.failed)
			candidates_add(c, type.at, type.n);
	}
	buf_clear(&type);
}

static void add_checkers(struct candidates *c)
{
	const struct tfprof_checker_info *info;

	for (size_t i = 0; (info = tfprof_checker_get_info(i)); i++)
		candidates_add(c, info->name, strlen(info->name));
}

static void add_values(struct candidates *c, const struct place *p)
{
	const struct flag *flag = &p->flag;
	const char *kind = flag->kind;

	if (strcmp(kind, "checker") == 0) {
		add_checkers(c);
	} else if (strcmp(kind, "output") == 0) {
		add_output(c, flag->words);
	} else if (strcmp(kind, "regexes") == 0) {
		c->is_list = true;
		skip_to_last(c, ',');
		add_names(c, p);
	} else if (strcmp(kind, "words") == 0) {
		c->is_list = true;
		skip_to_last(c, ',');
		candidates_add_words(c, flag->words);
	} else {
		candidates_add_words(c, flag->words);
	}
}

/* ---- commands and options -------------------------------------------------------- */

static void add_commands(struct candidates *c)
{
	const struct command *command;

	for (size_t i = 0; (command = command_get(i)); i++)
		if (command->where & IN_SHELL)
			candidates_add(c, command->name, strlen(command->name));
}

/* Each with as many dashes as were typed. */
static void add_options(struct candidates *c, const char *dashes, const struct command *command)
{
	struct flag flag;
	struct buf name = {0};

	for (size_t i = 0; flag_get(i, &flag); i++) {
		if (*dashes && !flag_applies_to(&flag, command))
			continue;
		if (!*dashes && flag.group == FLAG_PROGRAM)
			continue;
		buf_reset(&name);
		buf_text(&name, dashes);
		buf_text(&name, flag.name);
		if (!name.failed)
			candidates_add(c, name.at, name.n);
	}
	buf_clear(&name);
}

static void add_candidates(struct candidates *c, const struct place *p)
{
	if (p->has_flag && (!p->is_optional || (*p->word && *p->word != '-'))) {
		add_values(c, p);
	} else if (!p->command && *p->word != '-') {
		add_commands(c);
	} else if (p->command && p->command->id == COMMAND_SAVE) {
		add_files(c);
	} else if (p->command && p->command->id == COMMAND_HELP) {
		add_commands(c);
		add_options(c, "", NULL);
	} else if (!p->command || p->command->id != COMMAND_QUIT) {
		if (!*p->word || *p->word == '-')
			add_options(c, strncmp(p->word, "--", 2) == 0 ? "--" : "-", p->command);
	}
}

/* ---- the place -------------------------------------------------------------------- */

static const char *flag_name(const char *word)
{
	return word[0] == '-' ? word + 1 + (word[1] == '-') : NULL;
}

/* Reads the words before the one to complete as the parser would. */
static void read_words(struct place *p, char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = flag_name(words[i]);

		if (p->has_flag && !p->is_optional) {
			p->has_flag = false;
			continue;
		}
		p->has_flag = name && flag_find(name, strlen(name), &p->flag);
		p->is_optional = p->has_flag && p->flag.is_bool;
		if (!name && !p->command)
			p->command = command_find(words[i], IN_SHELL);
	}
}

void complete_line(struct candidates *c, const struct line *l, tfprof_profile *profile)
{
	size_t before = l->ends_in_blank ? l->n : l->n - 1;
	struct place p = {.word = before < l->n ? l->words[before] : "", .profile = profile};
	const char *name = flag_name(p.word), *equals = name ? strchr(name, '=') : NULL;

	*c = (struct candidates){.typed = p.word};
	if (before && strcmp(l->words[before - 1], ">") == 0) {
		add_files(c);
		return;
	}
	read_words(&p, l->words, before);
	/* -name=value in one word */
	if (equals && (!p.has_flag || p.is_optional)) {
		p.has_flag = flag_find(name, (size_t)(equals - name), &p.flag);
		p.is_optional = false;
		if (!p.has_flag)
			return;
		skip(c, (size_t)(equals + 1 - p.word));
	}
	add_candidates(c, &p);
}
