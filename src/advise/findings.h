/* The findings of the advisor as a table, one row each, in report order. */
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

/* False on allocation failure; clear the table in any case. */
bool findings_make(struct column_table *t, const struct advice *a);

#endif
