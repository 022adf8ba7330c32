#include "server/guard.h"

#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum { URL_MAX = 8 << 10, HEADER_MAX = 16 << 10 };

bool guard_make_token(char token[GUARD_TOKEN_LENGTH + 1])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[GUARD_TOKEN_LENGTH / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		token[2 * i] = digits[bytes[i] >> 4];
		token[2 * i + 1] = digits[bytes[i] & 15];
	}
	token[GUARD_TOKEN_LENGTH] = '\0';
	return true;
}

/* Takes the same time wherever they differ. */
static bool token_equals(const char *token, const char *given, size_t n)
{
	size_t length = strlen(token);
	unsigned char differ = length != n;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned char)(given[i] ^ token[length ? i % length : 0]);
	return !differ;
}

/* The length of "name" in "name", "name:80", "[::1]:80"; 0 if it is none of these. */
static size_t host_length(const char *host)
{
	size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
	const char *port = host + n;

	if (n > strlen(host))
		return 0;
	if (*port == ':')
		port += 1 + strspn(port + 1, "0123456789");
	return *port ? 0 : n;
}

static bool is_our_host(const struct guard_request *r, const char *host)
{
	const char *const names[] = {"localhost", "127.0.0.1", "[::1]", r->local};
	size_t n = host_length(host);

	for (size_t i = 0; n && i < sizeof(names) / sizeof(*names); i++)
		if (names[i] && strlen(names[i]) == n && strncasecmp(host, names[i], n) == 0)
			return true;
	return false;
}

static bool is_our_origin(const struct guard_request *r)
{
	static const char scheme[] = "http://";

	return strncmp(r->origin, scheme, sizeof(scheme) - 1) == 0 &&
		is_our_host(r, r->origin + sizeof(scheme) - 1);
}

/* Whether one of the cookies "a=1; b=2" is ours and right. */
static bool has_cookie(const struct guard *g, const char *cookies)
{
	size_t name = strlen(g->cookie_name);

	while (cookies && *cookies) {
		size_t n;

		cookies += strspn(cookies, " ;");
		n = strcspn(cookies, ";");
		if (n > name && strncmp(cookies, g->cookie_name, name) == 0 &&
			cookies[name] == '=' &&
			token_equals(g->token, cookies + name + 1, n - name - 1))
			return true;
		cookies += n;
	}
	return false;
}

static struct guard_verdict refuse(unsigned status, const char *reason)
{
	return (struct guard_verdict){GUARD_REFUSE, status, reason};
}

/* Followed links may come from other sites, like a notebook; scripts there may not. */
static bool is_cross_site(const struct guard_request *r)
{
	return r->fetch_site && strcmp(r->fetch_site, "cross-site") == 0;
}

static bool is_link(const struct guard_request *r)
{
	return r->fetch_mode && strcmp(r->fetch_mode, "navigate") == 0;
}

static struct guard_verdict check_form(const struct guard_request *r)
{
	if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0)
		return refuse(405, "only GET and HEAD are allowed");
	if (r->has_body)
		return refuse(413, "a request must not have a body");
	if (r->url_length > URL_MAX)
		return refuse(414, "the address is longer than 8 KB");
	if (r->header_length > HEADER_MAX)
		return refuse(431, "the headers are longer than 16 KB");
	if (!r->host || !is_our_host(r, r->host))
		return refuse(403, "this server does not answer to that host name");
	if ((r->origin && !is_our_origin(r)) || (is_cross_site(r) && !is_link(r)))
		return refuse(403, "requests from other sites are refused");
	return (struct guard_verdict){GUARD_ALLOW, 200, NULL};
}

struct guard_verdict guard_check(const struct guard *g, const struct guard_request *r)
{
	struct guard_verdict verdict = check_form(r);

	if (verdict.decision != GUARD_ALLOW || !*g->token || has_cookie(g, r->cookie))
		return verdict;
	if (r->token && token_equals(g->token, r->token, strlen(r->token))) {
		verdict.decision = is_cross_site(r) ? GUARD_SET_COOKIE_IN_PAGE : GUARD_SET_COOKIE;
		return verdict;
	}
	return refuse(403,
		"open the address that tfprof ui printed in the terminal: it contains the "
		"token that this server requires");
}
