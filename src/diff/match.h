/* Which row of one side is which of the other. In order:
 *
 *     by order      layers with generated names, see generated.c
 *     by name       the same one
 *     by rule       what the option rename makes of the base's name
 *     by structure  a scope that only one side has, and whose descendants have the same
 *                   names below it and the same operations; a guess, and only of whole
 *                   subtrees; several alike are taken in order
 */
#ifndef TFPROF_DIFF_MATCH_H
#define TFPROF_DIFF_MATCH_H

#include "base/buf.h"
#include "base/error.h"
#include "diff/side.h"

enum match_how { MATCH_NONE, MATCH_NAME, MATCH_RULE, MATCH_STRUCTURE };

/* REGEX=>TEXT, where $1 in the text is the first group. */
struct rename_rule;
typedef VEC(struct rename_rule *) rename_rules;

/* Rules between commas; `text` is what the option was given. */
enum tfprof_status rename_rules_read(rename_rules *rules, struct span text,
	struct tfprof_error *err);
void rename_rules_clear(rename_rules *rules);
/* Writes what the first rule that applies makes of a name; false if none does. */
bool rename_rules_apply(const rename_rules *rules, struct span name, struct buf *out);

struct matches {
	uint32_t *base_of; /* by row of the new side; NONE: it was added */
	uint32_t *new_of;  /* by row of the base; NONE: it was removed */
	uint8_t *how;      /* by row of the new side: enum match_how */
};

struct match_options {
	const rename_rules *rules;
	bool guesses; /* by structure; the rows are scopes */
};

/* Clear in any case. */
enum tfprof_status matches_make(struct matches *m, struct side *base, struct side *new_side,
	const struct match_options *o, struct tfprof_error *err);
void matches_clear(struct matches *m);

/* For matches_make(): pairs layers with generated names. False on allocation failure. */
bool match_generated(struct matches *m, const struct side *base, const struct side *new_side);
/* For matches_make(): pairs what is left by structure. False on allocation failure. */
bool match_by_structure(struct matches *m, const struct side *base, const struct side *new_side);

static inline void match_pair(struct matches *m, uint32_t base, uint32_t new_row,
	enum match_how how)
{
	m->base_of[new_row] = base;
	m->new_of[base] = new_row;
	m->how[new_row] = (uint8_t)how;
}

#endif
