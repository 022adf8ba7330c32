#include "words.h"

#include <stddef.h>
#include <string.h>

#include <tfprof/tfprof.h>

const char *word_meaning(const char *flag, const char *word)
{
	const struct tfprof_option_info *info;

	for (size_t i = 0; (info = tfprof_option_get_info(i)); i++) {
		if (strcmp(info->name, flag) != 0 || !info->word_help)
			continue;
		for (size_t k = 0; info->words[k]; k++)
			if (strcmp(info->words[k], word) == 0)
				return info->word_help[k];
	}
	return NULL;
}
