/* Answers of libmicrohttpd, with the headers every answer has. */
#ifndef TFPROF_SERVER_REPLY_H
#define TFPROF_SERVER_REPLY_H

#include <microhttpd.h>

#include "server/assets.h"
#include "server/call.h"
#include "server/guard.h"

enum MHD_Result reply_error(struct MHD_Connection *connection, unsigned status, const char *reason);
enum MHD_Result reply_asset(struct MHD_Connection *connection, const struct asset *asset);
/* Keeps the token in a cookie and goes to the address without it: by a redirect or, if
 * the request came from another site, by a page. */
enum MHD_Result reply_cookie(struct MHD_Connection *connection, const struct guard *guard,
	bool in_page);
/* The answer of a route. One made for this instance of the server never changes. */
enum MHD_Result reply_call(struct MHD_Connection *connection, struct call *call,
	const char *instance);

#endif
