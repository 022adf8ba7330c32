/* Commands of the command line, the shell, or both. */
#ifndef TFPROF_CLI_COMMAND_H
#define TFPROF_CLI_COMMAND_H

#include <tfprof/tfprof.h>

#include "base/buf.h"

enum command_id {
#define X(id, ...) COMMAND_##id,
	TFPROF_VIEW_LIST(X)
#undef X
		COMMAND_ASK, /* a question of the library */
	COMMAND_MODEL,
	COMMAND_DIFF,
	COMMAND_UI,
	COMMAND_IN_PYTHON, /* see in_python.h */
	COMMAND_SCHEMA,
	COMMAND_SAVE,
	COMMAND_HELP,
	COMMAND_SET,
	COMMAND_RESET,
	COMMAND_QUIT,
};

enum command_where { IN_PROGRAM = 1, IN_SHELL = 2, EVERYWHERE = 3 };

struct command {
	const char *name;
	enum command_id id;
	enum command_where where;
	const char *summary;     /* one line, for lists */
	const char *usage;       /* what may follow the name */
	const char *description; /* a paragraph */
	const char *example;     /* arguments of a good first try */
};

/* NULL past the end. */
const struct command *command_get(size_t i);
/* The first of this kind. */
const struct command *command_of(enum command_id id);
/* NULL if `where` has no such command. */
const struct command *command_find(const char *name, enum command_where where);
/* The command of `where` that a misspelt word most likely meant, or NULL. */
const char *command_nearest(const char *name, enum command_where where);

/* Appends the names of the commands that help lists. */
void command_put_names(struct buf *out, enum command_where where, const char *separator);

static inline int command_is_view(enum command_id id)
{
	return id < COMMAND_ASK;
}

static inline int command_is_question(enum command_id id)
{
	return id <= COMMAND_DIFF;
}

/* Whether a command prints a report on the profile. */
static inline int command_has_report(enum command_id id)
{
	return id <= COMMAND_ASK;
}

#endif
