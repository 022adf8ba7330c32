/* Where a ProfileProto can be cut, so that its parts are read in parallel.
 *
 *     profile ──┬─ part ── field field field …     whole fields of its top level
 *               └─ part ── field field …
 *
 * Where a field begins is known only after reading the field before it. So the
 * beginning of a part is guessed: bytes that look like some nodes in a row. All
 * parts are then walked in parallel, from field to field, and a part is
 * right if the one before it ended where it begins. One that is not is walked
 * again, from there: a wrong guess costs time and nothing else. */
#ifndef TFPROF_LOAD_PROFILE_PARTS_H
#define TFPROF_LOAD_PROFILE_PARTS_H

#include "base/span.h"

struct profile_part {
	struct span bytes;
	size_t n_nodes;
};

/* Cuts a profile into `n` parts, together all of its bytes, some maybe empty.
 * Where the top level is damaged, the part with the damage is the last one and
 * extends to the end of the profile: its n_nodes are those before the damage. */
void profile_cut(struct span profile, struct profile_part *parts, size_t n);

#endif
