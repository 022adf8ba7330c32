/* The program tfprof-ui: shows profiles in a browser. `tfprof ui` runs it. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory_limit.h"
#include "server/arguments.h"
#include "server/browser.h"
#include "server/http.h"
#include "server/restart.h"
#include "server/store.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* If a mapped file is truncated while it is read, the missing page becomes one of zeros, which
 * readers take for damage, and the page in the browser says that the file has changed. */
static void replace_page(int signal, siginfo_t *info, void *context)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)info->si_addr & ~(size - 1));

	if (mmap(page, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		MAP_FAILED)
		_exit(EXIT_FAILED);
}

static void catch_lost_pages(void)
{
	struct sigaction action = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO};

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

static void print_ssh_hint(uint16_t port)
{
	const char *connection = getenv("SSH_CONNECTION");
	char server[64] = "THIS_MACHINE";

	if (!connection)
		return;
	/* client address, client port, server address, server port */
	sscanf(connection, "%*s %*s %63s", server);
	printf("You are logged in over ssh. On your own machine, run\n  ssh -N -L %u:127.0.0.1:%u "
	       "%s\nand open "
	       "the same address there.\n",
		port, port, server);
}

enum { ADDRESS_MAX = 256 };

/* What to type into a browser. */
static void put_address(char text[ADDRESS_MAX], const char *host, const struct guard *guard,
	uint16_t port)
{
	bool is_v6 = strchr(host, ':');

	snprintf(text, ADDRESS_MAX, "http://%s%s%s:%u/%s%s", is_v6 ? "[" : "", host,
		is_v6 ? "]" : "", port, *guard->token ? "?t=" : "", guard->token);
}

static bool listens_everywhere(const struct arguments *a)
{
	return strcmp(a->host, "0.0.0.0") == 0 || strcmp(a->host, "::") == 0;
}

/* How this machine reaches itself. */
static const char *local_host(const struct arguments *a)
{
	return !listens_everywhere(a) ? a->host : strchr(a->host, ':') ? "::1" : "127.0.0.1";
}

/* The addresses of this machine, for its neighbours. */
static void print_addresses(const struct arguments *a, const struct guard *guard, uint16_t port)
{
	struct ifaddrs *all = NULL;
	char host[INET6_ADDRSTRLEN], text[ADDRESS_MAX];

	if (getifaddrs(&all) != 0)
		return;
	for (struct ifaddrs *one = all; one; one = one->ifa_next) {
		const struct sockaddr_in *v4 = (const void *)one->ifa_addr;

		if (!v4 || v4->sin_family != AF_INET || one->ifa_flags & IFF_LOOPBACK ||
			!inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host)))
			continue;
		put_address(text, host, guard, port);
		printf("%s\n", text);
	}
	freeifaddrs(all);
}

static void print_address(const struct arguments *a, const struct guard *guard, uint16_t port)
{
	char text[ADDRESS_MAX];

	put_address(text, local_host(a), guard, port);
	printf("%s\n", text);
	if (listens_everywhere(a))
		print_addresses(a, guard, port);
	print_ssh_hint(port);
	if (!arguments_is_loopback(a))
		printf("Anyone who can reach %s and knows this address can see the profile, its "
		       "paths and source lines. The connection is not encrypted.\n",
			listens_everywhere(a) ? "this machine" : a->host);
	printf("Press Ctrl-C to stop.\n");
	fflush(stdout);
}

static void open_browser(struct browser_page *page, const struct arguments *a,
	const struct guard *guard, uint16_t port)
{
	char address[ADDRESS_MAX];

	put_address(address, local_host(a), guard, port);
	browser_open(page, address);
}

static bool set_token(struct guard *guard, const char *wanted)
{
	if (!wanted)
		return guard_make_token(guard->token);
	if (strcmp(wanted, "none") != 0)
		snprintf(guard->token, sizeof(guard->token), "%s", wanted);
	return true;
}

/* Who asks for the address knows it after a restart. */
static void announce(struct browser_page *page, const struct arguments *a,
	const struct guard *guard, uint16_t port)
{
	print_address(a, guard, port);
	if (a->open == OPEN_ALWAYS || (a->open == OPEN_ON_DESKTOP && browser_is_near()))
		open_browser(page, a, guard, port);
}

static int serve(const struct arguments *a, struct store *store, const sigset_t *stop, char **argv)
{
	struct http_settings settings = {.host = a->host,
		.port = a->port,
		.verbose = a->verbose,
		.store = store};
	struct browser_page page = {""};
	struct restart again;
	bool is_again = restart_take(&again);
	char why[256];
	struct http *http;
	int signal;

	if (is_again) {
		settings.port = again.port;
		memcpy(settings.guard.token, again.token, sizeof(again.token));
	} else if (!set_token(&settings.guard, a->token)) {
		fprintf(stderr, "tfprof ui: cannot get random numbers for a token\n");
		return EXIT_FAILED;
	}
	http = http_start(&settings, &again.port, why);
	if (!http) {
		fprintf(stderr, "tfprof ui: %s\n", why);
		return EXIT_FAILED;
	}
	if (!is_again)
		announce(&page, a, &settings.guard, again.port);
	memory_limit_apply(); /* not of the browser */
	for (size_t i = 0; i < store->n_profiles; i++)
		store_load(store, i);
	sigwait(stop, &signal);
	http_stop(http);
	browser_remove(&page);
	if (signal == RESTART_SIGNAL) {
		memcpy(again.token, settings.guard.token, sizeof(again.token));
		restart_run(argv, &again);
		fprintf(stderr, "tfprof ui: cannot load the files again\n");
		return EXIT_FAILED;
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct arguments a;
	struct store store;
	sigset_t stop;
	char why[512];
	int status;

	if (!store_init(&store)) {
		fprintf(stderr, "tfprof ui: cannot start\n");
		return EXIT_FAILED;
	}
	switch (arguments_parse(&a, &store, argc, argv, why)) {
	case ARGUMENTS_HELP:
		fputs(arguments_help, stdout);
		store_clear(&store);
		return EXIT_SUCCESS;
	case ARGUMENTS_WRONG:
		fprintf(stderr, "tfprof ui: %s\n", why);
		store_clear(&store);
		return EXIT_USAGE;
	case ARGUMENTS_OK: break;
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	catch_lost_pages();
	/* Blocked before threads start, so that only sigwait() gets them. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	sigaddset(&stop, RESTART_SIGNAL);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	status = serve(&a, &store, &stop, argv);
	/* Clearing would wait for a load that is still running; exiting does not. */
	for (size_t i = 0; i < store.n_profiles; i++)
		if (store.profiles[i].has_loader &&
			atomic_load(&store.profiles[i].state) == LOAD_RUNNING)
			_exit(status);
	store_clear(&store);
	return status;
}
