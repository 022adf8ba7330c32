#include "ui.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"

bool ui_is_wanted(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "ui") == 0;
}

/* Beside this program in a build directory and in a wheel, else where `meson install` puts it. */
static const char *const places[] = {"tfprof-ui", "../libexec/tfprof/tfprof-ui",
	"../lib/tfprof/tfprof-ui"};

int ui_run(char **argv)
{
	char directory[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", directory, sizeof(directory) - 1);
	char *slash;

	directory[n > 0 ? n : 0] = '\0';
	slash = strrchr(directory, '/');
	if (slash)
		slash[1] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s%s", directory, places[i]);
		if (access(path, X_OK) == 0) {
			argv[1] = path;
			execv(path, argv + 1);
			fprintf(stderr, "tfprof: %s: %s\n", path, strerror(errno));
			return EXIT_INPUT;
		}
	}
	fprintf(stderr,
		"tfprof: tfprof was built without its web page: install libmicrohttpd-dev and npm "
		"and build it again\n");
	return EXIT_INPUT;
}
