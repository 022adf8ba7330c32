/* Where the answer to a line of the shell goes instead of the terminal:
 *
 *     op -select micros > FILE          op -select micros | COMMAND
 *
 * The operator starts a word, outside quotes: `a|b` and '>' are values. */
#ifndef TFPROF_CLI_REDIRECT_H
#define TFPROF_CLI_REDIRECT_H

#include "request.h"

enum redirect_kind { REDIRECT_NONE, REDIRECT_FILE, REDIRECT_COMMAND };

struct redirect {
	enum redirect_kind kind;
	char *target; /* a path, or a command as typed */
};

/* Splits a line: `*line` gets what precedes the operator. Both are freed by the caller,
 * the redirection with redirect_clear(). */
enum tfprof_status redirect_split(struct redirect *r, const char *typed, char **line,
	struct tfprof_error *err);
void redirect_clear(struct redirect *r);

/* Makes the file the outfile of the request's option output. */
enum tfprof_status redirect_set_output(const struct redirect *r, struct request *request,
	struct tfprof_error *err);

/* A path as typed, with ~/ replaced. NULL on allocation failure. */
char *redirect_expand(const char *path);

#endif
