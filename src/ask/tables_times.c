/* The tables steps and devices: what the events of a profile say about time, with the sums of
 * its nodes. */
#include "model/events.h"
#include "ask/tables.h"
#include "load/anatomy/hosts.h"

/* A stretch of time in which something ran. */
struct extent {
	int64_t first_us, last_us; /* n_runs 0: none */
	int64_t busy_us;           /* in which at least one ran */
	size_t n_runs;
};

static void extent_add(struct extent *x, int64_t start_us, int64_t end_us)
{
	int64_t from = x->n_runs && x->last_us > start_us ? x->last_us : start_us;

	if (!x->n_runs || start_us < x->first_us)
		x->first_us = start_us;
	if (end_us > from)
		x->busy_us += end_us - from;
	if (!x->n_runs || end_us > x->last_us)
		x->last_us = end_us;
	x->n_runs++;
}

/* device d, step s → extents[d * n_steps + s] */
struct times {
	struct step_list steps;
	struct events events;
	struct extent *extents;
	size_t n_devices;
};

static void times_clear(struct times *x)
{
	events_clear(&x->events);
	mem_free(x->extents);
}

/* Events of a device come by start, so what ran before is known by its latest end. */
static void add_extents(struct times *x)
{
	const struct events *e = &x->events;

	for (size_t row = 0; row < e->n; row++) {
		struct event event = events_get(e, row);
		size_t place = x->steps.only >= 0 ? 0 : event.step;

		extent_add(&x->extents[event.device * x->steps.n + place], event.start_us,
			event_end(&event));
	}
}

static enum tfprof_status times_find(struct times *x, const struct step_list *steps,
	struct tfprof_error *err)
{
	const struct model *m = steps->model;
	struct event_sorter sorter;
	enum tfprof_status status;
	size_t n;

	*x = (struct times){.steps = *steps};
	event_sorter_init(&sorter, EVENTS_BY_DEVICE, EVENTS_VALID, SIZE_MAX);
	events_add_model(&sorter, m,
		steps->only < 0 ? EVENTS_ALL_STEPS : model_find_step(m, steps->only));
	status = events_build(&x->events, &sorter, 0, err);
	event_sorter_clear(&sorter);
	if (status != TFPROF_OK)
		return status;
	x->n_devices = x->events.devices.at.n;
	if (!__builtin_mul_overflow(x->n_devices, steps->n, &n))
		x->extents = mem_zero_array(n, sizeof(*x->extents));
	if (!x->extents)
		return error_no_memory(err);
	add_extents(x);
	return TFPROF_OK;
}

/* ---- steps ----------------------------------------------------------------------- */

enum { STEPS_STEP, STEPS_START, STEPS_WALL, STEPS_GAP, STEPS_NUMBERS };

static const struct tfprof_column_info steps_infos[] = {{"step", TFPROF_COLUMN_INT64, NULL, 0},
	{"start_micros", TFPROF_COLUMN_INT64, "microseconds", 0},
	{"wall_micros", TFPROF_COLUMN_INT64, "microseconds", 0},
	{"gap_micros", TFPROF_COLUMN_INT64, "microseconds", 0}, METRICS_IN_RESULTS(OWN_INFO)};

/* From the first start to the last end on any device. */
static struct extent step_extent(const struct times *x, size_t place)
{
	struct extent all = {0};

	for (size_t d = 0; d < x->n_devices; d++) {
		const struct extent *one = &x->extents[d * x->steps.n + place];

		if (one->n_runs)
			extent_add(&all, one->first_us, one->last_us);
	}
	return all;
}

static void put_step(struct column_table *t, size_t place, const struct times *x,
	const struct step_sums *sums)
{
	struct table_column *c = t->columns;
	struct extent extent = step_extent(x, place);
	struct numbers numbers = step_sums_get(sums, 0, place);

	c[STEPS_STEP].numbers[place] = step_list_number(&sums->steps, place);
	c[STEPS_START].numbers[place] = extent.n_runs ? extent.first_us : -1;
	/* The time before and after operations belongs to a step, too, if it was traced. */
	c[STEPS_WALL].numbers[place] = extent.n_runs && !model_is_saved_trace(sums->steps.model)
		? extent.last_us - extent.first_us
		: -1;
	c[STEPS_GAP].numbers[place] = -1;
	table_put_numbers(&c[STEPS_NUMBERS], place, &numbers);
}

static int64_t to_us(int64_t ps)
{
	return (ps + 500000) / 1000000;
}

/* Traces tell how long a step took on the clock. */
static enum tfprof_status put_walls(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err)
{
	struct anatomy_hosts hosts;
	enum tfprof_status status = anatomy_hosts_read(&hosts, source->model, SPAN(""), err);
	const struct anatomy *a = status == TFPROF_OK ? anatomy_hosts_get(&hosts) : NULL;

	for (size_t i = 0; a && i < a->steps.n; i++) {
		uint32_t place = step_list_find(&source->steps, a->steps.at[i].number);

		if (place == NONE)
			continue;
		t->columns[STEPS_WALL].numbers[place] = to_us(a->steps.at[i].wall_ps);
		/* Nothing is known of the time before the first step. */
		if (i)
			t->columns[STEPS_GAP].numbers[place] = to_us(a->steps.at[i].gap_ps);
	}
	anatomy_hosts_clear(&hosts);
	return status;
}

