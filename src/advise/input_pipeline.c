/* Time in which a step waits for input: an input operation runs and nothing else of the
 * task does. */
#include "advise/advise.h"
#include "advise/types.h"
#include "write/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"types",
		"IteratorGetNext.*,OptionalFromValue,.*Dataset.*,.*QueueDequeue.*,ReaderRead.*,"
		".*RecordReader.*,ReadFile,WholeFileReader.*,ParseExample.*,ParseSingle.*,"
		"ParseSequence.*,Decode.*,InfeedDequeue.*,Unstage,PyFunc.*,EagerPyFunc",
		"Op types that provide input (regular expressions)."},
	{"notice", "0.05", "Minimum share of the step spent waiting for input."},
	{"high", "0.2", "Minimum share for level high."},
	{NULL, NULL, NULL},
};

struct input_time {
	int64_t wait_us, span_us, n_steps;
	uint32_t node; /* the input operation that ran longest */
	int64_t node_us;
};

struct input {
	struct check *c;
	const struct activity *a;
	struct type_filter types;
	struct input_time *tasks;
	struct interval *spans;
};

static bool add_step(struct input *in, size_t step)
{
	const struct activity *a = in->a;
	struct event_rows rows = activity_events(a, step);
	VEC(struct grouped_interval) input = {0}, other = {0};
	struct interval_groups waits, work;
	struct arena arena = {0};
	bool ok = true;

	for (size_t row = rows.first; ok && row < rows.end; row++) {
		struct event e = events_get(&a->events, row);
		uint32_t task = activity_device(a, e.device)->task;
		struct grouped_interval item = {task, {e.start_us, event_end(&e)}};

		if (!type_filter_match(&in->types, e.node)) {
			ok = vec_push(&other, item);
			continue;
		}
		ok = vec_push(&input, item);
		if (e.duration_us > in->tasks[task].node_us) {
			in->tasks[task].node_us = e.duration_us;
			in->tasks[task].node = e.node;
		}
	}
	ok = ok && intervals_group(&waits, &arena, input.at, input.n, a->devices.tasks.n) &&
		intervals_group(&work, &arena, other.at, other.n, a->devices.tasks.n);
	if (ok)
		activity_spans(a, step, in->spans);
	for (size_t t = 0; ok && t < a->devices.tasks.n; t++) {
		if (in->spans[t].end <= in->spans[t].start)
			continue;
		in->tasks[t].n_steps++;
		add_clamped(&in->tasks[t].span_us, in->spans[t].end - in->spans[t].start);
		add_clamped(&in->tasks[t].wait_us,
			intervals_outside(waits.at + waits.first[t], waits.n[t],
				work.at + work.first[t], work.n[t]));
	}
	vec_clear(&input);
	vec_clear(&other);
	arena_clear(&arena);
	return ok;
}

static void report(struct input *in, uint32_t task, enum tfprof_level level)
{
	const struct input_time *time = &in->tasks[task];
	struct place place = check_node(in->c, time->node);
	struct buf *b = &in->c->text;
	struct finding *f;

	device_put_task(b, in->a->devices.tasks.at[task].name);
	buf_printf(b, " waits %.1f%% of its step for input: ",
		100 * (double)time->wait_us / (double)time->span_us);
	format_number(b, UNIT_MICROS, time->wait_us / time->n_steps);
	buf_text(b, " of ");
	format_number(b, UNIT_MICROS, time->span_us / time->n_steps);
	buf_text(b, " per step; longest in ");
	place_put(b, &place);
	buf_text(b, ", ");
	format_number(b, UNIT_MICROS, time->node_us);
	f = check_find(in->c, "input_bound", level, CONFIDENCE_MEDIUM);
	f->stake_us = time->wait_us / time->n_steps;
	f->stake_share = (double)time->wait_us / (double)time->span_us;
	f->remedy = "Prepare input during the previous step (prefetch), in parallel, and cache "
		    "what is the same every epoch.";
	place.micros = time->node_us;
	check_place(in->c, f, place);
}

static void conclude(struct input *in)
{
	double notice = check_number(in->c, "notice"), high = check_number(in->c, "high");
	bool has_input = false;

	for (uint32_t t = 0; t < in->a->devices.tasks.n; t++) {
		const struct input_time *time = &in->tasks[t];
		enum tfprof_level level;

		has_input |= time->node_us > 0;
		if (!time->wait_us || !time->span_us)
			continue;
		level = check_level((double)time->wait_us / (double)time->span_us, notice, NEVER,
			high);
		if (level != TFPROF_LEVEL_NONE)
			report(in, t, level);
	}
	if (!has_input)
		check_skip(in->c, "no input operations",
			"No input operation ran in the profile. Skip InputPipelineChecker");
	else if (!in->c->verdict->findings.n)
		check_ok(in->c, "The steps do not wait long for input.");
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct input in = {.c = c, .a = check_activity(c)};
	enum tfprof_status status = type_filter_init(&in.types, c, "types", err);
	bool ok = in.a != NULL;

	if (ok) {
		in.tasks = check_alloc(c, in.a->devices.tasks.n, sizeof(*in.tasks));
		in.spans = check_alloc(c, in.a->devices.tasks.n, sizeof(*in.spans));
		ok = in.tasks && in.spans;
	}
	for (size_t step = 0; status == TFPROF_OK && ok && step < in.a->n_steps; step++)
		ok = add_step(&in, step);
	if (status == TFPROF_OK && ok) {
		conclude(&in);
		status = regexes_check(in.types.regexes, err);
	}
	type_filter_clear(&in.types);
	return status == TFPROF_OK && !ok ? error_no_memory(err) : status;
}

const struct checker input_pipeline_checker = {
	.info = {"InputPipelineChecker", "Share of the step spent waiting for input.", options},
	.needs_run_meta = true,
	.run = run,
};
