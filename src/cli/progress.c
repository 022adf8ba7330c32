#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double DELAY_SECONDS = 1, INTERVAL_SECONDS = 0.1;

static struct {
	tfprof_profile *profile;
	double start, last;
	bool is_terminal, is_shown;
} progress;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void clear_line(void)
{
	if (progress.is_shown)
		fputs("\r\033[K", stderr);
	progress.is_shown = false;
}

static void draw(void *context, uint64_t bytes_done, uint64_t bytes_total, uint64_t n_nodes)
{
	double t = now();

	if (t - progress.start < DELAY_SECONDS || t - progress.last < INTERVAL_SECONDS)
		return;
	progress.last = t;
	progress.is_shown = true;
	fprintf(stderr, "\r%.1f of %.1f MB, %llu nodes\033[K", (double)bytes_done * 1e-6,
		(double)bytes_total * 1e-6, (unsigned long long)n_nodes);
}

void progress_begin(tfprof_profile *profile)
{
	progress.is_terminal = isatty(STDERR_FILENO);
	if (!progress.is_terminal)
		return;
	progress.profile = profile;
	progress.start = now();
	tfprof_profile_set_progress(profile, draw, NULL);
}

void progress_end(void)
{
	if (!progress.profile)
		return;
	clear_line();
	tfprof_profile_set_progress(progress.profile, NULL, NULL);
	progress.profile = NULL;
}

void progress_say(const char *line)
{
	if (!progress.is_terminal)
		return;
	clear_line();
	fprintf(stderr, "%s\n", line);
}
