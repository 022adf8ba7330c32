/* Timelines through the public API. */
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "lib/course.h"
#include "lib/links.h"
#include "model/bars.h"
#include "model/nest.h"

struct tfprof_timeline {
	struct events events;
	struct nest nest;
	uint32_t *device_of; /* lane → device */
	struct span *names;  /* by lane; empty where the input has none */
	size_t n_lanes;
	struct strings texts; /* of threads: by node */
	thread_links links;   /* of threads */
	uint8_t *kinds;       /* the same: enum thread_kind; NULL: it is of executions */
	uint64_t n_hidden;
	int64_t hidden_below_us;
	tfprof_timeline *whole; /* whose events are a selection of this one's; used, or NULL */
	atomic_size_t n_users;  /* the caller, and selections */
};

static enum tfprof_status build(tfprof_timeline *t, const struct model *m, int64_t step,
	struct tfprof_error *err)
{
	struct event_sorter sorter;
	enum tfprof_status status;

	event_sorter_init(&sorter, EVENTS_BY_DEVICE, EVENTS_VALID, SIZE_MAX);
	events_add_model(&sorter, m, step < 0 ? EVENTS_ALL_STEPS : model_find_step(m, step));
	status = events_build(&t->events, &sorter, 0, err);
	event_sorter_clear(&sorter);
	if (status != TFPROF_OK)
		return status;
	return events_sum(&t->events) && nest_build(&t->nest, &t->events) ? TFPROF_OK
									  : error_no_memory(err);
}

/* Copies: the model may change while the timeline is in use. */
static enum tfprof_status copy_names(tfprof_timeline *t, const struct model *m,
	struct tfprof_error *err)
{
	struct events *e = &t->events;
	size_t n = e->n ? e->first_lane[e->n_groups] : 0;

	t->names = mem_zero_array(n + 1, sizeof(*t->names));
	for (size_t i = 0; t->names && e->n && i < m->execs.lanes.n; i++) {
		const struct exec_lane *lane = &m->execs.lanes.at[i];
		uint32_t device = devices_find(&e->devices, model_text(m, lane->device));
		struct span *name;

		if (device == NONE ||
			lane->number >= e->first_lane[device + 1] - e->first_lane[device])
			continue;
		name = &t->names[e->first_lane[device] + lane->number];
		*name = arena_copy(&e->arena, model_text(m, lane->name));
		if (!name->at)
			return error_no_memory(err);
	}
	return t->names ? TFPROF_OK : error_no_memory(err);
}

static enum tfprof_status map_lanes(tfprof_timeline *t, struct tfprof_error *err)
{
	const struct events *e = &t->events;

	t->n_lanes = e->n ? e->first_lane[e->n_groups] : 0;
	t->device_of = mem_array(t->n_lanes + 1, sizeof(*t->device_of));
	if (!t->device_of)
		return error_no_memory(err);
	for (uint32_t device = 0; e->n && device < e->n_groups; device++)
		for (uint32_t l = e->first_lane[device]; l < e->first_lane[device + 1]; l++)
			t->device_of[l] = device;
	return TFPROF_OK;
}

enum tfprof_status tfprof_timeline_new(tfprof_profile *p, int64_t step, tfprof_timeline **timeline,
	struct tfprof_error *err)
{
	tfprof_timeline *t = mem_zero(sizeof(*t));
	enum tfprof_status status;

	*timeline = NULL;
	if (!t)
		return error_no_memory(err);
	atomic_init(&t->n_users, 1);
	status = profile_lock(p, PROFILE_LOADED, err);
	if (status == TFPROF_OK) {
		status = profile_check_step(p, step, false, err);
		if (status == TFPROF_OK)
			status = build(t, &p->model, step, err);
		if (status == TFPROF_OK)
			status = copy_names(t, &p->model, err);
		status = profile_unlock(p, status, err);
	}
	if (status == TFPROF_OK)
		status = map_lanes(t, err);
	if (status == TFPROF_OK)
		*timeline = t;
	else
		tfprof_timeline_free(t);
	return status;
}

/* ---- threads --------------------------------------------------------------- */

struct thread_name {
	uint32_t device, number, text;
};

struct thread_adder {
	tfprof_timeline *t;
	struct event_sorter sorter;
	VEC(struct thread_name) names;
	VEC(uint8_t) kinds;
	uint32_t n_lanes[N_THREAD_KINDS]; /* by device, of which there are fewer */
};

static struct span thread_device(enum thread_kind kind)
{
	return kind == THREAD_PYTHON   ? SPAN("Python")
		: kind == THREAD_INPUT ? SPAN("tf.data")
				       : SPAN("Host threads");
}

