/* The program tfprof: parses the command line and runs help, one report or the
 * shell. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory_limit.h"
#include "diff.h"
#include "exit_status.h"
#include "generate.h"
#include "help.h"
#include "in_python.h"
#include "interrupt.h"
#include "load.h"
#include "out.h"
#include "overview.h"
#include "progress.h"
#include "request.h"
#include "run.h"
#include "schema.h"
#include "shell.h"
#include "show.h"
#include "ui.h"

static int print_error(enum tfprof_status status, const struct tfprof_error *err)
{
	if (!out_was_closed())
		fprintf(stderr, "tfprof: %s\n", err->text);
	return exit_status_of(status);
}

static enum tfprof_status write_text(struct buf *text, struct tfprof_error *err)
{
	enum tfprof_status status =
		text->failed ? error_no_memory(err) : out_write(buf_get(text).at, text->n, err);

	buf_clear(text);
	return status;
}

static enum tfprof_status show_help(const char *word, struct tfprof_error *err)
{
	struct buf text = {0};

	if (word) {
		enum tfprof_status status = help_word(&text, word, IN_PROGRAM, err);

		if (status != TFPROF_OK)
			return status;
	} else {
		help_overview(&text, IN_PROGRAM);
	}
	return write_text(&text, err);
}

static enum tfprof_status show_generated(const char *what, struct tfprof_error *err)
{
	struct buf text = {0};
	enum tfprof_status status = generate(&text, what, err);

	if (status != TFPROF_OK) {
		buf_clear(&text);
		return status;
	}
	return write_text(&text, err);
}

static enum tfprof_status show_version(struct tfprof_error *err)
{
	struct buf text = {0};

	buf_printf(&text, "tfprof %s\n", tfprof_get_version());
	return write_text(&text, err);
}

static enum tfprof_status show_schema(const char *question, struct tfprof_error *err)
{
	const char *text = question ? schema_get(question) : NULL;
	struct buf names = {0};
	enum tfprof_status status;

	if (text)
		return out_write(text, strlen(text), err);
	for (size_t i = 0; schema_get_name(i); i++)
		buf_printf(&names, "%s%s", i ? ", " : "", schema_get_name(i));
	status = error_set(err, TFPROF_ARGUMENT, "schema: %s%.100s: expected one of: %s",
		question ? "no such question: " : "no question given", question ? question : "",
		buf_get(&names).at);
	buf_clear(&names);
	return status;
}

/* Prints what a model costs. */
static int report_model(const struct request *r)
{
	struct tfprof_input in;
	struct tfprof_error err;
	tfprof_result *result = NULL;
	enum tfprof_status status;
	int exit_status;

	if (r->n_files != 1) {
		status = error_set(&err, TFPROF_ARGUMENT,
			"%s: give the model: tfprof model FILE or tfprof model DIR",
			r->n_files ? "more than one file" : "no file");
		return print_error(status, &err);
	}
	in = tfprof_input_file(r->files[0]);
	status = tfprof_model_ask(r->command->name, &in, r->reading, r->options, &result, &err);
	if (status == TFPROF_OK)
		status = show_result(result, NULL, NULL, &err);
	if (status != TFPROF_OK) {
		tfprof_result_free(result);
		return print_error(status, &err);
	}
	fputs(tfprof_result_get_notes(result, NULL), stderr);
	exit_status = run_exit_status(result);
	tfprof_result_free(result);
	return exit_status;
}

static int compare(const struct request *r)
{
	struct tfprof_error err;
	int exit_status = EXIT_OK;
	enum tfprof_status status = diff_report(r, &exit_status, &err);

	return status == TFPROF_OK ? exit_status : print_error(status, &err);
}

static enum tfprof_status suggest(const struct request *r, tfprof_result *overview,
	struct tfprof_error *err)
{
	struct buf text = {0};
	enum tfprof_status status = overview_put_suggestions(&text, r, overview, err);

	if (status == TFPROF_OK)
		return write_text(&text, err);
	buf_clear(&text);
	return status;
}

