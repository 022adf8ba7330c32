/* What a thread does, while its line is read (host.c). */
#ifndef TFPROF_LOAD_ANATOMY_THREAD_H
#define TFPROF_LOAD_ANATOMY_THREAD_H

#include "load/anatomy/scene.h"

/* A node: what its stats say, and its operation, if it is one. */
struct thread_node {
	uint32_t place;
	unsigned has;   /* FACT_… */
	unsigned class; /* WORK_NONE: it is no operation */
	uint32_t op_name;
};

/* What the state of a node follows from. */
struct thread_key {
	uint32_t up; /* the state of what it is within; NONE */
	uint32_t name, op_name;
	uint16_t has;
	uint8_t class;
	bool is_long, compiles;
};

/* What holds for a node, of it and of those that it is within. Names are texts; NONE: none.
 * Programs do the same again and again, so a state is found once for all nodes that have it. */
struct thread_state {
	struct thread_key key;
	uint32_t doing;    /* while nothing within it runs */
	uint32_t known;    /* of the nearest that tells a part */
	uint32_t unknown;  /* of the nearest of another name, if no frame is below it */
	uint32_t frame;    /* of the innermost Python frame below .known */
	uint32_t user;     /* of the frames, the innermost of the user's file */
	uint32_t called;   /* the innermost of other files that it calls, before any of a library */
	uint32_t file;     /* the user's: that of the outermost frame; 0: none */
	uint32_t compiles; /* of the outermost call that compiles */
	uint32_t traced;   /* of the outermost call that is traced */
	uint32_t call;     /* of the innermost call of a tf.function */
	uint8_t part;      /* that .known tells */
	bool is_library;   /* frames are no longer the user's */
	bool is_long;      /* the time of .frame */
	bool begins_step;  /* nothing but the marker of a step is around what comes next */
};

/* A node that may enclose the next one. */
struct thread_open {
	uint32_t node, state;
};

struct thread_reader {
	struct scene *s;
	const node_list *nodes;
	VEC(struct thread_state) states;
	struct hash_index state_index;
	uint32_t recent[1024];   /* states, by hash */
	VEC(uint32_t) state_of;  /* by node */
	VEC(uint32_t) n_compile; /* up to each node, how many compile something */
	VEC(struct thread_open) open;
	stretch_list stretches;
	int64_t at;
	uint32_t not_traced; /* text */
	uint32_t outside;    /* what it does in no node */
	uint32_t line;       /* a number of its own */
	uint64_t n_unknown_names;
};

/* False on allocation failure, all of them. */
bool thread_begin(struct thread_reader *r, struct scene *s, const node_list *nodes);
/* The nodes from `first` on are complete. */
bool thread_prepare(struct thread_reader *r, size_t first);
bool thread_add(struct thread_reader *r, struct thread_node n);
/* Only the nodes that are open stay: their places are from 0 on. */
bool thread_keep_open(struct thread_reader *r);
/* Nothing more comes. */
bool thread_end(struct thread_reader *r);
void thread_clear(struct thread_reader *r);

#endif
