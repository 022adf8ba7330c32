/* What each accelerator of a trace did: busy, idle, launches, memory (model/accelerator.h). */
#include <stdlib.h>

#include "base/clamped.h"
#include "load/xplane/apply.h"
#include "load/xplane/transfers.h"
#include "load/xplane/intervals.h"

/* ---- time ---------------------------------------------------------------- */

/* The union of intervals, which are in order; without copies, or without collectives either. */
static int64_t sum_busy(const intervals *list, bool with_copies, bool with_collectives)
{
	int64_t busy_ps = 0, reach_ps = INT64_MIN;

	for (size_t i = 0; i < list->n; i++) {
		const struct interval *v = &list->at[i];
		int64_t from_ps = v->start_ps > reach_ps ? v->start_ps : reach_ps;

		if ((v->is_copy && !with_copies) || (v->is_collective && !with_collectives) ||
			v->end_ps <= from_ps)
			continue;
		busy_ps += v->end_ps - from_ps;
		reach_ps = v->end_ps;
	}
	return busy_ps;
}

/* Gaps that end with something that the host launched after they began, and those of which that is
 * not known: nothing starts before it is launched, unless clocks differ. */
static void sum_gaps(const struct trace *t, const intervals *list, struct accelerator *a)
{
	int64_t reach_ps = list->at[0].end_ps;

	a->late_ps = t->launches.n ? 0 : -1;
	for (size_t i = 1; t->launches.n && i < list->n; i++) {
		const struct interval *v = &list->at[i];
		int64_t gap_ps = v->start_ps - reach_ps;
		int64_t launch_ps =
			v->launch == NONE ? INT64_MAX : t->launches.at[v->launch].start_ps;

		if (gap_ps > 0 && launch_ps > v->start_ps)
			a->unknown_gap_ps += gap_ps;
		else if (gap_ps > 0 && launch_ps > reach_ps)
			a->late_ps += gap_ps;
		if (v->end_ps > reach_ps)
			reach_ps = v->end_ps;
	}
}

struct delay {
	uint32_t launch;
	int64_t ps;
};

static int by_launch(const void *a, const void *b)
{
	const struct delay *x = a, *y = b;

	if (x->launch != y->launch)
		return x->launch < y->launch ? -1 : 1;
	return (x->ps > y->ps) - (x->ps < y->ps);
}

static int by_delay(const void *a, const void *b)
{
	const struct delay *x = a, *y = b;

	return (x->ps > y->ps) - (x->ps < y->ps);
}

static bool is_graph(const struct trace *t, uint32_t launch)
{
	return span_contains(t->launches.at[launch].name, SPAN("GraphLaunch"));
}

/* Of the delays between launches and starts; -1: none is known. A graph of kernels is launched at
 * once: its first counts. False on allocation failure. */
static bool find_median_delay(const struct trace *t, const intervals *list, int64_t *median_ps)
{
	struct delay *delays = mem_array(list->n + 1, sizeof(*delays));
	size_t n = 0, n_first = 0;

	*median_ps = -1;
	for (size_t i = 0; delays && i < list->n; i++) {
		uint32_t launch = list->at[i].launch;

		if (launch != NONE)
			delays[n++] = (struct delay){launch,
				list->at[i].start_ps - t->launches.at[launch].start_ps};
	}
	if (delays && n) {
		qsort(delays, n, sizeof(*delays), by_launch);
		for (size_t i = 0; i < n; i++)
			if (!i || delays[i].launch != delays[i - 1].launch ||
				!is_graph(t, delays[i].launch))
				delays[n_first++] = delays[i];
		qsort(delays, n_first, sizeof(*delays), by_delay);
		*median_ps = delays[n_first / 2].ps;
	}
	mem_free(delays);
	return delays;
}

bool apply_is_copy(const struct trace *t, uint32_t target)
{
	struct span type = strings_get(&t->texts, t->targets.at[target].type);

	return t->targets.at[target].on_device == DEVICE_EACH && span_starts(type, SPAN("Mem"));
}

