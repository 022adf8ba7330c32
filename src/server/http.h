/* HTTP: guards requests, answers them with assets or routes of the API.
 *
 *     connection ──guard──> asset                           at once
 *                       └─> queue ──worker──> route ──> resumed, answered
 *
 * libmicrohttpd's threads only move bytes, so a slow query delays nobody: it runs on one
 * of N_WORKERS threads while its connection is suspended. A watchdog cancels queries that
 * take too long or whose client is gone, and drops clients that take too long to send
 * a request. */
#ifndef TFPROF_SERVER_HTTP_H
#define TFPROF_SERVER_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "server/guard.h"

struct store;
struct http;

struct http_settings {
	const char *host; /* an address to listen on */
	uint16_t port;    /* the first to try; 0: any */
	bool verbose;
	struct guard guard;
	struct store *store;
};

/* Listens; `*port` gets the port, the first free one from the wanted one on. NULL on
 * failure, with a reason in `why`. */
struct http *http_start(const struct http_settings *settings, uint16_t *port, char why[256]);
void http_stop(struct http *http);

#endif
