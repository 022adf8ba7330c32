#include "request.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"

struct given_option {
	struct flag flag;
	const char *value;
	struct buf list; /* the value of a list so far */
};

struct parser {
	struct request *request;
	const char *const *words;
	size_t n, at;
	enum command_where where;
	bool is_pasted;         /* a command line of the program, in the shell */
	bool has_ended_options; /* by `--`: what follows are no flags */
	/* Options in the order given. Which is meant, and whether it applies, the command tells,
	 * which may come last. */
	struct given_option *given;
	size_t n_given;
	struct tfprof_error *err;
};

/* `help -select` asks about the flag. */
static bool asks_about(const struct request *r, const char *word)
{
	return r->command && r->command->id == COMMAND_HELP && !r->word && !strchr(word, '=');
}

static bool is_two_dashes(const char *word)
{
	return strcmp(word, "--") == 0;
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

/* ---- setting ------------------------------------------------------------------ */

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

		if (is_known_flag(next) || is_two_dashes(next) ||
			(!p->request->command && command_find(next, p->where)))
			return;
		buf_text(list, next);
	}
}

/* A list goes on where its flag is given again. */
static struct given_option *find_given(struct parser *p, const struct flag *flag)
{
	for (size_t i = 0; flag->is_list && i < p->n_given; i++)
		if (p->given[i].flag.id == flag->id)
			return &p->given[i];
	p->given[p->n_given] = (struct given_option){.flag = *flag};
	return &p->given[p->n_given++];
}

static enum tfprof_status keep_option(struct parser *p, const struct flag *flag, const char *value)
{
	struct given_option *given = find_given(p, flag);

	p->request->has_flags = true;
	given->value = value;
	if (!flag->is_list)
		return TFPROF_OK;
	if (given->list.n)
		buf_char(&given->list, ',');
	buf_text(&given->list, value);
	take_rest_of_list(p, &given->list);
	return given->list.failed ? error_no_memory(p->err) : TFPROF_OK;
}

static enum tfprof_status set_flag(struct parser *p, const struct flag *flag, const char *value)
{
	if (flag_is_option(flag))
		return keep_option(p, flag, value);
	switch (flag->group) {
	case FLAG_FILE: return set_file(p, flag, value);
	case FLAG_PROGRAM: return set_program(p, flag, value);
	default: p->request->base = value; return TFPROF_OK;
	}
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
	if (!is_ignored && !flag_is_usable(&flag, p->where))
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

/* `annotate FILE train.py`: what is written like a source file of Python is one, for a command
 * with such an option. */
static bool is_source(const struct request *r, const char *word, struct flag *flag)
{
	size_t n = strlen(word);

	return r->command && command_is_question(r->command->id) && n > 3 &&
		strcmp(word + n - 3, ".py") == 0 && flag_find("source", strlen("source"), flag) &&
		flag_applies_to(flag, r->command);
}

static bool is_diff(const struct request *r)
{
	return r->command && r->command->id == COMMAND_DIFF;
}

/* `--` ends the options, except between the files of two sides. */
static bool ends_options(const struct parser *p)
{
	const struct request *r = p->request;

	return !p->has_ended_options && !(is_diff(r) && r->n_files);
}

/* The flag that a word names; NULL if it is no flag. The options of a comparison may follow its
 * second side, whose files may begin with a dash, too. */
static const char *flag_of_word(const struct parser *p, const char *word)
{
	if (p->has_ended_options || asks_about(p->request, word) ||
		(p->request->n_base != NO_SIDES && !is_known_flag(word) &&
			tfprof_input_exists(word)))
		return NULL;
	return flag_name(word);
}

static enum tfprof_status take_word(struct parser *p, const char *word)
{
	struct request *r = p->request;
	const struct command *command = r->command ? NULL : command_find(word, p->where);
	struct flag source;

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
	if (is_source(r, word, &source))
		return keep_option(p, &source, word);
	if (is_two_dashes(word) && ends_options(p))
		p->has_ended_options = true;
	else if (is_two_dashes(word) && is_diff(r) && r->n_base == NO_SIDES)
		r->n_base = r->n_files;
	else if (is_diff(r) && !r->view && command_view(word))
		r->view = command_view(word);
	else if (r->command &&
		(r->command->id == COMMAND_SAVE || r->command->id == COMMAND_SCHEMA) && !r->word)
		r->word = word;
	else if (command)
		r->command = command;
	else if (is_file(p, word))
		r->files[r->n_files++] = word;
	else
		return r->command ? unexpected_word(p, word) : unknown_command(p, word);
	return TFPROF_OK;
}

/* A model by itself is counted; a view with a base is compared. */
static void choose_command(struct request *r)
{
	if (!r->command && r->n_files == 1 && !r->wants_help && !r->wants_version && !r->generate &&
		tfprof_model_recognize(r->files[0]))
		r->command = command_of(COMMAND_MODEL);
	if (r->base && r->command && command_is_view(r->command->id)) {
		r->view = r->command;
		r->command = command_of(COMMAND_DIFF);
	}
}

/* "model and diff": all that take an option of this name. */
static void put_takers(struct buf *out, const char *name)
{
	const struct tfprof_option_info *info;
	struct tfprof_question_info question;
	size_t n = 0;

	for (size_t q = 0; tfprof_question_get_info(q, &question); q++)
		for (size_t i = 0; (info = tfprof_option_get_info(i)); i++)
			if (strcmp(info->name, name) == 0 &&
				tfprof_option_applies(info, question.name)) {
				buf_printf(out, "%s%s", n++ ? " and " : "", question.name);
				break;
			}
}

/* Whether the command takes an option. Without a command, and before commands that are no
 * questions, options of views and of most questions are for the shell. */
static enum tfprof_status check_applies(const struct parser *p, const struct flag *flag)
{
	const struct command *c = p->request->command;
	bool is_general = flag->group == FLAG_VIEW || flag->group == FLAG_ASK;
	const char *dashes = p->where == IN_SHELL ? "-" : "--";
	struct buf takers = {0};
	enum tfprof_status status;