/* The texts of a trace's threads among those of the timeline. NULL on allocation failure. */
static uint32_t *add_texts(struct thread_adder *a, const struct threads *threads)
{
	uint32_t *texts = mem_array(threads->texts.text.n + 1, sizeof(*texts));

	for (uint32_t i = 0; texts && i < threads->texts.text.n; i++) {
		texts[i] = strings_add(&a->t->texts, strings_get(&threads->texts, i));
		while (texts[i] != NONE && a->kinds.n <= texts[i])
			if (!vec_push(&a->kinds, THREAD_OTHER))
				texts[i] = NONE;
		if (texts[i] == NONE) {
			mem_free(texts);
			return NULL;
		}
		if (i < threads->kinds.n)
			a->kinds.at[texts[i]] = threads->kinds.at[i];
	}
	return texts;
}

static bool add_thread(struct thread_adder *a, const struct thread_lane *lane,
	const uint32_t *texts)
{
	uint32_t device = devices_add(&a->sorter.devices, thread_device(lane->kind)), *number;
	uint32_t name = strings_add(&a->t->texts, lane->name);

	if (device == NONE || name == NONE)
		return false;
	number = &a->n_lanes[device];
	for (size_t i = 0; i < lane->events.n; i++) {
		const struct thread_event *e = &lane->events.at[i];

		events_add(&a->sorter,
			&(struct event){.node = texts[e->name],
				.device = device,
				.lane = *number | EVENT_HAS_LANE,
				.start_us = e->start_us,
				.duration_us = e->end_us - e->start_us});
	}
	return vec_push(&a->names, ((struct thread_name){device, (*number)++, name}));
}

static enum tfprof_status add_trace(struct thread_adder *a, const struct source *s, int64_t from_us,
	int64_t until_us, struct tfprof_error *err)
{
	struct threads threads;
	enum tfprof_status status = threads_read(&threads, s, from_us, until_us, err);
	uint32_t *texts = status == TFPROF_OK ? add_texts(a, &threads) : NULL;

	if (status == TFPROF_OK && !texts)
		status = error_no_memory(err);
	if (status == TFPROF_OK && !links_add(&a->t->links, &threads, texts, (uint32_t)a->names.n))
		status = error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < threads.lanes.n; i++)
		if (!add_thread(a, &threads.lanes.at[i], texts))
			status = error_no_memory(err);
	a->t->n_hidden += threads.n_hidden;
	if (threads.n_hidden && threads.hidden_below_us > a->t->hidden_below_us)
		a->t->hidden_below_us = threads.hidden_below_us;
	mem_free(texts);
	threads_clear(&threads);
	return status;
}

static bool add_course_event(void *context, const struct course_event *e)
{
	struct thread_adder *a = context;
	uint32_t device = devices_add(&a->sorter.devices, SPAN("Steps"));
	uint32_t name = strings_add(&a->t->texts, e->name);

	while (name != NONE && a->kinds.n <= name)
		if (!vec_push(&a->kinds, THREAD_OTHER))
			return false;
	if (device == NONE || name == NONE)
		return false;
	a->kinds.at[name] = (uint8_t)e->kind;
	events_add(&a->sorter,
		&(struct event){.node = name,
			.device = device,
			.lane = (uint32_t)e->lane | EVENT_HAS_LANE,
			.start_us = e->start_us,
			.duration_us = e->end_us - e->start_us});
	return true;
}

static bool add_course(struct thread_adder *a, const struct course *course, int64_t from_us,
	int64_t until_us)
{
	uint32_t device;

	if (!course_each(course, from_us, until_us, add_course_event, a))
		return false;
	device = devices_find(&a->sorter.devices, SPAN("Steps"));
	for (uint32_t i = 0; device != NONE && i < N_COURSE_LANES; i++) {
		uint32_t name = strings_add(&a->t->texts, course_lane_names[i]);

		if (name == NONE || !vec_push(&a->names, ((struct thread_name){device, i, name})))
			return false;
	}
	return true;
}

static enum tfprof_status build_threads(struct thread_adder *a, struct tfprof_error *err)
{
	tfprof_timeline *t = a->t;
	struct events *e = &t->events;
	enum tfprof_status status = events_build(e, &a->sorter, 0, err);

