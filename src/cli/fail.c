#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

/* How many bytes the character at `at` has: 0 if it is a control code or not UTF-8. */
static size_t length_of_visible(const unsigned char *at)
{
	size_t n = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

	if (at[0] < ' ' || at[0] == 127 || at[0] > 0xf4 || (at[0] == 0xc2 && at[1] < 0xa0))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* Keeps the message one line of UTF-8, whatever was typed, and wherever it was cut. */
static void mask(char *text)
{
	while (*text) {
		size_t n = length_of_visible((unsigned char *)text);

		if (n == 0)
			*text = '?';
		text += n ? n : 1;
	}
}

enum tfprof_status fail(struct tfprof_error *err, enum tfprof_status status, const char *format,
	...)
{
	va_list args;

	err->status = status;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	mask(err->text);
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
