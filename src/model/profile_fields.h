/* Fields of our own in a ProfileProto, which TensorFlow skips.
 *
 * Of the profile: transfers, for the advisor. { step = 1, device = 2,
 * NodeExecStats = 3 }; if a tracer recorded it, NUMBERS_VERSION; whether
 * its float operations are of an assumed batch, whether its nodes are layers, and
 * whether it has a graph of which no node has an input.
 * Of a node: the position of its first control input, if it has any; the types
 * it ran as, the last one last, unless it never ran as anything but its op; whether no
 * graph defines it; and the device that the graph asks for (executed.h).
 * Of its execs: how long threads worked for it, and how long it waited. */
#ifndef TFPROF_MODEL_PROFILE_FIELDS_H
#define TFPROF_MODEL_PROFILE_FIELDS_H

enum { PROFILE_TRANSFER = 1000, TRANSFER_STEP = 1, TRANSFER_DEVICE = 2, TRANSFER_STATS = 3 };
enum {
	PROFILE_RECORDED = 1001,
	PROFILE_ASSUMES_BATCH = 1002,
	PROFILE_OF_LAYERS = 1003,
	PROFILE_WITHOUT_EDGES = 1004
};

/* Which meaning the numbers of traces have. Add 1 when a saved number, or one of the tables of
 * tfprof index, changes its meaning: numbers of different versions are not compared. */
enum { NUMBERS_VERSION = 3 };

enum {
	PROFILE_NODE_FIRST_CONTROL = 1000,
	PROFILE_NODE_EXECUTED = 1001,
	PROFILE_NODE_UNDEFINED = 1002,
	PROFILE_NODE_PLACED = 1003,
	PROFILE_NODE_END, /* past the last */
};

enum { EXEC_PROFILE_BUSY_MICROS = 1000, EXEC_PROFILE_WAITING_MICROS = 1001 };

#endif
