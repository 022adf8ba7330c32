/* Events of lines, and what their names and stats say. */
#include "load/anatomy/lines.h"

#include "load/anatomy/items.h"
#include "load/xplane/event.h"
#include "load/xplane/op_text.h"

/* ---- names ------------------------------------------------------------------ */

/* "file.py" of "$file.py:12 function". */
static struct span file_of(struct span name)
{
	return span_before(span_from(name, 1), ':');
}

static bool is_users(struct span file)
{
	return span_contains(file, SPAN(".py")) && !span_equal(file, SPAN("profiler.py")) &&
		!span_equal(file, SPAN("threading.py")) && !span_equal(file, SPAN("contextlib.py"));
}

/* What a Python frame is, once for all that have its name. */
static bool describe_frame(struct scene *s, uint32_t text, struct span name)
{
	struct span file = file_of(name);
	struct name *n = &s->names.at[text];

	n->is_users = is_users(file);
	n->is_library = is_library_file(file);
	n->waits = is_waiting_function(span_after_last(span_from(name, 1), ' '));
	n->frame = strings_alias(&s->texts, span_from(name, 1));
	/* A name without a ':' has no file that others could be of. */
	n->file = file.n ? strings_alias(&s->texts, file) : 0;
	n->has_file = file.n + 1 < name.n;
	return n->frame != NONE && n->file != NONE;
}

uint32_t scene_add_name(struct scene *s, struct span name)
{
	uint32_t text = strings_alias(&s->texts, name), op;
	struct op_text parts;
	struct name *n;

	if (text == NONE)
		return NONE;
	while (s->names.n <= text)
		if (!vec_push(&s->names, ((struct name){.class = WORK_NONE})))
			return NONE;
	if (s->names.at[text].is_known)
		return text;
	n = &s->names.at[text];
	n->is_known = true;
	/* Most names are of operations. Looking for them in the table would take a tenth of all
	 * time, and mistake some. */
	if (!op_text_parse_node(name, &parts)) {
		n->flags = name_flags(name);
		return n->flags & NAME_PYTHON && !describe_frame(s, text, name) ? NONE : text;
	}
	op = strings_alias(&s->texts, parts.name);
	n->op = op;
	n->class = (uint8_t)class_of_type(parts.type);
	return op == NONE ? NONE : text;
}

/* ---- events ------------------------------------------------------------------ */

bool raw_times_are_valid(int64_t start, int64_t duration)
{
	return start >= -EVENT_TIME_LIMIT && start <= EVENT_TIME_LIMIT && duration >= 0 &&
		duration < EVENT_TIME_LIMIT;
}

bool raw_event_read(struct scene *s, const struct plane *p, const struct raw_line *line,
	struct span message, struct raw_event *e)
{
	struct event_fields f = event_read(p, s->d, line->end, line->start, message, &e->stats);

	e->start = f.start_ps;
	e->duration = f.duration_ps;
	e->name = f.name;
	return !f.is_aggregate && f.duration_ps >= 0 && f.duration_ps < EVENT_TIME_LIMIT;
}

/* Reads the fields before a line's events, or all fields if the timestamp is not among them. */
void raw_line_read(struct scene *s, struct span message, struct raw_line *line)
{
	struct wire_reader r = wire_reader(message);
	int64_t timestamp_ns = 0;
	bool has_time = false;
	struct wire_field f;

	*line = (struct raw_line){.name = {"", 0}, .end = message.at + message.n};
	while (decoder_next(s->d, &r, &f)) {
		if (f.tag == WIRE_LEN(XLINE_NAME)) {
			line->name = f.bytes;
		} else if (f.tag == WIRE_LEN(XLINE_DISPLAY_NAME)) {
			if (!line->name.n)
				line->name = f.bytes;
		} else if (f.tag == WIRE_VARINT(XLINE_TIMESTAMP_NS)) {
			timestamp_ns = (int64_t)f.value;
			has_time = true;
		} else if (f.tag == WIRE_LEN(XLINE_EVENTS) && has_time) {
			break;
		}
	}
	line->start = event_line_start(timestamp_ns, s->origin_ns);
}

/* ---- stats --------------------------------------------------------------------- */

static uint32_t text_stat(struct scene *s, const struct xstats *stats, enum xstat stat)
{
	uint32_t text = strings_alias(&s->texts, xstats_text(stats, stat));

	scene_ok(s, text != NONE);
	return text == NONE ? 0 : text;
}

static void add_flow(struct facts *f, const struct xstats *st, uint32_t flags)
{
	bool consumes = flags & (NAME_REGION_START | NAME_END | NAME_ASYNC_DONE) ||
		(flags & NAME_AWAIT && !xstats_has_number(st, STAT_PRODUCER));
	enum xstat id = consumes ? STAT_CONSUMER : STAT_PRODUCER;
	enum xstat type = consumes ? STAT_CONSUMER_TYPE : STAT_PRODUCER_TYPE;

	if (!xstats_has_number(st, id))
		return;
	f->has |= FACT_KEY | (consumes ? FACT_CONSUMES : 0);
	f->key = xstats_number(st, id);
	/* Tasks and waits are numbered across types. */
	if (!(flags & (NAME_REGION_START | NAME_RECORD | NAME_AWAIT)))
		f->key = hash_mix(hash_mix(1, xstats_number(st, type)), f->key);
}

