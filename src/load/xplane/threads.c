#include "load/xplane/threads.h"

#include "load/anatomy/names.h"
#include "load/xplane/event.h"
#include "load/xplane/op_text.h"
#include "load/xplane/trace.h"

/* What a viewer can hold: 100 MB. */
enum { MAX_EVENTS = 2000000, MAX_MARKS = 1000000 };

/* Durations by powers of two of picoseconds. */
enum { N_DURATIONS = 64 };

typedef VEC(struct plane) planes;

struct reader {
	struct threads *t;
	struct decoder *d;
	int64_t origin_ns;         /* when the first line began, as lines count */
	int64_t base_ns;           /* the same since 1970 */
	int64_t from_ps, until_ps; /* since the first line began */
	int64_t min_ps;
	uint64_t n, by_duration[N_DURATIONS];
	bool counts; /* the first time: how many there are */
	const struct plane *plane;
	uint32_t *texts; /* by name of the plane; NONE: not used yet */
};

static unsigned duration_class(int64_t ps)
{
	return ps > 0 ? 64 - (unsigned)__builtin_clzll((uint64_t)ps) : 0;
}

static enum thread_kind kind_of(struct span name)
{
	const uint32_t dispatches = NAME_DISPATCH | NAME_LAUNCH | NAME_RUNS | NAME_PROCESS |
		NAME_PROGRAM | NAME_EAGER | NAME_EAGER_KERNEL | NAME_KERNEL_AND_DEVICE | NAME_JIT;
	uint32_t flags = name_flags(name);
	struct op_text parts;

	return flags & NAME_PYTHON ? THREAD_PYTHON
		: flags & (NAME_ITERATOR | NAME_INPUT | NAME_GET_NEXT | NAME_CAPTURED)
		? THREAD_INPUT
		: flags & NAME_COMPILE                ? THREAD_COMPILE
		: flags & NAME_COPY                   ? THREAD_COPY
		: flags & (NAME_WAITING | NAME_AWAIT) ? THREAD_WAITING
		: flags & dispatches                  ? THREAD_DISPATCH
		: op_text_parse_node(name, &parts)    ? THREAD_OPERATION
						      : THREAD_OTHER;
}

static uint32_t text_of_name(struct reader *r, uint32_t place)
{
	struct span name = r->plane->names.at[place].text;
	uint32_t *text = &r->texts[place];
	enum thread_kind kind;

	if (*text != NONE)
		return *text;
	kind = kind_of(name);
	*text = strings_add(&r->t->texts, kind == THREAD_PYTHON ? span_from(name, 1) : name);
	while (*text != NONE && r->t->kinds.n <= *text)
		if (!vec_push(&r->t->kinds, THREAD_OTHER))
			return NONE;
	if (*text != NONE)
		r->t->kinds.at[*text] = (uint8_t)kind;
	return *text;
}

static int64_t to_us(const struct reader *r, int64_t ps)
{
	return r->base_ns / 1000 + (r->base_ns % 1000 * 1000 + ps) / 1000000;
}

static int64_t to_ps(const struct reader *r, int64_t us)
{
	int64_t ps;

	if (__builtin_sub_overflow(us, r->base_ns / 1000, &us) ||
		__builtin_mul_overflow(us, 1000000, &ps))
		return us < 0 ? -EVENT_TIME_LIMIT : EVENT_TIME_LIMIT;
	return event_clamp_time(ps);
}

static void add_mark(struct reader *r, enum thread_mark_kind kind, uint64_t key, uint32_t lane,
	const struct thread_event *e)
{
	struct thread_mark mark = {kind, key, lane, e->name, e->start_us, e->end_us};

	if (r->t->marks.n < MAX_MARKS)
		decoder_alloc(r->d, vec_push(&r->t->marks, mark));
}

static void add_marks(struct reader *r, const struct xstats *s, const struct thread_event *e)
{
	uint32_t lane = (uint32_t)r->t->lanes.n;

	if (xstats_has_number(s, STAT_CORRELATION_ID))
		add_mark(r, MARK_LAUNCH, xstats_number(s, STAT_CORRELATION_ID), lane, e);
	if (xstats_has_number(s, STAT_PRODUCER))
		add_mark(r, MARK_PRODUCER,
			trace_flow_key(xstats_number(s, STAT_PRODUCER_TYPE),
				s->at[STAT_PRODUCER].number),
			lane, e);
	if (xstats_has_number(s, STAT_CONSUMER))
		add_mark(r, MARK_CONSUMER,
			trace_flow_key(xstats_number(s, STAT_CONSUMER_TYPE),
				s->at[STAT_CONSUMER].number),
			lane, e);
}

