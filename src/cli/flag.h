/* The flags: what may stand behind a dash, on the command line and in the
 * shell. Those of a query come from the library's option table, those that name
 * files from its table of inputs; the rest is here. Help, completion and the man page are made from
 * this. */
#ifndef TFPROF_CLI_FLAG_H
#define TFPROF_CLI_FLAG_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"

enum flag_group {
	FLAG_FILE,    /* what to read; id is the index of its info */
	FLAG_OPTION,  /* of a query; id is the index of its info */
	FLAG_ADVICE,  /* of advise; id is an advice_flag */
	FLAG_PROGRAM, /* of the program as a whole; id is a program_flag */
};

enum advice_flag { ADVICE_CHECKER, ADVICE_FAIL_ON };
enum program_flag { PROGRAM_HELP, PROGRAM_VERSION, PROGRAM_GENERATE };

struct flag {
	const char *name; /* without dashes */
	enum flag_group group;
	int id;
	bool is_bool;              /* may stand without a value */
	bool is_hidden;            /* for the build, not for people */
	const char *value;         /* what stands for the value in help */
	const char *default_value; /* NULL if there is none */
	const char *help;          /* one sentence */
	const char *const *words;  /* NULL-terminated valid words, or NULL */
};

/* In order of documentation; false beyond the last. */
bool flag_get(size_t i, struct flag *flag);
/* By its name of `length` bytes. */
bool flag_find(const char *name, size_t length, struct flag *flag);
/* The name a misspelt one most likely meant, or NULL. */
const char *flag_nearest(const char *name);

/* Whether the flag means anything to a command (NULL: to any view). */
bool flag_goes_with(const struct flag *flag, const struct command *command);

/* Levels of findings by name, as --fail_on takes them; -1 if it is none. */
int flag_level(const char *word);

#endif