static void add_operation(struct scene *s, struct facts *f, const struct xstats *st)
{
	f->has |= FACT_XLA | (xstats_has_number(st, STAT_RUN_ID) ? FACT_ID : 0);
	f->text = text_stat(s, st, STAT_HLO_OP);
	f->other = text_stat(s, st, STAT_HLO_MODULE);
	f->number = xstats_number(st, STAT_PROGRAM_ID);
	f->id = xstats_number(st, STAT_RUN_ID);
	if (xstats_has_number(st, STAT_DEVICE_ORDINAL) &&
		xstats_number(st, STAT_DEVICE_ORDINAL) < NONE)
		f->device = (uint32_t)xstats_number(st, STAT_DEVICE_ORDINAL);
}

static void add_call(struct facts *f, const struct xstats *st)
{
	f->has |= FACT_CALL;
	f->id = xstats_number(st, STAT_TRACING_COUNT);
	if (span_starts(xstats_text(st, STAT_TF_FUNCTION_CALL), SPAN("traced")))
		f->has |= FACT_TRACED;
}

uint32_t scene_add_facts(struct scene *s, const struct xstats *st, uint32_t flags, facts_list *to)
{
	struct facts f = {.device = NONE, .class = WORK_NONE};

	if (!st->has)
		return NONE;
	add_flow(&f, st, flags);
	if (xstats_has_number(st, STAT_ID) && flags & (NAME_CAPTURED | NAME_PROCESS)) {
		f.has |= FACT_ID;
		f.id = xstats_number(st, STAT_ID);
	}
	if (st->has & STAT_BIT(CORRELATION_ID)) {
		f.has |= FACT_LAUNCH;
		f.id = xstats_number(st, STAT_CORRELATION_ID);
	} else if (st->has & STAT_BIT(HLO_OP) && !(flags & NAME_DRIVER)) {
		add_operation(s, &f, st);
	}
	if (st->has & STAT_BIT(TF_FUNCTION_CALL))
		add_call(&f, st);
	if (st->has & STAT_BIT(STEP_NUM)) {
		f.has |= FACT_STEP;
		f.number = xstats_number(st, STAT_STEP_NUM);
	}
	if (flags & NAME_EAGER && xstats_has_number(st, STAT_IS_FUNC)) {
		f.has |= xstats_number(st, STAT_IS_FUNC) ? FACT_GRAPH : FACT_EAGER;
		f.text = text_stat(s, st, STAT_EAGER_OP);
	}
	if (flags & (NAME_ITERATOR | NAME_ASYNC_START))
		f.text = text_stat(s, st, STAT_NAME);
	if (flags & NAME_ASYNC_START)
		f.other = text_stat(s, st, STAT_KERNEL_TYPE);
	if (!f.has && !f.text)
		return NONE;
	return to->n < NONE - 1 && scene_ok(s, vec_push(to, f)) ? (uint32_t)to->n - 1 : NONE;
}

/* ---- lines of devices ------------------------------------------------------------ */

bool scene_add_line(struct scene *s, const struct plane *p, const uint32_t *texts,
	struct span message, const struct raw_line *line, line_facts_fn *facts, void *context)
{
	struct wire_reader r = wire_reader(message);
	struct raw_event *e = mem_zero(sizeof(*e));
	struct tree tree = {.nodes = &s->nodes};
	bool ok = scene_ok(s, e);
	item_list v = {0};
	struct wire_field f;

	(void)vec_reserve(&v, message.n / 16);
	while (ok && !s->d->failed && decoder_find(s->d, &r, WIRE_LEN(XLINE_EVENTS), &f)) {
		struct item it = {.facts = NONE};

		if (!raw_event_read(s, p, line, f.bytes, e))
			continue;
		it.name = e->name == NONE ? 0 : texts[e->name];
		it.facts = facts(context, e);
		it.start = e->start;
		it.end = e->start + e->duration;
		ok = scene_ok(s, vec_push(&v, it));
	}
	ok = ok && !s->d->failed && scene_ok(s, items_sort(&v));
	for (size_t i = 0; ok && i < v.n; i++)
		ok = scene_ok(s, tree_add(&tree, s, v.at[i]));
	tree_end(&tree);
	vec_clear(&tree.open);
	vec_clear(&v);
	mem_free(e);
	return ok;
}

uint32_t *scene_add_names(struct scene *s, const struct plane *p)
{
	uint32_t *texts = mem_array(p->names.n + 1, sizeof(*texts));
	bool ok = texts && scene_add_name(s, SPAN("")) != NONE;

	for (size_t i = 0; ok && i < p->names.n; i++) {
		texts[i] = scene_add_name(s, p->names.at[i].text);
		ok = texts[i] != NONE;
	}
	if (ok)
		return texts;
	mem_free(texts);
	scene_ok(s, false);
	return NULL;
}
