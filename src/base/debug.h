/* What was decided and why, for users to whom a number looks wrong: TFPROF_DEBUG=load,steps,join
 * prints lines of these topics to stderr. Off it costs the reading of a variable.
 *
 *     load    what each input was taken for, and what it added
 *     steps   how the steps of a trace were found
 *     join    which operations of a trace are nodes of the graph, and which are not */
#ifndef TFPROF_BASE_DEBUG_H
#define TFPROF_BASE_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#define DEBUG_TOPICS(X) X(LOAD, "load") X(STEPS, "steps") X(JOIN, "join")

enum debug_topic {
#define X(id, name) DEBUG_##id,
	DEBUG_TOPICS(X)
#undef X
};

bool debug_is_on(enum debug_topic topic);

/* Prints "tfprof TOPIC: …" as one line; characters that a terminal would obey become question
 * marks. Call only if the topic is on. */
__attribute__((format(printf, 2, 3))) void debug_print(enum debug_topic topic, const char *format,
	...);

/* Milliseconds since some point in the past. */
double debug_now_ms(void);

/* The topics of a setting, a bit each; unknown words are reported on stderr. */
unsigned debug_read_topics(const char *setting);

#endif