/* On a core, what runs within a loop does so by itself. */
static bool add_line(const struct trace *t, size_t line, struct accelerator *a, intervals *list)
{
	size_t end = line + 1 < t->lines.n ? t->lines.at[line + 1].first_op : t->ops.n;
	size_t first = t->lines.at[line].first_op;
	const struct trace_device_op *beside = &t->device_ops.at[t->lines.at[line].first_device_op];

	a->n_lanes++;
	for (size_t i = first; i < end; i++, beside++) {
		const struct trace_op *op = &t->ops.at[i];

		a->n_executions += beside->is_next;
		bool is_collective = transfers_is_collective_kernel(t, beside, op->target);

		if (t->targets.at[op->target].is_waiting)
			a->waiting_ps += op->self_ps > 0 ? op->self_ps : 0;
		if (is_collective && a->is_tpu)
			a->collective_ps += op->self_ps > 0 ? op->self_ps : 0;
		if (!vec_push(list,
			    ((struct interval){op->start_ps, op->start_ps + op->total_ps,
				    beside->launch, apply_is_copy(t, op->target), is_collective})))
			return false;
	}
	return true;
}

/* Steps that it recorded. Those of cores may be by the host's clock, what ran is not: then a step
 * is from the first operation in it to the end of the last. */
static void sum_steps(const struct trace *t, uint32_t device, struct accelerator *a,
	const intervals *list)
{
	for (size_t i = 0; i < t->device_steps.n; i++) {
		const struct trace_device_step *step = &t->device_steps.at[i];
		bool has_clock = step->end_ps > step->start_ps;
		int64_t start_ps = has_clock ? step->start_ps : step->first_ps;
		int64_t end_ps = has_clock ? step->end_ps : step->last_ps;

		if (step->at.kept != device || end_ps <= start_ps)
			continue;
		a->n_steps++;
		add_clamped(&a->step_ps, end_ps - start_ps);
		add_clamped(&a->step_busy_ps, intervals_overlap(list, start_ps, end_ps));
	}
}

static bool sum_device(const struct trace *t, uint32_t device, struct accelerator *a)
{
	intervals list = {0};
	bool ok = true;
	int64_t last_ps = INT64_MIN;

	for (size_t i = 0; ok && i < t->lines.n; i++)
		if (t->lines.at[i].device == device && t->lines.at[i].first_device_op != NONE)
			ok = add_line(t, i, a, &list);
	if (ok && list.n) {
		intervals_sort(&list);
		for (size_t i = 0; i < list.n; i++)
			last_ps = list.at[i].end_ps > last_ps ? list.at[i].end_ps : last_ps;
		a->span_ps = last_ps - list.at[0].start_ps;
		a->busy_ps = sum_busy(&list, true, true);
		a->kernel_busy_ps = sum_busy(&list, false, true);
		if (!a->is_tpu)
			a->collective_ps = a->kernel_busy_ps - sum_busy(&list, false, false);
		sum_gaps(t, &list, a);
		ok = find_median_delay(t, &list, &a->launch_delay_ps);
		if (a->launch_delay_ps < -1) {
			a->launch_delay_ps = a->late_ps = -1;
			a->is_before_launch = true;
		}
		intervals_unite(&list);
		sum_steps(t, device, a, &list);
	}
	vec_clear(&list);
	return ok;
}

/* ---- memory -------------------------------------------------------------- */

static void add_memory(const struct trace *t, const struct trace_device *device,
	struct accelerator *a)
{
	a->peak_bytes = a->lifetime_peak_bytes = a->capacity_bytes = -1;
	for (size_t i = 0; i < t->pools.n; i++) {
		const struct trace_pool *pool = &t->pools.at[i];

		if (pool->ordinal != device->ordinal)
			continue;
		if (pool->peak_bytes > a->peak_bytes)
			a->peak_bytes = pool->peak_bytes;
		if (pool->lifetime_peak_bytes > a->lifetime_peak_bytes)
			a->lifetime_peak_bytes = pool->lifetime_peak_bytes;
		if (pool->capacity_bytes > a->capacity_bytes)
			a->capacity_bytes = pool->capacity_bytes;
	}
}

bool apply_devices(struct apply *a)
{
	const struct trace *t = a->trace;

	for (uint32_t i = 0; i < t->devices.n; i++) {
		const struct trace_device *device = &t->devices.at[i];
		struct accelerator found = {.device = a->devices[i],
			.is_tpu = device->kind == PLANE_TPU,
			.facts = device->facts,
			.launch_delay_ps = -1,
			.stalled_ps = device->stalled_ps,
			.n_programs_run = device->n_programs_run};

		if (!plane_is_accelerator(device->kind))
			continue;
		found.product =
			strings_add(&a->model->strings, strings_get(&t->texts, device->product));
		if (found.product == NONE || !sum_device(t, i, &found))
			return false;
		add_memory(t, device, &found);
		if (found.n_executions && !vec_push(&a->model->accelerators, found))
			return false;
	}
	return true;
}
