#include "server/reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { GZIP_FROM_BYTES = 4 << 10, GZIP_WINDOW = 15 + 16, ANSWER_MAX_BYTES = 8 << 20 };

static const char *const common_headers[][2] = {
	{"Content-Security-Policy",
		"default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; "
		"img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; "
		"form-action 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
};

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status,
	struct MHD_Response *response, const char *type)
{
	enum MHD_Result ok;

	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(common_headers) / sizeof(*common_headers); i++)
		MHD_add_response_header(response, common_headers[i][0], common_headers[i][1]);
	MHD_add_response_header(response, "Content-Type", type);
	ok = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return ok;
}

static struct MHD_Response *copy(const void *bytes, size_t n)
{
	return MHD_create_response_from_buffer(n, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

enum MHD_Result reply_error(struct MHD_Connection *connection, unsigned status, const char *reason)
{
	struct MHD_Response *response = copy(reason, strlen(reason));

	if (response && status == 405)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	return queue(connection, status, response, "text/plain; charset=utf-8");
}

static bool accepts_gzip(struct MHD_Connection *connection)
{
	const char *accepted =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept-Encoding");

	return accepted && strstr(accepted, "gzip");
}

/* The bytes of a gzip'd asset, whose length is its last four bytes; NULL on failure. */
static void *inflate_asset(const struct asset *asset, size_t *size)
{
	const unsigned char *tail = asset->end - 4;
	z_stream z = {.next_in = (unsigned char *)asset->begin,
		.avail_in = (unsigned)(asset->end - asset->begin)};
	unsigned char *bytes;
	bool ok;

	*size = tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16 | (size_t)tail[3] << 24;
	bytes = malloc(*size + 1); /* libmicrohttpd frees it */
	if (!bytes || inflateInit2(&z, GZIP_WINDOW) != Z_OK) {
		free(bytes);
		return NULL;
	}
	z.next_out = bytes;
	z.avail_out = (unsigned)*size + 1;
	ok = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == *size;
	inflateEnd(&z);
	if (ok)
		return bytes;
	free(bytes);
	return NULL;
}

enum MHD_Result reply_asset(struct MHD_Connection *connection, const struct asset *asset)
{
	struct MHD_Response *response;

	if (accepts_gzip(connection)) {
		response = MHD_create_response_from_buffer((size_t)(asset->end - asset->begin),
			(void *)asset->begin, MHD_RESPMEM_PERSISTENT);
		if (response)
			MHD_add_response_header(response, "Content-Encoding", "gzip");
	} else {
		size_t size;
		void *bytes = inflate_asset(asset, &size);

		if (!bytes)
			return MHD_NO;
		response = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
	}
	if (response) {
		MHD_add_response_header(response, "Cache-Control", "no-cache");
		MHD_add_response_header(response, "Vary", "Accept-Encoding");
	}
	return queue(connection, 200, response, asset->type);
}

enum MHD_Result reply_cookie(struct MHD_Connection *connection, const struct guard *guard,
	bool in_page)
{
	static const char page[] =
		"<!doctype html><title>tfprof</title><meta http-equiv=refresh content=\"0;url=./\">"
		"<a href=\"./\">tfprof</a>";
	struct MHD_Response *response = copy(page, sizeof(page) - 1);
	char cookie[192];

	snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict",
		guard->cookie_name, guard->token);
	if (response) {
		MHD_add_response_header(response, "Set-Cookie", cookie);
		MHD_add_response_header(response, "Cache-Control", "no-store");
		if (!in_page)
			MHD_add_response_header(response, "Location", "./");
	}
	return queue(connection, in_page ? 200 : 303, response, "text/html; charset=utf-8");
}

/* Fast rather than small: the client is near. NULL if it does not shrink. */
static void *compress_body(const struct buf *body, size_t *size)
{
	z_stream z = {0};
	unsigned char *bytes;
	bool ok;

	if (deflateInit2(&z, 1, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	bytes = malloc(body->n);
	z.next_in = (unsigned char *)body->at;
	z.avail_in = (unsigned)body->n;
	z.next_out = bytes;
	z.avail_out = (unsigned)body->n;
	ok = bytes && deflate(&z, Z_FINISH) == Z_STREAM_END;
	*size = z.total_out;
	deflateEnd(&z);
	if (ok)
		return bytes;
	free(bytes);
	return NULL;
}

static struct MHD_Response *body_response(struct MHD_Connection *connection, struct call *call)
{
	struct MHD_Response *response;
	size_t size;
	void *bytes = NULL;

	if (call->body.n > GZIP_FROM_BYTES && accepts_gzip(connection))
		bytes = compress_body(&call->body, &size);
	if (!bytes)
		return copy(call->body.at, call->body.n);
	response = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
	if (response)
		MHD_add_response_header(response, "Content-Encoding", "gzip");
	return response;
}

static enum MHD_Result send_file(struct MHD_Connection *connection, struct call *call)
{
	struct stat stat;
	struct MHD_Response *response;
	char disposition[256];

	if (fstat(call->file, &stat) != 0)
		return MHD_NO;
	response = MHD_create_response_from_fd64((uint64_t)stat.st_size, call->file);
	if (!response)
		return MHD_NO;
	call->file = -1; /* the response closes it */
	snprintf(disposition, sizeof(disposition), "attachment; filename=\"%s\"", call->file_name);
	MHD_add_response_header(response, "Content-Disposition", disposition);
	MHD_add_response_header(response, "Cache-Control", "no-store");
	return queue(connection, 200, response, call->file_type);
}

enum MHD_Result reply_call(struct MHD_Connection *connection, struct call *call,
	const char *instance)
{
	const char *version = call_get(call, "v");
	bool fixed = call->http_status == 200 && version && strcmp(version, instance) == 0;
	struct MHD_Response *response;

	if (call->file >= 0)
		return send_file(connection, call);
	if (call->body.n > ANSWER_MAX_BYTES)
		return reply_error(connection, 500,
			"the response is larger than 8 MB: request less");
	response = body_response(connection, call);
	if (response) {
		MHD_add_response_header(response, "Cache-Control",
			fixed ? "private, max-age=31536000, immutable" : "no-store");
		MHD_add_response_header(response, "Vary", "Accept-Encoding, Cookie");
	}
	return queue(connection, call->http_status, response, "application/json");
}
