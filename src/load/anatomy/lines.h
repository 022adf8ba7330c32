/* Reading the lines of a plane, for hosts (lines.c) and devices (devices.c). */
#ifndef TFPROF_LOAD_ANATOMY_LINES_H
#define TFPROF_LOAD_ANATOMY_LINES_H

#include "load/anatomy/scene.h"

struct raw_line {
	struct span name;
	int64_t start;
	const char *end; /* of its bytes */
};

struct raw_event {
	int64_t start, duration;
	uint32_t name; /* its place in the plane; NONE */
	struct xstats stats;
};

void raw_line_read(struct scene *s, struct span message, struct raw_line *line);

/* False if it is none to use: one that sums up others, or without a time that can be. */
bool raw_event_read(struct scene *s, const struct plane *p, const struct raw_line *line,
	struct span message, struct raw_event *e);

/* Whether both are times that can be. */
bool raw_times_are_valid(int64_t start, int64_t duration);

/* Texts of the names of a plane, for mem_free(); NULL on allocation failure. */
uint32_t *scene_add_names(struct scene *s, const struct plane *p);

/* Adds what the stats of an event of a host say, if that matters. Its place; NONE. */
uint32_t scene_add_facts(struct scene *s, const struct xstats *st, uint32_t flags, facts_list *to);

/* The place of the facts about an event of a device, whose times it may set to the device's. */
typedef uint32_t line_facts_fn(void *context, struct raw_event *e);

/* Adds the nodes of a line of a device. */
bool scene_add_line(struct scene *s, const struct plane *p, const uint32_t *texts,
	struct span message, const struct raw_line *line, line_facts_fn *facts, void *context);

#endif
