/* Results for a call's view and options, from the store. */
#ifndef TFPROF_SERVER_VIEW_QUERY_H
#define TFPROF_SERVER_VIEW_QUERY_H

#include "server/call.h"
#include "server/store.h"

/* Beyond any tree. */
#define VIEW_ALL_DEPTHS "1000000000"

/* The options of a call: every parameter that is the name of one, over defaults that
 * show all nodes. Free them. */
enum tfprof_status view_options(const struct call *c, tfprof_options **options,
	struct tfprof_error *err);

/* The model file among a profile's inputs; NULL: none. */
const char *view_find_model_file(const struct shown_profile *p);

/* The call's options over the command line's defaults. */
enum tfprof_status view_given_options(const struct call *c, tfprof_options **options,
	struct tfprof_error *err);

/* The result of a view with the call's options. Release it with store_release(). */
enum tfprof_status view_query(struct call *c, enum tfprof_view view, struct kept **kept,
	struct tfprof_error *err);
/* The same with options of the caller's choice. */
enum tfprof_status view_query_with(struct call *c, enum tfprof_view view, tfprof_options *options,
	struct kept **kept, struct tfprof_error *err);

/* A query without what hides or limits rows: every node that counts has a row. */
enum tfprof_status view_query_all(struct call *c, enum tfprof_view view, struct kept **kept,
	struct tfprof_error *err);
/* A key for what depends on that: its kind, the profile and these options. */
enum tfprof_status view_put_key(const struct call *c, const char *kind, struct buf *key,
	struct tfprof_error *err);

/* The answer of a question, with default options. Release it likewise. */
enum tfprof_status view_ask(struct call *c, const char *question, struct kept **kept,
	struct tfprof_error *err);

/* The view that a call names. */
enum tfprof_status view_of_call(const struct call *c, enum tfprof_view *view,
	struct tfprof_error *err);

/* The timeline of a step, or of all. */
enum tfprof_status view_timeline(struct call *c, int64_t step, struct kept **kept,
	struct tfprof_error *err);

/* The profile a call names. */
enum tfprof_status view_profile(const struct call *c, struct shown_profile **profile, int64_t *p,
	struct tfprof_error *err);

/* The node of a number or of a name; SIZE_MAX if there is none. */
size_t view_find_node(tfprof_profile *profile, const char *text);

/* For makers of the store. */
void view_free_result(void *result);
size_t view_count_result_bytes(void *result);

/* Of a timeline, an estimate: for makers. */
size_t view_count_timeline_bytes(void *timeline);

#endif
