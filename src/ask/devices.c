/* devices: each device that something ran on, with its lanes and its time.
 *
 *     events of /job:w/task:1/device:gpu:0/stream:all, …/stream:7, …/memcpy ──> gpu:0
 *
 * Busy is the time in which at least one execution ran on any lane, copies included; span is
 * from the first start to the last end. What the host does for an accelerator (launches) is
 * not the accelerator's time. Those of a trace were summed up when it was loaded, by their own
 * clock (model/accelerator.h). */
#include <stdlib.h>

#include "ask/accelerators.h"
#include "ask/question.h"
#include "base/ascii.h"
#include "load/anatomy/hosts.h"
#include "model/events.h"

/* id, name, type, unit */
/* clang-format off */
#define DEVICES_COLUMNS(X)                                                     \
	X(KIND, "kind", TEXT, NULL)                                            \
	X(TASK, "task", TEXT, NULL)                                            \
	X(LANES, "lanes", INT64, NULL)                                         \
	X(PRODUCT, "product", TEXT, NULL)                                      \
	X(RUNS, "runs", INT64, NULL)                                           \
	X(EXECUTIONS, "executions", INT64, NULL)                               \
	X(STEPS, "steps", INT64, NULL)                                         \
	X(STEP, "step_micros", INT64, "microseconds")                          \
	X(STEP_BUSY, "step_busy_micros", INT64, "microseconds")                \
	X(BUSY, "busy_micros", INT64, "microseconds")                          \
	X(SPAN, "span_micros", INT64, "microseconds")                          \
	X(IDLE, "idle_micros", INT64, "microseconds")                          \
	X(KERNEL_BUSY, "kernel_busy_micros", INT64, "microseconds")            \
	X(WAITING, "waiting_micros", INT64, "microseconds")                    \
	X(COLLECTIVE_ONLY, "collective_only_micros", INT64, "microseconds")    \
	X(HOST_LATE, "host_late_micros", INT64, "microseconds")                \
	X(LATE_IN, "late_in", TEXT, NULL)                                      \
	X(DEPENDENCY, "dependency_micros", INT64, "microseconds")              \
	X(COPY_ONLY, "copy_only_micros", INT64, "microseconds")                \
	X(LAUNCH_DELAY, "launch_delay_micros", DOUBLE, "microseconds")         \
	X(BOUND, "bound", TEXT, NULL)                                          \
	X(PEAK_BYTES, "peak_bytes", INT64, "bytes")                            \
	X(LIFETIME_PEAK, "lifetime_peak_bytes", INT64, "bytes")                \
	X(CAPACITY, "capacity_bytes", INT64, "bytes")                          \
	X(PEAK_FLOPS, "peak_flops", DOUBLE, NULL)                              \
	X(PEAK_BANDWIDTH, "peak_bandwidth", DOUBLE, NULL)
/* clang-format on */

enum {
#define X(id, ...) DEVICES_##id,
	DEVICES_COLUMNS(X)
#undef X
		N_DEVICES_COLUMNS
};

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, one) {name, TFPROF_COLUMN_##type, one, 0},
	DEVICES_COLUMNS(X)
#undef X
};

struct interval {
	int64_t start_us, end_us;
};

/* A device: what its streams, threads and copy engines ran. */
struct hardware {
	struct span name; /* "gpu:0", within the name of one of them */
	struct span task;
	size_t n_runs, n_all_runs; /* of lanes; of stream:all, which repeats them */
	size_t n_lanes;            /* 0: the input does not tell */
	VEC(struct interval) ran;
};

typedef VEC(struct hardware) hardware_list;

/* NULL on allocation failure. */
static struct hardware *find_hardware(hardware_list *all, const struct devices *devices,
	uint32_t id)
{
	const struct device *device = &devices->at.at[id];
	struct hardware fresh = {.name = device_get_hardware(device->name),
		.task = devices->tasks.at[device->task].name};

	for (size_t i = 0; i < all->n; i++)
		if (span_equal(all->at[i].name, fresh.name) &&
			span_equal(all->at[i].task, fresh.task))
			return &all->at[i];
	return vec_push(all, fresh) ? &all->at[all->n - 1] : NULL;
}

/* Entries of an accelerator itself are the host's launches. */
static bool runs_here(const struct device *device)
{
	return device->kind != DEVICE_KIND_ACCELERATOR && device->kind != DEVICE_KIND_NETWORK;
}

