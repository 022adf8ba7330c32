/* What ran on GPUs and TPUs: kernels and copies of streams, operations of cores. */
#include "load/anatomy/lines.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "load/xplane/device_op.h"
#include "load/xplane/hlo_text.h"
#include "load/xplane/kernel_name.h"

/* A program that runs on a core, as a line of its own tells. */
struct module_run {
	int64_t start, end;
	struct span module;
	uint64_t program; /* 0: not known */
	uint64_t id;
	bool has_id;
};

struct device {
	struct scene *s;
	const struct plane *plane;
	uint32_t *texts; /* of the plane's names */
	uint32_t name;   /* its place among the devices */
	bool is_tpu;
	int64_t line_start;
	VEC(struct step) steps;         /* by marker_start */
	VEC(struct module_run) modules; /* by start */
	VEC(struct step) groups;        /* of events, as recorded */
};

/* "fusion" of "%fusion.12 = f32[…] …", "fusion.12" and "fusion.1.2". */
static struct span kind_of(struct span name)
{
	if (name.n > 1 && name.at[0] == '%') {
		size_t n = 1;

		while (n < name.n &&
			(ascii_is_letter(name.at[n]) || ascii_is_digit(name.at[n]) ||
				name.at[n] == '_' || name.at[n] == '-'))
			n++;
		name = (struct span){name.at + 1, n - 1};
	}
	while (name.n && (ascii_is_digit(name.at[name.n - 1]) || name.at[name.n - 1] == '.'))
		name.n--;
	return name;
}

/* "%fusion.12 = … fusion" of "%fusion.12 = f32[…] fusion(f32[…] %copy-done.2), …": what it takes
 * as arguments says nothing of what it is. */
static struct span without_operands(struct span text)
{
	size_t n = 0;

	if (!span_starts(text, SPAN("%")))
		return text;
	/* Shapes may be tuples, and have layouts like T(8,128); an opcode follows a space. */
	for (size_t i = 1; !n && i < text.n; i++) {
		size_t from = i;

		if (text.at[i] != '(')
			continue;
		while (from > 1 && (ascii_is_letter(text.at[from - 1]) || text.at[from - 1] == '-'))
			from--;
		if (from < i && text.at[from - 1] == ' ')
			n = i;
	}
	return n ? (struct span){text.at, n} : text;
}

/* "jit_f" of "jit_f(123)". */
static struct span module_of(struct span name)
{
	size_t end = name.n;

	if (!end || name.at[end - 1] != ')')
		return name;
	for (end--; end && ascii_is_digit(name.at[end - 1]); end--)
		;
	return end && end < name.n - 1 && name.at[end - 1] == '(' ? (struct span){name.at, end - 1}
								  : name;
}

/* 123 of "jit_f(123)". */
static uint64_t program_of(struct span name)
{
	uint64_t id = 0;

	for (size_t i = module_of(name).n + 1; i + 1 < name.n; i++)
		id = 10 * id + (uint64_t)(name.at[i] - '0');
	return id;
}

static bool is_collective(struct scene *s, const struct xstats *st)
{
	bool ok = true;
	struct hlo_module *m = st->has & STAT_BIT(PROGRAM_ID)
		? hlo_modules_find(&s->modules, xstats_number(st, STAT_PROGRAM_ID), &ok)
		: NULL;
	uint32_t i = m ? hlo_find_name(m, xstats_text(st, STAT_HLO_OP)) : NONE;

	scene_ok(s, ok);
	return i != NONE && class_of_opcode(m->instructions.at[i].opcode) == ANATOMY_COMMUNICATION;
}

static const struct module_run *module_at(const struct device *dev, int64_t time)
{
	size_t low = 0;

	sort_search(low, dev->modules.n, i, dev->modules.at[i].start <= time);
	return low && time <= dev->modules.at[low - 1].end ? &dev->modules.at[low - 1] : NULL;
}

/* A program is at a time of the host's clock. */
static bool add_run(struct device *dev, struct facts *f, int64_t start)
{
	struct scene *s = dev->s;
	const struct module_run *m = module_at(dev, start);

	if (m && !f->number)
		f->number = m->program;
	if (m)
		f->device = scene_add_run(s, m->module, m->has_id, m->id, start);
	else if (f->other)
		f->device = scene_add_run(s, text_of(s, f->other), f->has & FACT_ID, f->id, start);
	else
		return true;
	return f->device != NONE;
}

