/* Turns of a loop that are recorded one by one, because they may cost differently: a loop or a
 * conditional in it depends on the turn, or a shape grows.
 *
 *     turn 1   MatMul 4x8 ×1   Tanh ×1          records from `first`
 *     turn 2   MatMul 4x9 ×1   Tanh ×1 ─▶ counted in the Tanh of turn 1
 *
 * An operation that costs what it did in a turn before is counted there, so there are as many
 * records as there are different costs. */
#ifndef TFPROF_COUNT_REPEAT_H
#define TFPROF_COUNT_REPEAT_H

#include "base/hash.h"
#include "base/vec.h"

struct walk;

/* What a record has of one turn. */
struct repeat_part {
	uint32_t record;
	int64_t times;
};

typedef VEC(struct repeat_part) repeat_parts;

struct repeats {
	size_t turn;       /* first record of the turn being recorded */
	int64_t n_turns;   /* recorded */
	bool are_alike;    /* the last two turns */
	repeat_parts last; /* of the last turn */
	repeat_parts now;
	struct hash_index index; /* records of the loop by node and cost */
};

/* Before the first turn. */
void repeats_begin(struct repeats *r, const struct walk *w);
/* After each. False on allocation failure. */
bool repeats_end_turn(struct repeats *r, struct walk *w);
/* After all: turns that were not recorded count as the last one that was. */
void repeats_finish(struct repeats *r, struct walk *w, int64_t n_turns);
void repeats_clear(struct repeats *r);

#endif
