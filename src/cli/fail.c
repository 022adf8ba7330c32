#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

enum tfprof_status fail(struct tfprof_error *err, enum tfprof_status status, const char *format,
	...)
{
	va_list args;

	err->status = status;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	/* Keep the message on one line, whatever was typed. */
	for (char *c = err->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return status;
}

enum tfprof_status fail_no_memory(struct tfprof_error *err)
{
	return fail(err, TFPROF_NO_MEMORY, "out of memory");
}

enum exit_status fail_exit_status(enum tfprof_status status)
{
	switch (status) {
	case TFPROF_OK: return EXIT_OK;
	case TFPROF_ARGUMENT:
	case TFPROF_REGEX:
	case TFPROF_STEP: return EXIT_USAGE;
	case TFPROF_CANCELLED: return EXIT_INTERRUPTED;
	default: return EXIT_INPUT;
	}
}
