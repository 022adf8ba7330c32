/* A profile as plain tables, for many profiles together: every step in one pass, with the
 * step and the device as columns. docs/fleet.md lists the columns, query/table_list.h lists them.
 *
 * Numbers of a node belong to the device it was placed on. */
#ifndef TFPROF_ASK_TABLES_H
#define TFPROF_ASK_TABLES_H

#include "query/step_sums.h"
#include "query/table.h"
#include "query/table_list.h"
#include "view/tree.h"

/* What a table is made of. */
struct table_source {
	const struct model *model;
	struct step_list steps;
	const uint32_t *by_name; /* for nodes: in byte order of their names */
	const struct tree *code; /* for lines: NULL without call stacks */
};

/* On failure, too, clear the table. */
typedef enum tfprof_status table_maker(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err);

#define X(name, ...) table_maker table_make_##name;
TABLES(X)
#undef X

/* What there is in a model. */
void table_summarize(const struct model *m, struct tfprof_summary *s);

/* ---- for files of these tables -------------------------------------------- */

/* The own metrics, as columns. `prefix` "" or "total_". */
#define METRIC_INFO(prefix, column, unit) \
	{prefix #column, TFPROF_COLUMN_INT64, UNIT_NAME_##unit, 0},
#define OWN_INFO(id, word, column, unit, ...) METRIC_INFO("", column, unit)
#define TOTAL_INFO(id, word, column, unit, ...) METRIC_INFO("total_", column, unit)

/* Puts numbers into the N_METRICS columns from `first` on. */
static inline void table_put_numbers(struct table_column *first, size_t row,
	const struct numbers *numbers)
{
#define X(id, ...) (first++)->numbers[row] = numbers->at[METRIC_##id];
	METRICS_IN_RESULTS(X)
#undef X
}

/* Starts a table of n × n_steps rows. Refuses more than fit in memory by a wide margin:
 * a small file can claim many steps and many nodes. */
enum tfprof_status table_start(struct column_table *t, const struct tfprof_column_info *infos,
	size_t n_columns, const struct step_list *steps, size_t n, struct tfprof_error *err);

#endif
