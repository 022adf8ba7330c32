#include "advise/activity.h"

#include "base/sort.h"

static bool collect_events(struct activity *a, const struct model *m)
{
	struct event_sorter sorter;
	enum tfprof_status status;

	event_sorter_init(&sorter, EVENTS_BY_STEP, EVENTS_VALID, SIZE_MAX);
	/* A device without a name comes first, wherever it is used. */
	sorter.failed = devices_add(&sorter.devices, SPAN("")) == NONE;
	events_add_model(&sorter, m, EVENTS_ALL_STEPS);
	status = events_build(&a->events, &sorter, a->n_steps, NULL);
	event_sorter_clear(&sorter);
	a->devices = a->events.devices;
	a->events.devices = (struct devices){0};
	return status == TFPROF_OK;
}

/* ---- transfers ------------------------------------------------------------------ */

/* The task of a device named in a label, or NONE. */
static bool task_in_label(struct activity *a, struct span name, struct buf *scratch, uint32_t *task)
{
	uint32_t device;

	*task = NONE;
	if (!name.n)
		return true;
	device_lower(scratch, name);
	device = scratch->failed ? NONE : devices_add(&a->devices, buf_get(scratch));
	if (device == NONE)
		return false;
	*task = activity_device(a, device)->task;
	return true;
}

static bool add_transfer(struct activity *a, const struct model *m, const struct transfer *t,
	struct buf *scratch)
{
	struct step_transfer transfer = {.device =
						 devices_add(&a->devices, model_text(m, t->device)),
		.step = model_find_step(m, t->step)};

	if (transfer.device == NONE)
		return false;
	transfer.entry = transfer_read(t->stats,
		activity_device(a, transfer.device)->kind == DEVICE_KIND_COPY_ENGINE);
	if (!task_in_label(a, transfer.entry.from, scratch, &transfer.from) ||
		!task_in_label(a, transfer.entry.to, scratch, &transfer.to))
		return false;
	if (transfer.to == NONE)
		transfer.to = activity_device(a, transfer.device)->task;
	if (!transfer.entry.start_us || transfer.step == NONE)
		return true;
	return vec_push(&a->transfers, transfer);
}

static bool collect_transfers(struct activity *a, const struct model *m)
{
	struct buf scratch = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < m->transfers.n; i++)
		ok = add_transfer(a, m, &m->transfers.at[i], &scratch);
	buf_clear(&scratch);
	return ok;
}

/* Traces have copies among the kernels of a stream. */
static bool add_copy(struct activity *a, const struct model *m, size_t step, const struct event *e)
{
	struct step_transfer transfer = {.device = e->device, .from = NONE, .step = (uint32_t)step};
	const struct device *device = activity_device(a, e->device);

	if (!device_has_accelerator_time(device) ||
		!transfer_is_copy(model_text(m, m->nodes.op[e->node]), &transfer.entry.kind))
		return true;
	transfer.entry.name = model_name(m, e->node);
	transfer.entry.start_us = e->start_us;
	transfer.entry.end_us = event_end(e);
	transfer.to = device->task;
	return vec_push(&a->transfers, transfer);
}

static bool collect_copies(struct activity *a, const struct model *m)
{
	bool ok = true;

	for (size_t step = 0; ok && m->execs.lanes.n && step < a->n_steps; step++) {
		struct event_rows rows = activity_events(a, step);

		for (size_t row = rows.first; ok && row < rows.end; row++) {
			struct event e = events_get(&a->events, row);

			ok = add_copy(a, m, step, &e);
		}
	}
	return ok;
}

/* Sorts by step, then by start. */
static bool sort_transfers(struct activity *a)
{
	size_t n = a->transfers.n;
	struct sort_item *keys = mem_array(n, sizeof(*keys));
	struct sort_item *scratch = mem_array(n, sizeof(*scratch));
	struct step_transfer *sorted = mem_array(n, sizeof(*sorted));
	bool ok = keys && scratch && sorted && n < NONE;

	for (size_t i = 0; ok && i < n; i++) {
		const struct step_transfer *t = &a->transfers.at[i];

		keys[i] = (struct sort_item){sort_key_ascending(t->entry.start_us), (uint32_t)i};
		/* Two ahead: [step + 1] is first the begin, and after filling the end. */
		a->first_transfer[t->step + 2]++;
	}
	for (size_t step = 1; step <= a->n_steps; step++)
		a->first_transfer[step + 1] += a->first_transfer[step];
	if (ok && n)
		sort_items(keys, scratch, n);
	for (size_t i = 0; ok && i < n; i++) {
		const struct step_transfer *t = &a->transfers.at[keys[i].id];

		sorted[a->first_transfer[t->step + 1]++] = *t;
	}
	if (ok && n)
		memcpy(a->transfers.at, sorted, n * sizeof(*sorted));
	mem_free(keys);
	mem_free(scratch);
	mem_free(sorted);
	return ok;
}

static bool measure_steps(struct activity *a)
{
	size_t n_tasks = a->devices.tasks.n;
	struct interval *spans = mem_array(n_tasks, sizeof(*spans));

	for (size_t step = 0; spans && step < a->n_steps; step++) {
		activity_spans(a, step, spans);
		for (size_t t = 0; t < n_tasks; t++)
			if (spans[t].end - spans[t].start > a->step_us[step])
				a->step_us[step] = spans[t].end - spans[t].start;
	}
	mem_free(spans);
	return spans;
}

bool activity_collect(struct activity *a, const struct model *m)
{
	*a = (struct activity){.n_steps = m->steps.n};
	a->first_transfer = arena_zero(&a->arena, m->steps.n + 2, sizeof(*a->first_transfer));
	a->step_us = arena_zero(&a->arena, m->steps.n, sizeof(*a->step_us));
	return a->first_transfer && a->step_us && collect_events(a, m) && collect_transfers(a, m) &&
		collect_copies(a, m) && sort_transfers(a) && measure_steps(a);
}

void activity_clear(struct activity *a)
{
	events_clear(&a->events);
	devices_clear(&a->devices);
	vec_clear(&a->transfers);
	arena_clear(&a->arena);
}

/* ---- reading --------------------------------------------------------------------- */

static void widen(struct interval *span, int64_t start, int64_t end)
{
	if (span->end == 0 || start < span->start)
		span->start = start;
	if (end > span->end)
		span->end = end;
}

void activity_spans(const struct activity *a, size_t step, struct interval *spans)
{
	struct event_rows rows = activity_events(a, step);
	struct step_transfers transfers = activity_transfers(a, step);

	memset(spans, 0, a->devices.tasks.n * sizeof(*spans));
	for (size_t row = rows.first; row < rows.end; row++) {
		struct event e = events_get(&a->events, row);

		widen(&spans[activity_device(a, e.device)->task], e.start_us, event_end(&e));
	}
	for (size_t i = 0; i < transfers.n; i++)
		widen(&spans[activity_device(a, transfers.at[i].device)->task],
			transfers.at[i].entry.start_us, transfers.at[i].entry.end_us);
}

int64_t activity_mean_step(const struct activity *a)
{
	int64_t sum = 0, n = 0;

	for (size_t step = 0; step < a->n_steps; step++)
		if (a->step_us[step] && !__builtin_add_overflow(sum, a->step_us[step], &sum))
			n++;
	return n ? sum / n : 0;
}
