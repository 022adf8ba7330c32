/* A line of the shell as words: split at blanks; ' and " keep blanks in a word
 * and may stand anywhere in it; a backslash is an ordinary letter, as regexes
 * need it.
 *
 *     scope -show_name_regexes 'a b'  →  scope  -show_name_regexes  a b
 */
#ifndef TFPROF_CLI_LINE_H
#define TFPROF_CLI_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "fail.h"

struct line {
	char **words;
	size_t n;
	char *text;         /* holds the words */
	size_t last_start;  /* where the last word starts in the line as typed */
	char open_quote;    /* the quote left open at the end, 0 if none */
	bool ends_in_blank; /* the next letter would start another word */
};

/* False when memory is out. */
bool line_split(struct line *l, const char *typed);
void line_clear(struct line *l);

#endif
