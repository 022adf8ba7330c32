#include "shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "editor.h"
#include "exit_status.h"
#include "help.h"
#include "interrupt.h"
#include "line.h"
#include "out.h"
#include "pipe.h"
#include "redirect.h"
#include "request.h"
#include "run.h"
#include "show.h"

struct shell {
	tfprof_profile *profile;
	tfprof_options *options; /* defaults of the next line */
	tfprof_options *initial; /* those of the command line */
	struct redirect to;      /* of this line */
	unsigned explained;      /* bits of the views whose Doc paragraph was shown */
	bool is_interactive;
	bool is_done;
	size_t line;     /* number in a script, from 1; 0 at a terminal */
	int exit_status; /* of the first line that failed */
};

static void print_error(struct shell *s, enum tfprof_status status, const struct tfprof_error *err)
{
	/* The terminal has echoed ^C on this line. */
	fputs(s->is_interactive && status == TFPROF_CANCELLED ? "\nE: " : "E: ", stderr);
	if (s->line)
		fprintf(stderr, "line %zu: ", s->line);
	fprintf(stderr, "%s\n", err->text);
	if (!s->exit_status)
		s->exit_status = exit_status_of(status);
}

/* ---- commands ------------------------------------------------------------------ */

/* Shows an answer, or passes it on. */
static enum tfprof_status show(const struct shell *s, const char *text, size_t length,
	struct tfprof_error *err)
{
	struct piece piece = {text, length};
	int ended;

	if (s->to.kind != REDIRECT_COMMAND)
		return show_report(text, length, s->is_interactive, err);
	ended = pipe_text(s->to.target, &piece, 1);
	if (ended == PIPE_NOT_RUN)
		return error_set(err, TFPROF_ARGUMENT, "cannot run: %.200s", s->to.target);
	/* At a prompt, the command itself has said why; grep without a match is no error. */
	if (ended == 0 || s->is_interactive)
		return TFPROF_OK;
	return error_set(err, TFPROF_IO, "exit status %d: %.200s", ended, s->to.target);
}

static enum tfprof_status show_text(struct shell *s, struct buf *text, struct tfprof_error *err)
{
	enum tfprof_status status =
		text->failed ? error_no_memory(err) : show(s, buf_get(text).at, text->n, err);

	buf_clear(text);
	return status;
}

/* What a view selects if nothing is set depends on the profile. */
static enum tfprof_status choose_select(const struct shell *s, tfprof_options *o,
	struct tfprof_error *err)
{
	struct tfprof_summary summary;

	if (tfprof_options_is_set(o, "select"))
		return TFPROF_OK;
	tfprof_profile_get_summary(s->profile, &summary);
	return tfprof_options_set(o, "select", summary.has_run_meta ? "micros" : "params", err);
}

static enum tfprof_status show_options(struct shell *s, struct tfprof_error *err)
{
	tfprof_options *shown = tfprof_options_copy(s->options);
	const char *text = NULL;
	size_t length;
	enum tfprof_status status = shown ? choose_select(s, shown, err) : error_no_memory(err);

	if (status == TFPROF_OK)
		text = tfprof_options_get_text(shown, &length);
	if (text)
		status = s->to.kind ? show(s, text, length, err) : out_write(text, length, err);
	else if (status == TFPROF_OK)
		status = error_no_memory(err);
	tfprof_options_free(shown);
	return status;
}

static enum tfprof_status set(struct shell *s, struct request *r, struct tfprof_error *err)
{
	tfprof_options *old = s->options;

	if (!r->has_flags)
		return show_options(s, err);
	s->options = r->options;
	r->options = old;
	return TFPROF_OK;
}

static enum tfprof_status reset(struct shell *s, struct tfprof_error *err)
{
	tfprof_options *fresh = tfprof_options_copy(s->initial);

	if (!fresh)
		return error_no_memory(err);
	tfprof_options_free(s->options);
	s->options = fresh;
	return TFPROF_OK;
}

