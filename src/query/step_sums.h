/* The metrics of groups of nodes in each of several steps, added up in one pass over nodes
 * and execs:
 *
 *     group g, step s → at[g * n_steps + s]
 *
 * Equal to the own numbers that views account at that step. */
#ifndef TFPROF_QUERY_STEP_SUMS_H
#define TFPROF_QUERY_STEP_SUMS_H

#include "base/clamped.h"
#include "query/metrics.h"

/* The steps of a table: one, or all. A profile without steps has one without a number. */
struct step_list {
	const struct model *model;
	int64_t only; /* negative: all */
	size_t n;
};

struct step_list step_list_of(const struct model *m, int64_t only);

/* The number of a step; -1 for that of a profile without steps. */
int64_t step_list_number(const struct step_list *steps, size_t place);
/* NONE if it is not in the list. */
uint32_t step_list_find(const struct step_list *steps, int64_t number);

/* Refuses more groups in more steps than tables can hold. */
enum tfprof_status step_list_check(const struct step_list *steps, size_t n_groups,
	struct tfprof_error *err);

struct step_sums {
	struct step_list steps;
	size_t n_groups;
	struct numbers *at;
	struct numbers *idle;    /* by group: what its nodes have without running */
	uint32_t *n_definitions; /* by group: its nodes */
};

/* Clear in any case. */
enum tfprof_status step_sums_init(struct step_sums *s, const struct step_list *steps,
	size_t n_groups, struct tfprof_error *err);
void step_sums_clear(struct step_sums *s);

void step_sums_add(struct step_sums *s, uint32_t node, size_t group);
/* Adds a group of sums over the same steps. */
void step_sums_merge(struct step_sums *to, size_t to_group, const struct step_sums *from,
	size_t from_group);

static inline struct numbers step_sums_get(const struct step_sums *s, size_t group, size_t place)
{
	struct numbers sum = s->idle[group];

	for (int i = 0; i < N_METRICS; i++)
		add_clamped(&sum.at[i], s->at[group * s->steps.n + place].at[i]);
	return sum;
}

#endif