/* Whether the event now has the times of the device. */
static bool use_device_clock(const struct device *dev, struct raw_event *e)
{
	int64_t offset = (int64_t)xstats_number(&e->stats, STAT_DEVICE_OFFSET);
	int64_t duration = (int64_t)xstats_number(&e->stats, STAT_DEVICE_DURATION);

	if (!xstats_has_number(&e->stats, STAT_DEVICE_OFFSET) ||
		!xstats_has_number(&e->stats, STAT_DEVICE_DURATION) ||
		!raw_times_are_valid(offset, duration))
		return false;
	e->start = dev->line_start + offset;
	e->duration = duration;
	return true;
}

/* Copies and fills that AMD's runtime does for an operation are part of it. */
static bool is_fill_of_op(struct span name, const struct xstats *st)
{
	return span_starts(name, SPAN("__amd_rocclr_")) && xstats_text(st, STAT_HLO_OP).n;
}

static bool is_signature(struct span name)
{
	return span_starts(name, SPAN("_Z")) || span_contains(name, SPAN("<")) ||
		span_contains(name, SPAN("("));
}

/* A signature of C++ tells nobody what ran: such a kernel is called as the node of TensorFlow that
 * it was launched for, or by a short name. Others and copies keep their own. False on allocation
 * failure. */
static bool name_kernel(struct device *dev, struct span name, const struct xstats *st,
	struct span *op)
{
	struct scene *s = dev->s;
	struct op_text annotation;
	struct buf text = {0};
	uint32_t id;

	if (!is_signature(name))
		return true;
	if (kernel_find_annotation(st, &annotation)) {
		*op = annotation.name;
		return true;
	}
	kernel_put_short_name(&text, name);
	id = text.failed ? NONE : strings_add(&s->texts, buf_get(&text));
	buf_clear(&text);
	if (!scene_ok(s, id != NONE))
		return false;
	*op = text_of(s, id);
	return true;
}

/* Extends the stretch of the event's group, if it has one. */
static bool note_group(struct device *dev, const struct raw_event *e)
{
	struct step step = {.number = (int64_t)xstats_number(&e->stats, STAT_GROUP_ID),
		.marker_start = e->start,
		.marker_end = e->start + e->duration};
	struct step *last = dev->groups.n ? &dev->groups.at[dev->groups.n - 1] : NULL;

	if (!xstats_has_number(&e->stats, STAT_GROUP_ID))
		return true;
	if (!last || last->number != step.number)
		return vec_push(&dev->groups, step);
	if (step.marker_end > last->marker_end)
		last->marker_end = step.marker_end;
	return true;
}

/* The step that a time of the host's clock is in; NULL. */
static struct step *step_at(struct device *dev, int64_t time)
{
	size_t low = 0;

	sort_search(low, dev->steps.n, i, dev->steps.at[i].marker_start <= time);
	return low && time < dev->steps.at[low - 1].marker_end ? &dev->steps.at[low - 1] : NULL;
}

static void extend_step(struct step *step, const struct raw_event *e)
{
	if (!step || step->has_clock)
		return;
	if (e->start < step->start)
		step->start = e->start;
	if (e->start + e->duration > step->end)
		step->end = e->start + e->duration;
}