static enum tfprof_status save(const struct shell *s, const struct request *r,
	struct tfprof_error *err)
{
	char *path = r->word && *r->word ? redirect_expand(r->word) : NULL;
	enum tfprof_status status;

	if (!r->word || !*r->word)
		return error_set(err, TFPROF_ARGUMENT, "no file name given: use save FILE");
	status = path ? tfprof_profile_save(s->profile, path, err) : error_no_memory(err);
	if (status == TFPROF_OK && s->is_interactive)
		fprintf(stderr, "saved: %s\n", path);
	mem_free(path);
	return status;
}

static enum tfprof_status help(struct shell *s, const struct request *r, struct tfprof_error *err)
{
	struct buf text = {0};

	if (r->word) {
		enum tfprof_status status = help_word(&text, r->word, IN_SHELL, err);

		if (status != TFPROF_OK)
			return status;
	} else {
		help_overview(&text, IN_SHELL);
	}
	return show_text(s, &text, err);
}

/* Explanations are for those who see a view for the first time, and for files. */
static enum tfprof_status choose_doc(struct shell *s, struct request *r, struct tfprof_error *err)
{
	unsigned view = 1u << r->command->id;
	bool is_shown = s->to.kind != REDIRECT_FILE &&
		strncmp(tfprof_options_get(r->options, "output"), "stdout", 6) == 0;

	if (!is_shown || tfprof_options_is_set(r->options, "doc"))
		return TFPROF_OK;
	if (s->explained & view)
		return tfprof_options_set(r->options, "doc", "false", err);
	s->explained |= view;
	return TFPROF_OK;
}

/* What is paged or passed on is made whole first. */
static enum tfprof_status show_answer(const struct shell *s, tfprof_result *result,
	struct tfprof_error *err)
{
	enum tfprof_status status;
	const char *text;
	size_t length;

	if (!s->is_interactive && s->to.kind != REDIRECT_COMMAND)
		return show_result(result, "", interrupt_get(), err);
	status = tfprof_result_output(result, s->to.kind == REDIRECT_COMMAND ? 0 : show_flags(),
		interrupt_get(), NULL, NULL, err);
	if (status != TFPROF_OK)
		return status;
	fputs(tfprof_result_get_notes(result, NULL), stderr);
	text = tfprof_result_get_text(result, &length);
	return show(s, text, length, err);
}

static enum tfprof_status query(struct shell *s, struct request *r, struct tfprof_error *err)
{
	tfprof_result *result;
	enum tfprof_status status = choose_doc(s, r, err);

	if (status == TFPROF_OK && s->to.kind == REDIRECT_FILE)
		status = redirect_set_output(&s->to, r, err);
	if (status == TFPROF_OK)
		status = run_request(r, s->profile, interrupt_get(), &result, err);
	if (status != TFPROF_OK)
		return status;
	status = show_answer(s, result, err);
	if (status == TFPROF_OK && !s->exit_status)
		s->exit_status = run_exit_status(result);
	tfprof_result_free(result);
	return status;
}

static enum tfprof_status fail_no_command(struct tfprof_error *err)
{
	struct buf names = {0};

	command_put_names(&names, IN_SHELL, ", ");
	error_set(err, TFPROF_ARGUMENT, "no command: expected one of: %s", buf_get(&names).at);
	buf_clear(&names);
	return TFPROF_ARGUMENT;
}

static enum tfprof_status dispatch(struct shell *s, struct request *r, struct tfprof_error *err)
{
	enum command_id id;

	if (!r->command)
		return fail_no_command(err);
	id = r->command->id;
	if (s->to.kind == REDIRECT_FILE && !command_has_report(id))
		return error_set(err, TFPROF_ARGUMENT, "%s has no report to write to a file",
			r->command->name);
	if (r->has_ignored)
		fputs("the files named are ignored: the shell already has a profile\n", stderr);
	switch (id) {
	case COMMAND_SET: return set(s, r, err);
	case COMMAND_RESET: return reset(s, err);
	case COMMAND_SAVE: return save(s, r, err);
	case COMMAND_HELP: return help(s, r, err);
	case COMMAND_QUIT: s->is_done = true; return TFPROF_OK;
	default: return query(s, r, err);
	}
}

