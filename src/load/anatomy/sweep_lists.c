/* The lists that the sweep reads, and those that it makes. */
#include "load/anatomy/sweep.h"

#include <stdlib.h>

/* ---- before ------------------------------------------------------------------------ */

static bool list_windows(struct sweep *w)
{
	const struct scene *s = w->s;
	bool ok = true;

	for (uint32_t i = 0; ok && i < s->steps.n; i++) {
		const struct step *step = &s->steps.at[i];
		struct window window = {step->start, step->end, step->end, step->start, i, false};
		struct window gap = {step->gap_start, step->start, step->start, step->gap_start, i,
			true};

		if (gap.end > gap.start)
			ok = vec_push(&w->windows, gap);
		if (ok && window.end > window.start)
			ok = vec_push(&w->windows, window);
	}
	return ok;
}

static void add_time(struct sweep *w, int64_t time, size_t id)
{
	w->times[w->n_times++] = (struct sort_item){sort_key_ascending(time), (uint32_t)id};
}

static bool list_times(struct sweep *w)
{
	const struct scene *s = w->s;
	size_t n = 2 * s->work.n + 2 * s->stages.n + 2 * w->windows.n;
	struct sort_item *scratch = mem_array(n + 1, sizeof(*scratch));

	w->times = mem_array(n + 1, sizeof(*w->times));
	if (!scratch || !w->times || n >= NONE) {
		mem_free(scratch);
		return false;
	}
	for (size_t i = 0; i < s->work.n; i++) {
		add_time(w, s->work.at[i].start, 2 * i);
		add_time(w, s->work.at[i].end, 2 * i + 1);
	}
	for (size_t i = 0; i < s->stages.n; i++) {
		add_time(w, s->stages.at[i].start, 2 * s->work.n + i);
		add_time(w, s->stages.at[i].end, NONE);
	}
	for (size_t i = 0; i < w->windows.n; i++) {
		add_time(w, w->windows.at[i].start, NONE);
		add_time(w, w->windows.at[i].end, NONE);
	}
	if (w->n_times)
		sort_items(w->times, scratch, w->n_times);
	mem_free(scratch);
	return true;
}

static bool make_slots(struct sweep *w)
{
	const struct scene *s = w->s;

	w->slot_of = mem_array(s->work.n + 1, sizeof(*w->slot_of));
	if (!w->slot_of)
		return false;
	for (size_t i = 0; !w->failed && i < s->work.n; i++)
		w->slot_of[i] = sweep_find_slot(w,
			(struct doing){s->work.at[i].name, 0, s->work.at[i].class, CAUSE_PLAIN});
	return !w->failed;
}

static bool make_devices(struct sweep *w)
{
	w->n_devices = w->to->devices.n;
	w->devices = mem_zero_array(w->n_devices + 1, sizeof(*w->devices));
	for (size_t i = 0; w->devices && i < w->n_devices; i++)
		w->devices[i].state = SWEEP_CLASSES;
	return w->devices;
}

bool sweep_init(struct sweep *w)
{
	for (unsigned c = 0; c < WORK_NONE; c++)
		w->classes[c].first = w->classes[c].last = NONE;
	w->failed = !list_windows(w) || !list_times(w) || !make_slots(w) || !make_devices(w);
	return !w->failed;
}

void sweep_clear(struct sweep *w)
{
	vec_clear(&w->slots);
	hash_clear(&w->index);
	vec_clear(&w->touched);
	mem_free(w->slot_of);
	vec_clear(&w->heap);
	mem_free(w->devices);
	vec_clear(&w->windows);
	mem_free(w->times);
	vec_clear(&w->keys);
	vec_clear(&w->unsorted);
	vec_clear(&w->moments);
}

/* ---- causes -------------------------------------------------------------------------- */