static uint32_t read_facts(void *context, struct raw_event *e)
{
	struct device *dev = context;
	struct scene *s = dev->s;
	static const struct event_name none = {{"", 0}, {"", 0}, {"", 0}, 0};
	const struct event_name *name = e->name == NONE ? &none : &dev->plane->names.at[e->name];
	struct xstats st = {0};
	struct facts f = {.has = FACT_DEVICE, .device = NONE};
	struct span op, kind;
	struct step *step;

	plane_read_name_stats(dev->plane, s->d, name, &st);
	for (unsigned i = 0; i < N_XSTATS; i++)
		if (e->stats.has >> i & 1) {
			st.has |= UINT64_C(1) << i;
			st.at[i] = e->stats.at[i];
		}
	op = name->display.n ? name->display : xstats_text(&st, STAT_HLO_OP);
	if (!op.n)
		op = dev->is_tpu ? hlo_text_name(name->text) : name->text;
	if (!dev->is_tpu && !xstats_text(&st, STAT_HLO_OP).n &&
		!name_kernel(dev, name->text, &st, &op))
		return NONE;
	kind = xstats_text(&st, STAT_HLO_CATEGORY);
	f.class = (uint8_t)(is_collective(s, &st)
			? ANATOMY_COMMUNICATION
			: class_of_device_op(kind.n ? kind : kind_of(op),
				  is_fill_of_op(name->text, &st) ? op
								 : without_operands(name->text),
				  dev->is_tpu));
	f.text = strings_alias(&s->texts, op);
	f.other = strings_alias(&s->texts, xstats_text(&st, STAT_HLO_MODULE));
	if (!scene_ok(s, f.text != NONE && f.other != NONE && s->facts.n < NONE - 1))
		return NONE;
	if (xstats_has_number(&st, STAT_RUN_ID)) {
		f.has |= FACT_ID;
		f.id = xstats_number(&st, STAT_RUN_ID);
	}
	f.number = xstats_number(&st, STAT_PROGRAM_ID);
	if (st.has & STAT_BIT(CORRELATION_ID)) {
		f.has |= FACT_LAUNCH;
		f.key = xstats_number(&st, STAT_CORRELATION_ID);
	}
	if (!scene_ok(s, add_run(dev, &f, e->start)))
		return NONE;
	if (s->is_by_device_clock && dev->is_tpu) {
		step = step_at(dev, e->start);
		s->is_by_device_clock = use_device_clock(dev, e);
		extend_step(step, e);
	}
	return scene_ok(s, note_group(dev, e) && vec_push(&s->facts, f)) ? (uint32_t)s->facts.n - 1
									 : NONE;
}

/* ---- programs and steps ------------------------------------------------------------ */

static void read_events(struct device *dev, struct span message,
	bool (*fn)(struct device *dev, const struct raw_event *e))
{
	struct scene *s = dev->s;
	struct wire_reader r = wire_reader(message);
	struct raw_event *e = mem_zero(sizeof(*e));
	struct raw_line line;
	struct wire_field f;

	raw_line_read(s, message, &line);
	dev->line_start = line.start;
	while (scene_ok(s, e) && !s->d->failed &&
		decoder_find(s->d, &r, WIRE_LEN(XLINE_EVENTS), &f))
		if (raw_event_read(s, dev->plane, &line, f.bytes, e) && e->name != NONE)
			scene_ok(s, fn(dev, e));
	mem_free(e);
}

static bool add_module_run(struct device *dev, const struct raw_event *e)
{
	struct module_run run = {e->start, e->start + e->duration,
		module_of(dev->plane->names.at[e->name].text),
		program_of(dev->plane->names.at[e->name].text),
		xstats_number(&e->stats, STAT_RUN_ID), xstats_has_number(&e->stats, STAT_RUN_ID)};

	return vec_push(&dev->modules, run);
}

static bool add_step(struct device *dev, const struct raw_event *e)
{
	struct raw_event clock = *e;
	struct step step = {.marker_start = e->start,
		.marker_end = e->start + e->duration,
		.start = INT64_MAX,
		.end = INT64_MIN,
		.device = dev->name,
		.has_clock = !dev->is_tpu || use_device_clock(dev, &clock)};

	if (step.has_clock) {
		step.start = clock.start;
		step.end = clock.start + clock.duration;
	}
	step.number = device_step_number(&e->stats, dev->plane->names.at[e->name].text,
		(int64_t)dev->steps.n);
	return vec_push(&dev->steps, step);
}

