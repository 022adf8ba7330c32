/* The findings of the advisor as a table: a row each, in the order of the report. */
#ifndef TFPROF_ADVISE_FINDINGS_H
#define TFPROF_ADVISE_FINDINGS_H

#include "advise/advise.h"
#include "query/table.h"

/* id, name, type, unit */
/* clang-format off */
#define FINDING_COLUMNS(X)                                                     \
	X(CHECKER, "checker", TEXT, NULL)                                      \
	X(WHAT, "what", TEXT, NULL)                                            \
	X(LEVEL, "level", TEXT, NULL)                                          \
	X(CONFIDENCE, "confidence", TEXT, NULL)                                \
	X(TEXT, "text", TEXT, NULL)                                            \
	X(REMEDY, "remedy", TEXT, NULL)                                        \
	X(STEP, "step", INT64, NULL)                                           \
	X(MICROS, "micros", INT64, "microseconds")                             \
	X(BYTES, "bytes", INT64, "bytes")                                      \
	X(SHARE, "share", DOUBLE, NULL)                                        \
	X(DEVICES, "devices", TEXTS, NULL)                                     \
	X(NODES, "nodes", TEXTS, NULL)                                         \
	X(OPS, "ops", TEXTS, NULL)                                             \
	X(LINES, "lines", TEXTS, NULL)
/* clang-format on */

enum finding_column {
#define X(id, name, type, unit) FINDING_##id,
	FINDING_COLUMNS(X)
#undef X
		N_FINDING_COLUMNS
};

struct findings {
	struct table_column columns[N_FINDING_COLUMNS];
	size_t n_rows;
};

/* False on allocation failure; clear in any case. */
bool findings_make(struct findings *f, const struct advice *a);
void findings_clear(struct findings *f);

/* NULL beyond the last. */
const char *findings_get_column_name(size_t i);
/* False if there is no such column. */
bool findings_get_column(const struct findings *f, const char *name, struct tfprof_column *column);

#endif
