/* Which call or event of the host launched what ran: by the order of runs of a program, or by id.
 */
#include "load/anatomy/scene.h"

#include <stdlib.h>

struct launch {
	int64_t start, end;
	uint32_t module; /* text */
	uint32_t order;
};

/* What is known of a text: as the name of calls their module, as a module its last call. */
struct called {
	uint32_t module; /* 0: not known yet */
	uint32_t line;
	int64_t end;
};

typedef VEC(struct called) called_list;

static struct called *called_at(called_list *list, uint32_t text)
{
	while (list->n <= text)
		if (!vec_push(list, ((struct called){0, NONE, 0})))
			return NULL;
	return &list->at[text];
}

static int by_module(const void *a, const void *b)
{
	const struct launch *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

typedef VEC(struct launch) launches;

static bool list_launches(struct scene *s, launches *list)
{
	called_list called = {0};
	uint32_t line = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < s->n_host; i++) {
		uint32_t name = s->nodes.at[i].name;
		struct launch l = {s->nodes.at[i].start, s->nodes.at[i].end_ps, 0, i};
		struct called *c;

		while (line < s->lines.n && s->lines.at[line].end <= i)
			line++;
		if (!(name_of(s, i) & NAME_JIT))
			continue;
		c = called_at(&called, name);
		if (c && !c->module)
			c->module = scene_add_module(s, SPAN("jit_"),
				function_of_call(text_of(s, name)));
		l.module = c ? c->module : NONE;
		c = l.module == NONE ? NULL : called_at(&called, l.module);
		ok = c;
		/* Only those that are within no other of the same on their thread. */
		if (!ok || (c->line == line && l.start < c->end))
			continue;
		c->line = line;
		c->end = l.end;
		ok = vec_push(list, l);
	}
	vec_clear(&called);
	if (ok && list->n)
		qsort(list->at, list->n, sizeof(*list->at), by_module);
	return ok;
}

/* Runs of a program and calls of its function belong together from the last ones on: a trace
 * may begin between a call and its run. */
static bool match_runs(struct scene *s, const launches *list)
{
	launches runs = {0};
	bool ok = true;

	for (uint32_t i = 0; ok && i < s->runs.n; i++)
		ok = vec_push(&runs,
			((struct launch){s->runs.at[i].start, s->runs.at[i].has_id,
				s->runs.at[i].module, i}));
	if (ok && runs.n)
		qsort(runs.at, runs.n, sizeof(*runs.at), by_module);
	for (size_t r = runs.n, l = list->n; ok && r && l;) {
		const struct launch *run = &runs.at[r - 1], *launch = &list->at[l - 1];

		if (run->module != launch->module) {
			if (run->module > launch->module)
				r--;
			else
				l--;
			continue;
		}
		if (s->runs.at[run->order].has_id)
			s->runs.at[run->order].launch = launch->start;
		r--;
		l--;
	}
	vec_clear(&runs);
	return ok;
}

static bool find_run_launches(struct scene *s)
{
	launches list = {0};
	bool ok = list_launches(s, &list) && match_runs(s, &list);

	vec_clear(&list);
	return ok;
}

struct id_node {
	uint64_t id;
	int64_t start;
	uint32_t node;
};

static int by_id(const void *a, const void *b)
{
	const struct id_node *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* What ran on a device was launched by the last host event of the same id before it; if clocks
 * differ, by the first after it. */
static bool find_device_launches(struct scene *s)
{
	VEC(struct id_node) ids = {0};
	bool ok = true;

	for (uint32_t n = 0; ok && n < s->n_host; n++)
		if (node_has(s, n, FACT_LAUNCH))
			ok = vec_push(&ids,
				((struct id_node){facts_of(s, n)->id, s->nodes.at[n].start, n}));
	if (ok && ids.n)
		qsort(ids.at, ids.n, sizeof(*ids.at), by_id);
	for (size_t i = 0; ok && i < s->ops.n; i++) {
		struct op *op = &s->ops.at[i];
		const struct facts *f = facts_of(s, op->node);
		size_t low = 0;
		int64_t start;

		if (!op->is_on_device || !(f->has & FACT_LAUNCH))
			continue;
		start = s->nodes.at[op->node].start;
		sort_search(low, ids.n, k,
			ids.at[k].id < f->key ||
				(ids.at[k].id == f->key && ids.at[k].start <= start));
		low -= low && ids.at[low - 1].id == f->key;
		if (low < ids.n && ids.at[low].id == f->key)
			op->launch = ids.at[low].node;
	}
	vec_clear(&ids);
	return ok;
}

int64_t scene_launch_time(const struct scene *s, const struct op *op)
{
	if (op->launch != NONE)
		return s->nodes.at[op->launch].start;
	if (op->run != NONE && s->runs.at[op->run].launch != INT64_MIN)
		return s->runs.at[op->run].launch;
	return op->is_on_device ? s->nodes.at[op->node].start : op->start;
}

bool scene_find_launches(struct scene *s)
{
	return find_run_launches(s) && find_device_launches(s);
}
