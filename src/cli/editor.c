/* libedit does the editing. This file sets up its history and the Tab key, and
 * handles signals while a line is typed. */
#include "editor.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/buf.h"
#include "history.h"
#include "interrupt.h"
#include "tab.h"

struct editor {
	EditLine *edit;
	History *history;
	char *history_path;
	char *last; /* the line last added to history */
	const char *prompt;
	tfprof_profile *profile;
	FILE *display;
	int keys; /* < 0: standard input */
	struct buf line;
};

static struct editor *editor_of(EditLine *edit)
{
	void *editor = NULL;

	el_get(edit, EL_CLIENTDATA, &editor);
	return editor;
}

static char *get_prompt(EditLine *edit)
{
	return (char *)editor_of(edit)->prompt;
}

static unsigned char press_tab(EditLine *edit, int key)
{
	struct editor *e = editor_of(edit);

	return tab_complete(edit, e->display, e->profile);
}

/* ---- signals while a line is typed --------------------------------------------- */

static volatile sig_atomic_t resized, stopped;
static sigset_t outside; /* the signal mask outside editor_read() */

static void note_signal(int signal)
{
	if (signal == SIGWINCH)
		resized = 1;
	else
		stopped = 1;
}

/* Restores the terminal while the program is stopped. */
static void stop(EditLine *edit)
{
	stopped = 0;
	el_set(edit, EL_PREP_TERM, 0);
	raise(SIGSTOP);
	el_set(edit, EL_PREP_TERM, 1);
	el_set(edit, EL_REFRESH);
}

/* False on Ctrl-C: the line is dropped. */
static bool handle_signals(EditLine *edit)
{
	if (*interrupt_get())
		return false;
	if (resized) {
		resized = 0;
		el_resize(edit);
	}
	if (stopped)
		stop(edit);
	return true;
}

/* Waits for a key or a signal. Signals are unblocked only here, so none is missed.
 * If a key is ready, the first call leaves signals pending. They are older than the
 * key: without the second call a line typed right after Ctrl-C would be dropped. */
static bool wait_for_key(EditLine *edit, int keys)
{
	struct pollfd in = {keys, POLLIN, 0};
	const struct timespec now = {0, 0};

	while (ppoll(&in, 1, NULL, &outside) < 0 || ppoll(NULL, 0, &now, &outside) < 0)
		if (errno != EINTR || !handle_signals(edit))
			return false;
	return true;
}

/* Reopens the terminal for reads that do not block: Ctrl-C discards pending input,
 * possibly between the wait for a key and the read of it. */
static int open_keys(void)
{
	const char *path = ttyname(STDIN_FILENO);

	return path ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
}

/* Reads one character of one or more bytes. libedit's own reader would continue
 * after Ctrl-C. */
static int read_character(EditLine *edit, wchar_t *c)
{
	const struct editor *e = editor_of(edit);
	int keys = e->keys >= 0 ? e->keys : STDIN_FILENO;
	mbstate_t state = {0};

	for (;;) {
		char byte;
		ssize_t n;

		if (!wait_for_key(edit, keys))
			return -1;
		n = read(keys, &byte, 1);
		if (n < 0 && errno == EAGAIN)
			continue;
		if (n <= 0)
			return 0;
		switch (mbrtowc(c, &byte, 1, &state)) {
		case (size_t)-2: continue;
		case (size_t)-1: *c = (unsigned char)byte; return 1;
		default: return 1;
		}
	}
}

/* ---- history -------------------------------------------------------------------- */

static void add_line(struct editor *e, const char *line)
{
	HistEvent event;

	history(e->history, &event, H_ENTER, line);
}

static void add_old_line(void *context, const char *line)
{
	add_line(context, line);
}

void editor_remember(struct editor *e, const char *line)
{
	char *copy;

	if (!*line || (e->last && strcmp(e->last, line) == 0))
		return;
	copy = span_copy(span_of(line));
	if (!copy)
		return;
	mem_free(e->last);
	e->last = copy;
	add_line(e, line);
	if (e->history_path)
		history_add(e->history_path, line);
}

/* ---- creating and freeing -------------------------------------------------------- */

