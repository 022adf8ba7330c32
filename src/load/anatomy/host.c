/* Reads the lines of a host, a few thousand events at a time, so that what is made of them stays
 * in the cache, and nothing of most events stays at all.
 *
 * Parts end where nothing is open whose end decides what it is: a task of a thread pool or a wait,
 * which end with an event of their own, or a call that compiles if something within it does. */
#include "load/anatomy/host.h"

#include "load/anatomy/items.h"
#include "load/anatomy/lines.h"
#include "load/anatomy/thread.h"

enum { PART = 4096 };

struct host {
	struct host_part part;
	const struct plane *plane;
	const uint32_t *texts; /* of the plane's names */
	struct raw_line raw;
	struct raw_event event;
	struct thread_line line;
	item_list items;
	struct joiner joiner;
	struct tree tree;
	int64_t start, end; /* of the last event */
	int64_t hold;       /* no part ends before */
	VEC(uint32_t) kept; /* nodes of the part that are kept and open */
	bool is_sorted;     /* all events were read at once, to sort them */
	bool is_again;      /* only for the thread */
	bool reads_thread;
	struct thread_reader thread;
};

/* ---- nodes that matter later -------------------------------------------------------- */

#define KEPT_NAMES                                                                            \
	(NAME_ITERATOR | NAME_CAPTURED | NAME_GET_NEXT | NAME_JIT | NAME_LAUNCH | NAME_COPY | \
		NAME_COMPILE | NAME_CLOCK | NAME_ASYNC_START | NAME_ASYNC_DONE | NAME_EAGER | \
		NAME_LOOP)
#define KEPT_FACTS (FACT_STEP | FACT_CALL | FACT_EAGER | FACT_LAUNCH)

static bool is_kept(uint32_t flags, unsigned has)
{
	return flags & KEPT_NAMES || has & KEPT_FACTS || (flags & NAME_PROCESS && has & FACT_ID);
}

/* Nodes that end before this one have all that is within them. */
static void close_kept(struct host *h, uint32_t node)
{
	struct scene *s = h->part.s;

	while (h->kept.n) {
		uint32_t last = h->kept.at[h->kept.n - 1];
		const struct node *n = &h->part.nodes.at[last];
		struct node *kept = &s->nodes.at[h->part.marks.at[last].kept];

		if (n->end > node)
			break;
		kept->end = (uint32_t)s->nodes.n;
		kept->end_ps = n->end_ps; /* what came later may have cut it off */
		h->kept.n--;
	}
}

static bool keep(struct host *h, uint32_t node, uint32_t flags)
{
	struct scene *s = h->part.s;
	struct node n = h->part.nodes.at[node];
	struct host_mark *m = &h->part.marks.at[node];

	n.up = m->kept;
	if (n.facts != NONE) {
		struct facts f = h->part.facts.at[n.facts];

		if (flags & NAME_ASYNC_START) {
			f.has |= m->is_input ? FACT_INPUT : 0;
			f.device = m->process;
		}
		if (s->facts.n >= NONE - 1 || !vec_push(&s->facts, f))
			return false;
		n.facts = (uint32_t)s->facts.n - 1;
	}
	m->kept = (uint32_t)s->nodes.n;
	return s->nodes.n < NONE - 1 && vec_push(&s->nodes, n) && vec_push(&h->kept, node);
}

/* ---- nodes --------------------------------------------------------------------------- */

/* Whether what it does, it does for tf.data. */
static bool mark(struct host *h, uint32_t node, uint32_t flags)
{
	struct scene *s = h->part.s;
	const struct facts *facts = host_get_facts(&h->part, node);
	uint32_t up = h->part.nodes.at[node].up;
	struct host_mark m = {NONE, NONE, NONE, h->line.is_data};

	if (up != NONE)
		m = h->part.marks.at[up];
	m.op = NONE;
	m.is_input |= (flags & (NAME_ITERATOR | NAME_CAPTURED)) != 0;
	if (flags & NAME_PROCESS && facts->has & FACT_ID) {
		if (h->is_again) {
			m.is_input |= keys_find(&s->captured, facts->id) != NULL;
		} else {
			struct process p = {.id = facts->id, .around = m.process};

			m.process = (uint32_t)s->processes.n;
			if (s->processes.n >= NONE - 1 || !vec_push(&s->processes, p))
				return false;
		}
	}
	h->part.marks.at[h->part.marks.n++] = m;
	return true;
}

