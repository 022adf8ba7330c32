#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

enum tfprof_status error_set(struct tfprof_error *err, enum tfprof_status status,
	const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	err->status = status;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	/* Keep it one line, whatever bytes the user's data has. */
	for (char *c = err->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
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

	if (!err || status == TFPROF_OK)
		return status;
	memcpy(rest, err->text, sizeof(rest));
	return error_set(err, status, "%.300s: %s", prefix, rest);
}

/* Levenshtein distance, two rows; words are short. */
static size_t distance(struct span a, const char *b)
{
	size_t row[64], n = strlen(b), diagonal, above;

	if (a.n >= 64 || n >= 64)
		return 64;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = diagonal + (a.at[i - 1] != b[j - 1]);

			above = row[j];
			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = above;
			row[j] = best;
		}
	}
	return row[n];
}

const char *nearest_word(struct span wrong, const char *const *words)
{
	const char *best = NULL;
	size_t best_distance = 64;

	for (; *words; words++) {
		size_t d = distance(wrong, *words);

		if (d < best_distance) {
			best_distance = d;
			best = *words;
		}
	}
	return best && best_distance <= wrong.n / 3 + 1 ? best : NULL;
}
