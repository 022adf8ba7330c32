/* Flags of the command line and the shell. Query options come from the library's
 * option table, those that name files from its table of inputs; the rest is defined
 * here. Help, completion and the manual page are generated from these. */
#ifndef TFPROF_CLI_FLAG_H
#define TFPROF_CLI_FLAG_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"

enum flag_group {
	FLAG_FILE,    /* an input; id is the index of its info */
	FLAG_OPTION,  /* an option of views; id is the index of its info */
	FLAG_ASK,     /* an option of questions only; likewise */
	FLAG_ADVICE,  /* an option of advise; id is an advice_flag */
	FLAG_MODEL,   /* an option of model; id is the index of its info */
	FLAG_DIFF,    /* an option of diff; id is the index of its info, or DIFF_BASE */
	FLAG_PROGRAM, /* of the program itself; id is a program_flag */
};

enum advice_flag { ADVICE_CHECKER, ADVICE_FAIL_ON };
enum { DIFF_BASE = -1 };
enum program_flag {
	PROGRAM_STRICT,
	PROGRAM_RECOVER,
	PROGRAM_HELP,
	PROGRAM_VERSION,
	PROGRAM_GENERATE
};

struct flag {
	const char *name; /* without dashes */
	enum flag_group group;
	int id;
	bool is_bool;              /* the value may be omitted */
	bool is_list;              /* words between commas */
	bool is_hidden;            /* used by the build, not documented */
	const char *value;         /* placeholder for the value in help */
	const char *default_value; /* NULL if there is none */
	const char *help;          /* one sentence */
	const char *const *words;  /* accepted words, NULL-terminated; or NULL */
	const char *units;         /* "us, ms, s": may follow a number; or NULL */
};

/* In documentation order; false past the end. */
bool flag_get(size_t i, struct flag *flag);
/* By a name of `length` bytes, in which dashes may stand for underscores. */
bool flag_find(const char *name, size_t length, struct flag *flag);
/* The name a misspelt one most likely meant, or NULL; in the shell, of flags that can be
 * used there. */
const char *flag_nearest(const char *name, enum command_where where);

/* Whether it is an option of the command model, which shares some with queries. */
bool flag_is_of_model(const char *name);

/* Whether it is an option of comparisons, which share some with queries and models. */
bool flag_is_of_diff(const char *name);

/* Whether the flag applies to a command (NULL: to any view). */
bool flag_applies_to(const struct flag *flag, const struct command *command);

/* The level of --fail_on with this name; -1 if there is none. */
int flag_level(const char *word);

#endif
