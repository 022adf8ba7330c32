/* A query: accounts, filters and orders a view, and keeps what it finds in
 * arrays of its own. Tree views (scope, graph, code) are one algorithm; op
 * view is a list.
 *
 * The answer is the *shown* view nodes as a tree, in display order:
 *
 *     i → view[i]     index in the view (tree node, or group)
 *         parent[i]   index of the shown parent, depth[i]
 *         accounted[i], own[metric][i], total[metric][i], defined[i]
 *
 * 0 is the root. In op view the shown groups are its children, and a report
 * prints them as a list. */
#ifndef TFPROF_QUERY_QUERY_H
#define TFPROF_QUERY_QUERY_H

#include "query/metrics.h"
#include "query/options.h"
#include "query/regex.h"
#include "view/groups.h"
#include "view/tree.h"

struct query {
	const struct model *model;
	enum tfprof_view kind;
	const struct tfprof_options *options;
	const struct tree *tree;               /* scope, graph, code */
	const struct groups *groups;           /* op */
	const volatile int *cancel;
	unsigned metrics;                      /* bits of the metrics wanted */
	struct arena arena;
	struct regexes *account, *start, *trim, *show, *hide;
	uint32_t *picks;                       /* by type set: matching account regexes */
	bool wraps;                            /* numbers are the original's, see metrics.h */

	/* the answer */
	uint32_t n;
	uint32_t *view, *parent;
	int32_t *depth;
	bool *accounted;
	int64_t *own[N_METRICS], *total[N_METRICS];
	int64_t *defined;                      /* total_definition_count */
	bool saturated;                        /* a parameter count did not fit */

	/* what a writer of the answer ran into, TFPROF_OK if nothing */
	enum tfprof_status failed;
	struct tfprof_error error;
};

/* Which metrics the options look at: selected, ordered by, or limited. */
unsigned query_metrics(const struct model *m, const struct tfprof_options *o);

/* Fills the answer. `kind`, `model`, `options`, `metrics` and the view are
 * set by the caller; query_clear() frees in any case. */
enum tfprof_status query_run(struct query *q, struct tfprof_error *err);
void query_clear(struct query *q);

/* ---- for the views' own files ------------------------------------------- */

/* How often a node with this set of types is picked: 0 is not accounted. */
uint32_t query_picks(struct query *q, uint32_t types);

/* Picked graph nodes of a group or frame. A node's numbers count once per
 * match, how often it ran only once. */
struct picked {
	struct numbers sum;
	uint32_t n;                            /* distinct nodes picked */
};
struct picked query_pick(struct query *q, const uint32_t *nodes, size_t n);

/* The node's numbers at the step asked for. */
void query_numbers(const struct query *q, uint32_t node, struct numbers *out);
/* Whether minimums must be compared with numbers that wrap. */
bool query_needs_wrapping(const struct query *q);

bool query_name_shown(struct query *q, struct span name);
bool query_name_trimmed(struct query *q, struct span name);

/* The caller has asked to stop. */
bool query_cancelled(const struct query *q);
/* The same as a status. */
enum tfprof_status query_check_cancelled(const struct query *q, struct tfprof_error *err);

enum tfprof_status query_tree(struct query *q, struct tfprof_error *err);
enum tfprof_status query_list(struct query *q, struct tfprof_error *err);

/* The metric of an order_by word, -1 if it is none. */
int order_metric(enum order order);

#endif