static void count(struct host *h, uint32_t flags, unsigned has)
{
	h->part.s->has_python |= (flags & NAME_PYTHON) != 0;
	if (has & FACT_STEP)
		h->line.score += 1000000;
	else if (flags & NAME_LAUNCH || has & FACT_CALL)
		h->line.score++;
}

static bool add_to_thread(struct host *h, uint32_t node, unsigned has)
{
	const struct scene *s = h->part.s;
	uint32_t op = h->part.marks.at[node].op;
	struct thread_node n = {node, has, WORK_NONE, 0};

	if (op != NONE && op & OP_COMPILED) {
		n.class = s->ops.at[op ^ OP_COMPILED].class;
		n.op_name = s->ops.at[op ^ OP_COMPILED].name;
	} else if (op != NONE) {
		n.class = s->plain.at[op].is_input ? WORK_INPUT : s->plain.at[op].class;
		n.op_name = s->plain.at[op].name;
	}
	return thread_add(&h->thread, n);
}

static bool visit(struct host *h, uint32_t node)
{
	uint32_t flags = host_get_flags(&h->part, node);
	unsigned has = host_get_facts(&h->part, node)->has;
	bool is_frame = flags & NAME_PYTHON && h->part.nodes.at[node].facts == NONE;
	bool ok = mark(h, node, flags) && (is_frame || host_find_op(&h->part, node));

	count(h, flags, has);
	if (ok && !h->is_again) {
		close_kept(h, node);
		ok = host_add_time(&h->part, node) &&
			(!is_kept(flags, has) || keep(h, node, flags));
	}
	return ok && (!h->reads_thread || add_to_thread(h, node, has));
}

/* ---- parts --------------------------------------------------------------------------- */

/* Facts of the nodes that are open, and of an item that comes next, go to the front. */
static bool keep_facts(struct host *h, struct item *next)
{
	facts_list *facts = &h->part.facts;
	size_t n = facts->n, n_kept = 0;

	if (h->is_sorted)
		return true; /* of all items that follow */
	if (!vec_reserve(facts, h->tree.open.n + 1))
		return false;
	for (size_t i = 0; i <= h->tree.open.n; i++) {
		uint32_t *of = i < h->tree.open.n ? &h->part.nodes.at[h->tree.open.at[i]].facts
						  : &next->facts;

		if (*of == NONE)
			continue;
		facts->at[n + n_kept] = facts->at[*of];
		*of = (uint32_t)n_kept++;
	}
	memmove(facts->at, facts->at + n, n_kept * sizeof(*facts->at));
	facts->n = n_kept;
	return true;
}

/* Forgets all nodes but those that are open. */
static bool keep_open(struct host *h, struct item *next)
{
	struct host_part *p = &h->part;
	size_t k = 0;

	if (!keep_facts(h, next))
		return false;
	for (size_t i = 0; i < h->tree.open.n; i++) {
		uint32_t from = h->tree.open.at[i];

		p->nodes.at[i] = p->nodes.at[from];
		p->nodes.at[i].up = i ? (uint32_t)i - 1 : NONE;
		p->marks.at[i] = p->marks.at[from];
		if (k < h->kept.n && h->kept.at[k] == from)
			h->kept.at[k++] = (uint32_t)i;
		h->tree.open.at[i] = (uint32_t)i;
	}
	p->nodes.n = p->marks.n = h->tree.open.n;
	return !h->reads_thread || thread_keep_open(&h->thread);
}

/* Ends a part before the item that comes next; NULL: the last one. */
static bool end_part(struct host *h, struct item *next)
{
	struct host_part *p = &h->part;
	bool is_last = !next;
	size_t first = p->nodes.n;
	bool ok = items_sort(&h->items);

	for (size_t i = 0; ok && i < h->items.n; i++)
		ok = tree_add(&h->tree, p->s, h->items.at[i]);
	for (size_t i = 0; !is_last && i < h->tree.open.n; i++)
		p->nodes.at[h->tree.open.at[i]].end = (uint32_t)p->nodes.n;
	if (is_last)
		tree_end(&h->tree);
	ok = ok && vec_reserve(&p->marks, p->nodes.n - p->marks.n) &&
		(!h->reads_thread || thread_prepare(&h->thread, first));
	for (uint32_t n = (uint32_t)first; ok && n < p->nodes.n; n++)
		ok = visit(h, n);
	joiner_reset(&h->joiner);
	return ok && (is_last || keep_open(h, next));
}

