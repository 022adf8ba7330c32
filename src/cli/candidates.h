/* Completions of the word being typed. Stores at most MAX_CANDIDATES to show, but
 * counts all of them and tracks the prefix they share. */
#ifndef TFPROF_CLI_CANDIDATES_H
#define TFPROF_CLI_CANDIDATES_H

#include "base/buf.h"
#include "base/vec.h"

enum { MAX_CANDIDATES = 4096 };

struct candidates {
	const char *typed; /* prefix each must have */
	VEC(char *) shown; /* the first MAX_CANDIDATES */
	size_t n_all;
	struct buf common; /* prefix shared by all */
	size_t head;       /* bytes of the word before the part that is completed */
	bool is_list;      /* the value is a comma-separated list */
	bool failed;
};

/* Adds the text if it starts with what was typed. */
void candidates_add(struct candidates *c, const char *text, size_t length);
void candidates_add_words(struct candidates *c, const char *const *words);
void candidates_sort(struct candidates *c);
void candidates_clear(struct candidates *c);

#endif
