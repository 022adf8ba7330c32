/* Reading an event of a line, for whoever walks them (walk.c, anatomy/lines.c). */
#ifndef TFPROF_LOAD_XPLANE_EVENT_H
#define TFPROF_LOAD_XPLANE_EVENT_H

#include "load/xplane/plane.h"

/* 13 days: longer than any trace, and small enough that a few of them add up within 64 bits. */
#define EVENT_TIME_LIMIT (INT64_C(1) << 60)

static inline int64_t event_clamp_time(int64_t ps)
{
	return ps > EVENT_TIME_LIMIT     ? EVENT_TIME_LIMIT
		: ps < -EVENT_TIME_LIMIT ? -EVENT_TIME_LIMIT
					 : ps;
}

/* When a line begins, in picoseconds after the first one. */
static inline int64_t event_line_start(int64_t timestamp_ns, int64_t origin_ns)
{
	int64_t ns;

	if (__builtin_sub_overflow(timestamp_ns, origin_ns, &ns) || ns > EVENT_TIME_LIMIT / 1000)
		ns = EVENT_TIME_LIMIT / 1000;
	return ns * 1000;
}

struct event_fields {
	int64_t start_ps, duration_ps;
	uint32_t name; /* its place in the plane; NONE: it has none */
	bool is_aggregate;
};

/* Reads the time, duration, name and stats of an event. `line_end`: of the bytes of its line. Not
 * inlined, the op table of a trace takes 5 % longer. */
static inline __attribute__((always_inline)) struct event_fields event_read(const struct plane *p,
	struct decoder *d, const char *line_end, int64_t base_ps, struct span message,
	struct xstats *stats)
{
	/* Reading the first fields may run past the event, up to the end of its line: near the
	 * end of a reader, varints are read byte by byte. */
	struct wire_reader r = {message.at, line_end, NULL};
	const char *end = message.at + message.n;
	struct event_fields e = {base_ps, 0, NONE, false};
	uint64_t id = 0, value;
	struct wire_field f;

	stats->has = 0;
	/* In the order recorders write them, without a branch on the field number. */
	wire_take_varint(&r, XEVENT_METADATA_ID, &id);
	if (wire_take_varint(&r, XEVENT_OFFSET_PS, &value))
		e.start_ps = base_ps + event_clamp_time((int64_t)value);
	if (wire_take_varint(&r, XEVENT_DURATION_PS, &value))
		e.duration_ps = event_clamp_time((int64_t)value);
	r = (struct wire_reader){r.at <= end ? r.at : message.at, end, NULL};
	for (;;) {
		while (plane_take_stat(p, &r, line_end, stats))
			continue;
		if (!decoder_next(d, &r, &f))
			break;
		switch (f.tag) {
		case WIRE_VARINT(XEVENT_METADATA_ID): id = f.value; break;
		case WIRE_VARINT(XEVENT_OFFSET_PS):
			e.start_ps = base_ps + event_clamp_time((int64_t)f.value);
			break;
		case WIRE_VARINT(XEVENT_DURATION_PS):
			e.duration_ps = event_clamp_time((int64_t)f.value);
			break;
		case WIRE_VARINT(XEVENT_NUM_OCCURRENCES): e.is_aggregate = true; break;
		case WIRE_LEN(XEVENT_STATS): plane_read_stat(p, d, f.bytes, stats); break;
		}
	}
	e.name = plane_ids_find(&p->name_ids, id);
	return e;
}

#endif
