#include "server/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "server/address.h"
#include "server/assets.h"
#include "server/reply.h"
#include "server/routes.h"
#include "server/store.h"

enum {
	N_WORKERS = 4,
	MAX_QUEUED = 256,
	MAX_CONNECTIONS = 1024,
	MAX_PARAMETERS = 256,
	MEMORY_PER_CONNECTION = 64 << 10, /* the limits of the guard and the lists of both */
	IDLE_SECONDS = 60,
	REQUEST_SECONDS = 10, /* for a client to send a request */
	QUERY_SECONDS = 10,
	BRIEF_MS = 300, /* for a request to be answered beside workers that are all busy */
	PORTS_TO_TRY = 50,
	WATCH_MS = 50,
};

struct client {
	struct client *next, **link;
	int fd;
	int64_t deadline;  /* for a whole request; 0 while one is answered */
	size_t url_length; /* of the request whose first line has arrived */
	bool has_nul;      /* in its address, where strings would end */
};

/* A request from its first headers to its answer. */
struct exchange {
	struct exchange *next, **link; /* among queued or running ones */
	struct http *http;
	struct MHD_Connection *connection;
	struct client *client;
	route_fn *route;
	struct call call;
	int64_t started;
	bool is_brief, was_tried; /* by the brief worker: now, in vain */
	bool is_done;
};

struct http {
	struct MHD_Daemon *daemon;
	struct guard guard;
	struct store *store;
	bool verbose;
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct exchange *queued, **queue_end, *running;
	size_t n_queued, n_clients;
	struct client *clients; /* newest first */
	bool stopping;
	pthread_t workers[N_WORKERS], brief_worker, watchdog;
	size_t n_workers, n_busy;
	bool has_brief_worker, has_watchdog;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
}

/* ---- queries ------------------------------------------------------------- */

static void unlink_exchange(struct exchange *e)
{
	*e->link = e->next;
	if (e->next)
		e->next->link = e->link;
}

static void link_exchange(struct exchange *e, struct exchange **link)
{
	e->next = *link;
	e->link = link;
	if (e->next)
		e->next->link = &e->next;
	*link = e;
}

static void take_queued(struct http *h, struct exchange *e)
{
	if (h->queue_end == &e->next)
		h->queue_end = e->link;
	unlink_exchange(e);
	h->n_queued--;
	link_exchange(e, &h->running);
	e->started = now_ms();
	if (h->stopping)
		cancel_set(&e->call.cancel);
}

static void put_back(struct http *h, struct exchange *e)
{
	unlink_exchange(e);
	if (!h->queued)
		h->queue_end = &e->next;
	link_exchange(e, &h->queued);
	h->n_queued++;
	call_reset(&e->call);
	e->is_brief = false;
	pthread_cond_broadcast(&h->work);
}

/* The lock is held, but not while it is answered. */
static void answer_queued(struct http *h, struct exchange *e)
{
	take_queued(h, e);
	pthread_mutex_unlock(&h->lock);
	call_answer(&e->call, e->route);
	pthread_mutex_lock(&h->lock);
	if (e->is_brief && e->was_tried && !h->stopping && call_was_cancelled(&e->call)) {
		put_back(h, e);
		return;
	}
	unlink_exchange(e);
	e->is_done = true;
	MHD_resume_connection(e->connection);
}

