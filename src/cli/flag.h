/* Flags of the command line and the shell. Options come from the library's
 * option table, those that name files from its table of inputs; the rest is defined
 * here. Help, completion and the manual page are generated from these. */
#ifndef TFPROF_CLI_FLAG_H
#define TFPROF_CLI_FLAG_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"

/* Sections of help. Those from FLAG_VIEW to FLAG_OWN are options of the library. */
enum flag_group {
	FLAG_FILE,    /* an input; id is the index of its info */
	FLAG_VIEW,    /* an option of views; id is the index of its info */
	FLAG_ASK,     /* an option of other questions; likewise */
	FLAG_OWN,     /* first of all of a question that has a section of its own */
	FLAG_PROGRAM, /* of the program itself; id is a program_flag */
};

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
	const char *question;      /* of FLAG_OWN: whose section */
	bool is_bool;              /* the value may be omitted */
	bool is_list;              /* words between commas */
	bool is_hidden;            /* used by the build, not documented */
	const char *value;         /* placeholder for the value in help */
	const char *default_value; /* NULL if there is none */
	const char *help;          /* one sentence */
	const char *const *words;  /* accepted words, NULL-terminated; or NULL */
	const char *units;         /* "us, ms, s": may follow a number; or NULL */
	const char *kind;          /* of an option (tfprof_option_info), or "" */
};

/* In documentation order; false past the end. */
bool flag_get(size_t i, struct flag *flag);
/* By a name of `length` bytes, in which dashes may stand for underscores. */
bool flag_find(const char *name, size_t length, struct flag *flag);
/* The name a misspelt one most likely meant, or NULL; in the shell, of flags that can be
 * used there. */
const char *flag_nearest(const char *name, enum command_where where);

static inline bool flag_is_option(const struct flag *flag)
{
	return flag->group >= FLAG_VIEW && flag->group <= FLAG_OWN && flag->id >= 0;
}

/* Whether something there takes the flag. */
bool flag_is_usable(const struct flag *flag, enum command_where where);

/* Whether the flag applies to a command (NULL: to any view). */
bool flag_applies_to(const struct flag *flag, const struct command *command);

#endif
