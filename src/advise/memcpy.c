/* Copies between host and accelerators, as a share of the step. */
#include "advise/parts.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"warning", "0.1", "Minimum share of the step in which copies run."},
	{NULL, NULL, NULL},
};

struct copies {
	int64_t copy_us, span_us, n_steps;
	int64_t n[2], bytes[2], time_us[2]; /* to the device (or unknown), to the host */
	const struct step_transfer *longest;
};

static bool add_step(const struct activity *a, size_t step, struct copies *tasks,
	struct interval *spans)
{
	struct step_transfers transfers = activity_transfers(a, step);
	VEC(struct grouped_interval) list = {0};
	struct interval_groups busy;
	struct arena arena = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < transfers.n; i++) {
		const struct step_transfer *t = &transfers.at[i];
		uint32_t task = activity_device(a, t->device)->task;
		struct copies *copies = &tasks[task];
		int way = t->entry.kind == TRANSFER_TO_HOST;

		if (!transfer_crosses_bus(&t->entry))
			continue;
		ok = vec_push(&list,
			((struct grouped_interval){task, {t->entry.start_us, t->entry.end_us}}));
		copies->n[way]++;
		add_clamped(&copies->time_us[way], transfer_us(t));
		add_clamped(&copies->bytes[way], t->entry.bytes);
		if (!copies->longest || transfer_us(t) > transfer_us(copies->longest))
			copies->longest = t;
	}
	ok = ok && intervals_group(&busy, &arena, list.at, list.n, a->devices.tasks.n);
	if (ok)
		activity_spans(a, step, spans);
	for (size_t t = 0; ok && t < a->devices.tasks.n; t++)
		if (spans[t].end > spans[t].start) {
			tasks[t].n_steps++;
			add_clamped(&tasks[t].span_us, spans[t].end - spans[t].start);
			add_clamped(&tasks[t].copy_us,
				intervals_length(busy.at + busy.first[t], busy.n[t]));
		}
	vec_clear(&list);
	arena_clear(&arena);
	return ok;
}

static void put_way(struct buf *b, const struct copies *copies, int way, const char *where)
{
	if (!copies->n[way])
		return;
	buf_printf(b, "; %lld %s, ", (long long)(copies->n[way] / copies->n_steps), where);
	if (copies->bytes[way]) {
		format_number(b, UNIT_BYTES, copies->bytes[way] / copies->n_steps);
		buf_text(b, ", ");
	}
	format_number(b, UNIT_MICROS, copies->time_us[way] / copies->n_steps);
}

/* "conv1:MEMCPYHtoD" is about conv1. */
static struct span node_of(struct span name)
{
	return span_before(name, ':');
}

static void report(struct check *c, const struct activity *a, uint32_t task,
	const struct copies *copies)
{
	const struct step_transfer *longest = copies->longest;
	struct buf *b = &c->text;
	struct finding *f;

	device_put_task(b, a->devices.tasks.at[task].name);
	buf_printf(b, " copies between host and accelerators during %.0f%% of its step: ",
		100 * (double)copies->copy_us / (double)copies->span_us);
	format_number(b, UNIT_MICROS, copies->copy_us / copies->n_steps);
	buf_text(b, " of ");
	format_number(b, UNIT_MICROS, copies->span_us / copies->n_steps);
	put_way(b, copies, 0, "to the device");
	put_way(b, copies, 1, "to the host");
	buf_text(b, "; longest ");
	format_number(b, UNIT_MICROS, transfer_us(longest));
	buf_text(b, ", ");
	buf_span(b, longest->entry.name);
	buf_text(b, " on ");
	buf_span(b, activity_device(a, longest->device)->name);
	f = check_find(c, "host_device_copies", TFPROF_LEVEL_WARNING, CONFIDENCE_HIGH);
	f->stake_us = copies->copy_us / copies->n_steps;
	f->stake_bytes = copies->bytes[0] / copies->n_steps;
	add_clamped(&f->stake_bytes, copies->bytes[1] / copies->n_steps);
	f->stake_share = (double)copies->copy_us / (double)copies->span_us;
	f->remedy = "Keep tensors on the accelerator: look for CPU operations between accelerator "
		    "operations, and for values fetched every step.";
	check_place(c, f,
		(struct place){.device = activity_device(a, longest->device)->name,
			.node = node_of(longest->entry.name),
			.micros = transfer_us(longest),
			.bytes = longest->entry.bytes});
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	const struct activity *a = check_activity(c);
	struct copies *tasks = a ? check_alloc(c, a->devices.tasks.n, sizeof(*tasks)) : NULL;
	struct interval *spans = a ? check_alloc(c, a->devices.tasks.n, sizeof(*spans)) : NULL;
	double warning = check_number(c, "warning");
	bool ok = tasks && spans, any = false;

	for (size_t step = 0; ok && step < a->n_steps; step++)
		ok = add_step(a, step, tasks, spans);
	if (!ok)
		return error_no_memory(err);
	for (uint32_t t = 0; t < a->devices.tasks.n; t++) {
		any |= tasks[t].longest != NULL;
		if (tasks[t].longest &&
			(double)tasks[t].copy_us >= warning * (double)tasks[t].span_us)
			report(c, a, t, &tasks[t]);
	}
	if (!any && c->parts)
		check_ok(c,
			"No copy between host and accelerator; StepChecker judges those of the "
			"host.");
	else if (!any)
		check_skip(c, check_lacks(c, "no copies"),
			"No copy between host and accelerator in the profile. Skip MemcpyChecker");
	else if (!c->verdict->findings.n)
		check_ok(c,
			"Copies between host and accelerators take a small share of the steps.");
	return TFPROF_OK;
}

const struct checker memcpy_checker = {
	.info = {"MemcpyChecker", "Copies between host and accelerators, as a share of the step.",
		options},
	.needs_run_meta = true,
	.reads_parts = true,
	.run = run,
};
