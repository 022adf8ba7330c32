/* A plane of a trace: a host, or a device.
 *
 *     XPlane ── name
 *            ├─ lines ──> events ──> stats     read by whoever walks them
 *            ├─ names of events ┐
 *            └─ names of stats  ┘  behind the lines: found first, skipping those
 *
 * Events and stats name these by ids: from 1 on without gaps on a host, 64 bits on some
 * devices. */
#ifndef TFPROF_LOAD_XPLANE_PLANE_H
#define TFPROF_LOAD_XPLANE_PLANE_H

#include "base/strings.h"
#include "load/xplane/event_name.h"
#include "load/xplane/stats.h"
#include "proto/decoder.h"

/* From an id to its place in a list. */
struct plane_ids {
	VEC(uint64_t) ids; /* by place */
	uint32_t *place;   /* by id, where they are small; NONE: no such id */
	size_t n_places;
	struct hash_index index; /* otherwise */
};

struct event_name {
	struct span text, display; /* display: what devices call the operation; may be empty */
	struct span message;       /* XEventMetadata */
	uint64_t id;
};

/* What events of a name are. Apart from its texts, so that those of all names fit the
 * cache while events are read: else that takes 1.2 times as long. */
struct event_role {
	enum event_kind kind;
	uint32_t op;   /* for the walker: what it is an execution of; NONE at first */
	uint32_t open; /* for the walker: how many enclose the event it is at */
};

struct stat_name {
	struct span text;
	uint32_t stat; /* enum xstat; N_XSTATS: none of them */
};

enum plane_kind {
	PLANE_OTHER, /* nothing that is known here */
	PLANE_HOST,
	PLANE_GPU,
	PLANE_TPU,
	PLANE_MODULES, /* compiled programs */
	PLANE_TASK,    /* when and how it was recorded */
};

struct plane {
	enum plane_kind kind;
	struct span name;
	VEC(struct span) lines; /* XLine */
	VEC(struct event_name) names;
	VEC(struct event_role) roles; /* by name */
	VEC(struct stat_name) stat_names;
	struct plane_ids name_ids, stat_ids;
	struct xstats stats; /* of the plane itself */
};

/* Zero is empty; clear in any case. Failures are the decoder's. */
void plane_read(struct plane *p, struct decoder *d, struct span message);
void plane_clear(struct plane *p);

/* The number of a device, of its name: 2 of "/device:GPU:2". */
int64_t plane_get_ordinal(const struct plane *p);

uint32_t plane_ids_find_sparse(const struct plane_ids *ids, uint64_t id);

/* Its place; NONE if there is no such id. */
static inline uint32_t plane_ids_find(const struct plane_ids *ids, uint64_t id)
{
	if (ids->n_places)
		return id < ids->n_places ? ids->place[id] : NONE;
	return plane_ids_find_sparse(ids, id);
}

/* Adds an XStat to those of its event. */
void plane_read_stat(const struct plane *p, struct decoder *d, struct span message,
	struct xstats *stats);

/* Those of an event's name. */
void plane_read_name_stats(const struct plane *p, struct decoder *d, const struct event_name *name,
	struct xstats *stats);

#endif