/* A trace tells its lanes; in run metadata, a stream is a device of its own, and threads are
 * not told. False on allocation failure. */
static bool count_lanes(struct hardware *one, const struct model *m, const struct events *e,
	uint32_t id)
{
	const struct device *device = &e->devices.at.at[id];
	size_t n = e->first_lane[id + 1] - e->first_lane[id];
	bool *used;

	if (!m->execs.lanes.n) {
		one->n_lanes += (device->kind == DEVICE_KIND_STREAM ||
					device->kind == DEVICE_KIND_COPY_ENGINE) &&
			!(device->properties & DEVICE_STREAM_ALL);
		return true;
	}
	used = mem_zero_array(n + 1, sizeof(*used));
	if (!used)
		return false;
	for (uint32_t row = e->first_row[id]; row < e->first_row[id + 1]; row++)
		if (!used[e->lane[row]]) {
			used[e->lane[row]] = true;
			one->n_lanes++;
		}
	mem_free(used);
	return true;
}

static bool add_device(hardware_list *all, const struct model *m, const struct events *e,
	uint32_t id)
{
	const struct device *device = &e->devices.at.at[id];
	struct hardware *one;

	if (!runs_here(device) || e->first_row[id] == e->first_row[id + 1])
		return true;
	one = find_hardware(all, &e->devices, id);
	if (!one || !vec_reserve(&one->ran, e->first_row[id + 1] - e->first_row[id]))
		return false;
	for (uint32_t row = e->first_row[id]; row < e->first_row[id + 1]; row++) {
		struct event event = events_get(e, row);

		one->ran.at[one->ran.n++] = (struct interval){event.start_us, event_end(&event)};
	}
	if (device->properties & DEVICE_STREAM_ALL)
		one->n_all_runs += e->first_row[id + 1] - e->first_row[id];
	else
		one->n_runs += e->first_row[id + 1] - e->first_row[id];
	return count_lanes(one, m, e, id);
}

/* ---- the table ------------------------------------------------------------------ */

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

static int by_name(const void *a, const void *b)
{
	const struct hardware *x = a, *y = b;
	int c = span_compare(x->task, y->task);

	return c ? c : span_compare(x->name, y->name);
}