	if (status != TFPROF_OK)
		return status;
	if (!events_sum(e) || !nest_build(&t->nest, e))
		return error_no_memory(err);
	status = map_lanes(t, err);
	t->names = mem_zero_array(t->n_lanes + 1, sizeof(*t->names));
	if (status != TFPROF_OK || !t->names)
		return error_no_memory(err);
	for (size_t i = 0; i < a->names.n; i++)
		t->names[e->first_lane[a->names.at[i].device] + a->names.at[i].number] =
			strings_get(&t->texts, a->names.at[i].text);
	/* Links count lanes in the order in which they were added. */
	for (size_t i = 0; i < t->links.n; i++)
		for (struct link_end *end = &t->links.at[i].from; end;
			end = end == &t->links.at[i].from ? &t->links.at[i].to : NULL)
			if (end->lane != NONE)
				end->lane = e->first_lane[a->names.at[end->lane].device] +
					a->names.at[end->lane].number;
	t->kinds = a->kinds.at;
	a->kinds.at = NULL;
	return TFPROF_OK;
}

static enum tfprof_status read_threads(struct thread_adder *a, tfprof_profile *p, int64_t from_us,
	int64_t until_us, struct tfprof_error *err)
{
	enum tfprof_status status = profile_lock(p, PROFILE_LOADED, err);

	if (status != TFPROF_OK)
		return status;
	for (size_t i = 0; status == TFPROF_OK && i < p->model.traces.n; i++)
		status = add_trace(a, &p->model.traces.at[i], from_us, until_us, err);
	return profile_unlock(p, status, err);
}

enum tfprof_status timeline_new_threads(tfprof_profile *p, int64_t from_micros,
	int64_t until_micros, const struct course *course, tfprof_timeline **timeline,
	struct tfprof_error *err)
{
	struct thread_adder a = {.t = mem_zero(sizeof(*a.t))};
	enum tfprof_status status;

	*timeline = NULL;
	if (!a.t)
		return error_no_memory(err);
	atomic_init(&a.t->n_users, 1);
	event_sorter_init(&a.sorter, EVENTS_BY_DEVICE, EVENTS_HAVE_LANES, SIZE_MAX);
	status = strings_init(&a.t->texts) &&
			(!course || add_course(&a, course, from_micros, until_micros))
		? read_threads(&a, p, from_micros, until_micros, err)
		: error_no_memory(err);
	if (status == TFPROF_OK)
		status = build_threads(&a, err);
	event_sorter_clear(&a.sorter);
	vec_clear(&a.names);
	vec_clear(&a.kinds);
	if (status == TFPROF_OK)
		*timeline = a.t;
	else
		tfprof_timeline_free(a.t);
	return status;
}

const char *tfprof_timeline_get_name(const tfprof_timeline *t, uint64_t node, size_t *length,
	const char **kind)
{
	static const char *const names[] = {
#define X(id, name) name,
		THREAD_KINDS(X)
#undef X
	};
	struct span name;

	if (!t->kinds || node >= t->texts.text.n)
		return NULL;
	name = strings_get(&t->texts, (uint32_t)node);
	*length = name.n;
	*kind = names[t->kinds[node]];
	return name.at;
}

static void read_end(const tfprof_timeline *t, const struct link_end *from, struct flow_end *end)
{
	struct span name = strings_get(&t->texts, from->name);

	*end = (struct flow_end){.lane = from->lane == NONE ? -1 : (int64_t)from->lane,
		.device = from->lane == NONE ? (int64_t)from->device : -1,
		.start_micros = from->start_us,
		.end_micros = from->end_us,
		.name = name.at,
		.name_length = name.n};
}

int timeline_read_flow(const tfprof_timeline *t, size_t i, struct flow_end *from,
	struct flow_end *to)
{
	if (i >= t->links.n)
		return 0;
	read_end(t, &t->links.at[i].from, from);
	read_end(t, &t->links.at[i].to, to);
	return 1;
}

void tfprof_timeline_free(tfprof_timeline *t)
{
	if (!t || atomic_fetch_sub(&t->n_users, 1) > 1)
		return;
	nest_clear(&t->nest);
	strings_clear(&t->texts);
	vec_clear(&t->links);
	mem_free(t->kinds);
	if (t->whole) {
		events_unselect(&t->events);
		tfprof_timeline_free(t->whole);
	} else {
		events_clear(&t->events);
		mem_free(t->device_of);
		mem_free(t->names);
	}
	mem_free(t);
}

enum tfprof_status tfprof_timeline_select(const tfprof_timeline *timeline,
	const unsigned char *selected, size_t n_nodes, tfprof_timeline **only,
	struct tfprof_error *err)
{
	/* Using it changes nothing that a caller sees. */
	tfprof_timeline *whole = (tfprof_timeline *)timeline, *t = mem_zero(sizeof(*t));

	*only = NULL;
	if (!t || !events_select(&t->events, &whole->events, selected, n_nodes) ||
		!nest_select(&t->nest, &whole->nest, selected, n_nodes)) {
		if (t) {
			events_unselect(&t->events);
			nest_clear(&t->nest);
		}
		mem_free(t);
		return error_no_memory(err);
	}
	atomic_init(&t->n_users, 1);
	atomic_fetch_add(&whole->n_users, 1);
	t->whole = whole;
	t->device_of = whole->device_of;
	t->names = whole->names;
	t->n_lanes = whole->n_lanes;
	*only = t;
	return TFPROF_OK;
}

