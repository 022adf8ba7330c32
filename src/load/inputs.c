#include "load/inputs.h"

#include <string.h>

static const struct tfprof_input_info infos[] = {
#define X(id, name, subject, look, message, traits, progress, help) \
	{#name, #name "_path", message, progress, help, traits},
	INPUTS(X)
#undef X
};

static const char *const subjects[] = {
#define X(id, name, subject, ...) subject,
	INPUTS(X)
#undef X
};

const struct tfprof_input_info *input_get_info(size_t kind)
{
	return kind < N_INPUTS ? &infos[kind] : NULL;
}

enum input_kind input_from_name(const char *name)
{
	for (int kind = 0; kind < N_INPUTS; kind++)
		if (strcmp(infos[kind].name, name) == 0)
			return (enum input_kind)kind;
	return INPUT_UNKNOWN;
}

const char *input_get_subject(enum input_kind kind)
{
	return kind == INPUT_UNKNOWN ? "the input" : subjects[kind];
}
