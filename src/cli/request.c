#include "request.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "diff.h"

struct parser {
	struct request *request;
	const char *const *words;
	size_t n, at;
	enum command_where where;
	const char *advice_flag; /* the last one seen, or NULL */
	const char *model_flag;  /* likewise */
	const char *diff_flag;   /* likewise */
	const char *query_flag;  /* of those that models do not have */
	bool is_pasted;          /* a command line of the program, in the shell */
	struct buf *typed;       /* by query option: its value on this line so far */
	size_t n_typed;
	struct tfprof_error *err;
};

static size_t count_options(void)
{
	size_t n = 0;

	while (tfprof_option_get_info(n))
		n++;
	return n;
}

/* `help -select` asks about the flag. */
static bool asks_about(const struct request *r, const char *word)
{
	return r->command && r->command->id == COMMAND_HELP && !r->word && !strchr(word, '=');
}

/* The name after one or two dashes; NULL if the word is not a flag. */
static const char *flag_name(const char *word)
{
	if (word[0] != '-' || !word[1])
		return NULL;
	word += word[1] == '-' ? 2 : 1;
	return *word ? word : NULL;
}

static bool is_known_flag(const char *word)
{
	const char *name = flag_name(word);
	struct flag flag;

	return name && flag_find(name, strcspn(name, "="), &flag);
}

/* ---- errors ------------------------------------------------------------------ */

/* Only the nearest one is suggested: the whole list is a page long. */
static enum tfprof_status unknown_flag(struct parser *p, const char *word, const char *name)
{
	int length = (int)strcspn(word, "="), dashes = (int)(name - word);
	const char *help = p->where == IN_SHELL ? "help" : "tfprof --help", *near;
	char bare[64];

	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(name, "="), name);
	near = flag_nearest(bare, p->where);
	if (length > 200)
		length = 200;
	if (near)
		return error_set(p->err, TFPROF_ARGUMENT,
			"unknown flag: %.*s: did you mean %.*s%s?", length, word, dashes, word,
			near);
	return error_set(p->err, TFPROF_ARGUMENT, "unknown flag: %.*s: '%s' lists all flags",
		length, word, help);
}

/* What is there, standard input, and what is written like a path: of that, reading says
 * what is wrong. */
static bool is_file(const struct parser *p, const char *word)
{
	return p->where == IN_PROGRAM &&
		(strcmp(word, "-") == 0 || strpbrk(word, "/.") || tfprof_input_exists(word));
}

static enum tfprof_status unknown_command(struct parser *p, const char *word)
{
	const char *near = command_nearest(word, p->where);
	struct buf valid = {0};
	enum tfprof_status status;

	for (size_t i = 0; command_get(i); i++)
		if (command_get(i)->where & p->where)
			buf_printf(&valid, "%s%s", valid.n ? ", " : "", command_get(i)->name);
	status = error_set(p->err, TFPROF_ARGUMENT,
		"unknown command: %.200s: expected one of: %s%s%s%s%s", word, buf_get(&valid).at,
		p->where == IN_PROGRAM ? ", or a file" : "", near ? " (did you mean " : "",
		near ? near : "", near ? "?)" : "");
	buf_clear(&valid);
	return status;
}

static enum tfprof_status bad_level(struct parser *p, const char *value)
{
	return error_set(p->err, TFPROF_ARGUMENT,
		"-fail_on: unknown level '%.200s': expected one of: none, notice, warning, high",
		value);
}

/* ---- setting ------------------------------------------------------------------ */

/* Splits off the next setting; NULL if there is none. Values may be lists, so a comma
 * ends a setting only if NAME= follows. */
static char *cut_setting(char *at)
{
	for (char *comma = strchr(at, ','); comma; comma = strchr(comma + 1, ',')) {
		size_t name = strspn(comma + 1, "abcdefghijklmnopqrstuvwxyz_");

		if (name && comma[1 + name] == '=') {
			*comma = '\0';
			return comma + 1;
		}
	}
	return NULL;
}