static const char *kind_of(struct span name)
{
	static const char *const kinds[] = {"gpu", "tpu", "cpu"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (span_starts(name, span_of(kinds[i])))
			return kinds[i];
	return "other";
}

static void put_one(struct answer *a, struct hardware *one)
{
	struct column_table *t = &a->table;
	size_t row = column_table_add_row(t, 0, one->name);
	int64_t busy_us = 0, first_us, last_us;

	qsort(one->ran.at, one->ran.n, sizeof(*one->ran.at), by_start);
	first_us = last_us = one->ran.at[0].start_us;
	for (size_t i = 0; i < one->ran.n; i++) {
		const struct interval *ran = &one->ran.at[i];
		int64_t from = ran->start_us > last_us ? ran->start_us : last_us;

		if (ran->end_us <= from)
			continue;
		busy_us += ran->end_us - from;
		last_us = ran->end_us;
	}
	table_set_text(t, row, DEVICES_KIND, span_of(kind_of(one->name)));
	table_set_text(t, row, DEVICES_TASK, one->task);
	if (one->n_lanes)
		table_set_int(t, row, DEVICES_LANES, (int64_t)one->n_lanes);
	table_set_int(t, row, DEVICES_RUNS,
		(int64_t)(one->n_all_runs ? one->n_all_runs : one->n_runs));
	table_set_int(t, row, DEVICES_BUSY, busy_us);
	table_set_int(t, row, DEVICES_SPAN, last_us - first_us);
	table_set_int(t, row, DEVICES_IDLE, last_us - first_us - busy_us);
}

/* ---- accelerators of traces ------------------------------------------------------ */

static int64_t to_us(int64_t ps)
{
	return (ps + 500000) / 1000000;
}

/* A number that is not known stays empty. */
static void put_known(struct column_table *t, size_t row, size_t column, int64_t number)
{
	if (number >= 0)
		table_set_int(t, row, column, number);
}

static void put_rate(struct column_table *t, size_t row, size_t column, double rate)
{
	if (rate > 0)
		table_set_double(t, row, column, rate);
}

static void put_accelerator(struct answer *a, const struct asked *q,
	const struct anatomy_hosts *hosts, const struct accelerator *of)
{
	struct column_table *t = &a->table;
	struct span device = model_text(q->model, of->device);
	size_t row = column_table_add_row(t, 0, device_get_hardware(device));
	const struct anatomy_late *late = anatomy_hosts_get_late(hosts, device);

	table_set_text(t, row, DEVICES_KIND, span_of(of->is_tpu ? "tpu" : "gpu"));
	table_set_text(t, row, DEVICES_TASK, device_get_task(device));
	if (model_text(q->model, of->product).n)
		table_set_text(t, row, DEVICES_PRODUCT, model_text(q->model, of->product));
	table_set_int(t, row, DEVICES_LANES, of->n_lanes);
	if (of->n_programs_run)
		table_set_int(t, row, DEVICES_RUNS, of->n_programs_run);
	table_set_int(t, row, DEVICES_EXECUTIONS, of->n_executions);
	if (of->n_steps) {
		table_set_int(t, row, DEVICES_STEPS, of->n_steps);
		table_set_int(t, row, DEVICES_STEP, to_us(of->step_ps / of->n_steps));
		table_set_int(t, row, DEVICES_STEP_BUSY, to_us(of->step_busy_ps / of->n_steps));
	}
	table_set_int(t, row, DEVICES_BUSY, to_us(of->busy_ps));
	table_set_int(t, row, DEVICES_SPAN, to_us(of->span_ps));
	table_set_int(t, row, DEVICES_IDLE, to_us(of->span_ps - of->busy_ps));
	table_set_int(t, row, DEVICES_KERNEL_BUSY, to_us(of->kernel_busy_ps));
	if (of->is_tpu)
		table_set_int(t, row, DEVICES_WAITING, to_us(of->waiting_ps));
	else
		table_set_int(t, row, DEVICES_COPY_ONLY, to_us(of->busy_ps - of->kernel_busy_ps));
	if (of->collective_ps > 0)
		table_set_int(t, row, DEVICES_COLLECTIVE_ONLY, to_us(of->collective_ps));
	if (of->late_ps >= 0) {
		table_set_int(t, row, DEVICES_HOST_LATE, to_us(of->late_ps));
		if (late)
			table_set_text(t, row, DEVICES_LATE_IN, late->causes[0].text);
		table_set_int(t, row, DEVICES_DEPENDENCY,
			to_us(of->span_ps - of->busy_ps - of->late_ps - of->unknown_gap_ps));
	}
	if (of->stalled_ps >= 0)
		table_set_int(t, row, DEVICES_DEPENDENCY, to_us(of->stalled_ps));
	if (accelerator_get_bound(of))
		table_set_text(t, row, DEVICES_BOUND, span_of(accelerator_get_bound(of)));
	if (of->launch_delay_ps >= 0)
		table_set_double(t, row, DEVICES_LAUNCH_DELAY, (double)of->launch_delay_ps / 1e6);
	put_known(t, row, DEVICES_PEAK_BYTES, of->peak_bytes);
	put_known(t, row, DEVICES_LIFETIME_PEAK, of->lifetime_peak_bytes);
	put_known(t, row, DEVICES_CAPACITY, of->capacity_bytes);
	put_rate(t, row, DEVICES_PEAK_FLOPS, accelerator_peak_flops(&of->facts, q->options));
	put_rate(t, row, DEVICES_PEAK_BANDWIDTH, of->facts.peak_bandwidth);
}

/* By task, kind and number: gpu:10 comes behind gpu:9. */
static int by_device(const void *a, const void *b, void *context)
{
	const struct accelerator *x = a, *y = b;
	const struct model *m = context;
	struct span i = model_text(m, x->device), k = model_text(m, y->device);

	return i.n != k.n ? (i.n > k.n) - (i.n < k.n) : span_compare(i, k);
}

static bool put_accelerators(struct answer *a, const struct asked *q,
	const struct anatomy_hosts *hosts)
{
	const struct model *m = q->model;
	size_t n = m->accelerators.n;
	struct accelerator *sorted = mem_array(n + 1, sizeof(*sorted));
	bool is_doubled = false, is_of_heap = false, is_before_launch = false;

	if (!sorted)
		return false;
	for (size_t i = 0; i < n; i++)
		sorted[i] = m->accelerators.at[i];
	if (n)
		qsort_r(sorted, n, sizeof(*sorted), by_device, (void *)m);
	for (size_t i = 0; i < n; i++) {
		put_accelerator(a, q, hosts, &sorted[i]);
		is_doubled |= sorted[i].facts.is_doubled;
		is_before_launch |= sorted[i].is_before_launch;
		is_of_heap |= sorted[i].lifetime_peak_bytes >= 0 &&
			sorted[i].lifetime_peak_bytes < sorted[i].peak_bytes;
	}
	if (is_doubled)
		answer_note(a, "bandwidth_doubled",
			"peak_bandwidth is twice what was recorded: AMD's recorder gives half for "
			"these GPUs");
	if (is_before_launch)
		answer_note(a, "clocks_differ",
			"most kernels of some device began before they were launched: its clock "
			"differs from the host's, and launch delays cannot be told");
	if (is_of_heap)
		answer_note(a, "lifetime_without_reserved",
			"lifetime_peak_bytes is recorded without what programs reserve for their "
			"temporaries; peak_bytes has it");
	mem_free(sorted);
	return true;
}

/* Whether the accelerators' own sums answer: they are of whole traces. */
static bool has_accelerators(const struct asked *q)
{
	return q->model->accelerators.n && q->options->number[OPT_STEP] < 0;
}

/* Reads the trace again for what the host did while a device waited, if one did. */
static enum tfprof_status read_hosts(struct anatomy_hosts *hosts, const struct asked *q,
	struct tfprof_error *err)
{
	bool is_late = false;

	for (size_t i = 0; has_accelerators(q) && i < q->model->accelerators.n; i++)
		is_late |= q->model->accelerators.at[i].late_ps > 0;
	return is_late && q->model->traces.n == 1
		? anatomy_hosts_read(hosts, q->model, SPAN(""), err)
		: TFPROF_OK;
}

static enum tfprof_status put_all(struct answer *a, const struct asked *q, const struct events *e,
	const struct anatomy_hosts *hosts, struct tfprof_error *err)
{
	hardware_list all = {0};
	bool ok = column_table_init_tree(&a->table, infos, N_DEVICES_COLUMNS);

	for (uint32_t id = 0; ok && id < e->devices.at.n; id++)
		if (!has_accelerators(q) || e->devices.at.at[id].kind == DEVICE_KIND_CPU)
			ok = add_device(&all, q->model, e, id);
	if (ok) {
		column_table_add_row(&a->table, TABLE_NO_PARENT, SPAN("devices"));
		if (has_accelerators(q))
			ok = put_accelerators(a, q, hosts);
		if (all.n)
			qsort(all.at, all.n, sizeof(*all.at), by_name);
		for (size_t i = 0; i < all.n; i++)
			put_one(a, &all.at[i]);
	}
	for (size_t i = 0; i < all.n; i++)
		vec_clear(&all.at[i].ran);
	vec_clear(&all);
	return ok ? TFPROF_OK : error_no_memory(err);
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	int64_t step = q->options->number[OPT_STEP];
	struct events events = {0};
	struct anatomy_hosts hosts = {0};
	enum tfprof_status status = events_read(&events, q->model, step, err);

	if (status == TFPROF_OK)
		status = read_hosts(&hosts, q, err);
	if (status == TFPROF_OK)
		status = put_all(a, q, &events, &hosts, err);
	anatomy_hosts_clear(&hosts);
	events_clear(&events);
	return status;
}

static const struct question_need needs[] = {
	{asked_ran, RUNS_MISSING, RUNS_REMEDY},
	{NULL, NULL, NULL},
};

static const char *const sums[] = {"runs", "executions", NULL};

const struct question devices_question = {
	.name = "devices",
	.summary = "each device with its lanes and its time",
	.description = "Prints one line per device that something ran on: its kind, how many lanes "
		       "(threads or streams) it has, executions, the time in which at least one of "
		       "them ran (busy), and from the first start to the last end (span). Of an "
		       "accelerator in a trace also what it is, runs of programs, why it was idle, "
		       "and its memory.",
	.example = "",
	.state = QUESTION_LOADED,
	.needs = needs,
	.not_saved = "threads and streams, runs of programs, reasons of idle time and peak figures",
	.sums = sums,
	.run = run,
};