/* False if the events are not in order; then nothing has been added. */
static bool is_next(struct host *h, const struct item *it)
{
	bool is = it->start > h->start || (it->start == h->start && it->end <= h->end);

	h->start = it->start;
	h->end = it->end;
	return is;
}

static bool add_item(struct host *h, struct item it, int64_t last_start)
{
	uint32_t flags = h->part.s->names.at[it.name].flags;

	if (h->items.n >= PART && it.start > last_start && it.start >= h->hold &&
		joiner_is_done(&h->joiner) && !end_part(h, &it))
		return false;
	if (flags & (NAME_JIT | NAME_EAGER_KERNEL | NAME_PROGRAM) && it.end > h->hold)
		h->hold = it.end;
	return joiner_add(&h->joiner, it);
}

/* ---- events -------------------------------------------------------------------------- */

static bool read_item(struct host *h, struct span message, struct item *it)
{
	struct scene *s = h->part.s;
	struct raw_event *e = &h->event;

	if (!raw_event_read(s, h->plane, &h->raw, message, e))
		return false;
	it->name = e->name == NONE ? 0 : h->texts[e->name];
	it->facts = scene_add_facts(s, &e->stats, s->names.at[it->name].flags, &h->part.facts);
	it->start = e->start;
	it->end = e->start + e->duration;
	if (it->end > s->last)
		s->last = it->end;
	return true;
}

/* False if they are not in order, or on failure, which the decoder then has. */
static bool read_in_order(struct host *h)
{
	struct scene *s = h->part.s;
	struct wire_reader r = wire_reader(h->line.message);
	struct wire_field f;
	struct item it;

	while (!s->d->failed && decoder_find(s->d, &r, WIRE_LEN(XLINE_EVENTS), &f)) {
		int64_t last_start = h->start;

		if (!read_item(h, f.bytes, &it))
			continue;
		if (!is_next(h, &it))
			return false;
		scene_ok(s, add_item(h, it, last_start));
	}
	return !s->d->failed;
}

static bool read_sorted(struct host *h)
{
	struct scene *s = h->part.s;
	struct wire_reader r = wire_reader(h->line.message);
	struct wire_field f;
	item_list all = {0};
	struct item it;

	h->is_sorted = true;
	while (!s->d->failed && decoder_find(s->d, &r, WIRE_LEN(XLINE_EVENTS), &f))
		if (read_item(h, f.bytes, &it))
			scene_ok(s, vec_push(&all, it));
	if (!s->d->failed)
		scene_ok(s, items_sort(&all));
	for (size_t i = 0; !s->d->failed && i < all.n; i++)
		scene_ok(s, add_item(h, all.at[i], i ? all.at[i - 1].start : INT64_MIN));
	vec_clear(&all);
	return !s->d->failed;
}

/* ---- lines --------------------------------------------------------------------------- */

/* How long the lists are that a line adds to. */
struct sizes {
	size_t nodes, facts, plain, ops, processes;
	size_t own[8];
	uint32_t n_fixed;
};

static struct sizes get_sizes(const struct scene *s)
{
	struct sizes n = {s->nodes.n, s->facts.n, s->plain.n, s->ops.n, s->processes.n, {0},
		s->own.n_fixed};
	size_t i = 0;

#define X(type, name) n.own[i++] = s->own.name.n;
	OWN_LISTS(X)
#undef X
	return n;
}

static void set_sizes(struct scene *s, const struct sizes *n)
{
	size_t i = 0;

	s->nodes.n = n->nodes;
	s->facts.n = n->facts;
	s->plain.n = n->plain;
	s->ops.n = n->ops;
	s->processes.n = n->processes;
	s->own.n_fixed = n->n_fixed;
#define X(type, name) s->own.name.n = n->own[i++];
	OWN_LISTS(X)
#undef X
}

static void begin_line(struct host *h)
{
	struct host_part *p = &h->part;

	joiner_reset(&h->joiner);
	p->nodes.n = p->marks.n = p->facts.n = 0;
	h->tree.open.n = h->kept.n = 0;
	h->start = h->hold = INT64_MIN;
	h->end = INT64_MAX;
	h->is_sorted = false;
	h->line.score = 0;
	if (h->reads_thread)
		scene_ok(p->s, thread_begin(&h->thread, p->s, &p->nodes));
}

static bool end_line(struct host *h)
{
	struct scene *s = h->part.s;
	bool ok = end_part(h, NULL);

	close_kept(h, (uint32_t)h->part.nodes.n);
	return scene_ok(s,
		ok && own_end_line(&s->own) && (!h->reads_thread || thread_end(&h->thread)));
}

