/* Lists of words that a setting accepts, NULL-terminated. */
#ifndef TFPROF_BASE_WORDS_H
#define TFPROF_BASE_WORDS_H

#include "base/error.h"

/* Where the word is; at the end if it is not among them. */
size_t words_find(const char *const *words, struct span word);

/* The word that a misspelt one most likely meant, or NULL if none is close. */
const char *words_nearest(const char *const *words, struct span wrong);

/* Lists them, shortened if there are many. */
void words_join(char *text, size_t size, const char *const *words);

/* Of true, false, 1 or 0; false if it is none of them. */
bool words_read_bool(struct span word, bool *value);

/* Fails with "WHAT 'wrong': expected one of: a, b, c (did you mean 'b'?)". */
enum tfprof_status words_error(struct tfprof_error *err, const char *what, struct span wrong,
	const char *const *words);

#endif
