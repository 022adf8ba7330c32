/* Names for Python that nobody traced: the program was asked, every few milliseconds, which
 * function its main thread was in.
 *
 * tfprof's Python package records these samples, since TensorFlow records no Python, and adds them
 * to the trace as a plane of its own. An event is a sample: its name is that of the function,
 * "$file.py:12 function", or "… > leaf" if it was in another one, and its offset is the time since
 * the event "tfprof_clock" of the thread that began to record.
 *
 *     main thread   |-- Python --|-- train --|-- Python --|-|-- train --|
 *     samples          f    f      f    f         g             f   f
 *     named         |---- f -----|           |---- g -----|g|
 *
 * How long something took is known without them; they only name it. A sample names the stretch of
 * the thread that it falls into. Stretches too short to be hit get the name of the nearest one that
 * was, of the same kind; long ones that were not, as the function kept Python locked, get none. */
#include "load/anatomy/lines.h"
#include "load/anatomy/samples.h"

struct sample {
	int64_t time;
	uint32_t function, leaf; /* texts; leaf: 0 if it is the function */
};

typedef VEC(struct sample) samples;
typedef VEC(struct stretch) stretches;

static bool find_clock(const struct scene *s, int64_t *start)
{
	for (uint32_t n = 0; n < s->nodes.n; n++)
		if (name_of(s, n) & NAME_CLOCK) {
			*start = s->nodes.at[n].start;
			return true;
		}
	return false;
}

/* ---- reading ---------------------------------------------------------------------------- */

static bool add_sample(struct scene *s, samples *v, struct span name, int64_t time)
{
	static const char arrow[] = " > ";
	struct sample sample = {.time = time};
	size_t n = 1;

	if (name.n < 2 || name.at[0] != '$' || (v->n && time < v->at[v->n - 1].time))
		return true;
	while (n < name.n && !span_starts(span_from(name, n), SPAN(" > ")))
		n++;
	if (n == 1)
		return true;
	sample.function = strings_alias(&s->texts, (struct span){name.at + 1, n - 1});
	if (n + sizeof(arrow) - 1 < name.n)
		sample.leaf = strings_alias(&s->texts, span_from(name, n + sizeof(arrow) - 1));
	return sample.function != NONE && sample.leaf != NONE && vec_push(v, sample);
}

static bool read_line(struct scene *s, const struct plane *p, struct span message, int64_t clock,
	samples *v)
{
	struct wire_reader r = wire_reader(message);
	struct raw_event *e = mem_zero(sizeof(*e));
	struct raw_line line;
	struct wire_field f;
	bool ok = e;

	raw_line_read(s, message, &line);
	while (ok && !s->d->failed && decoder_find(s->d, &r, WIRE_LEN(XLINE_EVENTS), &f))
		if (raw_event_read(s, p, &line, f.bytes, e) && e->name != NONE)
			ok = add_sample(s, v, p->names.at[e->name].text,
				clock + (e->start - line.start));
	mem_free(e);
	return scene_ok(s, ok);
}

/* ---- naming ----------------------------------------------------------------------------- */

/* What samples can name: Python without a frame or an event, and calls of the framework. */
static bool is_open(const struct scene *s, const struct stretch *st, uint32_t not_traced)
{
	const struct doing *d = &s->doings.at[st->doing];

	return (d->part == ANATOMY_PYTHON && d->cause == not_traced) ||
		(d->part == ANATOMY_DISPATCH && d->kind == CAUSE_PLAIN);
}

/* .doing is NONE on allocation failure. */
static struct stretch named(struct scene *s, struct stretch st, const struct sample *by)
{
	struct doing d = s->doings.at[st.doing];

	if (d.part == ANATOMY_PYTHON && by->leaf &&
		is_waiting_function(span_after_last(text_of(s, by->leaf), ' '))) {
		d = (struct doing){by->leaf, d.other, ANATOMY_RUNTIME, CAUSE_WAITING};
	} else {
		if (d.part == ANATOMY_DISPATCH)
			d.other = d.cause;
		d.kind = CAUSE_FRAMES;
		d.cause = by->function;
	}
	st.doing = scene_add_doing(s, d);
	return st;
}