enum tfprof_status table_make_steps(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err)
{
	enum { N = sizeof(steps_infos) / sizeof(*steps_infos) };
	struct times times;
	struct step_sums sums = {0};
	enum tfprof_status status = times_find(&times, &source->steps, err);

	if (status == TFPROF_OK)
		status = step_sums_init(&sums, &source->steps, 1, err);
	if (status == TFPROF_OK)
		status = table_start(t, steps_infos, N, &source->steps, 1, err);
	if (status == TFPROF_OK) {
		t->columns[STEPS_START].view.is_nullable = 1;
		t->columns[STEPS_WALL].view.is_nullable = 1;
		t->columns[STEPS_GAP].view.is_nullable = 1;
		for (uint32_t i = 0; i < source->model->nodes.n; i++)
			step_sums_add(&sums, i, 0);
		for (size_t place = 0; place < source->steps.n; place++)
			put_step(t, place, &times, &sums);
		status = put_walls(t, source, err);
	}
	if (status == TFPROF_OK)
		status = column_table_finish(t, err);
	step_sums_clear(&sums);
	times_clear(&times);
	return status;
}

/* ---- devices ---------------------------------------------------------------------- */

enum {
	DEVICES_STEP,
	DEVICES_DEVICE,
	DEVICES_KIND,
	DEVICES_START,
	DEVICES_END,
	DEVICES_WALL,
	DEVICES_BUSY,
	DEVICES_RUNS,
	DEVICES_PEAK
};

static const struct tfprof_column_info devices_infos[] = {
	{"step", TFPROF_COLUMN_INT64, NULL, 0},
	{"device", TFPROF_COLUMN_TEXT, NULL, 0},
	{"kind", TFPROF_COLUMN_TEXT, NULL, 0},
	{"start_micros", TFPROF_COLUMN_INT64, "microseconds", 0},
	{"end_micros", TFPROF_COLUMN_INT64, "microseconds", 0},
	{"wall_micros", TFPROF_COLUMN_INT64, "microseconds", 0},
	{"busy_micros", TFPROF_COLUMN_INT64, "microseconds", 0},
	{"run_count", TFPROF_COLUMN_INT64, "count", 0},
	{"peak_bytes", TFPROF_COLUMN_INT64, "bytes", 0},
};

/* Adds up the memory of the nodes placed on each device. */
static void add_nodes(struct step_sums *sums, const struct times *x)
{
	const struct model *m = x->steps.model;
	uint32_t text = NONE, device = NONE; /* of the previous node */

	for (uint32_t i = 0; i < m->nodes.n; i++) {
		if (m->nodes.device[i] != text) {
			text = m->nodes.device[i];
			device = devices_find(&x->events.devices, model_text(m, text));
		}
		if (device != NONE)
			step_sums_add(sums, i, device);
	}
}

static void put_device(struct column_table *t, size_t row, const struct times *x,
	const struct step_sums *sums, size_t id, size_t place)
{
	struct table_column *c = t->columns;
	const struct device *device = &x->events.devices.at.at[id];
	const struct extent *extent = &x->extents[id * x->steps.n + place];

	c[DEVICES_STEP].numbers[row] = step_list_number(&x->steps, place);
	table_put_text(&c[DEVICES_DEVICE], device->name);
	table_put_text(&c[DEVICES_KIND], span_of(device_kinds[device->kind].name));
	c[DEVICES_START].numbers[row] = extent->first_us;
	c[DEVICES_END].numbers[row] = extent->last_us;
	c[DEVICES_WALL].numbers[row] = extent->last_us - extent->first_us;
	c[DEVICES_BUSY].numbers[row] = extent->busy_us;
	c[DEVICES_RUNS].numbers[row] = (int64_t)extent->n_runs;
	c[DEVICES_PEAK].numbers[row] = step_sums_get(sums, id, place).at[METRIC_PEAK_BYTES];
}

/* Only devices that something ran on. */
static enum tfprof_status put_devices(struct column_table *t, const struct times *x,
	const struct step_sums *sums, struct tfprof_error *err)
{
	enum { N = sizeof(devices_infos) / sizeof(*devices_infos) };
	size_t n = x->n_devices * x->steps.n, n_rows = 0, row = 0;

	for (size_t i = 0; i < n; i++)
		n_rows += x->extents[i].n_runs != 0;
	if (!column_table_init(t, devices_infos, N, n_rows))
		return error_no_memory(err);
	for (size_t i = 0; i < n; i++)
		if (x->extents[i].n_runs)
			put_device(t, row++, x, sums, i / x->steps.n, i % x->steps.n);
	return column_table_finish(t, err);
}

enum tfprof_status table_make_devices(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err)
{
	struct times times;
	struct step_sums sums = {0};
	enum tfprof_status status = times_find(&times, &source->steps, err);

	if (status == TFPROF_OK)
		status = step_sums_init(&sums, &source->steps, times.n_devices, err);
	if (status == TFPROF_OK) {
		add_nodes(&sums, &times);
		status = put_devices(t, &times, &sums, err);
	}
	step_sums_clear(&sums);
	times_clear(&times);
	return status;
}
