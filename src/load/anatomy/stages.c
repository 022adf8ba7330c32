/* When the stages of input pipelines (tf.data) are at work: "Iterator::Root::Prefetch::Map" is a
 * stage Map whose consumer is Prefetch. A stage works in its events without those of the stages
 * that it asks, and while functions run that it started on other threads. */
#include "load/anatomy/scene.h"

struct owner_of_function {
	uint64_t id;
	uint32_t path; /* text */
};

struct stage_reader {
	struct scene *s;
	VEC(struct owner_of_function) functions;
	struct hash_index index;
	VEC(uint32_t) name_of; /* by text of a path: the text of its name + 1; 0: none */
	VEC(uint64_t) started; /* functions of the line */
};

static uint32_t depth_of(struct span path)
{
	uint32_t n = 0;

	for (size_t i = 0; i + 1 < path.n; i++)
		if (path.at[i] == ':' && path.at[i + 1] == ':') {
			n++;
			i++;
		}
	return n;
}

static bool add_stage(struct scene *s, uint32_t path, uint32_t name, int64_t start, int64_t end)
{
	return start >= end ||
		vec_push(&s->stages,
			((struct stage){start, end, path, name, depth_of(text_of(s, path))}));
}

static bool note_name(struct stage_reader *r, uint32_t path, uint32_t name)
{
	while (r->name_of.n <= path)
		if (!vec_push(&r->name_of, 0))
			return false;
	if (!r->name_of.at[path])
		r->name_of.at[path] = name + 1;
	return true;
}

/* ---- stages ------------------------------------------------------------------------ */

/* Adds each stage without those within it. */
static bool add_line(struct stage_reader *r, const struct thread_line *line)
{
	struct scene *s = r->s;
	VEC(uint32_t) open = {0};
	int64_t at = 0;
	bool ok = true;

#define TOP (&s->nodes.at[open.at[open.n - 1]])
	for (uint32_t n = line->first; ok && n <= line->end; n++) {
		bool is_last = n == line->end;
		int64_t start = is_last ? INT64_MAX : s->nodes.at[n].start;

		if (!is_last && !(name_of(s, n) & NAME_ITERATOR))
			continue;
		while (ok && open.n && (is_last || TOP->end <= n)) {
			ok = add_stage(s, TOP->name, facts_of(s, open.at[open.n - 1])->text, at,
				TOP->end_ps);
			at = TOP->end_ps > at ? TOP->end_ps : at;
			open.n--;
		}
		if (is_last)
			break;
		if (ok && open.n)
			ok = add_stage(s, TOP->name, facts_of(s, open.at[open.n - 1])->text, at,
				start);
		at = start > at || !open.n ? start : at;
		ok = ok && note_name(r, s->nodes.at[n].name, facts_of(s, n)->text) &&
			vec_push(&open, n);
	}
#undef TOP
	vec_clear(&open);
	return ok;
}

/* ---- functions of stages that run elsewhere ------------------------------------------ */

struct id_probe {
	const struct stage_reader *r;
	uint64_t id;
};

static bool same_id(const void *context, uint32_t i)
{
	const struct id_probe *probe = context;

	return probe->r->functions.at[i].id == probe->id;
}

static struct owner_of_function *find_function(const struct stage_reader *r, uint64_t id)
{
	struct id_probe probe = {r, id};
	uint32_t i = hash_find(&r->index, hash_bytes(&id, sizeof(id)), same_id, &probe);

	return i == NONE ? NULL : &r->functions.at[i];
}

static bool set_function(struct stage_reader *r, uint64_t id, uint32_t path)
{
	struct owner_of_function *known = find_function(r, id);

	if (known) {
		known->path = path;
		return true;
	}
	return vec_push(&r->functions, ((struct owner_of_function){id, path})) &&
		hash_add(&r->index, hash_bytes(&id, sizeof(id)), (uint32_t)r->functions.n - 1);
}

/* "Iterator::Root::Map" of "Iterator::Root::Map::Range". */
static struct span consumer_of(struct span path)
{
	size_t n = path.n;

	while (n > 1 && !(path.at[n - 1] == ':' && path.at[n - 2] == ':'))
		n--;
	return (struct span){path.at, n > 1 ? n - 2 : 0};
}

/* A thread that only asks the inputs of one stage runs that stage. */
static bool add_runner(struct stage_reader *r, const struct thread_line *line)
{
	struct scene *s = r->s;
	struct span stage = {NULL, 0};
	uint32_t path;
	bool ok = true;

	r->started.n = 0;
	for (uint32_t n = line->first; ok && n < line->end; n++) {
		uint32_t flags = name_of(s, n);

		if (flags & NAME_CAPTURED && node_has(s, n, FACT_ID))
			ok = vec_push(&r->started, facts_of(s, n)->id);
		if (!(flags & NAME_ITERATOR))
			continue;
		if (stage.at && !span_equal(stage, consumer_of(text_of(s, s->nodes.at[n].name))))
			return ok;
		stage = consumer_of(text_of(s, s->nodes.at[n].name));
		n = s->nodes.at[n].end > n ? s->nodes.at[n].end - 1 : n; /* outermost only */
	}
	if (!ok || !stage.at)
		return ok;
	path = strings_alias(&s->texts, stage);
	ok = path != NONE;
	for (size_t i = 0; ok && i < r->started.n; i++)
		ok = set_function(r, r->started.at[i], path);
	return ok;
}

