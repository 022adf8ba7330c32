#include "server/browser.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

bool browser_is_near(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
		(is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) && !is_set("SSH_CONNECTION") &&
		!is_set("SSH_CLIENT") && !is_set("SSH_TTY");
}

/* Where only the user can look; browsers in sandboxes see their runtime directory, too. */
static const char *private_folder(void)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");

	if (!folder || access(folder, W_OK) != 0)
		folder = getenv("TMPDIR");
	return folder && *folder ? folder : "/tmp";
}

static bool write_page(struct browser_page *page, const char *address)
{
	static const char end[] = ".html";
	int n = snprintf(page->path, sizeof(page->path), "%s/tfprof-XXXXXX%s", private_folder(),
		end);
	/* The file is readable by its owner only. */
	int fd = n < (int)sizeof(page->path) ? mkstemps(page->path, (int)strlen(end)) : -1;
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
	bool ok;

	if (!file) {
		if (fd >= 0)
			close(fd);
		*page->path = '\0';
		return false;
	}
	fprintf(file,
		"<!doctype html><meta charset=utf-8><title>tfprof</title>"
		"<meta http-equiv=refresh content=\"0; url=%s\"><a href=\"%s\">tfprof</a>\n",
		address, address);
	ok = !ferror(file);
	return fclose(file) == 0 && ok;
}

/* With the signals that programs expect: ours are blocked or ignored. */
static void run(const char *path)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execlp("xdg-open", "xdg-open", path, (char *)NULL);
	_exit(127);
}

void browser_open(struct browser_page *page, const char *address)
{
	pid_t child;

	if (!write_page(page, address))
		return;
	/* The grandchild belongs to init, which takes its exit status. */
	child = fork();
	if (child == 0) {
		if (fork() == 0)
			run(page->path);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

void browser_remove(const struct browser_page *page)
{
	if (*page->path)
		unlink(page->path);
}
