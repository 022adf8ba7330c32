#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"

enum tfprof_status error_set(struct tfprof_error *err, enum tfprof_status status,
	const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	err->status = status;
	err->id = NULL;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	/* One line of text, whatever bytes the user's data has, or cutting left. */
	visible_mask(err->text, strlen(err->text));
	return status;
}

enum tfprof_status error_name(struct tfprof_error *err, enum tfprof_status status, const char *id)
{
	if (err)
		err->id = id;
	return status;
}

enum tfprof_status error_no_memory(struct tfprof_error *err)
{
	return error_set(err, TFPROF_NO_MEMORY, "out of memory");
}

enum tfprof_status error_prefix(struct tfprof_error *err, enum tfprof_status status,
	const char *prefix)
{
	char rest[sizeof(err->text)];
	const char *id;

	if (!err || status == TFPROF_OK)
		return status;
	id = err->id;
	memcpy(rest, err->text, sizeof(rest));
	error_set(err, status, "%.300s: %s", prefix, rest);
	return error_name(err, status, id);
}
