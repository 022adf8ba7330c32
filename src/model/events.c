#include "model/events.h"

#include "base/sort.h"
#include "model/model.h"

/* ---- sorting ------------------------------------------------------------- */

static int compare_starts(const struct event *x, const struct event *y)
{
	return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

static int by_device(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->start_us == y->start_us && x->lane & y->lane & EVENT_HAS_LANE)
		/* what encloses another comes first */
		return (x->duration_us < y->duration_us) - (x->duration_us > y->duration_us);
	return compare_starts(x, y);
}

static int by_step(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return compare_starts(x, y);
}

void event_sorter_init(struct event_sorter *s, enum events_order order, unsigned flags,
	size_t memory_bytes)
{
	*s = (struct event_sorter){.order = order, .flags = flags};
	sorter_init(&s->rows, sizeof(struct event), order == EVENTS_BY_DEVICE ? by_device : by_step,
		memory_bytes);
}

void event_sorter_clear(struct event_sorter *s)
{
	devices_clear(&s->devices);
	sorter_clear(&s->rows);
	lanes_clear(&s->lanes);
	vec_clear(&s->n_lanes);
	vec_clear(&s->uses_lane);
}

void events_add(struct event_sorter *s, const struct event *event)
{
	sorter_add(&s->rows, event);
	s->n++;
}

struct adder {
	struct event_sorter *sorter;
	const struct model *model;
	struct event event;
};

static bool is_valid(const struct event *e)
{
	int64_t end;

	return e->start_us > 0 && e->duration_us >= 0 &&
		!__builtin_add_overflow(e->start_us, e->duration_us, &end);
}

/* Notes that a lane that the input told is used. */
static bool use_lane(struct event_sorter *s, const struct model *m, uint32_t lane, uint32_t number)
{
	while (s->n_lanes.n <= s->last_device)
		if (!vec_push(&s->n_lanes, 0))
			return false;
	if (s->n_lanes.at[s->last_device] <= number)
		s->n_lanes.at[s->last_device] = number + 1;
	while (s->uses_lane.n < m->execs.lanes.n)
		if (!vec_push(&s->uses_lane, false))
			return false;
	s->uses_lane.at[lane] = true;
	return true;
}

static bool add_time(void *context, const struct exec_time *time)
{
	struct adder *a = context;
	struct event_sorter *s = a->sorter;

	if (!s->last_name.at || time->device.at != s->last_name.at ||
		time->device.n != s->last_name.n) {
		s->last_device = devices_add(&s->devices, time->device);
		s->last_name = time->device;
		s->failed |= s->last_device == NONE;
	}
	if (s->failed)
		return false;
	a->event.device = s->last_device;
	a->event.start_us = time->start_us;
	a->event.duration_us = time->duration_us;
	a->event.lane = 0;
	if (time->lane) {
		uint32_t number = a->model->execs.lanes.at[time->lane - 1].number;

		a->event.lane = number | EVENT_HAS_LANE;
		s->failed |= !use_lane(s, a->model, time->lane - 1, number);
	}
	if (!(s->flags & EVENTS_VALID) || is_valid(&a->event))
		events_add(s, &a->event);
	a->event.run++;
	return true;
}

void events_add_exec(struct event_sorter *s, const struct model *m, uint32_t node, uint32_t step,
	uint32_t exec)
{
	struct adder adder = {s, m, {.node = node, .step = step}};
	struct exec_visitor visitor = {.time = add_time, .context = &adder};

	exec_visit(m, exec, &visitor);
}

/* Both the node's execs and the steps go up; a damaged profile may have execs of no
 * step. */
static void add_node(struct event_sorter *s, const struct model *m, uint32_t node, uint32_t only)
{
	uint32_t step = 0;

	for (uint32_t row = m->nodes.first_exec[node]; row != NONE;
		row = exec_at(&m->execs, row)->next) {
		int64_t number = exec_at(&m->execs, row)->step;

		while (step < m->steps.n && m->steps.at[step] < number)
			step++;
		if (step == m->steps.n)
			return;
		if (m->steps.at[step] == number && (only == EVENTS_ALL_STEPS || only == step))
			events_add_exec(s, m, node, step, row);
	}
}

void events_add_model(struct event_sorter *s, const struct model *m, uint32_t step)
{
	for (uint32_t node = 0; !s->failed && node < m->nodes.n; node++)
		add_node(s, m, node, step);
}

void event_sorter_rewind(struct event_sorter *s)
{
	sorter_rewind(&s->rows);
	lanes_clear(&s->lanes);
	s->any = false;
}

