/* The state of the sweep (sweep.c), and what surrounds it (sweep_lists.c). */
#ifndef TFPROF_LOAD_ANATOMY_SWEEP_H
#define TFPROF_LOAD_ANATOMY_SWEEP_H

#include "load/anatomy/scene.h"

/* Compute, communication, copy, input: in this order the first that is alive is the part. */
enum { SWEEP_CLASSES = ANATOMY_INPUT + 1 };

/* A cause of a part; of work, what is alive: .part is its class. */
struct slot {
	struct doing key;
	uint32_t n_alive;
	uint32_t previous, next; /* alive of its class, in the order they began */
	double entered;          /* its class' share then */
	double ps;               /* got in this window */
	bool is_touched;         /* got some */
	struct span text;        /* once it was needed */
};

struct class_state {
	size_t n_alive;
	uint32_t first, last; /* slots */
	double share;         /* that each one alive got since the window began */
};

struct device_state {
	int n_alive[SWEEP_CLASSES];
	unsigned state; /* the best class alive; SWEEP_CLASSES: none */
	int64_t parts[N_ANATOMY_PARTS], base[N_ANATOMY_PARTS];
};

/* What a stretch of time got. */
struct part_moment {
	int64_t start, end;
	uint32_t part, slot; /* NONE: several, or not known */
};

/* A step, or the gap before one. */
struct window {
	int64_t start, end;
	int64_t first_work, last_work; /* of the operations in it */
	uint32_t step;
	bool is_gap;
};

struct sweep {
	struct scene *s;
	struct anatomy *to;
	VEC(struct slot) slots;
	struct hash_index index;
	uint32_t recent[4096]; /* slots, by hash */
	VEC(uint32_t) touched;
	uint32_t *slot_of; /* by work */
	struct class_state classes[WORK_NONE];
	VEC(uint32_t) heap; /* of stages */
	size_t n_devices;
	struct device_state *devices;
	int n_alive_of_all[SWEEP_CLASSES];
	int n_alive_on_devices;
	/* What a device with this state would have got since the window began. */
	int64_t of_state[SWEEP_CLASSES + 1][N_ANATOMY_PARTS];
	VEC(struct window) windows;
	const struct window *window; /* NULL: none is open */
	/* By time; id: 2 × work, + 1 if it ends; then stages that begin; else nothing. */
	struct sort_item *times;
	size_t n_times;
	size_t thread;              /* the stretch that it is at */
	VEC(struct sort_item) keys; /* to sort causes */
	VEC(struct anatomy_cause) unsorted;
	int64_t parts[N_ANATOMY_PARTS], hidden[N_ANATOMY_PARTS], input_work_ps;
	VEC(struct part_moment) moments;
	bool failed;
};

static inline int64_t sweep_time(const struct sweep *w, size_t i)
{
	return (int64_t)(w->times[i].key ^ (uint64_t)1 << 63);
}

/* False on allocation failure. */
bool sweep_init(struct sweep *w);
void sweep_clear(struct sweep *w);

/* The slot of a cause, made if it is new; NONE on allocation failure, which .failed has. */
uint32_t sweep_find_slot(struct sweep *w, struct doing key);

/* In words. */
void sweep_put_cause(struct buf *b, const struct scene *s, struct doing key);

/* Hands the moments over. False on allocation failure. */
bool sweep_list_moments(struct sweep *w);

/* The causes that got some in this window, largest first. False on allocation failure. */
bool sweep_list_causes(struct sweep *w, struct anatomy_causes *causes);

#endif
