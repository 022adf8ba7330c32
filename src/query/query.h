/* A query accounts, filters and orders a view, and keeps the result in its own arrays.
 * Scope, graph and code view share one algorithm (tree.c); op view, a tree of one
 * level, has its own (op.c).
 *
 * The result is the *shown* view nodes as a tree, in display order:
 *
 *     i → view[i]     index in the view's tree
 *         parent[i]   index of the shown parent, depth[i]
 *         query_own(), query_total(), query_is_accounted(), query_defined()
 *
 * 0 is the root. Numbers stay where they were added up, by view node: the result
 * refers to them and holds no copy. */
#ifndef TFPROF_QUERY_QUERY_H
#define TFPROF_QUERY_QUERY_H

#include "model/executed.h"
#include "query/metrics.h"
#include "query/options.h"
#include "query/regex.h"
#include "view/tree.h"

/* The wanted metrics of view nodes. Own numbers are kept where they are sums; those of
 * a graph node are recomputed on demand, because fresh memory costs more. */
struct number_rows {
	int64_t *total;            /* by view node: a row of n numbers */
	int64_t *own;              /* likewise; NULL: recompute from the graph node */
	uint8_t n;                 /* wanted metrics */
	uint8_t metric[N_METRICS]; /* by slot */
	uint8_t slot[N_METRICS];   /* by metric; NO_SLOT: not wanted */
};

enum { NO_SLOT = 255 };

/* Flags of a view node. */
enum row_flags {
	ROW_ACCOUNTED = 1,
	ROW_STAYS = 2,   /* accounted, or (scope, code) an ancestor of an accounted node */
	ROW_STARTED = 4, /* matches start, or is below such a node */
	ROW_ALIVE = 8,   /* the row's children are walked */
	ROW_SHOWN = 16,
	ROW_PASSES = 32,    /* reaches the minimums */
	ROW_CUT = 64,       /* would be shown, were it not deeper than max_depth */
	ROW_UNLISTED = 128, /* would be shown, were it accounted */
};

/* The minimums that a row may miss: at most two options compare the same number. */
struct minimums {
	size_t n;
	uint8_t slot[2 * N_METRICS];
	int64_t least[2 * N_METRICS];
};

/* Minimums that TensorFlow's profiler has, and minimums it does not have. */
enum minimum_set { MINIMUMS_OF_TENSORFLOW = 1, OTHER_MINIMUMS = 2, ALL_MINIMUMS = 3 };

struct query {
	const struct model *model;
	enum tfprof_view kind;
	const struct tfprof_options *options;
	const struct tree *tree;
	const uint32_t *by_name; /* nodes in byte order of their names, for
				    messages of op and code view */
	const volatile int *cancel;
	bool all_depths;     /* ignore max_depth, which was not set */
	bool counts_cut;     /* find n_cut */
	bool only_accounted; /* show no scope that is there only for the nodes in it */
	unsigned metrics;    /* bits of the wanted metrics */
	struct arena arena;
	struct regexes *account, *start, *trim, *show, *hide;
	uint32_t *picks;    /* by type set: matching account regexes */
	bool sees_executed; /* types include what nodes ran as and where they are placed */
	int64_t step;       /* negative: the average of all */
	bool wraps;         /* averages wrap as in TensorFlow's profiler, see metrics.h */
	struct minimums min_own, min_total;

	/* the result */
	uint32_t n;
	uint32_t *view, *parent;
	int32_t *depth;
	struct number_rows numbers;
	uint8_t *flags;    /* by view node: enum row_flags */
	uint32_t *defined; /* by view node: total_definition_count */
	bool saturated;    /* a parameter count overflowed */
	size_t n_cut;      /* rows that max_depth alone keeps from being shown */
	size_t n_unlisted; /* rows that only_accounted keeps from being shown */

	/* the error of a writer of the result, or TFPROF_OK */
	enum tfprof_status failed;
	struct tfprof_error error;
};

/* The metrics the options need: selected, ordered by, or with a minimum. */
unsigned query_metrics(const struct model *m, const struct tfprof_options *o);
/* The same without the metrics that are needed because of what the model has. */
unsigned query_asked_metrics(const struct tfprof_options *o);

