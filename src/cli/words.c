#include "words.h"

#include <stddef.h>
#include <string.h>

#include <tfprof/tfprof.h>

/* Words of flags that are not in the library's option table. */
static const struct {
	const char *flag, *word, *meaning;
} meanings[] = {
	{"fail_on", "none", "never: the status is 0 whatever is found"},
	{"fail_on", "notice", "findings worth knowing"},
	{"fail_on", "warning", "findings worth a look"},
	{"fail_on", "high", "findings that cost a lot"},
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
