/* A profile as the library hands it out: the model, its views, and the locks
 * that let queries run side by side. */
#ifndef TFPROF_LIB_PROFILE_H
#define TFPROF_LIB_PROFILE_H

#include <pthread.h>

#include "base/file_id.h"
#include "base/sink.h"
#include "lib/names.h"
#include "model/model.h"
#include "view/groups.h"
#include "view/tree.h"

/* Code view comes with and without source text in its labels. */
enum view_slot { SLOT_SCOPE, SLOT_GRAPH, SLOT_CODE, SLOT_CODE_SOURCE, N_SLOTS };

struct tfprof_profile {
	struct model model;
	pthread_rwlock_t lock;    /* queries read, adding writes */
	pthread_mutex_t building; /* one builds a view, the others wait for it */
	struct tree trees[N_SLOTS];
	struct groups groups;
	bool has_tree[N_SLOTS], has_groups;
	uint32_t *by_name;         /* nodes in byte order of their names; NULL: not asked yet */
	struct names names;        /* built when first asked for, like views */
	struct arena spare;        /* memory of the last query, for the next one */
	size_t n_marked;           /* nodes looked up in the checkpoint so far */
	VEC(struct file_id) files; /* it was loaded from */
	char *notes;
};

/* Whether a reader looks at edges, outputs or shapes, see model_complete(). */
enum profile_state { PROFILE_LOADED, PROFILE_COMPLETE };

/* Locks for reading, in this state at least; on failure nothing is locked. */
enum tfprof_status profile_lock(struct tfprof_profile *p, enum profile_state state,
	struct tfprof_error *err);
/* Returns the status, or another one if what was read turned out to be damaged. */
enum tfprof_status profile_unlock(struct tfprof_profile *p, enum tfprof_status status,
	struct tfprof_error *err);

/* The view of the model as it is now, built if need be. The caller holds the
 * lock for reading. */
enum tfprof_status profile_tree(struct tfprof_profile *p, enum view_slot slot,
	const struct tree **tree, struct tfprof_error *err);
enum tfprof_status profile_groups(struct tfprof_profile *p, const struct groups **groups,
	struct tfprof_error *err);
/* Nodes in byte order of their names, likewise. */
enum tfprof_status profile_by_name(struct tfprof_profile *p, const uint32_t **nodes,
	struct tfprof_error *err);

/* Forgets what was built of the model as it was. */
void profile_drop_views(struct tfprof_profile *p);

/* Refuses to write a report over a file that the profile was loaded from. */
enum tfprof_status profile_check_outfile(const struct tfprof_profile *p, const char *path,
	struct tfprof_error *err);

/* Memory for a query, and back. */
struct arena profile_lend_arena(struct tfprof_profile *p);
void profile_return_arena(struct tfprof_profile *p, struct arena *arena);

#endif