/* NAME[:OPTION=VALUE,...] */
static enum tfprof_status set_checker(struct request *r, const char *value,
	struct tfprof_error *err)
{
	enum tfprof_status status;
	char *copy, *option;

	if (!r->advice)
		r->advice = tfprof_advice_options_new();
	copy = span_copy(span_of(value));
	if (!r->advice || !copy) {
		mem_free(copy);
		return error_no_memory(err);
	}
	option = strchr(copy, ':');
	if (option)
		*option++ = '\0';
	status = tfprof_advice_options_set(r->advice, copy, NULL, NULL, err);
	while (status == TFPROF_OK && option && *option) {
		char *next = cut_setting(option), *setting = strchr(option, '=');

		if (setting)
			*setting++ = '\0';
		status = setting ? tfprof_advice_options_set(r->advice, copy, option, setting, err)
				 : error_set(err, TFPROF_ARGUMENT,
					   "no value given: -checker=%.100s:%.100s: use "
					   "-checker=%.100s:%.100s=VALUE",
					   copy, option, copy, option);
		option = next;
	}
	mem_free(copy);
	return status;
}

static enum tfprof_status set_advice(struct parser *p, const struct flag *flag, const char *value)
{
	int level;

	p->advice_flag = flag->name;
	if (flag->id == ADVICE_CHECKER)
		return set_checker(p->request, value, p->err);
	level = flag_level(value);
	if (level < 0)
		return bad_level(p, value);
	p->request->fail_on = level;
	return TFPROF_OK;
}

static enum tfprof_status set_diff(struct request *r, const struct flag *flag, const char *value,
	struct tfprof_error *err)
{
	if (flag->id == DIFF_BASE) {
		r->base = value;
		return TFPROF_OK;
	}
	if (strcmp(flag->name, "budgets") == 0)
		return diff_read_budgets(r->diff, value, err);
	r->has_base_step |= strcmp(flag->name, "base_step") == 0;
	return tfprof_diff_options_set(r->diff, flag->name, value, err);
}

static enum tfprof_status set_reading(struct parser *p, const struct flag *flag, const char *value)
{
	struct request *r = p->request;
	enum tfprof_reading reading =
		flag->id == PROGRAM_STRICT ? TFPROF_READ_STRICT : TFPROF_READ_RECOVER;
	bool is_true = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;

	if (!is_true && strcmp(value, "false") != 0 && strcmp(value, "0") != 0)
		return error_set(p->err, TFPROF_ARGUMENT, "--%s=%.100s: expected true or false",
			flag->name, value);
	if (is_true && r->reading != TFPROF_READ_AS_IS && r->reading != reading)
		return error_set(p->err, TFPROF_ARGUMENT,
			"--strict and --recover cannot be combined");
	if (is_true)
		r->reading = reading;
	else if (r->reading == reading)
		r->reading = TFPROF_READ_AS_IS;
	tfprof_model_options_set_reading(r->model, r->reading);
	return TFPROF_OK;
}

static enum tfprof_status set_program(struct parser *p, const struct flag *flag, const char *value)
{
	struct request *r = p->request;

	switch (flag->id) {
	case PROGRAM_STRICT:
	case PROGRAM_RECOVER: return set_reading(p, flag, value);
	case PROGRAM_HELP: r->wants_help = true; break;
	case PROGRAM_VERSION: r->wants_version = true; break;
	case PROGRAM_GENERATE: r->generate = value; break;
	}
	return TFPROF_OK;
}

static enum tfprof_status set_file(struct parser *p, const struct flag *flag, const char *value)
{
	if (!*value)
		return error_set(p->err, TFPROF_ARGUMENT, "no file name given: --%s: use --%s=%s",
			flag->name, flag->name, flag->value);
	if (p->request->paths[flag->id])
		return error_set(p->err, TFPROF_ARGUMENT, "--%s is given twice: %s", flag->name,
			strchr(flag->value, ',') ? "separate files with commas"
						 : "only one is allowed");
	p->request->paths[flag->id] = value;
	return TFPROF_OK;
}

static bool ends_in_comma(const struct buf *t)
{
	return t->n && t->at[t->n - 1] == ',';
}