static bool add_functions(struct stage_reader *r)
{
	struct scene *s = r->s;
	bool ok = true;

	for (uint32_t n = 0; ok && n < s->n_host; n++) {
		const struct owner_of_function *f;
		uint32_t name;

		if (!(name_of(s, n) & NAME_PROCESS) || !node_has(s, n, FACT_ID))
			continue;
		f = find_function(r, facts_of(s, n)->id);
		if (!f)
			continue;
		name = f->path < r->name_of.n ? r->name_of.at[f->path] : 0;
		ok = add_stage(s, f->path, name ? name - 1 : 0, s->nodes.at[n].start,
			s->nodes.at[n].end_ps);
	}
	return ok;
}

/* ---- elements of one stage ------------------------------------------------------------ */

/* Paths that are the same but for numbers in brackets: of elements that a stage works on. */
struct alike {
	uint32_t path, name;                   /* texts: of the first one */
	bool is_known, has_several, has_names; /* several of the one or the other */
};

struct elements {
	VEC(uint32_t) plain_of; /* by text of a path: without numbers, + 1; 0: not known */
	VEC(struct alike) at;   /* by text of a path without numbers */
};

/* "Interleave[2]::Map" without "[2]", "fused(Map:1,Batch:2)" without ":1" and ":2". */
static uint32_t without_numbers(struct scene *s, uint32_t text)
{
	struct span name = text_of(s, text);
	struct buf plain = {0};

	for (size_t i = 0; i < name.n; i++) {
		size_t end = i + 1;

		while (end < name.n && name.at[end] >= '0' && name.at[end] <= '9')
			end++;
		if (name.at[i] == '[' && end < name.n && name.at[end] == ']')
			i = end;
		else if (name.at[i] == ':' && end > i + 1)
			i = end - 1;
		else
			buf_char(&plain, name.at[i]);
	}
	text = plain.failed ? NONE : strings_add(&s->texts, buf_get(&plain));
	buf_clear(&plain);
	return text;
}

/* The place of what is alike, of a stage that has numbers; NONE. */
static bool find_alike(struct scene *s, struct elements *e, uint32_t path, uint32_t *place)
{
	*place = NONE;
	while (e->plain_of.n <= path)
		if (!vec_push(&e->plain_of, 0))
			return false;
	if (!e->plain_of.at[path]) {
		struct span text = text_of(s, path);
		uint32_t plain = path;

		if (span_find(text, SPAN("[")) < text.n)
			plain = without_numbers(s, path);
		if (plain == NONE)
			return false;
		e->plain_of.at[path] = plain + 1;
	}
	if (e->plain_of.at[path] - 1 == path)
		return true;
	*place = e->plain_of.at[path] - 1;
	while (e->at.n <= *place)
		if (!vec_push(&e->at, ((struct alike){0})))
			return false;
	return true;
}

/* Stages that only differ in the element are one: there may be thousands. */
static bool join_elements(struct scene *s, struct elements *e)
{
	bool ok = true;

	for (size_t i = 0; ok && i < s->stages.n; i++) {
		const struct stage *stage = &s->stages.at[i];
		struct alike *a;
		uint32_t place;

		ok = find_alike(s, e, stage->path, &place);
		if (!ok || place == NONE)
			continue;
		a = &e->at.at[place];
		if (!a->is_known)
			*a = (struct alike){stage->path, stage->name, true, false, false};
		a->has_several |= a->path != stage->path;
		a->has_names |= a->name != stage->name;
	}
	for (size_t i = 0; ok && i < s->stages.n; i++) {
		struct stage *stage = &s->stages.at[i];
		uint32_t place;

		ok = find_alike(s, e, stage->path, &place);
		if (!ok || place == NONE ||
			!(e->at.at[place].has_several || e->at.at[place].has_names))
			continue;
		stage->path = place;
		if (e->at.at[place].has_names)
			stage->name = without_numbers(s, stage->name);
		ok = stage->name != NONE;
	}
	return ok;
}

bool scene_find_stages(struct scene *s)
{
	struct stage_reader r = {.s = s};
	struct elements elements = {0};
	bool ok = true;

	for (size_t l = 0; ok && l < s->lines.n; l++)
		ok = add_line(&r, &s->lines.at[l]);
	for (size_t l = 0; ok && l < s->lines.n; l++)
		if (s->lines.at[l].is_data)
			ok = add_runner(&r, &s->lines.at[l]);
	ok = ok && add_functions(&r) && join_elements(s, &elements);
	vec_clear(&elements.plain_of);
	vec_clear(&elements.at);
	vec_clear(&r.functions);
	hash_clear(&r.index);
	vec_clear(&r.name_of);
	vec_clear(&r.started);
	return scene_ok(s, ok);
}
