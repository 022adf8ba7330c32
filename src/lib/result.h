/* The answer of a question. Some answers (those of views and the advisor) are rendered on
 * request from the profile: a result counts as one of its users, and before the profile changes
 * each result keeps what may still be requested.
 *
 *     result ── answer          its table, or the rows of a view
 *            ── text, notes     what its output said
 *            ── kept[]          once it is detached
 */
#ifndef TFPROF_LIB_RESULT_H
#define TFPROF_LIB_RESULT_H

#include <stdatomic.h>

#include "advise/findings.h"
#include "ask/question.h"
#include "lib/profile.h"
#include "write/writer.h"

struct tfprof_result {
	struct tfprof_profile *profile;
	struct tfprof_result *next, **link; /* among those of the profile */
	atomic_size_t n_users;              /* the caller, and Arrow arrays */
	pthread_mutex_t lock;               /* held while rendering */
	bool is_detached;                   /* the profile has changed, or is not needed */
	bool is_ready;                      /* its question was answered */

	tfprof_options *options; /* a copy */
	struct answer answer;

	struct buf text, notes;
	enum { MESSAGE_WHOLE, MESSAGE_ROOT, MESSAGE_NONE } message;
	struct buf kept[N_FORMATS];
};

/* The caller holds the profile's lock for reading. NULL on allocation failure. */
tfprof_result *result_new(struct tfprof_profile *p);

/* Writes in a format to an open sink; the caller holds the locks of the profile and of
 * the result. `said` gets what else belongs on stdout. */
enum tfprof_status result_write(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err);

/* The error of asking for what was not kept. */
enum tfprof_status result_detached(struct tfprof_error *err);

/* Call before the profile changes, with its lock held for writing: every result keeps
 * what may still be requested. */
void results_detach(struct tfprof_profile *p);
bool results_exist(struct tfprof_profile *p);

/* Locks the result and its profile, the latter in the state that the format needs. On
 * failure nothing is locked. */
enum tfprof_status result_lock(tfprof_result *r, enum profile_state state,
	struct tfprof_error *err);
/* Like profile_unlock(). */
enum tfprof_status result_unlock(tfprof_result *r, enum tfprof_status status,
	struct tfprof_error *err);
enum profile_state result_state(const tfprof_result *r, enum format format);

#endif