/* Prints one report. Notes for stderr are held back until its text begins, so that a
 * failure before is one line; if that text begins with the sentence that is read first,
 * until it ends. */
static int report(const struct request *r, const struct loaded *l)
{
	bool is_overview = request_is_text_of(r, "overview");
	bool notes_follow = is_overview || request_is_text_of(r, "step");
	struct tfprof_error err;
	tfprof_result *result;
	enum tfprof_status status;
	int exit_status;

	interrupt_set(INTERRUPT_QUERY);
	progress_say("Preparing Views...");
	status = run_request(r, l->profile, interrupt_get(), &result, &err);
	if (status != TFPROF_OK)
		return print_error(status, &err);
	status = show_result(result, notes_follow ? NULL : buf_get(&l->notes).at, interrupt_get(),
		&err);
	if (status == TFPROF_OK && is_overview)
		status = suggest(r, result, &err);
	if (notes_follow) {
		fputs(buf_get(&l->notes).at, stderr);
		fputs(tfprof_result_get_notes(result, NULL), stderr);
	}
	exit_status = run_exit_status(result);
	tfprof_result_free(result);
	if (status != TFPROF_OK)
		return print_error(status, &err);
	return exit_status;
}

/* Who forgets OUT names the first of the inputs in its place. */
static enum tfprof_status check_out(const char *path, struct tfprof_error *err)
{
	struct tfprof_given given = {TFPROF_INPUT_AUTO, tfprof_input_file(path), TFPROF_NEXT_STEP,
		NULL};
	struct stat st;
	bool is_input = stat(path, &st) == 0 && S_ISREG(st.st_mode);

	if (is_input) {
		tfprof_given_arrange(&given, 1, NULL);
		is_input = given.kind && strcmp(given.kind, "profile") != 0;
		tfprof_given_release(&given, 1);
	}
	if (!is_input)
		return TFPROF_OK;
	return error_set(err, TFPROF_ARGUMENT,
		"save: %s exists and is not a saved profile but an input (%s): use save OUT "
		"FILE..., "
		"or remove it first",
		path, given.kind);
}

/* Writes all that was loaded to one file. */
static int save(const struct request *r, const struct loaded *l)
{
	struct tfprof_summary summary;
	struct tfprof_error err;
	enum tfprof_status status;

	if (!r->word)
		status = error_set(&err, TFPROF_ARGUMENT, "no file to write: use save OUT FILE...");
	else
		status = tfprof_profile_check_output(l->profile, r->word, &err);
	if (status == TFPROF_OK)
		status = check_out(r->word, &err);
	if (status == TFPROF_OK)
		status = tfprof_profile_save(l->profile, r->word, &err);
	if (status != TFPROF_OK)
		return print_error(status, &err);
	tfprof_profile_get_summary(l->profile, &summary);
	fputs(buf_get(&l->notes).at, stderr);
	fprintf(stderr, "saved: %s\n", r->word);
	if (summary.has_lanes)
		fputs("not saved: which thread or stream each operation ran on, the time between "
		      "operations, compiled programs and allocations (the trace has them)\n",
			stderr);
	return EXIT_OK;
}

static int start_shell(struct request *r, const struct loaded *l)
{
	tfprof_options *options = r->options;

	r->options = NULL; /* now owned by the shell */
	return shell_run(l->profile, options);
}

static int run_script(struct request *r, const struct loaded *l)
{
	struct buf summary = {0};

	load_summarize(l, &summary);
	fputs(buf_get(&l->notes).at, stderr);
	fputs(buf_get(&summary).at, stderr);
	buf_clear(&summary);
	return start_shell(r, l);
}

/* Whether lines are waiting on stdin, or will: a terminal has none yet. */
static bool stdin_has_lines(void)
{
	int c = isatty(STDIN_FILENO) ? EOF : getchar();

	return c != EOF && ungetc(c, stdin) != EOF;
}

