/* /api/export: the current view as a file to download. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "server/diff_query.h"
#include "server/routes.h"
#include "server/start.h"

/* format, type of its file, name of its file */
static const struct export_format {
	const char *name, *type, *file;
} formats[] = {
	{"text", "text/plain; charset=utf-8", "tfprof.txt"},
	{"json", "application/json", "tfprof.json"},
	{"csv", "text/csv; charset=utf-8", "tfprof.csv"},
	{"pprof", "application/octet-stream", "tfprof.pprof"},
	{"timeline", "application/json", "tfprof-timeline.json"},
};

static int write_file(void *context, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, context) == n ? 0 : errno;
}

static enum tfprof_status write_export(struct call *c, const struct export_format *format,
	tfprof_result *result, struct tfprof_error *err)
{
	FILE *file = tmpfile(); /* without a name: gone once it is sent */
	enum tfprof_status status;

	if (!file)
		return error_set(err, TFPROF_IO, "no temporary file: %s", strerror(errno));
	status = tfprof_result_write(result, format->name, write_file, file, err);
	if (status == TFPROF_OK && (fflush(file) != 0 || (c->file = dup(fileno(file))) < 0))
		status = error_set(err, TFPROF_IO, "the temporary file: %s", strerror(errno));
	c->file_name = format->file;
	c->file_type = format->type;
	fclose(file);
	return status;
}

static const struct export_format *find_format(const char *name)
{
	for (size_t i = 0; name && i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

static enum tfprof_status refuse_format(const char *name, struct tfprof_error *err)
{
	enum tfprof_status status;
	struct buf names = {0};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		buf_printf(&names, "%s%s", i ? ", " : "", formats[i].name);
	status = names.failed
		? error_no_memory(err)
		: error_set(err, TFPROF_ARGUMENT, "format=%.100s: expected one of: %s",
			  name ? name : "", buf_get(&names).at);
	buf_clear(&names);
	return status;
}

static enum tfprof_status query(struct call *c, struct kept **kept, struct tfprof_error *err)
{
	struct shown_profile *profile;
	tfprof_options *options = NULL;
	enum tfprof_view view;
	enum tfprof_status status;
	int64_t p;

	if (diff_is_asked(c))
		return diff_query(c, kept, err);
	status = view_profile(c, &profile, &p, err);
	if (status == TFPROF_OK)
		status = view_of_call(c, &view, err);
	if (status == TFPROF_OK)
		status = view_options(c, &options, err);
	if (status == TFPROF_OK)
		status = start_at_root(c, view, profile, options, err);
	if (status == TFPROF_OK)
		status = view_query_with(c, view, options, kept, err);
	tfprof_options_free(options);
	return status;
}

enum tfprof_status route_export(struct call *c, struct json *out, struct tfprof_error *err)
{
	const char *name = call_get(c, "format");
	const struct export_format *format = find_format(name);
	struct kept *kept = NULL;
	enum tfprof_status status = format ? query(c, &kept, err) : refuse_format(name, err);

	if (status == TFPROF_OK)
		status = write_export(c, format, kept_get(kept), err);
	store_release(c->store, kept);
	return status;
}
