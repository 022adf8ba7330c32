/* Files generated at build time from the tables of commands and flags: shell
 * completion, Python signatures and the manual page. */
#ifndef TFPROF_CLI_GENERATE_H
#define TFPROF_CLI_GENERATE_H

#include <tfprof/tfprof.h>

#include "base/buf.h"
#include "flag.h"

/* `what` is "bash", "zsh", "fish", "python" or "man". For "man", reads a template from
 * stdin and replaces lines such as @OPTIONS@. */
enum tfprof_status generate(struct buf *out, const char *what, struct tfprof_error *err);

void generate_bash(struct buf *out);
void generate_zsh(struct buf *out);
void generate_fish(struct buf *out);
void generate_python(struct buf *out);
void generate_man(struct buf *out, const char *template);

/* How a value is completed. */
enum value_kind {
	VALUE_NONE, /* a flag without a value */
	VALUE_FREE, /* a number or a regex, not completed */
	VALUE_FILE,
	VALUE_FILES,
	VALUE_WORD,
	VALUE_WORDS,
	VALUE_OUTPUT,
	VALUE_CHECKER,
};

enum value_kind generate_value_kind(const struct flag *flag);

/* Append names separated by spaces: the words a flag accepts, the checkers. */
void generate_words(struct buf *out, const struct flag *flag);
void generate_checkers(struct buf *out);
/* Appends what --output takes before a path: " timeline:outfile= pprof:outfile= …". */
void generate_outfiles(struct buf *out);

#endif
