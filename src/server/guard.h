/* Who may talk to the server: decides from a request's headers alone.
 *
 * A server on the loopback interface can still be reached by every user of the machine
 * and by every page in the user's browser. So a request must carry the token of the
 * printed address (first in the query, then in a cookie), must be addressed to this
 * machine by name (else a page could rebind its own host name to 127.0.0.1), and must
 * not come from another site. */
#ifndef TFPROF_SERVER_GUARD_H
#define TFPROF_SERVER_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum { GUARD_TOKEN_LENGTH = 32, GUARD_COOKIE_NAME_MAX = 32 };

struct guard {
	char token[64];                          /* empty: none is needed */
	char cookie_name[GUARD_COOKIE_NAME_MAX]; /* tfprof_PORT */
};

/* A random token of 128 bits in hexadecimal digits; false if the system has none. */
bool guard_make_token(char token[GUARD_TOKEN_LENGTH + 1]);

/* NULL where a header or parameter is missing. */
struct guard_request {
	const char *method;
	const char *local; /* the address that the connection came to, as in a URL */
	const char *host, *origin, *cookie;
	const char *fetch_site, *fetch_mode;
	const char *token; /* of the query */
	size_t url_length, header_length;
	bool has_body;
};

enum guard_decision {
	GUARD_ALLOW,
	GUARD_SET_COOKIE,         /* the token came in the address: keep it in a cookie, redirect */
	GUARD_SET_COOKIE_IN_PAGE, /* likewise, by a link on another site: the redirect must
				     come from a page of ours for the cookie to be sent */
	GUARD_REFUSE,
};

struct guard_verdict {
	enum guard_decision decision;
	unsigned http_status; /* if refused */
	const char *reason;
};

struct guard_verdict guard_check(const struct guard *g, const struct guard_request *r);

#endif
