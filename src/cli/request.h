/* A parsed command line or line of the shell.
 *
 *     words --request_parse--> { command, files, options, ... }
 *
 * Flags are written `--name=value` or `--name value`, with one dash or two, before or
 * after the command. A list may have blanks after its commas, and may be continued by
 * giving its flag again; of other options the last value holds. On the command line,
 * every other word is a file: `./op` is the file op, not the command.
 *
 * In the shell, a command line of the program (`tfprof op --select=micros FILE`) is
 * understood, too: what it says about files is ignored. */
#ifndef TFPROF_CLI_REQUEST_H
#define TFPROF_CLI_REQUEST_H

#include <tfprof/tfprof.h>

#include "command.h"
#include "flag.h"

#define NO_SIDES SIZE_MAX

struct request {
	const struct command *command; /* NULL: none was named */
	const char *word;              /* the topic of help, the file of save, or NULL */
	const char **paths;            /* of each kind of input, by flag; NULL: not given */
	const char **files;            /* without a flag */
	size_t n_files;
	size_t n_base;              /* of them are before the word --; NO_SIDES: there is none */
	const char *base;           /* files to compare with, or NULL */
	const struct command *view; /* that is compared, or NULL */
	tfprof_options *options;
	bool has_flags;   /* an option was given */
	bool has_ignored; /* a pasted command line names files */
	enum tfprof_reading reading;
	bool wants_help, wants_version;
	const char *generate;
};

/* Options start from `defaults` (NULL: the library's). The words must outlive the
 * request. */
enum tfprof_status request_parse(struct request *r, const char *const *words, size_t n,
	enum command_where where, const tfprof_options *defaults, struct tfprof_error *err);
void request_clear(struct request *r);

/* Whether the answer to a question is printed for people. */
bool request_is_text_of(const struct request *r, const char *question);

#endif
