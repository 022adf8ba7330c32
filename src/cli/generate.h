/* Files made from the tables of commands and flags when the program is built:
 * completion for shells, type stubs for Python and the manual page. */
#ifndef TFPROF_CLI_GENERATE_H
#define TFPROF_CLI_GENERATE_H

#include "fail.h"
#include "flag.h"
#include "text.h"

/* `what` is "bash", "zsh", "fish", "python" or "man". The manual page is made from a
 * template on stdin, whose lines like @OPTIONS@ are replaced. */
enum tfprof_status generate(struct text *out, const char *what, struct tfprof_error *err);

void generate_bash(struct text *out);
void generate_zsh(struct text *out);
void generate_fish(struct text *out);
void generate_python(struct text *out);
void generate_man(struct text *out, const char *template);

/* How a value is completed. */
enum value_kind {
	VALUE_NONE, /* a flag without a value */
	VALUE_FREE, /* a number, a regex: no one can guess it */
	VALUE_FILE,
	VALUE_FILES,
	VALUE_WORD,
	VALUE_WORDS,
	VALUE_OUTPUT,
	VALUE_CHECKER,
};

enum value_kind generate_value_kind(const struct flag *flag);

/* The commands of the program; the words of a list or the names of the
 * checkers, separated by blanks. */
void generate_commands(struct text *out);
void generate_words(struct text *out, const struct flag *flag);
void generate_checkers(struct text *out);

#endif
