/* Tables of options that queries do not have, or have with other words and defaults: those
 * of models and of comparisons. A line has
 *
 *     id, name, kind (see tfprof_option_info), placeholder of the value in help,
 *     accepted words or NULL, default, help
 *
 * and flags, help, completion, manual page and Python keywords follow from it. */
#ifndef TFPROF_QUERY_OPTION_INFO_H
#define TFPROF_QUERY_OPTION_INFO_H

#include <string.h>

#include <tfprof/tfprof.h>

#define OPTION_INFO(id, name, kind, placeholder, words, value, help) \
	{name, value, help, kind, placeholder, words, NULL, NULL, 0, ""},

/* The index of the option with this name; n if there is none. */
static inline size_t option_info_find(const struct tfprof_option_info *infos, size_t n,
	const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(infos[i].name, name) != 0)
		i++;
	return i;
}

#endif
