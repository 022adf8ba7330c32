/* A profile of the public API: the model, its views, and the locks that let queries
 * run in parallel. */
#ifndef TFPROF_LIB_PROFILE_H
#define TFPROF_LIB_PROFILE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/sink.h"
#include "lib/names.h"
#include "lib/output.h"
#include "load/inputs.h"
#include "model/model.h"
#include "query/query.h"

/* An input that was added. */
struct profile_input {
	char *path; /* NULL: it was given as bytes */
	enum input_kind kind;
	uint64_t n_bytes;
};

struct tfprof_profile {
	atomic_size_t n_users;               /* the caller, and results */
	struct tfprof_profile *next, **link; /* of all profiles, see fork.c */
	bool is_held;                        /* by a thread that forks */
	pthread_mutex_t results_lock;
	struct tfprof_result *results; /* not freed yet */
	struct model model;
	pthread_rwlock_t lock;                   /* queries read, adding writes */
	pthread_mutex_t building;                /* while a view is built; others wait for it */
	struct tree trees[N_VIEWS * TREE_FLAGS]; /* empty until first use */
	uint32_t *by_name;  /* nodes in byte order of their names; NULL until first use */
	struct names names; /* built on first use, like views */
	struct arena spare; /* memory of the last query, for the next one */
	size_t n_marked;    /* nodes looked up in the checkpoint so far */
	file_ids files;     /* that it was loaded from */
	char *notes;
	uint64_t counted; /* the generation that float operations were counted in, or 0 */
	VEC(struct profile_input) inputs;
};

/* Lets fork() wait for what changes the profile; see fork.c. */
void profile_enlist(struct tfprof_profile *p);
void profile_delist(struct tfprof_profile *p);

/* One more user: the profile is freed with the last. */
void profile_use(struct tfprof_profile *p);

/* What a reader needs. */
enum profile_state {
	PROFILE_LOADED,
	PROFILE_INDEXED,    /* also nodes by name; see model_index_names() */
	PROFILE_COMPLETE,   /* also edges, outputs and shapes; see model_complete() */
	PROFILE_WITH_PEAKS, /* also peaks of compiled programs; see model_find_peaks() */
};

/* Locks for reading, at least in this state; on failure nothing is locked. */
enum tfprof_status profile_lock(struct tfprof_profile *p, enum profile_state state,
	struct tfprof_error *err);
/* Returns the status, or an error if a file has changed since it was read, or what
 * was read turned out to be damaged. */
enum tfprof_status profile_unlock(struct tfprof_profile *p, enum tfprof_status status,
	struct tfprof_error *err);

/* Sets the view of a query, building it if necessary. The caller holds the lock for
 * reading. */
enum tfprof_status profile_view(struct tfprof_profile *p, struct query *q,
	struct tfprof_error *err);
/* Nodes in byte order of their names, likewise. */
enum tfprof_status profile_by_name(struct tfprof_profile *p, const uint32_t **nodes,
	struct tfprof_error *err);

/* An error that lists the steps, unless `step` is one of them or negative. */
enum tfprof_status profile_check_step(const struct tfprof_profile *p, int64_t step,
	bool like_tensorflow, struct tfprof_error *err);

/* Counts float operations that are missing, once; notes get lines for the user. */
enum tfprof_status profile_count_float_ops(struct tfprof_profile *p, struct buf *notes,
	struct tfprof_error *err);

/* output_open() for who does not hold the lock. */
enum tfprof_status profile_open_output(struct tfprof_profile *p, struct sink *out, const char *path,
	enum sink_format format, struct tfprof_error *err);

/* Drops what was built from the model before it changes. */
void profile_drop_views(struct tfprof_profile *p);

/* Lends the memory of the previous query to the next one. */
struct arena profile_lend_arena(struct tfprof_profile *p);
void profile_return_arena(struct tfprof_profile *p, struct arena *arena);

#endif