static void bind_keys(EditLine *edit)
{
	static const char *const keys[][2] = {
		{"^I", "tfprof-complete"},
		{"^R", "em-inc-search-prev"},
		{"^W", "ed-delete-prev-word"},
		{"\033[1;5D", "ed-prev-word"},
		{"\033[1;5C", "em-next-word"},
		{"\033[H", "ed-move-to-beg"},
		{"\033[F", "ed-move-to-end"},
		{"\033[1~", "ed-move-to-beg"},
		{"\033[4~", "ed-move-to-end"},
		{"\033[3~", "ed-delete-next-char"},
	};

	el_set(edit, EL_EDITOR, "emacs");
	/* el_set() would leak copies of both strings. */
	el_wset(edit, EL_ADDFN, L"tfprof-complete", L"Complete the word", press_tab);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		el_set(edit, EL_BIND, keys[i][0], keys[i][1], NULL);
}

static bool open_edit(struct editor *e)
{
	HistEvent event;

	e->display = isatty(STDOUT_FILENO) ? stdout : stderr;
	e->edit = el_init("tfprof", stdin, e->display, stderr);
	e->history = history_init();
	if (!e->edit || !e->history)
		return false;
	history(e->history, &event, H_SETSIZE, 2000);
	el_set(e->edit, EL_CLIENTDATA, e);
	el_set(e->edit, EL_PROMPT, get_prompt);
	el_set(e->edit, EL_SIGNAL, 0);
	el_set(e->edit, EL_GETCFN, read_character);
	el_set(e->edit, EL_HIST, history, e->history);
	bind_keys(e->edit);
	el_source(e->edit, NULL); /* the user's own ~/.editrc */
	return true;
}

struct editor *editor_new(const char *prompt, tfprof_profile *profile)
{
	struct editor *e = mem_zero(sizeof(*e));

	if (!e)
		return NULL;
	setlocale(LC_CTYPE, "");
	e->prompt = prompt;
	e->profile = profile;
	e->keys = open_keys();
	if (!open_edit(e)) {
		editor_free(e);
		return NULL;
	}
	e->history_path = history_path();
	if (e->history_path)
		history_load(e->history_path, add_old_line, e);
	return e;
}

void editor_free(struct editor *e)
{
	if (!e)
		return;
	if (e->edit)
		el_end(e->edit);
	if (e->history)
		history_end(e->history);
	if (e->keys >= 0)
		close(e->keys);
	mem_free(e->history_path);
	mem_free(e->last);
	buf_clear(&e->line);
	mem_free(e);
}

/* ---- reading ---------------------------------------------------------------------- */

static enum editor_event finish_line(struct editor *e, const char *typed, int n, const char **line)
{
	if (*interrupt_get()) {
		fputs("^C\n", e->display);
		fflush(e->display);
		el_reset(e->edit);
		return EDITOR_INTERRUPTED;
	}
	if (!typed || n <= 0) {
		fputs("\n", e->display);
		fflush(e->display);
		return EDITOR_END;
	}
	buf_reset(&e->line);
	buf_put(&e->line, typed, strcspn(typed, "\n"));
	*line = buf_get(&e->line).at;
	return EDITOR_LINE;
}

enum editor_event editor_read(struct editor *e, const char **line)
{
	struct sigaction action = {.sa_handler = note_signal}, old_resize, old_stop;
	const char *typed;
	sigset_t inside;
	int n = 0;

	sigemptyset(&inside);
	sigaddset(&inside, SIGINT);
	sigaddset(&inside, SIGWINCH);
	sigaddset(&inside, SIGTSTP);
	sigprocmask(SIG_BLOCK, &inside, &outside);
	sigemptyset(&action.sa_mask);
	sigaction(SIGWINCH, &action, &old_resize);
	sigaction(SIGTSTP, &action, &old_stop);
	/* Before the prompt, or a Ctrl-D typed as soon as it appears is lost. */
	el_set(e->edit, EL_PREP_TERM, 1);
	typed = el_gets(e->edit, &n);
	sigaction(SIGWINCH, &old_resize, NULL);
	sigaction(SIGTSTP, &old_stop, NULL);
	sigprocmask(SIG_SETMASK, &outside, NULL);
	return finish_line(e, typed, n, line);
}