const struct event *event_sorter_next(struct event_sorter *s)
{
	bool distinct = s->flags & EVENTS_DISTINCT_STARTS;
	struct event *e = &s->event;
	const struct event *next;

	do {
		next = s->failed ? NULL : sorter_next(&s->rows);
		if (!next)
			return NULL;
	} while (distinct && s->any && !(next->lane & EVENT_HAS_LANE) &&
		next->device == e->device && next->start_us == e->start_us);
	if (next->device != e->device)
		lanes_clear(&s->lanes);
	*e = *next;
	s->any = true;
	if (e->lane & EVENT_HAS_LANE) {
		e->lane &= ~EVENT_HAS_LANE;
		return e;
	}
	if (s->order != EVENTS_BY_DEVICE || s->flags & EVENTS_HAVE_LANES)
		return e;
	/* A lane is free from the moment its last event ends. */
	e->lane = lanes_take(&s->lanes, e->start_us < INT64_MAX ? e->start_us + 1 : INT64_MAX,
		event_end(e));
	s->failed = e->lane == LANES_NONE;
	if (e->device < s->n_lanes.n)
		e->lane += s->n_lanes.at[e->device];
	return s->failed ? NULL : e;
}

enum tfprof_status event_sorter_check(const struct event_sorter *s, struct tfprof_error *err)
{
	return s->failed ? error_no_memory(err) : sorter_check(&s->rows, err);
}

/* ---- columns ------------------------------------------------------------- */

void events_clear(struct events *e)
{
	devices_clear(&e->devices);
	arena_clear(&e->arena);
	*e = (struct events){0};
}

static bool make_columns(struct events *e, size_t n)
{
	bool ok = n < NONE;

#define X(type, column)                                      \
	e->column = arena_array(&e->arena, n, sizeof(type)); \
	ok = ok && e->column;
	EVENT_COLUMNS(X)
#undef X
	e->first_row = arena_zero(&e->arena, e->n_groups + 1, sizeof(*e->first_row));
	e->first_lane = arena_zero(&e->arena, e->n_groups + 1, sizeof(*e->first_lane));
	return ok && e->first_row && e->first_lane;
}

static void put_row(struct events *e, const struct event *from, uint32_t group)
{
#define X(type, column) e->column[e->n] = from->column;
	EVENT_COLUMNS(X)
#undef X
	e->n++;
	e->first_row[group + 1]++;
	if (e->first_lane[group + 1] <= from->lane)
		e->first_lane[group + 1] = from->lane + 1;
}

enum tfprof_status events_build(struct events *e, struct event_sorter *s, size_t n_steps,
	struct tfprof_error *err)
{
	bool by_devices = s->order == EVENTS_BY_DEVICE;
	const struct event *next;
	enum tfprof_status status;

	*e = (struct events){.n_groups = by_devices ? s->devices.at.n : n_steps};
	if (!make_columns(e, s->n))
		return error_no_memory(err);
	event_sorter_rewind(s);
	while ((next = event_sorter_next(s)) != NULL)
		put_row(e, next, by_devices ? next->device : next->step);
	for (size_t g = 0; g < e->n_groups; g++) {
		e->first_row[g + 1] += e->first_row[g];
		e->first_lane[g + 1] += e->first_lane[g];
	}
	status = event_sorter_check(s, err);
	e->devices = s->devices;
	s->devices = (struct devices){0};
	return status;
}

/* ---- sums ---------------------------------------------------------------- */

static uint32_t lane_of(const struct events *e, size_t row)
{
	return e->first_lane[e->device[row]] + e->lane[row];
}

/* Rows are in order of start already, so are those of each lane. */
static bool find_lanes(struct events *e)
{
	size_t n_lanes = e->first_lane[e->n_groups];
	/* A place more, so that a lane can count there where its rows end: when all
	 * are in, that is where the next one's begin. */
	uint32_t *first = arena_zero(&e->arena, n_lanes + 2, sizeof(*first));

	e->first_in_lane = first;
	e->by_lane = arena_array(&e->arena, e->n, sizeof(*e->by_lane));
	if (!first || !e->by_lane)
		return false;
	for (size_t row = 0; row < e->n; row++)
		first[lane_of(e, row) + 2]++;
	for (size_t lane = 1; lane <= n_lanes; lane++)
		first[lane + 1] += first[lane];
	for (size_t row = 0; row < e->n; row++)
		e->by_lane[first[lane_of(e, row) + 1]++] = (uint32_t)row;
	return true;
}

static int64_t clamped_end(int64_t start_us, int64_t duration_us)
{
	int64_t end;

	if (duration_us < 0)
		return start_us;
	return __builtin_add_overflow(start_us, duration_us, &end) ? INT64_MAX : end;
}

