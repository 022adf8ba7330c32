/* What a query or the advisor found. It is rendered on request, so it needs
 * the profile: it counts as one of its users, and before the profile changes each
 * result keeps what may still be requested.
 *
 *     result ── query, columns made so far            of a view
 *            or advice, and a table of its findings
 *            or the answer of a question
 *            or what a model costs, and a table of its layers
 *            or a comparison, and a table of its rows
 *            ── text, notes                           what its output said
 *            ── kept[]                                once it is detached
 */
#ifndef TFPROF_LIB_RESULT_H
#define TFPROF_LIB_RESULT_H

#include <stdatomic.h>

#include "advise/findings.h"
#include "advise/report.h"
#include "ask/question.h"
#include "lib/profile.h"
#include "write/diff_report.h"
#include "write/model_report.h"
#include "write/writer.h"

struct tfprof_result {
	struct tfprof_profile *profile;
	struct tfprof_result *next, **link; /* among those of the profile */
	atomic_size_t n_users;              /* the caller, and Arrow arrays */
	pthread_mutex_t lock;               /* held while rendering */
	bool is_detached;                   /* the profile has changed */
	bool is_advice;
	bool is_table; /* its columns are those of the answer's table */
	bool is_ready; /* its query or checkers have run */

	enum tfprof_view view;
	size_t n_rows;
	tfprof_options *options; /* a copy, for the query */
	struct query query;
	struct columns columns;

	tfprof_advice_options *checkers; /* likewise, for advice */
	struct advice advice;
	const struct question *question; /* NULL: a view, advice, a model or a comparison */
	struct answer answer;

	struct model_report *model; /* of a model; `options` has its output */
	tfprof_model_options *model_options;
	int n_exceeded, n_unknown;

	struct diff_report *diff; /* of a comparison; the table is made on first use */

	struct buf text, notes;
	enum { MESSAGE_WHOLE, MESSAGE_ROOT, MESSAGE_NONE } message;
	struct buf kept[N_FORMATS];
};

/* The caller holds the profile's lock for reading. NULL on allocation failure. */
tfprof_result *result_new(struct tfprof_profile *p);

/* What a model costs (model.c). */
enum tfprof_status model_write(tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err);
void model_report_free(struct model_report *report);

/* A comparison (diff.c). */
enum tfprof_status diff_write(tfprof_result *r, enum format format, struct sink *out,
	struct tfprof_error *err);
enum tfprof_status diff_need_table(tfprof_result *r, struct tfprof_error *err);
void diff_report_free(struct diff_report *report);

/* Writes in a format to an open sink; the caller holds the locks of the profile and of
 * the result. `said` gets what else belongs on stdout. */
enum tfprof_status result_write(tfprof_result *r, enum format format, struct sink *out,
	struct buf *said, struct tfprof_error *err);

/* Runs a query and shows its rows to `visit`, on a complete profile that cannot change
 * in between. */
typedef enum tfprof_status query_visit_fn(const struct query *q, void *context,
	struct tfprof_error *err);
enum tfprof_status profile_visit_query(struct tfprof_profile *p, enum tfprof_view view,
	const tfprof_options *options, const volatile int *cancel, query_visit_fn *visit,
	void *context, struct tfprof_error *err);

/* Runs the query, or runs it again for more metrics. */
enum tfprof_status result_run_query(tfprof_result *r, unsigned metrics, struct tfprof_error *err);

/* Runs it again if it lacks some of these metrics. */
enum tfprof_status result_need_metrics(tfprof_result *r, unsigned metrics,
	struct tfprof_error *err);
/* The error of asking for what was not kept. */
enum tfprof_status result_detached(struct tfprof_error *err);

/* What the query shows for a format: text is cut at max_depth and omits scopes that are not
 * accounted. In other formats, these options must be set to matter. */
void result_set_extent(tfprof_result *r, enum format format);
/* Whether the rows found are those of a format. */
bool result_has_extent(const tfprof_result *r, enum format format);
/* The rows of the result itself, found or not. */
size_t result_count_rows(const tfprof_result *r);

/* Runs the query again in memory of its own, with what the caller has changed. The
 * caller keeps a copy of the one before, to which result_restore() returns in any case. */
enum tfprof_status result_vary(tfprof_result *r, struct tfprof_error *err);
void result_restore(tfprof_result *r, const struct query *whole);

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
