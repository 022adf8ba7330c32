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
 * cache while events are read. */
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
	PLANE_NONE,  /* no device, and nothing of operations */
	PLANE_HOST,
	PLANE_GPU,
	PLANE_TPU,
	PLANE_MODULES, /* compiled programs */
	PLANE_TASK,    /* when and how it was recorded */
	PLANE_SAMPLES, /* tfprof's of Python's stack */
};

static inline bool plane_is_accelerator(enum plane_kind kind)
{
	return kind == PLANE_GPU || kind == PLANE_TPU;
}

struct plane {
	enum plane_kind kind;
	struct span name;
	VEC(struct span) lines; /* XLine */
	VEC(struct event_name) names;
	VEC(struct event_role) roles; /* by name */
	VEC(struct stat_name) stat_names;
	struct plane_ids name_ids, stat_ids;
	uint8_t short_stats[128]; /* enum xstat, by ids of one byte; N_XSTATS: none of them */
	struct xstats stats;      /* of the plane itself */
};

/* Zero is empty; clear in any case. Failures are the decoder's. */
void plane_read(struct plane *p, struct decoder *d, struct span message);
void plane_clear(struct plane *p);

/* The number of a device, of its name: 2 of "/device:GPU:2". */
int64_t plane_get_ordinal(const struct plane *p);

uint32_t plane_ids_find_sparse(const struct plane_ids *ids, uint64_t id);

/* The place of an id; NONE if it is not there. */
static inline uint32_t plane_ids_find(const struct plane_ids *ids, uint64_t id)
{
	if (ids->n_places)
		return id < ids->n_places ? ids->place[id] : NONE;
	return plane_ids_find_sparse(ids, id);
}

/* The text that a stat refers to; empty if there is none. */
static inline struct span plane_get_text(const struct plane *p, uint64_t id)
{
	uint32_t place = plane_ids_find(&p->stat_ids, id);

	return place == NONE ? SPAN("") : p->stat_names.at[place].text;
}

/* Takes a stat of an event that is a number or a text by reference, as nearly all are. False
 * if it is anything else. May look beyond its event, as far as `limit`: near that, varints
 * are read byte by byte. */
static inline bool plane_take_stat(const struct plane *p, struct wire_reader *r, const char *limit,
	struct xstats *stats)
{
	const char *at = r->at;
	struct wire_reader value = {at + 5, limit, NULL};
	uint32_t stat;
	uint64_t number;

	if (r->end - at < 6 || at[0] != (char)WIRE_LEN(XEVENT_STATS) ||
		at[2] != (char)WIRE_VARINT(XSTAT_METADATA_ID) || (at[1] | at[3]) < 0 ||
		at[1] > r->end - at - 2)
		return false;
	if ((at[4] != (char)WIRE_VARINT(XSTAT_UINT64_VALUE) &&
		    at[4] != (char)WIRE_VARINT(XSTAT_INT64_VALUE) &&
		    at[4] != (char)WIRE_VARINT(XSTAT_REF_VALUE)) ||
		!wire_varint(&value, &number) || value.at != at + 2 + at[1])
		return false;
	r->at = value.at;
	stat = p->short_stats[(unsigned char)at[3]];
	if (stat == N_XSTATS)
		return true;
	stats->has |= UINT64_C(1) << stat;
	if (at[4] == (char)WIRE_VARINT(XSTAT_REF_VALUE))
		stats->at[stat] = (struct xvalue){.text = plane_get_text(p, number)};
	else
		stats->at[stat] = (struct xvalue){.number = number};
	return true;
}

/* Adds an XStat to those of its event. */
void plane_read_stat(const struct plane *p, struct decoder *d, struct span message,
	struct xstats *stats);

/* Reads the stats of an event's name. */
void plane_read_name_stats(const struct plane *p, struct decoder *d, const struct event_name *name,
	struct xstats *stats);

#endif
