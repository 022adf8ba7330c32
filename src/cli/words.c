#include "words.h"

#include <stddef.h>
#include <string.h>

#include <tfprof/tfprof.h>

/* What the library does not know. */
static const struct {
	const char *flag, *word, *meaning;
} meanings[] = {
	{"fail_on", "none", "whatever is found, the status is 0"},
	{"fail_on", "notice", "something is worth knowing"},
	{"fail_on", "warning", "something is worth a look"},
	{"fail_on", "high", "something costs a lot"},
};

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
	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
		if (strcmp(meanings[i].flag, flag) == 0 && strcmp(meanings[i].word, word) == 0)
			return meanings[i].meaning;
	return NULL;
}