/* ---- lines --------------------------------------------------------------------- */

static enum tfprof_status run_words(struct shell *s, const struct line *l, struct tfprof_error *err)
{
	struct request r;
	enum tfprof_status status;

	if (l->open_quote)
		return error_set(err, TFPROF_ARGUMENT,
			"unclosed quote: %c: close it with another %c", l->open_quote,
			l->open_quote);
	if (!l->n && s->to.kind == REDIRECT_FILE)
		return error_set(err, TFPROF_ARGUMENT, "> needs a report: use COMMAND > FILE");
	if (!l->n)
		return show_options(s, err);
	status = request_parse(&r, (const char *const *)l->words, l->n, IN_SHELL, s->options, err);
	if (status == TFPROF_OK)
		status = dispatch(s, &r, err);
	request_clear(&r);
	return status;
}

static bool is_comment(const char *typed)
{
	return typed[strspn(typed, " \t")] == '#';
}

static enum tfprof_status run_typed(struct shell *s, const char *typed, struct tfprof_error *err)
{
	char *before = NULL;
	struct line l = {0};
	enum tfprof_status status;

	if (is_comment(typed))
		return TFPROF_OK;
	status = redirect_split(&s->to, typed, &before, err);
	if (status == TFPROF_OK)
		status = line_split(&l, before) ? run_words(s, &l, err) : error_no_memory(err);
	line_clear(&l);
	mem_free(before);
	redirect_clear(&s->to);
	return status;
}

static void run_line(struct shell *s, const char *typed)
{
	struct tfprof_error err;
	enum tfprof_status status = run_typed(s, typed, &err);

	if (status != TFPROF_OK)
		print_error(s, status, &err);
	/* Stop if the output can no longer be written. */
	if (status == TFPROF_IO && out_has_failed())
		s->is_done = true;
}

/* Reads lines from a pipe or a script. */
static void read_script(struct shell *s)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	interrupt_set(INTERRUPT_QUERY);
	while (!s->is_done && !*interrupt_get() && (n = getline(&line, &size, stdin)) >= 0) {
		s->line++;
		if (memchr(line, '\0', (size_t)n)) {
			struct tfprof_error err;

			print_error(s,
				error_set(&err, TFPROF_ARGUMENT,
					"the line contains a NUL byte: commands are text"),
				&err);
			continue;
		}
		run_line(s, line);
	}
	if (*interrupt_get())
		s->exit_status = EXIT_INTERRUPTED;
	free(line);
}

static void read_terminal(struct shell *s, struct editor *editor)
{
	const char *line;

	while (!s->is_done) {
		interrupt_set(INTERRUPT_LINE);
		switch (editor_read(editor, &line)) {
		case EDITOR_INTERRUPTED: break;
		case EDITOR_END: s->is_done = true; break;
		case EDITOR_LINE:
			editor_remember(editor, line);
			run_line(s, line);
			break;
		}
	}
}

int shell_run(tfprof_profile *profile, tfprof_options *options)
{
	struct shell s = {.profile = profile, .options = options};
	struct editor *editor = isatty(STDIN_FILENO) ? editor_new("tfprof> ", profile) : NULL;

	tfprof_set_spelling(TFPROF_SPELL_SHELL);
	s.initial = tfprof_options_copy(options);
	if (!s.initial) {
		fputs("tfprof: out of memory\n", stderr);
		editor_free(editor);
		tfprof_options_free(options);
		return EXIT_INPUT;
	}
	s.is_interactive = editor != NULL;
	if (editor)
		read_terminal(&s, editor);
	else
		read_script(&s);
	editor_free(editor);
	tfprof_options_free(s.options);
	tfprof_options_free(s.initial);
	return s.is_interactive && !out_has_failed() ? EXIT_OK : s.exit_status;
}
