/* What is selected: the parameter `sel`, one term, as a set of nodes.
 *
 *     op:Mul   family:matrix   scope:unit_1_3   line:model.py:66   node:1234
 *     scope:unit_2_[0-4]          layers that the graph page shows as one (siblings.h)
 *     time:0,412000-640000        whatever ran in a stretch of a step, from its start
 *     find:conv                   whose name or type a regex finds
 *
 *     term ──view or timeline──> set of nodes ──> of each row of any view, the selected part
 *
 * The set does not depend on which rows the options hide, so that all pages count alike. */
#ifndef TFPROF_SERVER_SELECTION_H
#define TFPROF_SERVER_SELECTION_H

#include "server/table_json.h"
#include "server/view_query.h"

struct node_set {
	unsigned char *has; /* by node */
	size_t n_nodes;     /* in the profile */
	size_t n;           /* in the set */
};

struct selection {
	struct store *store;
	struct kept *kept;          /* the set; NULL: nothing is selected */
	struct kept *counted;       /* a result with a row of each node … */
	struct table_json table;    /* … and its columns */
	const int64_t *row_of_node; /* -1: it is not counted */
};

/* The selection of a call. Close it, also on failure. */
enum tfprof_status selection_open(struct selection *s, struct call *c, struct tfprof_error *err);
void selection_close(struct selection *s);

/* Whether a row of code view is a line: a path, maybe without its first directories, a colon
 * and a number. */
bool selection_is_line(const char *line, const struct table_json *t, int64_t row);

/* NULL if nothing is selected. */
const struct node_set *selection_get(const struct selection *s);

/* The metric ("exec_micros") of a node. */
int64_t selection_count(const struct selection *s, const char *metric, size_t node);

/* The selected part of each row's own metric or, with `totals`, of its total. What no row
 * shows, such as a node without a call stack, counts for the root. Free it. NULL if nothing
 * is selected. */
enum tfprof_status selection_sum(const struct selection *s, const struct table_json *t,
	tfprof_result *result, const char *metric, bool totals, int64_t **sums,
	struct tfprof_error *err);

#endif