int tfprof_timeline_read_lane(const tfprof_timeline *t, size_t i, struct tfprof_lane *lane)
{
	const struct events *e = &t->events;
	const struct device *device;
	uint32_t begin, end;

	if (i >= t->n_lanes)
		return 0;
	device = &e->devices.at.at[t->device_of[i]];
	begin = e->first_in_lane[i];
	end = e->first_in_lane[i + 1];
	*lane = (struct tfprof_lane){.device = device->name.at,
		.device_length = device->name.n,
		.kind = device_kinds[device->kind].name,
		.is_accelerator = device_has_accelerator_time(device),
		.number = (uint32_t)i - e->first_lane[t->device_of[i]],
		.n_executions = end - begin,
		.name = t->names[i].n ? t->names[i].at : "",
		.name_length = t->names[i].n,
		.n_rows = t->nest.first[i + 1] - t->nest.first[i]};
	if (end > begin) {
		lane->busy_micros = (int64_t)e->busy_us[end - 1];
		lane->first_micros = e->start_us[e->by_lane[begin]];
		lane->last_micros = e->reach_us[end - 1];
	}
	return 1;
}

void tfprof_timeline_read_step(const tfprof_timeline *t, struct tfprof_step_info *info)
{
	struct tfprof_lane lane;
	int64_t end = 0;

	*info = (struct tfprof_step_info){.n_hidden = t->n_hidden,
		.hidden_below_micros = t->hidden_below_us};
	for (size_t i = 0; tfprof_timeline_read_lane(t, i, &lane); i++) {
		if (!lane.n_executions)
			continue;
		if (!info->n_executions || lane.first_micros < info->start_micros)
			info->start_micros = lane.first_micros;
		if (!info->n_executions || lane.last_micros > end)
			end = lane.last_micros;
		info->n_executions += lane.n_executions;
		info->n_accelerator_lanes += (size_t)(lane.is_accelerator != 0);
		add_clamped(lane.is_accelerator ? &info->accelerator_micros : &info->cpu_micros,
			lane.busy_micros);
	}
	info->wall_micros = end - info->start_micros;
}

struct slice_caller {
	const struct events *events;
	tfprof_slice_fn *fn;
	void *context;
};

static int call_slice(void *context, const struct bar *bar)
{
	const struct slice_caller *caller = context;
	struct tfprof_slice public = {caller->events->node[bar->row], bar->n_rows, bar->start_us,
		bar->end_us, bar->busy_us};

	return caller->fn(caller->context, &public);
}

void tfprof_timeline_find_slices(const tfprof_timeline *t, size_t lane, uint32_t row,
	int64_t from_micros, int64_t until_micros, int64_t min_micros, tfprof_slice_fn *fn,
	void *context)
{
	bool is_whole = row == TFPROF_ALL_ROWS;
	struct slice_caller caller = {is_whole ? &t->events : &t->nest.rows, fn, context};

	if (lane < t->n_lanes && (is_whole || row < t->nest.first[lane + 1] - t->nest.first[lane]))
		bars_find(caller.events, is_whole ? (uint32_t)lane : t->nest.first[lane] + row,
			from_micros, until_micros, min_micros, call_slice, &caller);
}

struct execution_caller {
	const struct events *events;
	int64_t from_us, until_us;
	tfprof_execution_fn *fn;
	void *context;
};

static int call_execution(void *context, const struct bar *bar)
{
	const struct execution_caller *caller = context;
	int64_t start = bar->start_us > caller->from_us ? bar->start_us : caller->from_us;
	int64_t end = bar->end_us < caller->until_us ? bar->end_us : caller->until_us;

	return caller->fn(caller->context, caller->events->node[bar->row],
		end > start ? end - start : 0);
}

void tfprof_timeline_each(const tfprof_timeline *t, size_t lane, int64_t from_micros,
	int64_t until_micros, tfprof_execution_fn *fn, void *context)
{
	struct execution_caller caller = {&t->events, from_micros, until_micros, fn, context};

	if (lane < t->n_lanes)
		bars_find(&t->events, (uint32_t)lane, from_micros, until_micros, 0, call_execution,
			&caller);
}

int64_t tfprof_timeline_get_busy(const tfprof_timeline *t, size_t lane, int64_t from_micros,
	int64_t until_micros)
{
	return lane < t->n_lanes
		? (int64_t)events_busy_us(&t->events, (uint32_t)lane, from_micros, until_micros)
		: 0;
}
