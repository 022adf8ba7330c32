/* Lines as trees: events nest in events, in tasks of thread pools, and in waits, which are
 * recorded as two events each. */
#include "load/anatomy/lines.h"

#define FOREVER INT64_MAX
/* 13 days: longer than any trace, and small enough that a few of them add up within 64 bits. */
#define TIME_LIMIT (INT64_C(1) << 60)

/* An event, or what several of them make, before it has its place in the tree. */
struct item {
	int64_t start, end;
	uint32_t name, facts;
};

typedef VEC(struct item) items;

/* ---- names ------------------------------------------------------------------ */

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
	n->flags = name_flags(name);
	if (!op_text_parse_node(name, &parts))
		return text;
	op = strings_alias(&s->texts, parts.name);
	n->op = op;
	n->class = (uint8_t)class_of_type(parts.type);
	return op == NONE ? NONE : text;
}

/* ---- events ------------------------------------------------------------------ */

static int64_t clamp(int64_t ps)
{
	return ps > TIME_LIMIT ? TIME_LIMIT : ps < -TIME_LIMIT ? -TIME_LIMIT : ps;
}

bool raw_times_are_valid(int64_t start, int64_t duration)
{
	return start >= -TIME_LIMIT && start <= TIME_LIMIT && duration >= 0 &&
		duration < TIME_LIMIT;
}

bool raw_event_read(struct scene *s, const struct plane *p, const struct raw_line *line,
	struct span message, struct raw_event *e)
{
	struct wire_reader r = wire_reader(message);
	uint64_t id = 0;
	bool is_aggregate = false;
	struct wire_field f;

	e->start = line->start;
	e->duration = 0;
	e->stats.has = 0;
	for (;;) {
		while (plane_take_stat(p, &r, line->end, &e->stats))
			continue;
		if (!decoder_next(s->d, &r, &f))
			break;
		switch (f.tag) {
		case WIRE_VARINT(XEVENT_METADATA_ID): id = f.value; break;
		case WIRE_VARINT(XEVENT_OFFSET_PS):
			e->start = line->start + clamp((int64_t)f.value);
			break;
		case WIRE_VARINT(XEVENT_DURATION_PS): e->duration = (int64_t)f.value; break;
		case WIRE_VARINT(XEVENT_NUM_OCCURRENCES): is_aggregate = true; break;
		case WIRE_LEN(XEVENT_STATS): plane_read_stat(p, s->d, f.bytes, &e->stats); break;
		}
	}
	e->name = plane_ids_find(&p->name_ids, id);
	return !is_aggregate && e->duration >= 0 && e->duration < TIME_LIMIT;
}

void raw_line_read(struct scene *s, struct span message, struct raw_line *line)
{
	struct wire_reader r = wire_reader(message);
	int64_t timestamp_ns = 0, ns;
	struct wire_field f;

	*line = (struct raw_line){.name = {"", 0}, .end = message.at + message.n};
	while (decoder_next(s->d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(XLINE_NAME): line->name = f.bytes; break;
		case WIRE_LEN(XLINE_DISPLAY_NAME):
			if (!line->name.n)
				line->name = f.bytes;
			break;
		case WIRE_VARINT(XLINE_TIMESTAMP_NS): timestamp_ns = (int64_t)f.value; break;
		}
	if (__builtin_sub_overflow(timestamp_ns, s->origin_ns, &ns) || ns > TIME_LIMIT / 1000)
		ns = TIME_LIMIT / 1000;
	line->start = ns * 1000;
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
	if (!span_starts(xstats_text(st, STAT_TF_FUNCTION_CALL), SPAN("traced")))
		return;
	f->has |= FACT_TRACED;
	f->id = xstats_number(st, STAT_TRACING_COUNT);
}

/* Its place; NONE if the stats say nothing. */
static uint32_t add_facts(struct scene *s, const struct xstats *st, uint32_t flags)
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
	} else if (st->has & STAT_BIT(HLO_OP)) {
		add_operation(s, &f, st);
	}
	if (st->has & STAT_BIT(TF_FUNCTION_CALL))
		add_call(&f, st);
	if (st->has & STAT_BIT(STEP_NUM)) {
		f.has |= FACT_STEP;
		f.number = xstats_number(st, STAT_STEP_NUM);
	}
	if (flags & NAME_EAGER && xstats_has_number(st, STAT_IS_FUNC) &&
		!xstats_number(st, STAT_IS_FUNC)) {
		f.has |= FACT_EAGER;
		f.text = text_stat(s, st, STAT_EAGER_OP);
	}
	if (flags & (NAME_ITERATOR | NAME_ASYNC_START))
		f.text = text_stat(s, st, STAT_NAME);
	if (flags & NAME_ASYNC_START)
		f.other = text_stat(s, st, STAT_KERNEL_TYPE);
	if (!f.has && !f.text)
		return NONE;
	return s->facts.n < NONE - 1 && scene_ok(s, vec_push(&s->facts, f))
		? (uint32_t)s->facts.n - 1
		: NONE;
}