void sweep_put_cause(struct buf *b, const struct scene *s, struct doing key)
{
	static const char *const before[] = {
		[CAUSE_PLAIN] = "",
		[CAUSE_COMPILE] = "trace and compile ",
		[CAUSE_WAITING] = "waiting in ",
		[CAUSE_FRAMES] = "",
		[CAUSE_STAGE] = "",
	};
	static const char *const places[] = {"before the first operation", "between operations",
		"after the last operation"};
	unsigned kind = key.kind;
	bool is_within = kind >= CAUSE_BEFORE && text_of(s, key.cause).n;

	if (kind >= CAUSE_BEFORE) {
		buf_text(b, places[(kind - CAUSE_BEFORE) / 8]);
		kind = (kind - CAUSE_BEFORE) % 8;
	}
	if (is_within)
		buf_text(b, " (");
	buf_text(b, before[kind]);
	buf_span(b, text_of(s, key.cause));
	if (kind == CAUSE_FRAMES && key.other) {
		buf_text(b, " > ");
		buf_span(b, text_of(s, key.other));
	}
	if (kind == CAUSE_STAGE && key.other) {
		buf_text(b, " (");
		buf_span(b, text_of(s, key.other));
		buf_char(b, ')');
	}
	if (is_within)
		buf_char(b, ')');
}

static bool write_text(struct sweep *w, struct slot *slot)
{
	struct buf text = {0};

	if (slot->text.at)
		return true;
	sweep_put_cause(&text, w->s, slot->key);
	if (!text.failed)
		slot->text = arena_copy(&w->to->arena, buf_get(&text));
	buf_clear(&text);
	return slot->text.at;
}

static int by_name(const void *a, const void *b)
{
	const struct anatomy_cause *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return span_compare(x->text, y->text);
}

/* Largest first; equal ones by part and name. */
static bool sort_causes(struct sweep *w, struct anatomy_causes *causes)
{
	size_t n = causes->n;
	struct sort_item *items;
	struct anatomy_cause *from;
	bool ok = vec_reserve(&w->keys, 2 * n) && vec_reserve(&w->unsorted, n);

	if (!ok || !n)
		return ok;
	items = w->keys.at;
	from = w->unsorted.at;
	memcpy(from, causes->at, n * sizeof(*from));
	for (size_t i = 0; i < n; i++)
		items[i] = (struct sort_item){sort_key_descending(from[i].ps), (uint32_t)i};
	sort_items(items, items + n, n);
	for (size_t i = 0; i < n; i++)
		causes->at[i] = from[items[i].id];
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && causes->at[end].ps == causes->at[i].ps; end++)
			;
		if (end - i > 1)
			qsort(causes->at + i, end - i, sizeof(*causes->at), by_name);
	}
	return true;
}

bool sweep_list_causes(struct sweep *w, struct anatomy_causes *causes)
{
	bool ok;

	causes->at = arena_array(&w->to->arena, w->touched.n + 1, sizeof(*causes->at));
	ok = causes->at;
	for (size_t i = 0; i < w->touched.n; i++) {
		struct slot *slot = &w->slots.at[w->touched.at[i]];
		int64_t ps = (int64_t)(slot->ps + 0.5);

		slot->is_touched = false;
		slot->ps = 0;
		if (!ok || !ps || slot->key.part >= N_ANATOMY_PARTS)
			continue;
		ok = write_text(w, slot);
		if (ok)
			causes->at[causes->n++] =
				(struct anatomy_cause){slot->key.part, slot->text, ps};
	}
	w->touched.n = 0;
	return ok && sort_causes(w, causes);
}

bool sweep_list_moments(struct sweep *w)
{
	for (size_t i = 0; i < w->moments.n; i++) {
		const struct part_moment *m = &w->moments.at[i];
		struct anatomy_moment moment = {m->start, m->end, (enum anatomy_part)m->part,
			SPAN("")};

		if (m->slot != NONE) {
			if (!write_text(w, &w->slots.at[m->slot]))
				return false;
			moment.cause = w->slots.at[m->slot].text;
		}
		if (!vec_push(&w->to->moments, moment))
			return false;
	}
	return true;
}