/* Cuts a stretch half-way between the samples that fell into it. */
static bool cut(struct scene *s, const struct stretch *from, const struct sample *in, size_t n_in,
	stretches *to)
{
	int64_t at = from->start;
	bool ok = true;

	for (size_t i = 0; ok && i < n_in; i++) {
		struct stretch st = named(s, *from, &in[i]);

		if (i + 1 < n_in && in[i + 1].function == in[i].function &&
			in[i + 1].leaf == in[i].leaf)
			continue;
		st.start = at;
		st.end = i + 1 < n_in ? in[i].time + (in[i + 1].time - in[i].time) / 2 : from->end;
		at = st.end;
		ok = st.doing != NONE && (st.start >= st.end || vec_push(to, st));
	}
	return ok;
}

static int64_t distance(const struct stretch *st, const struct sample *sample)
{
	return sample->time < st->start ? st->start - sample->time : sample->time - st->end;
}

/* The samples that fell into open stretches of a part. */
static bool find_hits(const struct scene *s, const samples *all, uint32_t not_traced, unsigned part,
	samples *hits)
{
	size_t at = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct stretch *st;

		while (at < s->stretches.n && s->stretches.at[at].end <= all->at[i].time)
			at++;
		if (at == s->stretches.n)
			break;
		st = &s->stretches.at[at];
		if (st->start <= all->at[i].time && s->doings.at[st->doing].part == part &&
			is_open(s, st, not_traced) && !vec_push(hits, all->at[i]))
			return false;
	}
	return true;
}

/* The stretches of a part, named by its hits; `to` gets all stretches. Those shorter than two
 * periods may well be missed, and are named after a hit within twenty. */
static bool name_part(struct scene *s, const samples *hits, int64_t period, uint32_t not_traced,
	unsigned part, stretches *to)
{
	size_t first = 0;

	for (size_t i = 0; i < s->stretches.n; i++) {
		struct stretch st = s->stretches.at[i];
		const struct sample *near;
		size_t n = 0;

		if (s->doings.at[st.doing].part == part && hits->n && is_open(s, &st, not_traced)) {
			while (first < hits->n && hits->at[first].time < st.start)
				first++;
			while (first + n < hits->n && hits->at[first + n].time < st.end)
				n++;
			if (n) {
				if (!cut(s, &st, &hits->at[first], n, to))
					return false;
				continue;
			}
			near = &hits->at[first < hits->n ? first : first - 1];
			if (first && distance(&st, near - (first < hits->n)) < distance(&st, near))
				near--;
			/* The first and the last stretch of a thread are without an end. */
			if ((uint64_t)st.end - (uint64_t)st.start < 2 * (uint64_t)period &&
				distance(&st, near) / 20 < period)
				st = named(s, st, near);
		}
		if (st.doing == NONE || !vec_push(to, st))
			return false;
	}
	return true;
}

static bool name_stretches(struct scene *s, const samples *all)
{
	static const unsigned parts[] = {ANATOMY_PYTHON, ANATOMY_DISPATCH};
	uint32_t not_traced = strings_alias(&s->texts, SPAN("Python (not traced)"));
	int64_t period = (all->at[all->n - 1].time - all->at[0].time) / (int64_t)all->n;
	bool ok = not_traced != NONE;

	for (size_t i = 0; ok && i < sizeof(parts) / sizeof(*parts); i++) {
		samples hits = {0};
		stretches to = {0};

		ok = find_hits(s, all, not_traced, parts[i], &hits) &&
			name_part(s, &hits, period, not_traced, parts[i], &to);
		if (ok)
			vec_take(&s->stretches, &to);
		vec_clear(&to);
		vec_clear(&hits);
	}
	return ok;
}

bool scene_name_python(struct scene *s, const struct plane *planes, size_t n_planes)
{
	samples all = {0};
	int64_t clock;

	for (size_t i = 0; !s->d->failed && i < n_planes; i++) {
		const struct plane *p = &planes[i];

		if (p->kind != PLANE_SAMPLES || s->main == NONE || !find_clock(s, &clock))
			continue;
		for (size_t j = 0; !s->d->failed && j < p->lines.n; j++)
			read_line(s, p, p->lines.at[j], clock, &all);
	}
	if (!s->d->failed && all.n)
		scene_ok(s, name_stretches(s, &all));
	vec_clear(&all);
	return !s->d->failed;
}