/* ---- items --------------------------------------------------------------------- */

static bool is_before(const struct item *a, const struct item *b)
{
	return a->start != b->start ? a->start < b->start : a->end >= b->end;
}

/* By start, the longer first; equal ones keep their order. */
static bool sort(items *v)
{
	struct sort_item *keys, *scratch;
	struct item *sorted;
	size_t i;
	bool ok;

	for (i = 1; i < v->n && is_before(&v->at[i - 1], &v->at[i]); i++)
		;
	if (i >= v->n)
		return true;
	keys = mem_array(v->n, sizeof(*keys));
	scratch = mem_array(v->n, sizeof(*scratch));
	sorted = mem_array(v->n, sizeof(*sorted));
	ok = keys && scratch && sorted && v->n < NONE;
	for (i = 0; ok && i < v->n; i++)
		keys[i] = (struct sort_item){sort_key_descending(v->at[i].end), (uint32_t)i};
	if (ok)
		sort_items(keys, scratch, v->n);
	for (i = 0; ok && i < v->n; i++)
		keys[i].key = sort_key_ascending(v->at[keys[i].id].start);
	if (ok)
		sort_items(keys, scratch, v->n);
	for (i = 0; ok && i < v->n; i++)
		sorted[i] = v->at[keys[i].id];
	if (ok)
		memcpy(v->at, sorted, v->n * sizeof(*sorted));
	mem_free(keys);
	mem_free(scratch);
	mem_free(sorted);
	return ok;
}

/* A wait that has begun. */
struct wait {
	uint64_t key;
	uint32_t item; /* its place; NONE: it has ended */
};

/* Joins the events of a line that are one thing. */
struct joiner {
	struct scene *scene;
	items *v;
	uint32_t region; /* the task that has begun: its place; NONE */
	VEC(struct wait) waits;
	struct hash_index index;
};

struct wait_probe {
	const struct joiner *j;
	uint64_t key;
};

static bool same_wait(const void *context, uint32_t i)
{
	const struct wait_probe *probe = context;

	return probe->j->waits.at[i].key == probe->key;
}

static struct wait *find_wait(const struct joiner *j, uint64_t key)
{
	struct wait_probe probe = {j, key};
	uint32_t i = hash_find(&j->index, hash_bytes(&key, sizeof(key)), same_wait, &probe);

	return i == NONE ? NULL : &j->waits.at[i];
}

static bool begin_wait(struct joiner *j, uint64_t key, uint32_t item)
{
	struct wait *w = find_wait(j, key);

	if (w) {
		w->item = item;
		return true;
	}
	return j->waits.n < NONE - 1 && vec_push(&j->waits, ((struct wait){key, item})) &&
		hash_add(&j->index, hash_bytes(&key, sizeof(key)), (uint32_t)j->waits.n - 1);
}

/* Whether a wait ends with this event. */
static bool end_wait(struct joiner *j, uint64_t key, int64_t end)
{
	struct wait *w = find_wait(j, key);

	if (!w || w->item == NONE)
		return false;
	if (end > j->v->at[w->item].end)
		j->v->at[w->item].end = end;
	w->item = NONE;
	return true;
}

static void end_region(struct joiner *j, int64_t end)
{
	if (j->region != NONE)
		j->v->at[j->region].end = end;
	j->region = NONE;
}

/* Whether the item, which would get the place n, is to be kept; false in *ok on allocation
 * failure. */
static bool take(struct joiner *j, struct item *it, uint32_t n, bool *ok)
{
	uint32_t flags = j->scene->names.at[it->name].flags;
	const struct facts *f = it->facts == NONE ? NULL : &j->scene->facts.at[it->facts];

	if (flags & (NAME_REGION_START | NAME_REGION_STOP))
		end_region(j, it->start);
	if (flags & NAME_REGION_STOP)
		return false;
	if (flags & NAME_REGION_START) {
		it->end = FOREVER;
		j->region = n;
	}
	if (!(flags & NAME_AWAIT) || !f || !(f->has & FACT_KEY))
		return true;
	if (f->has & FACT_CONSUMES)
		return !end_wait(j, f->key, it->end);
	*ok = begin_wait(j, f->key, n);
	return true;
}

