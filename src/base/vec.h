/* A growing array of any type:
 *
 *     VEC(int64_t) steps = {0};
 *     if (!vec_push(&steps, 7)) → allocation failed
 *     steps.at[0], steps.n
 *     vec_clear(&steps);
 */
#ifndef TFPROF_BASE_VEC_H
#define TFPROF_BASE_VEC_H

#include "base/mem.h"

#define VEC(type)              \
	struct {               \
		type *at;      \
		size_t n, cap; \
	}

/* Makes room for `more` items. */
#define vec_reserve(v, more)                    \
	((v)->cap - (v)->n >= (size_t)(more) || \
		mem_grow((void **)&(v)->at, &(v)->cap, (v)->n, (more), sizeof(*(v)->at)))

#define vec_push(v, item) (vec_reserve(v, 1) ? ((v)->at[(v)->n++] = (item), true) : false)

#define vec_clear(v)                   \
	do {                           \
		mem_free((v)->at);     \
		(v)->at = NULL;        \
		(v)->n = (v)->cap = 0; \
	} while (0)

/* Moves the items of `from` to an empty array. */
#define vec_take(v, from)                    \
	do {                                 \
		vec_clear(v);                \
		(v)->at = (from)->at;        \
		(v)->n = (from)->n;          \
		(v)->cap = (from)->cap;      \
		(from)->at = NULL;           \
		(from)->n = (from)->cap = 0; \
	} while (0)

#endif