/* Takes the words that continue a list, `micros, bytes`, unless one is a flag or the
 * command that is still missing. */
static void take_rest_of_list(struct parser *p, struct buf *list)
{
	for (; ends_in_comma(list) && p->at < p->n; p->at++) {
		const char *next = p->words[p->at];

		if (is_known_flag(next) || (!p->request->command && command_find(next, p->where)))
			return;
		buf_text(list, next);
	}
}

/* A list goes on where its flag is given again; of other options the last value holds. */
static enum tfprof_status set_option(struct parser *p, const struct flag *flag, const char *value)
{
	struct buf *typed = &p->typed[flag->id];

	if (!flag->is_list)
		buf_reset(typed);
	else if (typed->n)
		buf_char(typed, ',');
	buf_text(typed, value);
	if (flag->is_list)
		take_rest_of_list(p, typed);
	p->request->has_flags = true;
	if (typed->failed)
		return error_no_memory(p->err);
	/* Options that models have, too: which is meant, the command tells. */
	if (flag_is_of_model(flag->name)) {
		struct request *r = p->request;

		r->shared[r->n_shared++] = (struct shared_option){flag->name, value};
		return TFPROF_OK;
	}
	p->query_flag = flag->name;
	return tfprof_options_set(p->request->options, flag->name, buf_get(typed).at, p->err);
}

static enum tfprof_status set_flag(struct parser *p, const struct flag *flag, const char *value)
{
	struct request *r = p->request;

	switch (flag->group) {
	case FLAG_OPTION:
	case FLAG_ASK: return set_option(p, flag, value);
	case FLAG_MODEL:
		if (flag_is_of_diff(flag->name)) {
			r->shared[r->n_shared++] = (struct shared_option){flag->name, value};
			return TFPROF_OK;
		}
		p->model_flag = flag->name;
		return tfprof_model_options_set(r->model, flag->name, value, p->err);
	case FLAG_DIFF: p->diff_flag = flag->name; return set_diff(r, flag, value, p->err);
	case FLAG_ADVICE: return set_advice(p, flag, value);
	case FLAG_FILE: return set_file(p, flag, value);
	case FLAG_PROGRAM: return set_program(p, flag, value);
	}
	return TFPROF_OK;
}

/* ---- words -------------------------------------------------------------------- */

/* The value of a flag without `=`: the next word unless that is a flag, or for a bool
 * only a truth value. NULL if there is none. */
static const char *take_value(struct parser *p, const struct flag *flag)
{
	static const char *const truth[] = {"true", "false", "1", "0"};
	const char *next = p->at < p->n ? p->words[p->at] : NULL;

	if (!next)
		return NULL;
	if (!flag->is_bool) {
		if (is_known_flag(next))
			return NULL;
		p->at++;
		return next;
	}
	for (size_t i = 0; flag->group != FLAG_PROGRAM && i < 4; i++)
		if (strcmp(next, truth[i]) == 0) {
			p->at++;
			return next;
		}
	return NULL;
}

static enum tfprof_status take_flag(struct parser *p, const char *word, const char *name)
{
	size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : NULL;
	struct flag flag;
	bool is_ignored;

	if (strcmp(word, "-h") == 0)
		name = "help", length = 4;
	if (!flag_find(name, length, &flag))
		return unknown_flag(p, word, name);
	is_ignored = p->is_pasted && flag.group == FLAG_FILE;
	p->request->has_ignored |= is_ignored;
	if (p->where == IN_SHELL && !is_ignored &&
		(flag.group == FLAG_FILE || flag.group == FLAG_PROGRAM ||
			flag.group == FLAG_MODEL || flag.group == FLAG_DIFF))
		return error_set(p->err, TFPROF_ARGUMENT,
			"-%s is a command line flag: start tfprof with --%s%s%s", flag.name,
			flag.name, flag.value ? "=" : "", flag.value ? flag.value : "");
	if (!value)
		value = take_value(p, &flag);
	if (!value && !flag.is_bool)
		return error_set(p->err, TFPROF_ARGUMENT, "no value given: %s: use %.*s%s=%s", word,
			(int)(name - word), word, flag.name, flag.value);
	if (is_ignored)
		return TFPROF_OK;
	return set_flag(p, &flag, value ? value : "true");
}

