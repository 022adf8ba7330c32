/* Time in which a step waits for input: an input operation runs and nothing else of the
 * task does. Traces tell it exactly, also between steps, and which stage is slow. */
#include "advise/parts.h"
#include "advise/types.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"types",
		"IteratorGetNext.*,OptionalFromValue,.*Dataset.*,.*QueueDequeue.*,ReaderRead.*,"
		".*RecordReader.*,ReadFile,WholeFileReader.*,ParseExample.*,ParseSingle.*,"
		"ParseSequence.*,Decode.*,InfeedDequeue.*,Unstage,PyFunc.*,EagerPyFunc",
		"Op types that provide input (regular expressions)."},
	{"notice", "0.05", "Minimum share of the step spent waiting for input."},
	{"high", "0.2", "Minimum share for level high."},
	{"trace_notice", "0.1", "Minimum share of a trace's step, with the gap before it."},
	{"contention", "0.3",
		"Minimum share of a trace's step in which its input pipeline works on the same "
		"cores."},
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

/* ---- traces ------------------------------------------------------------------------------ */

static bool is_python_op(struct span type)
{
	return span_contains(type, SPAN("PyFunc"));
}

/* What to do about the stage that limits. */
static const char *remedy_of(struct span stage, struct span op)
{
	if (span_contains(stage, SPAN("Generator")))
		return "The generator is too slow, and prefetching does not make it faster: split "
		       "it "
		       "over several workers, or write what it makes to files.";
	if (is_python_op(op))
		return "Python in map runs one element at a time: rewrite it in TensorFlow "
		       "operations, or batch before map.";
	if (span_contains(stage, SPAN("ParallelMap")) || span_contains(stage, SPAN("MapAndBatch")))
		return "The map is too slow even in parallel: do less in it, or cache what is the "
		       "same every epoch.";
	if (span_contains(stage, SPAN("Map")))
		return "Use num_parallel_calls=tf.data.AUTOTUNE in map, and cache what is the same "
		       "every epoch.";
	return "Prepare input during the previous step (prefetch), in parallel, and cache what is "
	       "the same every epoch.";
}

static const anatomy_cause_list *causes_of_input(const struct step_parts *p)
{
	int64_t in_steps = p->total.parts[ANATOMY_INPUT], in_gaps = 0;

	for (size_t i = 0; i < p->gap_causes.n; i++)
		if (p->gap_causes.at[i].part == ANATOMY_INPUT)
			in_gaps += p->gap_causes.at[i].ps;
	return in_gaps > in_steps ? &p->gap_causes : &p->causes;
}

static void check_waiting(struct check *c, const struct step_parts *p)
{
	struct part_time time = parts_measure(p, IN_BOTH, ANATOMY_INPUT);
	enum tfprof_level level = check_level(time.share, check_number(c, "trace_notice"), NEVER,
		check_number(c, "high"));
	const struct anatomy_cause *cause;
	struct span op = p->anatomy->input_op;
	struct finding *f;

	if (level == TFPROF_LEVEL_NONE || time.is_unusual)
		return;
	buf_text(&c->text, anatomy_part_words(ANATOMY_INPUT));
	parts_put_time(p, time, &c->text);
	cause = parts_put_cause(p, causes_of_input(p), ANATOMY_INPUT, &c->text);
	if (op.n) {
		buf_text(&c->text, "; its operations are mostly ");
		buf_span(&c->text, op);
	}
	f = check_find(c, "input_bound", level, CONFIDENCE_HIGH);
	f->stake_us = to_int(time.micros);
	f->stake_share = time.share;
	f->remedy = remedy_of(cause ? cause->text : SPAN(""), op);
	if (cause)
		check_place(c, f, check_cause(c, p, cause));
}

/* Input that is prepared meanwhile does not delay the step, but on a CPU takes cores from it. What
 * Python does in it may be sleeping: that cannot be told. */
static void check_contention(struct check *c, const struct step_parts *p)
{
	double work_us = (double)p->total.input_work_ps / 1e6 / (double)p->total.n_steps;
	double share = work_us / p->period_us;
	struct finding *f;

	if (c->verdict->findings.n || share < check_number(c, "contention") ||
		!p->anatomy->input_op.n || is_python_op(p->anatomy->input_op) ||
		model_has_accelerator(c->model))
		return;
	buf_text(&c->text, "the input pipeline works while the step computes, on the same cores");
	parts_put_time(p, (struct part_time){.share = share, .micros = work_us}, &c->text);
	buf_text(&c->text, "; mostly ");
	buf_span(&c->text, p->anatomy->input_op);
	f = check_find(c, "input_contention", TFPROF_LEVEL_NOTICE, CONFIDENCE_MEDIUM);
	f->stake_us = to_int(work_us);
	f->stake_share = share;
	f->remedy = "Do less in the pipeline, cache what is the same every epoch, or give it fewer "
		    "threads: what it saves, the step can use.";
	check_place(c, f, (struct place){.op = check_copy(c, p->anatomy->input_op)});
}

static void check_trace(struct check *c, const struct step_parts *p)
{
	check_waiting(c, p);
	check_contention(c, p);
	if (!c->verdict->findings.n)
		check_ok(c, "The steps do not wait long for input.");
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct input in = {.c = c};
	enum tfprof_status status;
	bool ok;

	if (c->parts) {
		check_trace(c, c->parts);
		return TFPROF_OK;
	}
	in.a = check_activity(c);
	status = type_filter_init(&in.types, c, "types", err);
	ok = in.a != NULL;
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
	.reads_parts = true,
	.run = run,
};
