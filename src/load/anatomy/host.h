/* Lines of a host, from their bytes to what they tell (scene.h). */
#ifndef TFPROF_LOAD_ANATOMY_HOST_H
#define TFPROF_LOAD_ANATOMY_HOST_H

#include "load/anatomy/scene.h"

/* What a node is, and for whom its thread works then. */
struct host_mark {
	uint32_t op;      /* see OP_COMPILED; NONE: it is none */
	uint32_t process; /* that it is in; NONE */
	uint32_t kept;    /* the nearest node that is kept, or itself; NONE */
	bool is_input;    /* tf.data's */
};

/* Set: the rest is a place among .ops. Otherwise it is one among .plain. */
#define OP_COMPILED (UINT32_C(1) << 30)

/* A part of a line: nodes that are still open from before, then new ones. */
struct host_part {
	struct scene *s;
	node_list nodes;
	facts_list facts;
	VEC(struct host_mark) marks; /* by node */
	bool is_program_line;
};

static inline const struct facts *host_get_facts(const struct host_part *h, uint32_t node)
{
	static const struct facts none = {.device = NONE};
	uint32_t facts = h->nodes.at[node].facts;

	return facts == NONE ? &none : &h->facts.at[facts];
}

static inline uint32_t host_get_flags(const struct host_part *h, uint32_t node)
{
	return h->s->names.at[h->nodes.at[node].name].flags;
}

/* Which operation a node is, if any: sets its mark. False on allocation failure (work.c). */
bool host_find_op(struct host_part *h, uint32_t node);
/* Adds it to the time of operations (work.c). The same. */
bool host_add_time(struct host_part *h, uint32_t node);

/* Reads what the main thread does once more. */
bool host_read_main(struct scene *s);

#endif