static void read_event(struct reader *r, struct thread_lane *lane, const char *line_end,
	int64_t line_ps, struct span message)
{
	struct xstats stats;
	struct event_fields f = event_read(r->plane, r->d, line_end, line_ps, message, &stats);
	struct thread_event event;

	if (f.is_aggregate || f.name == NONE || f.duration_ps < 0 ||
		f.duration_ps >= EVENT_TIME_LIMIT || f.start_ps >= r->until_ps ||
		f.start_ps + f.duration_ps < r->from_ps)
		return;
	if (r->counts) {
		r->n++;
		r->by_duration[duration_class(f.duration_ps)]++;
		return;
	}
	if (f.duration_ps < r->min_ps) {
		r->t->n_hidden++;
		return;
	}
	event = (struct thread_event){text_of_name(r, f.name), to_us(r, f.start_ps),
		to_us(r, f.start_ps + f.duration_ps)};
	if (decoder_alloc(r->d, event.name != NONE && vec_push(&lane->events, event)))
		add_marks(r, &stats, &event);
}

/* What most of its events are for. */
static enum thread_kind kind_of_lane(const struct reader *r, const struct thread_lane *lane)
{
	size_t n[N_THREAD_KINDS] = {0};

	for (size_t i = 0; i < lane->events.n; i++)
		n[r->t->kinds.at[lane->events.at[i].name]]++;
	if (n[THREAD_PYTHON] || span_equal(lane->name, SPAN("python")))
		return THREAD_PYTHON;
	return n[THREAD_INPUT] > lane->events.n / 2 ? THREAD_INPUT : THREAD_OTHER;
}

struct line_head {
	struct span name;
	int64_t start_ps;
};

static struct line_head read_head(struct reader *r, struct span message)
{
	struct wire_reader w = wire_reader(message);
	struct line_head head = {.name = SPAN("")};
	int64_t timestamp_ns = 0;
	struct wire_field f;

	while (decoder_next(r->d, &w, &f)) {
		if (f.tag == WIRE_LEN(XLINE_NAME) ||
			(f.tag == WIRE_LEN(XLINE_DISPLAY_NAME) && !head.name.n))
			head.name = f.bytes;
		else if (f.tag == WIRE_VARINT(XLINE_TIMESTAMP_NS))
			timestamp_ns = (int64_t)f.value;
	}
	head.start_ps = event_line_start(timestamp_ns, r->origin_ns);
	return head;
}

static void read_line(struct reader *r, struct span message)
{
	struct line_head head = read_head(r, message);
	struct wire_reader w = wire_reader(message);
	struct thread_lane lane = {.name = head.name};
	struct wire_field f;

	while (!r->d->failed && decoder_find(r->d, &w, WIRE_LEN(XLINE_EVENTS), &f))
		read_event(r, &lane, message.at + message.n, head.start_ps, f.bytes);
	if (lane.events.n) {
		lane.kind = kind_of_lane(r, &lane);
		if (decoder_alloc(r->d, vec_push(&r->t->lanes, lane)))
			return;
	}
	vec_clear(&lane.events);
}

/* ---- what ran on devices ------------------------------------------------------- */

static void read_run(struct reader *r, const char *line_end, int64_t line_ps, uint32_t line,
	struct span message)
{
	struct xstats stats;
	struct event_fields f = event_read(r->plane, r->d, line_end, line_ps, message, &stats);
	struct thread_event run = {line, to_us(r, f.start_ps),
		to_us(r, f.start_ps + f.duration_ps)};

	if (f.is_aggregate || f.duration_ps < 0 || f.duration_ps >= EVENT_TIME_LIMIT ||
		f.start_ps >= r->until_ps || f.start_ps + f.duration_ps < r->from_ps ||
		!xstats_has_number(&stats, STAT_CORRELATION_ID))
		return;
	add_mark(r, MARK_RUN, xstats_number(&stats, STAT_CORRELATION_ID),
		(uint32_t)plane_get_ordinal(r->plane), &run);
}

static void read_runs(struct reader *r, struct span message)
{
	struct line_head head = read_head(r, message);
	struct wire_reader w = wire_reader(message);
	uint32_t line = strings_add(&r->t->texts, head.name);
	struct wire_field f;

	decoder_alloc(r->d, line != NONE);
	while (!r->d->failed && decoder_find(r->d, &w, WIRE_LEN(XLINE_EVENTS), &f))
		read_run(r, message.at + message.n, head.start_ps, line, f.bytes);
}