/* Fills the result. The caller sets `kind`, `model`, `options`, `metrics` and the view,
 * and calls query_clear() in any case. */
enum tfprof_status query_run(struct query *q, struct tfprof_error *err);
/* Accounts more metrics for the rows that were found. Not where totals depend on the
 * rows shown or their order: such a query has to run again. */
bool query_can_add_metrics(const struct query *q);
enum tfprof_status query_add_metrics(struct query *q, unsigned metrics, struct tfprof_error *err);
void query_clear(struct query *q);

/* Whether rows stand for several graph nodes, as in op and code view. */
static inline bool query_has_groups(const struct query *q)
{
	return q->tree->first_node;
}

/* ---- the i-th shown node -------------------------------------------------- */

static inline bool query_has(const struct query *q, enum metric metric)
{
	return q->numbers.slot[metric] != NO_SLOT;
}

static inline int64_t *query_total_row(const struct query *q, size_t v)
{
	return q->numbers.total + v * q->numbers.n;
}

static inline int64_t *query_kept_own(const struct query *q, size_t v)
{
	return q->numbers.own + v * q->numbers.n;
}

/* Own numbers of a view node; `room` is used if they must be recomputed. */
const int64_t *query_own_row(const struct query *q, uint32_t v, int64_t room[N_METRICS]);

static inline int64_t query_own(const struct query *q, enum metric metric, uint32_t i)
{
	int64_t room[N_METRICS];

	return query_own_row(q, q->view[i], room)[q->numbers.slot[metric]];
}

static inline int64_t query_total(const struct query *q, enum metric metric, uint32_t i)
{
	return query_total_row(q, q->view[i])[q->numbers.slot[metric]];
}

static inline bool query_is_accounted(const struct query *q, uint32_t i)
{
	return q->flags[q->view[i]] & ROW_ACCOUNTED;
}

static inline int64_t query_defined(const struct query *q, uint32_t i)
{
	return q->defined[q->view[i]];
}

/* The graph node of a row in scope and graph view, or NONE. */
static inline uint32_t query_node(const struct query *q, uint32_t i)
{
	return i && q->tree->node ? q->tree->node[q->view[i]] : NONE;
}

/* The graph nodes of a view node in op and code view, picked or not. */
struct row_nodes {
	const uint32_t *at;
	size_t n;
};

static inline struct row_nodes query_nodes(const struct query *q, uint32_t view)
{
	const uint32_t *first = q->tree->first_node;

	if (!first)
		return (struct row_nodes){0};
	return (struct row_nodes){q->tree->nodes + first[view], first[view + 1] - first[view]};
}

/* Rows sorted by a number are scattered in memory: prefetches those to come, step by
 * step, since each load gives the address of the next. `texts`: also what their labels
 * say. */
PREFETCHES query_prefetch_row(const struct query *q, uint32_t row, bool texts)
{
	enum { AHEAD = 5 };
	const struct tree *t = q->tree;
	const struct model *m = q->model;
	const uint32_t *view = q->view + row;
	uint32_t node;

	if (q->n - row <= 4 * AHEAD)
		return;
	prefetch_bytes((const char *)query_total_row(q, view[AHEAD]),
		q->numbers.n * sizeof(*q->numbers.total));
	if (texts) {
		struct span label = *tree_label_at(t, view[AHEAD]);

		prefetch_bytes(label.at, label.n);
	}
	prefetch_line(tree_label_at(t, view[2 * AHEAD]));
	if (!t->node)
		return;
	metrics_prefetch_exec(m, t->node[view[AHEAD]]);
	node = t->node[view[3 * AHEAD]];
	metrics_prefetch_node(m, node);
	if (node != NONE)
		prefetch_line(&m->nodes.name[node]);
	prefetch_line(&t->node[view[4 * AHEAD]]);
}

/* ---- for files of this folder ------------------------------------------- */

static inline int64_t query_max_depth(const struct query *q)
{
	return q->all_depths ? INT64_MAX : q->options->number[OPT_MAX_DEPTH];
}

/* Allocates the numbers, flags and definition counts of n view nodes. */
bool query_allocate_rows(struct query *q, size_t n);

static inline bool query_reaches(const struct minimums *min, const int64_t *row)
{
	for (size_t i = 0; i < min->n; i++)
		if (row[min->slot[i]] < min->least[i])
			return false;
	return true;
}

