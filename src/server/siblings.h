/* Rows of one parent whose names differ in digits only, as one:
 *
 *     unit_1_0 … unit_1_4, unit_2_0 … unit_2_4, unit_3_0 … unit_3_4
 *     ──> unit_1_[0-4], unit_2_[0-4], unit_3_[0-4]
 *
 * Only what would fill the page is folded: more than MAX_ALIKE rows that differ in digits. Of
 * the numbers in their names, a fold joins those that have all but the last varying one in
 * common. */
#ifndef TFPROF_SERVER_SIBLINGS_H
#define TFPROF_SERVER_SIBLINGS_H

#include "base/buf.h"
#include "base/span.h"

enum { MAX_ALIKE = 12 };

struct sibling {
	struct span name;
	int64_t row, parent;
	struct span number; /* in the name: what varies within a fold; empty: not folded */
};

/* Sorts siblings so that those of a fold follow one another, by their number. */
void siblings_sort(struct sibling *at, size_t n);

/* How many siblings from the first on are one fold; 1 if it stands alone. */
size_t siblings_count_alike(const struct sibling *at, size_t n);

/* Appends the name of a fold of siblings, without a NUL: "unit_2_[0-4]". */
void siblings_put_name(struct buf *b, const struct sibling *at, size_t n);

/* Whether a row of this name is in the fold of that name. */
bool siblings_is_in(struct span fold, struct span name);

#endif