	if (p->request->wants_help ||
		(c && command_is_question(c->id) ? flag_applies_to(flag, c) : is_general))
		return TFPROF_OK;
	if (is_general)
		return error_set(p->err, TFPROF_ARGUMENT, "%s%s is not an option of the command %s",
			dashes, flag->name, c->name);
	put_takers(&takers, flag->name);
	status = error_set(p->err, TFPROF_ARGUMENT, "%s%s is an option of the command%s %s", dashes,
		flag->name, strchr(buf_get(&takers).at, ' ') ? "s" : "", buf_get(&takers).at);
	buf_clear(&takers);
	return status;
}

/* The flag --base turns a view into a comparison; others have no use for it. */
static enum tfprof_status check_base(const struct parser *p)
{
	const struct request *r = p->request;

	if (!r->base || r->wants_help || (r->command && r->command->id == COMMAND_DIFF))
		return TFPROF_OK;
	return error_set(p->err, TFPROF_ARGUMENT, "--base is an option of the command diff");
}

/* Of options other than lists, the last value holds, unless they add up. */
static enum tfprof_status set_options(const struct parser *p)
{
	const struct command *c = p->request->command;
	const char *question = c && command_is_question(c->id) ? c->name : NULL;
	enum tfprof_status status = check_base(p);

	for (size_t i = 0; status == TFPROF_OK && i < p->n_given; i++)
		status = check_applies(p, &p->given[i].flag);
	for (size_t i = 0; status == TFPROF_OK && !p->request->wants_help && i < p->n_given; i++) {
		const struct given_option *given = &p->given[i];

		status = tfprof_options_set_for(p->request->options, question, given->flag.name,
			given->flag.is_list ? buf_get(&given->list).at : given->value, p->err);
	}
	return status;
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
		const char *name = flag_of_word(p, word);

		status = name ? take_flag(p, word, name) : take_word(p, word);
	}
	if (status == TFPROF_OK && p->where == IN_PROGRAM)
		choose_command(p->request);
	return status == TFPROF_OK ? set_options(p) : status;
}

enum tfprof_status request_parse(struct request *r, const char *const *words, size_t n,
	enum command_where where, const tfprof_options *defaults, struct tfprof_error *err)
{
	struct parser p = {.request = r, .words = words, .n = n, .where = where, .err = err};
	enum tfprof_status status;

	*r = (struct request){.n_base = NO_SIDES};
	r->options = defaults ? tfprof_options_copy(defaults) : tfprof_options_new();
	r->paths = make_paths();
	r->files = mem_zero_array(n + 1, sizeof(*r->files));
	p.given = mem_zero_array(n + 1, sizeof(*p.given));
	status = r->options && r->paths && r->files && p.given ? parse_words(&p)
							       : error_no_memory(err);
	for (size_t i = 0; i < p.n_given; i++)
		buf_clear(&p.given[i].list);
	mem_free(p.given);
	return status;
}

void request_clear(struct request *r)
{
	mem_free(r->paths);
	mem_free(r->files);
	tfprof_options_free(r->options);
	*r = (struct request){0};
}

bool request_is_text_of(const struct request *r, const char *question)
{
	return r->command && strcmp(r->command->name, question) == 0 &&
		strcmp(tfprof_options_get(r->options, "output"), "stdout") == 0;
}