/* Without a command: what there is, and then questions. */
static int converse(struct request *r, const struct loaded *l)
{
	int exit_status;

	if (stdin_has_lines())
		return run_script(r, l);
	r->command = command_find("overview", IN_PROGRAM);
	exit_status = report(r, l);
	if (exit_status == EXIT_OK && request_is_text_of(r, "overview") && isatty(STDIN_FILENO) &&
		isatty(STDOUT_FILENO))
		return start_shell(r, l);
	return exit_status;
}

static int load_and_run(struct request *r)
{
	struct tfprof_error err;
	struct loaded l;
	enum tfprof_status status = load_files(&l, r, &err);
	int exit_status;

	if (status != TFPROF_OK)
		return print_error(status, &err);
	if (r->command && r->command->id == COMMAND_SAVE)
		exit_status = save(r, &l);
	else
		exit_status = r->command ? report(r, &l) : converse(r, &l);
	load_clear(&l);
	return exit_status;
}

/* Whether a question about profiles is asked of a model file, which it takes as well. */
static bool asks_of_model(const struct request *r)
{
	struct tfprof_question_info info;
	bool takes = false;

	for (size_t i = 0; r->command && !takes && tfprof_question_get_info(i, &info); i++)
		takes = info.takes_model && strcmp(info.name, r->command->name) == 0;
	return takes && r->n_files == 1 && tfprof_model_recognize(r->files[0]);
}

static int dispatch(struct request *r)
{
	struct tfprof_error err;
	enum tfprof_status status;

	if (r->wants_version)
		status = show_version(&err);
	else if (r->generate)
		status = show_generated(r->generate, &err);
	else if (r->wants_help)
		status = show_help(r->command ? r->command->name : r->word, &err);
	else if (r->command && r->command->id == COMMAND_HELP)
		status = show_help(r->word, &err);
	else if (r->command && r->command->id == COMMAND_MODEL)
		return report_model(r);
	else if (asks_of_model(r))
		return report_model(r);
	else if (r->command && r->command->id == COMMAND_DIFF)
		return compare(r);
	else if (r->command && r->command->id == COMMAND_SCHEMA)
		status = show_schema(r->word, &err);
	else if (r->command && r->command->id == COMMAND_UI)
		status = error_set(&err, TFPROF_ARGUMENT, "ui must come first: tfprof ui FILE...");
	else if (r->command && r->command->id == COMMAND_IN_PYTHON)
		status = error_set(&err, TFPROF_ARGUMENT, "%s must come first: tfprof %s %s",
			r->command->name, r->command->name, r->command->usage);
	else
		return load_and_run(r);
	return status == TFPROF_OK ? EXIT_OK : print_error(status, &err);
}

/* A file opened later must not become a standard stream, or its bytes are read as
 * commands and reports written over it. Writing to what stands in for a closed stdout
 * fails. */
static void open_missing_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", O_RDONLY);
}

/* Blocks that are freed are used again, rather than returned to the system, whose fresh
 * pages have to be faulted in: about a tenth of `op` on a trace. Larger ones would be copied when
 * they grow. */
static void keep_freed_memory(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int main(int argc, char **argv)
{
	struct tfprof_error err;
	struct request r;
	enum tfprof_status status;
	int exit_status;

	keep_freed_memory();
	open_missing_streams();
	if (ui_is_wanted(argc, argv))
		return ui_run(argv);
	if (in_python_is_wanted(argc, argv))
		return in_python_run(argc, argv);
	memory_limit_apply();
	signal(SIGPIPE, SIG_IGN);
	interrupt_install();
	status = request_parse(&r, (const char *const *)argv + 1, argc > 0 ? (size_t)argc - 1 : 0,
		IN_PROGRAM, NULL, &err);
	if (status != TFPROF_OK) {
		exit_status = print_error(status, &err);
	} else {
		/* A script goes on to be told that it has no input. */
		r.wants_help |= argc < 2 && !stdin_has_lines();
		exit_status = dispatch(&r);
	}
	request_clear(&r);
	return exit_status;
}
