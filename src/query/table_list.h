/* The tables of the question `table`: name, what it is made of (enum table_needs), the column
 * that names a row, help.
 * The name is a word of the option table, and ask/tables_*.c defines table_make_NAME. */
#ifndef TFPROF_QUERY_TABLE_LIST_H
#define TFPROF_QUERY_TABLE_LIST_H

/* clang-format off */
#define TABLES(X)                                                              \
	X(ops, FROM_MODEL, "op", "per step, device and operation type: own numbers") \
	X(nodes, FROM_NAMES, "name", "per step and node: own numbers")                 \
	X(lines, FROM_CODE, "path", "per step and line of code: own and total numbers") \
	X(steps, FROM_MODEL, "", "per step: when it ran, sums")                    \
	X(parts, FROM_MODEL, "part", "per step of a trace and part: what its time went to") \
	X(devices, FROM_MODEL, "device", "per step and device: when it was busy")        \
	X(summary, FROM_MODEL, "graph_hash", "one row: counts, what there is, a hash of names and types")
/* clang-format on */

enum table_needs { FROM_MODEL, FROM_NAMES, FROM_CODE };

#endif