static void *work(void *context)
{
	struct http *h = context;

	pthread_mutex_lock(&h->lock);
	for (;;) {
		while (!h->queued && !h->stopping)
			pthread_cond_wait(&h->work, &h->lock);
		if (!h->queued)
			break;
		if (++h->n_busy == h->n_workers)
			pthread_cond_broadcast(&h->work);
		answer_queued(h, h->queued);
		h->n_busy--;
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static struct exchange *find_untried(struct http *h)
{
	struct exchange *e = h->n_busy == h->n_workers ? h->queued : NULL;

	while (e && e->was_tried)
		e = e->next;
	return e;
}

/* Slow requests take all workers for seconds. What takes little is answered meanwhile; what does
 * not waits for a worker. */
static void *work_briefly(void *context)
{
	struct http *h = context;
	struct exchange *e;

	pthread_mutex_lock(&h->lock);
	while (!h->stopping) {
		e = find_untried(h);
		if (e) {
			e->is_brief = true;
			answer_queued(h, e);
		} else {
			pthread_cond_wait(&h->work, &h->lock);
		}
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/* The connection is answered once a worker resumes it. */
static bool queue_call(struct exchange *e)
{
	struct http *h = e->http;
	bool ok;

	pthread_mutex_lock(&h->lock);
	ok = h->n_queued < MAX_QUEUED && !h->stopping;
	if (ok) {
		MHD_suspend_connection(e->connection);
		e->next = NULL;
		e->link = h->queue_end;
		*h->queue_end = e;
		h->queue_end = &e->next;
		h->n_queued++;
		pthread_cond_broadcast(&h->work);
	}
	pthread_mutex_unlock(&h->lock);
	return ok;
}

/* ---- watchdog ------------------------------------------------------------ */

static bool is_gone(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static bool has_left(const struct exchange *e)
{
	return is_gone(e->client->fd);
}

static void watch(struct http *h, int64_t now)
{
	for (struct exchange *e = h->running; e; e = e->next) {
		if (h->stopping || now - e->started > QUERY_SECONDS * 1000 || has_left(e)) {
			cancel_set(&e->call.cancel);
		} else if (e->is_brief && now - e->started > BRIEF_MS) {
			e->was_tried = true;
			cancel_set(&e->call.cancel);
		}
	}
	for (struct exchange *e = h->queued; e; e = e->next)
		if (has_left(e))
			cancel_set(&e->call.cancel);
	for (struct client *c = h->clients; c; c = c->next)
		if (c->deadline && now > c->deadline)
			shutdown(c->fd, SHUT_RDWR);
}

static void *run_watchdog(void *context)
{
	struct http *h = context;
	const struct timespec pause = {0, WATCH_MS * 1000000L};

	pthread_mutex_lock(&h->lock);
	while (!h->stopping) {
		watch(h, now_ms());
		pthread_mutex_unlock(&h->lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&h->lock);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/* ---- connections --------------------------------------------------------- */

/* Makes room when there are too many clients: drops the one that has been longest without
 * completing a request. The lock is held. */
static void drop_slowest(struct http *h)
{
	struct client *slowest = NULL;

	for (struct client *c = h->clients; c; c = c->next)
		if (c->deadline && (!slowest || c->deadline < slowest->deadline))
			slowest = c;
	if (slowest)
		shutdown(slowest->fd, SHUT_RDWR);
}

static void add_client(struct http *h, struct MHD_Connection *connection, void **socket_context)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *c = mem_zero(sizeof(*c));

	*socket_context = c;
	if (!c)
		return;
	c->fd = info->connect_fd;
	c->deadline = now_ms() + REQUEST_SECONDS * 1000;
	pthread_mutex_lock(&h->lock);
	c->next = h->clients;
	c->link = &h->clients;
	if (c->next)
		c->next->link = &c->next;
	h->clients = c;
	if (++h->n_clients > MAX_CONNECTIONS - 8)
		drop_slowest(h);
	pthread_mutex_unlock(&h->lock);
}

static void remove_client(struct http *h, struct client *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&h->lock);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	h->n_clients--;
	pthread_mutex_unlock(&h->lock);
	mem_free(c);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
	enum MHD_ConnectionNotificationCode code)
{
	struct http *h = context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		add_client(h, connection, socket_context);
	else
		remove_client(h, *socket_context);
}

static void set_deadline(struct exchange *e, int64_t deadline)
{
	pthread_mutex_lock(&e->http->lock);
	e->client->deadline = deadline;
	pthread_mutex_unlock(&e->http->lock);
}

static struct client *client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* libmicrohttpd cannot answer a request whose parameters do not fit into the memory of its
 * connection, so this is answered here and the connection is closed. */
static void refuse_parameters(struct http *h, struct client *c)
{
	static const char reply[] = "HTTP/1.1 414 URI Too Long\r\nContent-Length: 0\r\n"
				    "Connection: close\r\n\r\n";

	send(c->fd, reply, sizeof(reply) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(c->fd, SHUT_WR);
	pthread_mutex_lock(&h->lock);
	c->deadline = now_ms();
	pthread_mutex_unlock(&h->lock);
}

/* Called before the parameters are parsed. What it allocated would leak if that failed. */
static void *note_address(void *context, const char *uri, struct MHD_Connection *connection)
{
	struct client *c = client_of(connection);
	size_t n_parameters = 0;

	if (!c)
		return NULL;
	c->url_length = strlen(uri);
	c->has_nul = strstr(uri, "%00");
	for (; *uri; uri++)
		n_parameters += *uri == '&';
	if (n_parameters > MAX_PARAMETERS)
		refuse_parameters(context, c);
	return NULL;
}

static struct exchange *begin_exchange(struct http *h, struct MHD_Connection *connection)
{
	struct client *client = client_of(connection);
	struct exchange *e = client ? mem_zero(sizeof(*e)) : NULL;

	if (!e)
		return NULL;
	e->http = h;
	e->connection = connection;
	e->client = client;
	e->call.store = h->store;
	e->call.http_status = 200;
	e->call.file = -1;
	return e;
}

static void end_exchange(void *context, struct MHD_Connection *connection, void **exchange,
	enum MHD_RequestTerminationCode code)
{
	struct exchange *e = *exchange;

	if (!e)
		return;
	/* Browsers keep connections open for the next request. */
	set_deadline(e, now_ms() + IDLE_SECONDS * 1000);
	call_clear(&e->call);
	mem_free(e);
	*exchange = NULL;
}

/* ---- requests ------------------------------------------------------------ */

static enum MHD_Result add_parameter(void *context, enum MHD_ValueKind kind, const char *name,
	const char *value)
{
	struct exchange *e = context;
	struct parameter p = {span_copy(span_of(name)), span_copy(span_of(value ? value : ""))};

	if (p.name && p.value && vec_push(&e->call.parameters, p))
		return MHD_YES;
	mem_free(p.name);
	mem_free(p.value);
	return MHD_NO;
}

static enum MHD_Result add_length(void *context, enum MHD_ValueKind kind, const char *name,
	const char *value)
{
	*(size_t *)context += strlen(name) + (value ? strlen(value) : 0) + 4;
	return MHD_YES;
}

static const char *header(struct exchange *e, const char *name)
{
	return MHD_lookup_connection_value(e->connection, MHD_HEADER_KIND, name);
}

static bool has_body(struct exchange *e)
{
	const char *length = header(e, "Content-Length");

	return header(e, "Transfer-Encoding") || (length && strcmp(length, "0") != 0);
}

static struct guard_verdict guard(struct exchange *e, const char *method)
{
	char local[ADDRESS_TEXT];
	struct guard_request r = {
		.method = method,
		.local = local,
		.host = header(e, "Host"),
		.origin = header(e, "Origin"),
		.cookie = header(e, "Cookie"),
		.fetch_site = header(e, "Sec-Fetch-Site"),
		.fetch_mode = header(e, "Sec-Fetch-Mode"),
		.token = MHD_lookup_connection_value(e->connection, MHD_GET_ARGUMENT_KIND, "t"),
		.url_length = e->client->url_length,
		.has_body = has_body(e),
	};

	address_put_local(local, e->client->fd);
	MHD_get_connection_values(e->connection, MHD_HEADER_KIND, add_length, &r.header_length);
	return guard_check(&e->http->guard, &r);
}

static enum MHD_Result begin_api(struct exchange *e, const char *url)
{
	e->route = e->client->has_nul ? NULL : route_at(url);
	if (!e->route)
		return reply_error(e->connection, 404, "no such address");
	if (MHD_get_connection_values(e->connection, MHD_GET_ARGUMENT_KIND, add_parameter, e) < 0 ||
		!queue_call(e))
		return reply_error(e->connection, 503, "too many requests");
	return MHD_YES;
}

static enum MHD_Result begin_answer(struct exchange *e, const char *url, const char *method)
{
	struct guard_verdict verdict;
	const struct asset *asset;

	set_deadline(e, 0); /* locks, so that http_start() has set the guard */
	verdict = guard(e, method);
	switch (verdict.decision) {
	case GUARD_REFUSE: return reply_error(e->connection, verdict.http_status, verdict.reason);
	case GUARD_SET_COOKIE:
	case GUARD_SET_COOKIE_IN_PAGE:
		return reply_cookie(e->connection, &e->http->guard,
			verdict.decision == GUARD_SET_COOKIE_IN_PAGE);
	case GUARD_ALLOW: break;
	}
	asset = asset_find(url);
	return asset ? reply_asset(e->connection, asset) : begin_api(e, url);
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *data, size_t *data_size,
	void **exchange)
{
	struct exchange *e = *exchange;

	if (!e) { /* the headers are here; a body would follow */
		*exchange = e = begin_exchange(context, connection);
		if (!e)
			return MHD_NO;
		if (e->http->verbose)
			fprintf(stderr, "%s %s\n", method, url); /* never the query: the token */
		/* A body is not waited for: guard() refuses it. */
		return has_body(e) ? begin_answer(e, url, method) : MHD_YES;
	}
	if (e->is_done)
		return reply_call(connection, &e->call, e->http->store->instance);
	return begin_answer(e, url, method);
}

/* ---- start and stop ------------------------------------------------------ */

static struct MHD_Daemon *listen_at(struct http *h, const struct sockaddr *address)
{
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;

	if (address->sa_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	return MHD_start_daemon(flags, 0, NULL, NULL, answer, h, /* */
		MHD_OPTION_SOCK_ADDR, address,                   /* */
		MHD_OPTION_THREAD_POOL_SIZE, 2u,                 /* */
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_PER_CONNECTION,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_NOTIFY_COMPLETED,
		end_exchange, h, MHD_OPTION_URI_LOG_CALLBACK, note_address, h, MHD_OPTION_END);
}

static bool listen_from(struct http *h, const struct http_settings *s, uint16_t *port,
	char why[256])
{
	union address address;

	if (!address_parse(s->host, &address)) {
		snprintf(why, 256, "--host=%.60s: expected an address such as 127.0.0.1 or ::1",
			s->host);
		return false;
	}
	for (unsigned i = 0; i < PORTS_TO_TRY && s->port + i <= UINT16_MAX; i++) {
		*port = (uint16_t)(s->port + i);
		if (address.any.sa_family == AF_INET)
			address.v4.sin_port = htons(*port);
		else
			address.v6.sin6_port = htons(*port);
		h->daemon = listen_at(h, &address.any);
		if (h->daemon || errno != EADDRINUSE)
			break;
	}
	if (!h->daemon)
		snprintf(why, 256, "cannot listen on %.60s, port %u: %s", s->host, *port,
			strerror(errno));
	else if (!*port)
		*port = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
	return h->daemon;
}

struct http *http_start(const struct http_settings *s, uint16_t *port, char why[256])
{
	struct http *h = mem_zero(sizeof(*h));

	snprintf(why, 256, "out of memory");
	if (!h)
		return NULL;
	h->guard = s->guard;
	h->store = s->store;
	h->verbose = s->verbose;
	h->queue_end = &h->queued;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->work, NULL);
	while (h->n_workers < N_WORKERS &&
		pthread_create(&h->workers[h->n_workers], NULL, work, h) == 0)
		h->n_workers++;
	h->has_brief_worker = pthread_create(&h->brief_worker, NULL, work_briefly, h) == 0;
	h->has_watchdog = pthread_create(&h->watchdog, NULL, run_watchdog, h) == 0;
	if (h->n_workers == 0 || !h->has_brief_worker || !h->has_watchdog) {
		snprintf(why, 256, "cannot start a thread");
	} else {
		bool ok;

		/* Requests that arrive at once wait until everything is set up. */
		pthread_mutex_lock(&h->lock);
		ok = listen_from(h, s, port, why);
		/* Browsers send the cookie to every port of a host. */
		snprintf(h->guard.cookie_name, sizeof(h->guard.cookie_name), "tfprof_%u", *port);
		pthread_mutex_unlock(&h->lock);
		if (ok)
			return h;
	}
	http_stop(h);
	return NULL;
}

void http_stop(struct http *h)
{
	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	watch(h, now_ms());
	pthread_cond_broadcast(&h->work);
	pthread_mutex_unlock(&h->lock);
	for (size_t i = 0; i < h->n_workers; i++)
		pthread_join(h->workers[i], NULL);
	if (h->has_brief_worker)
		pthread_join(h->brief_worker, NULL);
	if (h->has_watchdog)
		pthread_join(h->watchdog, NULL);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	pthread_cond_destroy(&h->work);
	pthread_mutex_destroy(&h->lock);
	mem_free(h);
}