static int by_start(const void *a, const void *b)
{
	const struct module_run *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int by_marker(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return (x->marker_start > y->marker_start) - (x->marker_start < y->marker_start);
}

/* ---- operations ---------------------------------------------------------------------- */

static bool add_op(struct device *dev, uint32_t node)
{
	struct scene *s = dev->s;
	struct facts f = *facts_of(s, node);
	struct op op = {.node = node,
		.name = f.text,
		.class = f.class,
		.run = f.device,
		.launch = NONE,
		.device = dev->name,
		.is_on_device = true,
		.last_end = INT64_MIN};
	struct work work = {.name = f.text, .device = dev->name, .class = f.class};
	size_t first = s->work.n;

	if (!scene_add_own(s, node, INT64_MAX, work))
		return false;
	for (size_t i = first; i < s->work.n; i++) {
		op.work_ps += s->work.at[i].end - s->work.at[i].start;
		op.last_end = s->work.at[i].end;
	}
	return s->ops.n < NONE - 1 && vec_push(&s->ops, op);
}

static bool read_line(struct device *dev, struct span message, const struct raw_line *line)
{
	struct scene *s = dev->s;
	uint32_t first = (uint32_t)s->nodes.n;
	bool ok;

	dev->line_start = line->start;
	ok = scene_add_line(s, dev->plane, dev->texts, message, line, read_facts, dev);

	for (uint32_t n = first; ok && n < s->nodes.n; n++)
		if (node_has(s, n, FACT_DEVICE))
			ok = scene_ok(s, add_op(dev, n));
	return ok;
}

static bool is_read(const struct device *dev, const struct raw_line *line)
{
	return dev->is_tpu ? span_equal(line->name, SPAN("XLA Ops"))
			   : span_starts(line->name, SPAN("Stream"));
}

static void read_lines(struct device *dev)
{
	struct scene *s = dev->s;
	const struct plane *p = dev->plane;
	struct raw_line line;

	for (size_t i = 0; !s->d->failed && i < p->lines.n; i++) {
		raw_line_read(s, p->lines.at[i], &line);
		if (dev->is_tpu && span_equal(line.name, SPAN("XLA Modules")))
			read_events(dev, p->lines.at[i], add_module_run);
		if (span_equal(line.name, SPAN("Steps")))
			read_events(dev, p->lines.at[i], add_step);
	}
	if (dev->steps.n)
		qsort(dev->steps.at, dev->steps.n, sizeof(*dev->steps.at), by_marker);
	if (dev->modules.n)
		qsort(dev->modules.at, dev->modules.n, sizeof(*dev->modules.at), by_start);
	for (size_t i = 0; !s->d->failed && i < p->lines.n; i++) {
		raw_line_read(s, p->lines.at[i], &line);
		if (is_read(dev, &line))
			read_line(dev, p->lines.at[i], &line);
	}
}

static int by_group(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->marker_start > y->marker_start) - (x->marker_start < y->marker_start);
}

/* Those recorded; where none are, events of one group are a step. */
static bool add_steps(struct device *dev)
{
	struct scene *s = dev->s;
	size_t first = s->steps.n;
	bool ok = true;

	for (size_t i = 0; ok && i < dev->steps.n; i++)
		ok = vec_push(&s->steps, dev->steps.at[i]);
	if (dev->steps.n || !dev->groups.n)
		return ok;
	qsort(dev->groups.at, dev->groups.n, sizeof(*dev->groups.at), by_group);
	for (size_t i = 0; ok && i < dev->groups.n; i++) {
		struct step step = dev->groups.at[i];
		struct step *last = s->steps.n > first ? &s->steps.at[s->steps.n - 1] : NULL;

		step.start = step.marker_start;
		step.end = step.marker_end;
		step.device = dev->name;
		if (!last || last->number != step.number)
			ok = vec_push(&s->steps, step);
		else if (step.end > last->end)
			last->end = last->marker_end = step.end;
	}
	return ok;
}

/* A TPU tells its times by its own clock, which is right, and by the host's, to which they are
 * fitted. What is counted from marks of the host needs the latter.
 */
void scene_choose_clock(struct scene *s, const struct plane *planes, size_t n)
{
	bool has_runs = false, has_marks = false;

	for (size_t i = 0; i < s->nodes.n; i++)
		has_marks |= node_has(s, (uint32_t)i, FACT_STEP);
	for (size_t i = 0; !s->d->failed && i < n; i++)
		for (size_t l = 0; planes[i].kind == PLANE_TPU && l < planes[i].lines.n; l++) {
			struct raw_line line;

			raw_line_read(s, planes[i].lines.at[l], &line);
			has_runs |= span_equal(line.name, SPAN("XLA Modules")) ||
				span_equal(line.name, SPAN("Steps"));
		}
	s->is_by_device_clock = has_runs && !has_marks;
}

bool scene_read_device(struct scene *s, struct plane *p)
{
	struct device dev = {.s = s, .plane = p, .is_tpu = p->kind == PLANE_TPU};
	struct span name = span_from(p->name, sizeof("/device:") - 1);

	if (!p->lines.n)
		return true;
	dev.texts = scene_add_names(s, p);
	dev.name = dev.texts ? scene_add_device(s, name) : NONE;
	if (scene_ok(s, dev.name != NONE))
		read_lines(&dev);
	if (!s->d->failed)
		scene_ok(s, add_steps(&dev));
	mem_free(dev.texts);
	vec_clear(&dev.steps);
	vec_clear(&dev.modules);
	vec_clear(&dev.groups);
	return !s->d->failed;
}