/* Sets the own numbers of a view node, which are its total until others are added, and
 * its flags. */
void query_put_own(const struct query *q, size_t v, const struct numbers *own, bool accounted);

/* How many account regexes pick a node with this set of types; 0: not accounted. */
static inline uint32_t query_picks(const struct query *q, uint32_t types)
{
	return q->picks[types];
}

/* The types of a node as this query sees them. */
static inline uint32_t query_types(const struct query *q, uint32_t node)
{
	return q->sees_executed ? model_types(q->model, node) : q->model->nodes.types[node];
}

/* The device of a node, the same way; 0: unknown. */
static inline uint32_t query_device(const struct query *q, uint32_t node)
{
	return q->sees_executed ? model_device(q->model, node) : q->model->nodes.device[node];
}

/* The shape that arrives over an edge in the step asked for; messages see that of the graph. */
uint32_t query_edge_shape(const struct query *q, const struct edge *e);

static inline uint32_t query_picks_node(const struct query *q, uint32_t node)
{
	return query_picks(q, query_types(q, node));
}

/* Accounts view nodes that are graph nodes or, if NONE, empty parents. The first is the
 * root. */
void query_account_nodes(struct query *q, const uint32_t *nodes, size_t n);

/* The picked graph nodes of an op or frame. A node's numbers count once per matching
 * regex, its runs only once. */
struct picked {
	struct numbers sum;
	uint32_t n; /* distinct nodes picked */
};

/* Accounts n groups, nodes[first[g] … first[g + 1]]; first[0] need not be 0. */
void query_account_groups(const struct query *q, const uint32_t *first, const uint32_t *nodes,
	size_t n, struct picked *picked);

/* Adds a row to another. Sums wrap, except that of parameters. */
void query_add_row(const struct number_rows *numbers, int64_t *restrict to,
	const int64_t *restrict from);

/* Sets min_own and min_total from the options. */
void query_find_limits(struct query *q, enum minimum_set which);

/* Whether minimums must be compared with numbers that wrap. */
bool query_needs_wrapping(const struct query *q);
/* Accounts twice: with wrapping numbers, to find which rows pass the minimums of
 * TensorFlow's profiler, then with the real ones. False on allocation failure. */
bool query_account_both_ways(struct query *q, bool (*account)(void *context), void *context);

bool query_name_shown(struct query *q, struct span name);
/* Clears ROW_SHOWN, ROW_CUT and ROW_UNLISTED of nodes whose names are filtered out. */
enum tfprof_status query_filter_names(struct query *q, size_t n, struct tfprof_error *err);
bool query_name_trimmed(struct query *q, struct span name);

/* Before all names shown are copied: an error if they are too long. Each scope repeats those it
 * is in, so that 10⁶ within each other, of an input of 2 MB, take 1 TB. */
enum tfprof_status query_check_names(const struct query *q, struct tfprof_error *err);

/* Whether the caller has asked to stop. */
bool query_cancelled(const struct query *q);
/* Whether the caller has, or a regex has exceeded its limit: either ends the query. Asked for each
 * name, as matching one may take milliseconds. */
bool query_must_stop(const struct query *q);
/* query_cancelled() as a status. */
enum tfprof_status query_check_cancelled(const struct query *q, struct tfprof_error *err);
/* The error of a failed match, or TFPROF_OK. */
enum tfprof_status query_check_regexes(const struct query *q, struct tfprof_error *err);

enum tfprof_status query_tree(struct query *q, struct tfprof_error *err);

/* The shown part of a tree, by view node. */
struct shown_tree {
	uint32_t *parent; /* nearest shown ancestor */
	int32_t *depth;
	uint32_t *n_picked;     /* code view */
	uint32_t *first, *size; /* scratch memory of query_display() */
};

/* Allocates all but n_picked; false on allocation failure. */
bool query_allocate_shown(struct query *q, struct shown_tree *shown);

/* The last phase of a tree query: puts shown nodes in display order. Overwrites what
 * `shown` points to. */
bool query_display(struct query *q, const struct shown_tree *shown);

enum tfprof_status query_op(struct query *q, struct tfprof_error *err);

/* The metric of an order, or -1. */
int order_metric(enum order order);

#endif
