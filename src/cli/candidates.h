/* How the word being typed may go on: a list that keeps only so many to show,
 * but counts all and knows what they have in common. */
#ifndef TFPROF_CLI_CANDIDATES_H
#define TFPROF_CLI_CANDIDATES_H

#include "text.h"

enum { MAX_CANDIDATES = 4096 };

struct candidates {
	const char *typed; /* what each must begin with */
	char **at;         /* the first MAX_CANDIDATES */
	size_t n, cap;
	size_t n_all;
	struct text common; /* how all of them begin */
	size_t head;        /* bytes of the word before the part that is completed */
	bool is_list;       /* a comma may follow as well as a blank */
	bool failed;
};

/* Takes it if it begins with what was typed. */
void candidates_add(struct candidates *c, const char *text, size_t length);
void candidates_add_words(struct candidates *c, const char *const *words);
void candidates_sort(struct candidates *c);
void candidates_clear(struct candidates *c);

#endif
