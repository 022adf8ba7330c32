/* What a value is called in the source. Most values that fill memory have no name of their own:
 * copies, and buffers that loops write to. They borrow that of another op. */
#ifndef TFPROF_HLO_BORROW_H
#define TFPROF_HLO_BORROW_H

#include "hlo/same.h"
#include "hlo/users.h"

/* How it was found, in the order in which it is tried. */
#define HLO_BORROWED(X)           \
	X(KEPT, "kept by a loop") \
	X(OWN, "")                \
	X(INSIDE, "inside")       \
	X(COPY, "copy of")        \
	X(USE, "used by")         \
	X(NOT, "no name")

enum hlo_borrowed {
#define X(id, text) HLO_BORROWED_##id,
	HLO_BORROWED(X)
#undef X
};

extern const char *const hlo_borrowed_texts[];

struct hlo_borrowed_name {
	enum hlo_borrowed how;
	uint32_t from; /* the op whose op_name and line it is; NONE: there is none */
	uint32_t via;  /* the op that led to it: it may have that in it */
};

struct hlo_borrower {
	const struct hlo_program *p;
	const struct hlo_same *same;
	uint32_t *stored; /* by set of values: the op whose value a loop stores there; NONE */
	uint32_t *named;  /* by block: the member that names a fusion; NONE */
	struct hlo_users users;
};

bool hlo_borrower_init(struct hlo_borrower *b, const struct hlo_program *p,
	const struct hlo_same *same);
void hlo_borrower_clear(struct hlo_borrower *b);

/* Of a value that an op makes. */
struct hlo_borrowed_name hlo_borrow(const struct hlo_borrower *b, uint32_t op, uint32_t value);

#endif