void events_sum_lane(struct events *e, uint32_t lane)
{
	int64_t reach = INT64_MIN;
	uint64_t busy = 0;

	for (uint32_t i = e->first_in_lane[lane]; i < e->first_in_lane[lane + 1]; i++) {
		int64_t start = e->start_us[e->by_lane[i]];
		int64_t end = clamped_end(start, e->duration_us[e->by_lane[i]]);

		if (start < reach)
			start = reach;
		if (end > start)
			busy += (uint64_t)end - (uint64_t)start;
		if (end > reach)
			reach = end;
		e->busy_us[i] = busy;
		e->reach_us[i] = reach;
	}
}

bool events_sum(struct events *e)
{
	e->busy_us = arena_array(&e->arena, e->n, sizeof(*e->busy_us));
	e->reach_us = arena_array(&e->arena, e->n, sizeof(*e->reach_us));
	if (!e->busy_us || !e->reach_us || !find_lanes(e))
		return false;
	for (uint32_t lane = 0; lane < e->first_lane[e->n_groups]; lane++)
		events_sum_lane(e, lane);
	return true;
}

int64_t events_end(const struct events *e, size_t row)
{
	return clamped_end(e->start_us[row], e->duration_us[row]);
}

bool events_select(struct events *only, const struct events *whole, const unsigned char *selected,
	size_t n_nodes)
{
	return events_select_rows(only, whole, whole->n ? whole->first_lane[whole->n_groups] : 0,
		selected, n_nodes);
}

bool events_select_rows(struct events *only, const struct events *whole, size_t n_lanes,
	const unsigned char *selected, size_t n_nodes)
{
	uint32_t n = 0;

	*only = *whole;
	only->arena = (struct arena){0};
	only->first_in_lane = arena_array(&only->arena, n_lanes + 1, sizeof(*only->first_in_lane));
	only->by_lane = arena_array(&only->arena, whole->n, sizeof(*only->by_lane));
	only->busy_us = arena_array(&only->arena, whole->n, sizeof(*only->busy_us));
	only->reach_us = arena_array(&only->arena, whole->n, sizeof(*only->reach_us));
	if (!only->first_in_lane || !only->by_lane || !only->busy_us || !only->reach_us)
		return false;
	for (uint32_t lane = 0; lane < n_lanes; lane++) {
		only->first_in_lane[lane] = n;
		for (uint32_t i = whole->first_in_lane[lane]; i < whole->first_in_lane[lane + 1];
			i++) {
			uint32_t row = whole->by_lane[i];

			if (whole->node[row] < n_nodes && selected[whole->node[row]])
				only->by_lane[n++] = row;
		}
		only->first_in_lane[lane + 1] = n;
		events_sum_lane(only, lane);
	}
	return true;
}

void events_unselect(struct events *only)
{
	arena_clear(&only->arena);
}

/* The first place of a lane from which on rows start at `time_us` or later. */
static uint32_t find_start(const struct events *e, uint32_t lane, int64_t time_us)
{
	uint32_t low = e->first_in_lane[lane];

	sort_search(low, e->first_in_lane[lane + 1], i, e->start_us[e->by_lane[i]] < time_us);
	return low;
}

/* How long a lane was busy before a point of time: what its rows that start before it
 * take together, without what of that lies behind it. There, until all of them have
 * ended, the one that ends last runs all the time. */
static uint64_t busy_before(const struct events *e, uint32_t lane, int64_t time_us)
{
	uint32_t i = find_start(e, lane, time_us);
	uint64_t busy;

	if (i-- == e->first_in_lane[lane])
		return 0;
	busy = e->busy_us[i];
	if (e->reach_us[i] > time_us)
		busy -= (uint64_t)e->reach_us[i] - (uint64_t)time_us;
	return busy;
}

uint64_t events_busy_us(const struct events *e, uint32_t lane, int64_t from_us, int64_t until_us)
{
	if (until_us <= from_us)
		return 0;
	return busy_before(e, lane, until_us) - busy_before(e, lane, from_us);
}

enum tfprof_status events_read(struct events *e, const struct model *m, int64_t step,
	struct tfprof_error *err)
{
	struct event_sorter sorter;
	enum tfprof_status status;

	event_sorter_init(&sorter, EVENTS_BY_DEVICE, EVENTS_VALID, SIZE_MAX);
	events_add_model(&sorter, m, step < 0 ? EVENTS_ALL_STEPS : model_find_step(m, step));
	status = events_build(e, &sorter, 0, err);
	event_sorter_clear(&sorter);
	return status;
}