static bool read_line(struct host *h)
{
	struct scene *s = h->part.s;
	struct sizes before = get_sizes(s);

	begin_line(h);
	if (!s->d->failed && !read_in_order(h) && !s->d->failed) {
		scene_ok(s, own_end_line(&s->own));
		set_sizes(s, &before);
		begin_line(h);
		(void)(!s->d->failed && read_sorted(h));
	}
	if (s->d->failed || !end_line(h))
		return false;
	if (h->is_again)
		set_sizes(s, &before);
	return true;
}

static void init(struct host *h, struct scene *s, const struct plane *p, const uint32_t *texts)
{
	*h = (struct host){.part = {.s = s}, .plane = p, .texts = texts};
	h->joiner =
		(struct joiner){.s = s, .v = &h->items, .facts = &h->part.facts, .region = NONE};
	h->tree.nodes = &h->part.nodes;
}

static void clear(struct host *h)
{
	vec_clear(&h->part.nodes);
	vec_clear(&h->part.facts);
	vec_clear(&h->part.marks);
	vec_clear(&h->items);
	keys_clear(&h->joiner.waits);
	vec_clear(&h->tree.open);
	vec_clear(&h->kept);
	thread_clear(&h->thread);
}

static void set_line(struct host *h, struct span message)
{
	struct scene *s = h->part.s;

	raw_line_read(s, message, &h->raw);
	h->line = (struct thread_line){.name = h->raw.name,
		.first = (uint32_t)s->nodes.n,
		.first_process = (uint32_t)s->processes.n,
		.plane = h->plane,
		.message = message,
		.is_data = span_starts(h->raw.name, SPAN("tf_data_"))};
	h->part.is_program_line = is_program_line(h->raw.name);
}

static void take_stretches(struct host *h, uint32_t line)
{
	struct scene *s = h->part.s;

	vec_take(&s->stretches, &h->thread.stretches);
	s->n_unknown_names = h->thread.n_unknown_names;
	s->stretches_of = line;
}

/* The main thread so far. Threads of TensorFlow's pools hardly are: if one turns out to be, it is
 * read again. */
static void choose(struct host *h)
{
	struct scene *s = h->part.s;

	for (size_t l = 0; l < s->lines.n; l++)
		if (s->lines.at[l].score >= h->line.score)
			return;
	if (!h->line.score || !h->reads_thread)
		return;
	take_stretches(h, (uint32_t)s->lines.n);
}

/* Reserves room for what a line may hold, which takes no memory until it is used: 5 % of the time
 * for traces of TensorFlow. If reserving fails, the lists grow. */
static void reserve(struct host *h)
{
	enum { BYTES_PER_OP = 80 };
	struct scene *s = h->part.s;
	size_t n = h->line.message.n / BYTES_PER_OP;

	(void)(vec_reserve(&s->plain, n) && vec_reserve(&s->own.pieces, n) &&
		vec_reserve(&s->own.tasks, n));
}

bool scene_read_lines(struct scene *s, const struct plane *p)
{
	uint32_t *texts = scene_add_names(s, p);
	struct host *h = mem_zero(sizeof(*h));

	if (scene_ok(s, h))
		init(h, s, p, texts);
	for (size_t i = 0; h && texts && !s->d->failed && i < p->lines.n; i++) {
		set_line(h, p->lines.at[i]);
		h->reads_thread = !span_starts(h->raw.name, SPAN("tf_"));
		reserve(h);
		if (s->d->failed || !read_line(h))
			break;
		h->line.end = (uint32_t)s->nodes.n;
		h->line.end_process = (uint32_t)s->processes.n;
		choose(h);
		scene_release(s, h->line.message.n);
		scene_ok(s, vec_push(&s->lines, h->line));
	}
	if (h)
		clear(h);
	mem_free(h);
	mem_free(texts);
	return !s->d->failed;
}

bool host_read_main(struct scene *s)
{
	const struct thread_line *line = &s->lines.at[s->main];
	uint32_t *texts = scene_add_names(s, line->plane);
	struct host *h = mem_zero(sizeof(*h));

	if (scene_ok(s, h) && texts) {
		init(h, s, line->plane, texts);
		h->is_again = h->reads_thread = true;
		set_line(h, line->message);
		if (!s->d->failed && read_line(h))
			take_stretches(h, s->main);
	}
	if (h)
		clear(h);
	mem_free(h);
	mem_free(texts);
	return !s->d->failed;
}