static enum tfprof_status unexpected_word(struct parser *p, const char *word)
{
	const struct command *c = p->request->command;

	return error_set(p->err, TFPROF_ARGUMENT,
		"unexpected word: %.200s: %sthe command is already %s%s", word,
		p->where == IN_PROGRAM ? "there is no file of this name, and " : "", c->name,
		command_is_view(c->id) ? "; options start with a dash" : "");
}

/* The view of this name, or NULL. */
static const struct command *command_view(const char *word)
{
	const struct command *c = command_find(word, IN_PROGRAM);

	return c && command_is_view(c->id) ? c : NULL;
}

static enum tfprof_status take_word(struct parser *p, const char *word)
{
	struct request *r = p->request;
	const struct command *command = r->command ? NULL : command_find(word, p->where);

	if (!r->word &&
		((r->command && r->command->id == COMMAND_HELP) ||
			(!r->command && r->wants_help && !command))) {
		r->word = word;
		return TFPROF_OK;
	}
	if (p->is_pasted && !command && tfprof_input_exists(word)) {
		r->has_ignored = true;
		return TFPROF_OK;
	}
	if (strcmp(word, "--") == 0 && r->command && r->command->id == COMMAND_DIFF &&
		r->n_base == NO_SIDES)
		r->n_base = r->n_files;
	else if (r->command && r->command->id == COMMAND_DIFF && !r->view && command_view(word))
		r->view = command_view(word);
	else if (r->command && r->command->id == COMMAND_SAVE && !r->word)
		r->word = word;
	else if (command)
		r->command = command;
	else if (is_file(p, word))
		r->files[r->n_files++] = word;
	else
		return r->command ? unexpected_word(p, word) : unknown_command(p, word);
	return TFPROF_OK;
}

static bool is_diff(const struct request *r)
{
	return r->command && r->command->id == COMMAND_DIFF;
}

/* Once it is known which command they are for. */
static enum tfprof_status set_shared(const struct parser *p)
{
	const struct request *r = p->request;
	bool is_model = r->command && r->command->id == COMMAND_MODEL;
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < r->n_shared; i++) {
		const char *name = r->shared[i].name, *value = r->shared[i].value;

		if (is_model)
			status = tfprof_model_options_set(r->model, name, value, p->err);
		else if (is_diff(r) && flag_is_of_diff(name))
			status = tfprof_diff_options_set(r->diff, name, value, p->err);
		else
			status = tfprof_options_set(r->options, name, value, p->err);
	}
	return status;
}

/* A model by itself is counted; a view with a base is compared. */
static void choose_command(struct request *r)
{
	if (!r->command && r->n_files == 1 && !r->wants_help && !r->wants_version && !r->generate &&
		tfprof_model_recognize(r->files[0]))
		r->command = command_find("model", IN_PROGRAM);
	if (r->base && r->command && command_is_view(r->command->id)) {
		r->view = r->command;
		r->command = command_find("diff", IN_PROGRAM);
	}
}

/* Whether the command has an option that several have. */
static bool accepts_shared(const struct request *r, const char *name)
{
	struct flag flag;

	return r->wants_help || !flag_find(name, strlen(name), &flag) || flag.group != FLAG_MODEL ||
		flag_applies_to(&flag, r->command);
}

/* An option on this line that the command, a view or a question, does not take; or NULL. */
static const char *find_other(const struct parser *p, const struct command *c)
{
	if (c->id != COMMAND_ASK && !command_is_view(c->id))
		return NULL;
	for (size_t i = 0; i < p->n_typed; i++)
		if (p->typed[i].n && !tfprof_option_applies(tfprof_option_get_info(i), c->name))
			return tfprof_option_get_info(i)->name;
	return NULL;
}

static enum tfprof_status check(const struct parser *p)
{
	const struct request *r = p->request;
	bool is_model = r->command && r->command->id == COMMAND_MODEL;

