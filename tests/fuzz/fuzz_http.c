/* Any text as a request to the server of the page: the guard decides, and every route
 * answers in JSON or with a file; a shortage of memory is survived, too.
 *
 *     first byte: which allocation of the answer fails (0: none)
 *     rest: lines: the address ("/api/rows?view=op"), method, host, origin, cookie,
 *           fetch site, fetch mode
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz.h"
#include "tiny_profile.h"

#include "server/guard.h"
#include "server/routes.h"
#include "server/store.h"

static struct store *store(void)
{
	static struct store s;
	struct shown_input input = {.kind = "profile", .path = "none"};

	if (s.n_profiles)
		return &s;
	check(store_init(&s));
	s.profiles[0].profile = tiny_profile();
	check(vec_push(&s.profiles[0].inputs, input));
	atomic_store(&s.profiles[0].state, LOAD_READY);
	s.n_profiles = 1;
	return &s;
}

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* In place, as libmicrohttpd does. */
static char *unescape(char *text)
{
	char *to = text;

	for (char *at = text; *at; at++) {
		if (*at == '%' && digit(at[1]) >= 0 && digit(at[2]) >= 0) {
			*to++ = (char)(digit(at[1]) << 4 | digit(at[2]));
			at += 2;
		} else {
			*to++ = *at == '+' ? ' ' : *at;
		}
	}
	*to = '\0';
	return text;
}

static void add_parameters(struct call *c, char *query)
{
	char *one;

	while ((one = strsep(&query, "&"))) {
		char *name = strsep(&one, "=");
		struct parameter p = {span_copy(span_of(unescape(name))),
			span_copy(span_of(one ? unescape(one) : ""))};

		check(p.name && p.value && vec_push(&c->parameters, p));
	}
}

static void answer(char *address, uint8_t failing)
{
	char *path = strsep(&address, "?");
	route_fn *route = route_at(path);
	struct call c = {.store = store(), .http_status = 200, .file = -1};

	if (route) {
		add_parameters(&c, address);
		mem_fail_at(failing);
		call_answer(&c, route);
		mem_fail_at(0);
		check(c.body.n || c.file >= 0 || failing);
	}
	call_clear(&c);
}

static const char *next_line(char **rest)
{
	const char *line = strsep(rest, "\n");

	return line && *line ? line : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct guard guard = {.token = "1234", .cookie_name = "tfprof_80"};
	struct guard_request r = {0};
	char *text, *rest, *address;

	if (!size)
		return 0;
	text = rest = strndup((const char *)data + 1, size - 1);
	check(text != NULL);
	address = strsep(&rest, "\n");
	r.url_length = strlen(address);
	r.method = next_line(&rest);
	r.host = next_line(&rest);
	r.origin = next_line(&rest);
	r.cookie = next_line(&rest);
	r.fetch_site = next_line(&rest);
	r.fetch_mode = next_line(&rest);
	if (!r.method)
		r.method = "GET";
	guard_check(&guard, &r);
	answer(address, data[0]);
	free(text);
	return 0;
}
