#include "base/words.h"

#include <stdio.h>

size_t words_find(const char *const *words, struct span word)
{
	size_t i = 0;

	while (words[i] && !span_equal(span_of(words[i]), word))
		i++;
	return i;
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

const char *words_nearest(const char *const *words, struct span wrong)
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
	if (!best || !wrong.n || best_distance > wrong.n / 3 + 1)
		return NULL;
	/* Half of a word is enough if it starts alike: "nmae" means "name", "time" does not. */
	return wrong.at[0] == best[0] || 2 * best_distance < wrong.n ? best : NULL;
}

void words_join(char *text, size_t size, const char *const *words)
{
	size_t n = 0, length;

	*text = '\0';
	for (const char *const *word = words; *word; word++) {
		length = strlen(*word) + 2;
		if (n + length + sizeof("…") > size) {
			strcpy(text + n, "…");
			return;
		}
		n += (size_t)snprintf(text + n, size - n, "%s%s", *word, word[1] ? ", " : "");
	}
}

bool words_read_bool(struct span word, bool *value)
{
	static const char *const words[] = {"false", "true", "0", "1", NULL};
	size_t i = words_find(words, word);

	if (!words[i])
		return false;
	*value = i % 2;
	return true;
}

enum tfprof_status words_error(struct tfprof_error *err, const char *what, struct span wrong,
	const char *const *words)
{
	const char *near = words_nearest(words, wrong);
	char list[600];

	words_join(list, sizeof(list), words);
	return error_set(err, TFPROF_ARGUMENT, "%s '%.*s': expected one of: %s%s%s%s", what,
		ERROR_SPAN(wrong), list, near ? " (did you mean '" : "", near ? near : "",
		near ? "'?)" : "");
}