	if (p->diff_flag && !is_diff(r) && !r->wants_help)
		return error_set(p->err, TFPROF_ARGUMENT, "-%s is an option of the command diff",
			p->diff_flag);
	if (p->model_flag && !is_model && !is_diff(r) && !r->wants_help)
		return error_set(p->err, TFPROF_ARGUMENT, "-%s is an option of the command model",
			p->model_flag);
	if (p->query_flag && is_model && !r->wants_help)
		return error_set(p->err, TFPROF_ARGUMENT,
			"-%s is not an option of the command model", p->query_flag);
	for (size_t i = 0; i < r->n_shared; i++)
		if (!accepts_shared(r, r->shared[i].name))
			return error_set(p->err, TFPROF_ARGUMENT,
				"-%s is an option of the commands model and diff",
				r->shared[i].name);
	if (r->command && !r->wants_help) {
		const char *other = find_other(p, r->command);

		if (other)
			return error_set(p->err, TFPROF_ARGUMENT,
				"-%s is not an option of the command %s", other, r->command->name);
	}
	if (p->advice_flag && (!r->command || r->command->id != COMMAND_ADVISE) && !r->wants_help)
		return error_set(p->err, TFPROF_ARGUMENT, "-%s is an option of the command advise",
			p->advice_flag);
	return set_shared(p);
}

/* None is given yet. */
static const char **make_paths(void)
{
	size_t n = 0;

	while (tfprof_input_get_info(n))
		n++;
	return mem_zero_array(n, sizeof(const char *));
}

/* Skips the name of the program, and a prompt before it that was copied with it. */
static void skip_pasted(struct parser *p)
{
	const char *word = p->n ? p->words[0] : "", *slash;

	if (p->where != IN_SHELL)
		return;
	if (p->n > 1 && (strcmp(word, "$") == 0 || strcmp(word, "tfprof>") == 0))
		word = p->words[++p->at];
	slash = strrchr(word, '/');
	p->is_pasted = strcmp(slash ? slash + 1 : word, "tfprof") == 0;
	p->at += p->is_pasted;
}

static enum tfprof_status parse_words(struct parser *p)
{
	enum tfprof_status status = TFPROF_OK;

	skip_pasted(p);
	while (status == TFPROF_OK && p->at < p->n) {
		const char *word = p->words[p->at++];
		const char *name = asks_about(p->request, word) ? NULL : flag_name(word);

		status = name ? take_flag(p, word, name) : take_word(p, word);
	}
	if (status == TFPROF_OK && p->where == IN_PROGRAM)
		choose_command(p->request);
	return status == TFPROF_OK ? check(p) : status;
}

enum tfprof_status request_parse(struct request *r, const char *const *words, size_t n,
	enum command_where where, const tfprof_options *defaults, struct tfprof_error *err)
{
	size_t n_options = count_options();
	struct parser p = {.request = r,
		.words = words,
		.n = n,
		.where = where,
		.n_typed = n_options,
		.err = err};
	enum tfprof_status status;

	*r = (struct request){.n_base = NO_SIDES};
	r->diff = tfprof_diff_options_new();
	r->options = defaults ? tfprof_options_copy(defaults) : tfprof_options_new();
	r->paths = make_paths();
	r->files = mem_zero_array(n + 1, sizeof(*r->files));
	r->model = tfprof_model_options_new();
	r->shared = mem_zero_array(n + 1, sizeof(*r->shared));
	p.typed = mem_zero_array(n_options, sizeof(*p.typed));
	status = r->options && r->paths && r->files && p.typed && r->model && r->diff && r->shared
		? parse_words(&p)
		: error_no_memory(err);
	for (size_t i = 0; p.typed && i < n_options; i++)
		buf_clear(&p.typed[i]);
	mem_free(p.typed);
	return status;
}

void request_clear(struct request *r)
{
	mem_free(r->paths);
	mem_free(r->files);
	tfprof_options_free(r->options);
	tfprof_advice_options_free(r->advice);
	tfprof_model_options_free(r->model);
	tfprof_diff_options_free(r->diff);
	mem_free(r->shared);
	*r = (struct request){0};
}