static void read_devices(struct reader *r, const planes *list)
{
	for (size_t i = 0; !r->d->failed && i < list->n; i++) {
		r->plane = &list->at[i];
		for (size_t l = 0;
			!r->d->failed && r->plane->kind == PLANE_GPU && l < r->plane->lines.n; l++)
			read_runs(r, r->plane->lines.at[l]);
	}
}

/* ---- hosts ----------------------------------------------------------------------- */

static void read_host(struct reader *r, const struct plane *p)
{
	r->plane = p;
	r->texts = mem_array(p->names.n + 1, sizeof(*r->texts));
	if (!decoder_alloc(r->d, r->texts != NULL))
		return;
	for (size_t i = 0; i < p->names.n; i++)
		r->texts[i] = NONE;
	for (size_t i = 0; !r->d->failed && i < p->lines.n; i++)
		read_line(r, p->lines.at[i]);
	mem_free(r->texts);
}

static void read_hosts(struct reader *r, const planes *list)
{
	for (size_t i = 0; !r->d->failed && i < list->n; i++)
		if (list->at[i].kind == PLANE_HOST)
			read_host(r, &list->at[i]);
}

/* The shortest that is kept, if not all can be. */
static void choose_shortest(struct reader *r)
{
	uint64_t n = r->n;

	for (unsigned i = 0; i < N_DURATIONS - 1 && n > MAX_EVENTS; i++) {
		n -= r->by_duration[i];
		r->min_ps = INT64_C(1) << i;
	}
	r->t->hidden_below_us = (r->min_ps + 999999) / 1000000;
}

/* As loading the trace does, so that threads and executions share an axis. */
static void find_times(struct reader *r, const planes *list)
{
	int64_t origin_ns = INT64_MAX, start_ns = 0;

	for (size_t i = 0; !r->d->failed && i < list->n; i++) {
		const struct plane *p = &list->at[i];

		if (p->kind == PLANE_HOST || plane_is_accelerator(p->kind))
			origin_ns = trace_get_origin(p, r->d, origin_ns);
		if (p->kind == PLANE_TASK)
			start_ns = (int64_t)xstats_number(&p->stats, STAT_PROFILE_START_TIME);
	}
	r->origin_ns = origin_ns == INT64_MAX ? 0 : origin_ns;
	r->base_ns = trace_get_epoch(r->origin_ns, start_ns);
}

static void read_trace(struct reader *r, struct span bytes, int64_t from_us, int64_t until_us)
{
	struct wire_reader w = wire_reader(bytes);
	planes list = {0};
	struct wire_field f;

	while (!r->d->failed && decoder_find(r->d, &w, WIRE_LEN(XSPACE_PLANES), &f))
		if (decoder_alloc(r->d, vec_push(&list, ((struct plane){0}))))
			plane_read(&list.at[list.n - 1], r->d, f.bytes);
	find_times(r, &list);
	r->from_ps = to_ps(r, from_us);
	r->until_ps = to_ps(r, until_us);
	r->counts = true;
	read_hosts(r, &list);
	r->counts = false;
	choose_shortest(r);
	read_hosts(r, &list);
	read_devices(r, &list);
	for (size_t i = 0; i < list.n; i++)
		plane_clear(&list.at[i]);
	vec_clear(&list);
}

enum tfprof_status threads_read(struct threads *t, const struct source *s, int64_t from_us,
	int64_t until_us, struct tfprof_error *err)
{
	struct decoder d = {0};
	struct reader r = {.t = t, .d = &d};
	enum tfprof_status status = source_check(s, err);

	*t = (struct threads){0};
	if (status != TFPROF_OK)
		return status;
	if (decoder_alloc(&d, strings_init(&t->texts) && vec_push(&t->kinds, THREAD_OTHER)))
		read_trace(&r, s->bytes, from_us, until_us);
	if (d.failed && d.bad)
		return error_set(err, TFPROF_FORMAT, "%.300s: malformed trace at byte %zu",
			s->path ? s->path : "trace in memory", (size_t)(d.bad - s->bytes.at));
	return d.failed ? error_no_memory(err) : source_check(s, err);
}

void threads_clear(struct threads *t)
{
	for (size_t i = 0; i < t->lanes.n; i++)
		vec_clear(&t->lanes.at[i].events);
	vec_clear(&t->lanes);
	vec_clear(&t->marks);
	vec_clear(&t->kinds);
	strings_clear(&t->texts);
}