static bool join(struct scene *s, items *v)
{
	struct joiner j = {.scene = s, .v = v, .region = NONE};
	size_t n = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < v->n; i++) {
		struct item it = v->at[i];

		if (take(&j, &it, (uint32_t)n, &ok))
			v->at[n++] = it;
	}
	v->n = n;
	vec_clear(&j.waits);
	hash_clear(&j.index);
	return ok && sort(v);
}

/* ---- trees --------------------------------------------------------------------- */

typedef VEC(uint32_t) node_stack;

static void pop(struct scene *s, node_stack *open)
{
	s->nodes.at[open->at[--open->n]].end = (uint32_t)s->nodes.n;
}

static bool add_node(struct scene *s, node_stack *open, struct item it)
{
	struct node *nodes = s->nodes.at;
	struct node node = {it.start, it.end, NONE, 0, it.name, it.facts};

#define TOP (&nodes[open->at[open->n - 1]])
	/* What takes no time may be at the end of what it is in. */
	while (open->n && TOP->end_ps <= it.start &&
		!(it.end == it.start && it.start == TOP->end_ps))
		pop(s, open);
	/* A marker of a step begins in its own __init__, and lasts longer. */
	while (open->n && it.end > TOP->end_ps && s->names.at[TOP->name].flags & NAME_PYTHON) {
		TOP->end_ps = it.start;
		pop(s, open);
	}
	if (open->n && node.end_ps > TOP->end_ps)
		node.end_ps = TOP->end_ps;
#undef TOP
	if (open->n)
		node.up = open->at[open->n - 1];
	return s->nodes.n < NONE - 1 && vec_push(&s->nodes, node) &&
		vec_push(open, (uint32_t)s->nodes.n - 1);
}

/* Only hosts have tasks and waits. */
static bool add_tree(struct scene *s, items *v, bool is_host)
{
	node_stack open = {0};
	bool ok = sort(v) && (!is_host || join(s, v));

	for (size_t i = 0; ok && i < v->n; i++)
		ok = add_node(s, &open, v->at[i]);
	while (ok && open.n)
		pop(s, &open);
	vec_clear(&open);
	return ok;
}

bool scene_add_line(struct scene *s, const struct plane *p, const uint32_t *texts,
	struct span message, const struct raw_line *line, line_facts_fn *facts, void *context)
{
	struct wire_reader r = wire_reader(message);
	struct raw_event *e = mem_zero(sizeof(*e));
	bool ok = scene_ok(s, e);
	items v = {0};
	struct wire_field f;

	(void)vec_reserve(&v, message.n / 16);
	while (ok && !s->d->failed && decoder_find(s->d, &r, WIRE_LEN(XLINE_EVENTS), &f)) {
		struct item it = {.facts = NONE};

		if (!raw_event_read(s, p, line, f.bytes, e))
			continue;
		it.name = e->name == NONE ? 0 : texts[e->name];
		it.facts = facts ? facts(context, e)
				 : add_facts(s, &e->stats, s->names.at[it.name].flags);
		it.start = e->start;
		it.end = e->start + e->duration;
		if (!facts && it.end > s->last)
			s->last = it.end;
		ok = scene_ok(s, vec_push(&v, it));
	}
	ok = ok && !s->d->failed && scene_ok(s, add_tree(s, &v, !facts));
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

/* Reserves room for what the lines may hold: most of it is never touched and takes no memory, while
 * moving arrays that grow is a fifth of the time. If that fails, they grow. */
static void reserve(struct scene *s, const struct plane *p)
{
	enum { BYTES_PER_EVENT = 16, BYTES_PER_FACT = 24 };
	size_t n_bytes = 0;

	for (size_t i = 0; i < p->lines.n; i++)
		n_bytes += p->lines.at[i].n;
	(void)(vec_reserve(&s->nodes, n_bytes / BYTES_PER_EVENT) &&
		vec_reserve(&s->facts, n_bytes / BYTES_PER_FACT));
}

bool scene_read_lines(struct scene *s, struct plane *p)
{
	uint32_t *texts = scene_add_names(s, p);

	reserve(s, p);
	for (size_t i = 0; texts && !s->d->failed && i < p->lines.n; i++) {
		uint32_t first = (uint32_t)s->nodes.n;
		struct raw_line raw;
		struct thread_line line = {.first = first};

		raw_line_read(s, p->lines.at[i], &raw);
		if (!scene_add_line(s, p, texts, p->lines.at[i], &raw, NULL, NULL))
			break;
		line.name = raw.name;
		line.end = (uint32_t)s->nodes.n;
		line.is_data = span_starts(raw.name, SPAN("tf_data_"));
		scene_ok(s, vec_push(&s->lines, line));
	}
	mem_free(texts);
	return !s->d->failed;
}
