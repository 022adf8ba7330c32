/* Splits a line of the shell into words at blanks. Quotes (' and ") keep blanks in a
 * word and may be anywhere in it. A backslash is an ordinary character, as regexes
 * need it.
 *
 *     scope -show_name_regexes 'a b'  →  scope  -show_name_regexes  a b
 */
#ifndef TFPROF_CLI_LINE_H
#define TFPROF_CLI_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <tfprof/tfprof.h>

#include "base/buf.h"

struct line {
	char **words;
	size_t n;
	char *text;         /* holds the words */
	size_t last_start;  /* offset of the last word in the line as typed */
	char open_quote;    /* the quote left open at the end, 0 if none */
	bool ends_in_blank; /* the next character starts a new word */
};

/* False on allocation failure. */
bool line_split(struct line *l, const char *typed);
void line_clear(struct line *l);

/* Appends a word so that line_split() and redirect_split() read it back as it is, whatever
 * bytes it has: quoted if it has blanks or quotes or starts like a redirection. `quote` is
 * the one to use, 0 to choose. Unless the word is complete, its last quote is left open. */
void line_put_word(struct buf *out, const char *word, char quote, bool is_complete);

#endif
