#include "server/restart.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char variable[] = "TFPROF_UI_RESTART";

bool restart_take(struct restart *r)
{
	const char *text = getenv(variable);
	unsigned port;
	bool is_set;

	*r = (struct restart){0};
	is_set = text && sscanf(text, "%5u %63s", &port, r->token) >= 1 && port <= UINT16_MAX;
	if (is_set)
		r->port = (uint16_t)port;
	unsetenv(variable);
	return is_set;
}

void restart_ask(void)
{
	kill(getpid(), RESTART_SIGNAL);
}

void restart_run(char **argv, const struct restart *r)
{
	char text[sizeof(r->token) + 8];

	snprintf(text, sizeof(text), "%u %s", r->port, r->token);
	if (setenv(variable, text, 1) == 0)
		execv("/proc/self/exe", argv);
}
