/* Which stretches of time are steps, and when each was completed. */
#include "load/anatomy/scene.h"

#include <stdlib.h>

/* Calls of one function from the main thread, none within another. */
struct function {
	uint32_t name; /* text */
	int64_t work_ps;
	int64_t last_end;
};

struct call {
	int64_t start, end;
	uint32_t function; /* its place */
	uint32_t best;     /* of it and those around it, the function that was first called last */
};

struct calls {
	VEC(struct function) functions;
	VEC(uint32_t) function_of; /* by text: its place + 1; 0: none */
	VEC(struct call) at;       /* by start */
};

/* ---- the main thread -------------------------------------------------------------- */

static void find_main(struct scene *s)
{
	uint64_t best = 0;

	s->main = NONE;
	for (uint32_t l = 0; l < s->lines.n; l++)
		if (s->lines.at[l].score > best) {
			best = s->lines.at[l].score;
			s->main = l;
		}
	s->is_main_known = best || s->has_python;
	for (uint32_t l = 0; s->main == NONE && l < s->lines.n; l++)
		if (span_starts(s->lines.at[l].name, SPAN("python")) ||
			span_starts(s->lines.at[l].name, SPAN("main")))
			s->main = l;
	if (s->main == NONE && s->lines.n)
		s->main = 0;
}

/* Copies that other threads do. Those of the main thread are what it does itself. */
static bool add_copies(struct scene *s)
{
	bool ok = true;

	for (uint32_t l = 0; ok && l < s->lines.n; l++) {
		if (l == s->main || s->lines.at[l].is_data)
			continue;
		for (uint32_t n = s->lines.at[l].first; ok && n < s->lines.at[l].end; n++) {
			const struct node *node = &s->nodes.at[n];

			if (name_of(s, n) & NAME_COPY && node->end_ps > node->start)
				ok = vec_push(&s->work,
					((struct work){node->start, node->end_ps, node->name, NONE,
						ANATOMY_COPY}));
		}
	}
	return ok;
}

/* ---- steps ----------------------------------------------------------------------------- */

static bool add_step(struct scene *s, int64_t number, int64_t start, int64_t end)
{
	return vec_push(&s->steps,
		((struct step){.number = number, .marker_start = start, .marker_end = end}));
}

static bool find_markers(struct scene *s)
{
	const struct thread_line *line = &s->lines.at[s->main];
	bool ok = true, is_first = true;

	for (uint32_t n = line->first; ok && n < line->end; n++) {
		const struct node *node = &s->nodes.at[n];

		if (!node_has(s, n, FACT_STEP))
			continue;
		if (is_first) {
			s->steps.n = 0; /* those of devices */
			s->by = ANATOMY_BY_MARKERS;
			s->step_name = node->name;
		}
		is_first = false;
		ok = add_step(s, (int64_t)facts_of(s, n)->number, node->start, node->end_ps);
		n = node->end > n ? node->end - 1 : n; /* none within another */
	}
	return ok;
}

static bool list_calls(struct scene *s, struct calls *c)
{
	const struct thread_line *line = &s->lines.at[s->main];
	VEC(uint32_t) open = {0};
	bool ok = true;

	for (uint32_t n = line->first; ok && n < line->end; n++) {
		const struct node *node = &s->nodes.at[n];
		struct call call = {node->start, node->end_ps, 0, 0};
		uint32_t *place;
		struct function *f;

		if (!(name_of(s, n) & NAME_JIT) && !node_has(s, n, FACT_CALL))
			continue;
		while (ok && c->function_of.n <= node->name)
			ok = vec_push(&c->function_of, 0);
		place = ok ? &c->function_of.at[node->name] : NULL;
		if (ok && !*place) {
			ok = vec_push(&c->functions, ((struct function){node->name, 0, INT64_MIN}));
			*place = (uint32_t)c->functions.n;
		}
		if (!ok)
			break;
		f = &c->functions.at[*place - 1];
		if (node->start < f->last_end)
			continue;
		f->last_end = node->end_ps;
		f->work_ps += node->end_ps - node->start;
		call.function = call.best = *place - 1;
		while (open.n && c->at.at[open.at[open.n - 1]].end < node->start)
			open.n--;
		if (open.n && c->at.at[open.at[open.n - 1]].best > call.best)
			call.best = c->at.at[open.at[open.n - 1]].best;
		ok = vec_push(&c->at, call) && vec_push(&open, (uint32_t)c->at.n - 1);
	}
	vec_clear(&open);
	return ok;
}

/* Work that a call launched. */
struct launched {
	int64_t time, work_ps;
};

static struct launched launched_at(const struct scene *s, size_t i)
{
	if (i < s->plain.n)
		return (struct launched){s->plain.at[i].start, s->plain.at[i].work_ps};
	return (struct launched){scene_launch_time(s, &s->ops.at[i - s->plain.n]),
		s->ops.at[i - s->plain.n].work_ps};
}

static bool is_weighed(const struct scene *s, size_t i)
{
	unsigned class = i < s->plain.n ? s->plain.at[i].class : s->ops.at[i - s->plain.n].class;

	return class == ANATOMY_COMPUTE || class == ANATOMY_COMMUNICATION;
}

/* Adds the work of each operation to the function whose call launched it. */
static bool weigh_calls(struct scene *s, struct calls *c)
{
	size_t n_ops = s->plain.n + s->ops.n, n = 0, next = 0;
	struct sort_item *items = mem_array(n_ops + 1, sizeof(*items));
	struct sort_item *scratch = mem_array(n_ops + 1, sizeof(*scratch));
	VEC(uint32_t) open = {0};
	bool ok = items && scratch && n_ops < NONE;

	for (size_t i = 0; ok && i < n_ops; i++)
		if (is_weighed(s, i))
			items[n++] = (struct sort_item){sort_key_ascending(launched_at(s, i).time),
				(uint32_t)i};
	if (ok && n)
		sort_items(items, scratch, n);
	for (size_t i = 0; ok && i < n; i++) {
		struct launched op = launched_at(s, items[i].id);

		for (; ok && next < c->at.n && c->at.at[next].start <= op.time; next++)
			ok = vec_push(&open, (uint32_t)next);
		while (open.n && c->at.at[open.at[open.n - 1]].end < op.time)
			open.n--;
		if (ok && open.n)
			c->functions.at[c->at.at[open.at[open.n - 1]].best].work_ps += op.work_ps;
	}
	mem_free(items);
	mem_free(scratch);
	vec_clear(&open);
	return ok;
}

/* "f" of "PjitFunction(f)", or the whole name. */
static struct span plain_function(struct span name)
{
	return span_ends(name, SPAN(")")) &&
			(span_starts(name, SPAN("PjitFunction(")) ||
				span_starts(name, SPAN("PmapFunction(")))
		? function_of_call(name)
		: name;
}

/* The function of the last call that began by then; NONE if that is over. */
static uint32_t call_at(const struct calls *c, int64_t time)
{
	size_t low = 0, high = c->at.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->at.at[middle].start <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low && time <= c->at.at[low - 1].end ? c->at.at[low - 1].function : NONE;
}

/* The one asked for, or the heaviest; NONE. */
static uint32_t choose(const struct scene *s, const struct calls *c, struct span function)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < c->functions.n; i++) {
		struct span name = text_of(s, c->functions.at[i].name);

		if (function.n &&
			(span_equal(name, function) || span_equal(plain_function(name), function)))
			return i;
		if (!function.n &&
			(best == NONE ||
				c->functions.at[i].work_ps > c->functions.at[best].work_ps))
			best = i;
	}
	return best;
}

/* The program that devices ran for longest, if that was more than half of the time; else any. */
static uint64_t main_program(const struct scene *s)
{
	uint64_t program = 0;
	double lead = 0;

	for (size_t i = 0; i < s->ops.n; i++) {
		const struct op *op = &s->ops.at[i];
		uint64_t number = facts_of(s, op->node)->number;

		if (!op->is_on_device)
			continue;
		lead += number == program ? (double)op->work_ps : -(double)op->work_ps;
		if (lead < 0) {
			program = number;
			lead = -lead;
		}
	}
	return program;
}

/* Whether a function that is called at least twice has four fifths of what devices did: one
 * program that it compiles to, or what was launched in its calls. */
static bool is_dominant(struct scene *s, const struct calls *c, uint32_t function, bool *ok)
{
	struct span name = text_of(s, c->functions.at[function].name);
	uint32_t module = scene_add_module(s, SPAN("jit_"), plain_function(name));
	uint64_t program = main_program(s);
	double all = 0, own = 0;
	size_t n_calls = 0;

	*ok = module != NONE;
	for (size_t i = 0; i < c->at.n; i++)
		n_calls += c->at.at[i].function == function;
	for (size_t i = 0; *ok && i < s->ops.n; i++) {
		const struct op *op = &s->ops.at[i];

		if (!op->is_on_device)
			continue;
		all += (double)op->work_ps;
		if (facts_of(s, op->node)->number != program)
			continue;
		if ((op->run != NONE && s->runs.at[op->run].module == module) ||
			call_at(c, scene_launch_time(s, op)) == function)
			own += (double)op->work_ps;
	}
	return n_calls > 1 && own >= 0.8 * all;
}

static bool find_calls(struct scene *s, struct span function)
{
	struct calls c = {0};
	bool ok = list_calls(s, &c) && weigh_calls(s, &c);
	uint32_t best = ok ? choose(s, &c, function) : NONE;

	if (best != NONE && !function.n && s->has_accelerator && !is_dominant(s, &c, best, &ok))
		best = NONE;
	for (size_t i = 0; ok && best != NONE && i < c.at.n; i++)
		if (c.at.at[i].function == best)
			ok = add_step(s, (int64_t)s->steps.n, c.at.at[i].start, c.at.at[i].end);
	if (best != NONE) {
		s->by = ANATOMY_BY_CALLS;
		s->step_name = c.functions.at[best].name;
	}
	vec_clear(&c.functions);
	vec_clear(&c.function_of);
	vec_clear(&c.at);
	return ok;
}

static bool take_whole(struct scene *s)
{
	int64_t start = INT64_MAX, end = INT64_MIN;

	s->by = ANATOMY_WHOLE;
	for (size_t i = 0; i < s->work.n; i++)
		if (s->work.at[i].class != WORK_INPUT) {
			start = s->work.at[i].start < start ? s->work.at[i].start : start;
			end = s->work.at[i].end > end ? s->work.at[i].end : end;
		}
	return start >= end || add_step(s, 0, start, end);
}

/* The last step that began by then; NONE. */
static uint32_t step_at(const struct scene *s, int64_t time)
{
	size_t low = 0, high = s->steps.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->steps.at[middle].marker_start <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? (uint32_t)low - 1 : NONE;
}

/* A step ends when its marker has, and what was launched in it. Operations of TensorFlow on
 * hosts are done when the call of their function returns. */
static void complete(struct scene *s)
{
	int64_t before = INT64_MIN;

	for (size_t i = 0; i < s->steps.n; i++)
		s->steps.at[i].end = s->steps.at[i].marker_end;
	for (size_t i = 0; i < s->ops.n; i++) {
		const struct op *op = &s->ops.at[i];
		int64_t time = scene_launch_time(s, op);
		uint32_t at;

		if (op->class == WORK_INPUT || op->last_end == INT64_MIN ||
			(op->run == NONE && !op->is_on_device))
			continue;
		at = step_at(s, time);
		if (at != NONE && (time <= s->steps.at[at].marker_end || op->is_on_device) &&
			op->last_end > s->steps.at[at].end)
			s->steps.at[at].end = op->last_end;
	}
	for (size_t i = 0; i < s->steps.n; i++) {
		struct step *step = &s->steps.at[i];
		bool has_gap = s->by == ANATOMY_BY_MARKERS && step->marker_start > before;

		if (step->end < before)
			step->end = before;
		step->start = i && !has_gap ? before : step->marker_start;
		step->gap_start = i && has_gap ? before : step->start;
		before = step->end;
	}
}

static int by_marker(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return (x->marker_start > y->marker_start) - (x->marker_start < y->marker_start);
}

static int by_number(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	int64_t x_ps = x->end - x->start, y_ps = y->end - y->start;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x_ps != y_ps ? (x_ps > y_ps ? -1 : 1) : by_marker(a, b);
}

/* Clocks of devices differ: steps are those of the device on which they take longest in all. */
static void keep_slowest_device(struct scene *s)
{
	VEC(double) sums = {0};
	size_t n = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < s->devices.n; i++)
		ok = vec_push(&sums, 0);
	for (size_t i = 0; ok && i < s->steps.n; i++) {
		struct step *step = &s->steps.at[i];

		if (step->start < step->end)
			sums.at[step->device] += (double)(step->end - step->start);
		if (s->timed_device == NONE || sums.at[step->device] > sums.at[s->timed_device])
			s->timed_device = step->device;
	}
	for (size_t i = 0; ok && i < s->steps.n; i++) {
		struct step step = s->steps.at[i];

		step.marker_start = step.start;
		step.marker_end = step.end;
		if (step.device == s->timed_device && step.start < step.end)
			s->steps.at[n++] = step;
	}
	s->steps.n = n;
	vec_clear(&sums);
	scene_ok(s, ok);
}

/* A step takes as long as on the slowest device. */
static void join_device_steps(struct scene *s)
{
	size_t n = 0;

	if (s->is_by_device_clock)
		keep_slowest_device(s);
	for (size_t i = 0; i < s->steps.n; i++) {
		struct step *step = &s->steps.at[i];

		step->start = step->gap_start = step->marker_start;
		step->end = step->marker_end;
	}
	if (s->steps.n)
		qsort(s->steps.at, s->steps.n, sizeof(*s->steps.at), by_number);
	for (size_t i = 0; i < s->steps.n; i++)
		if (!n || s->steps.at[i].number != s->steps.at[n - 1].number)
			s->steps.at[n++] = s->steps.at[i];
	s->steps.n = n;
}

/* No two overlap. */
static void separate(struct scene *s)
{
	for (size_t i = 1; i < s->steps.n; i++) {
		struct step *step = &s->steps.at[i];

		if (step->start < step[-1].end)
			step->start = step->gap_start = step[-1].end;
		if (step->end < step->start)
			step->end = step->start;
	}
}

/* A program as one device ran it, again and again. */
struct device_runs {
	int64_t sum_ps;
	size_t first, n; /* steps */
};

/* Every run of the program that has four fifths of what devices did is a step, if none ran it but
 * once: those of the device that takes longest, by whose clock they are. */
static bool find_runs(struct scene *s)
{
	uint64_t program = main_program(s);
	double all = 0, own = 0;
	struct device_runs now = {0}, longest = {0};
	uint32_t device = NONE, run = NONE, name = NONE;
	bool ok = true, is_repeated = true;
	size_t n_devices = 0;

	for (size_t i = 0; ok && i < s->ops.n; i++) {
		const struct op *op = &s->ops.at[i];
		const struct node *node;
		struct step *last;

		if (!op->is_on_device)
			continue;
		node = &s->nodes.at[op->node];
		all += (double)op->work_ps;
		if (facts_of(s, op->node)->number != program)
			continue;
		own += (double)op->work_ps;
		if (op->run == NONE)
			continue;
		if (op->device != device) {
			n_devices++;
			is_repeated &= device == NONE || now.n > 1;
			now = (struct device_runs){.first = s->steps.n};
		}
		if (op->device != device || op->run != run) {
			ok = add_step(s, (int64_t)now.n++, node->start, node->start);
			name = s->runs.at[op->run].module;
		}
		device = op->device;
		run = op->run;
		last = ok ? &s->steps.at[s->steps.n - 1] : NULL;
		if (last && node->end_ps > last->marker_end) {
			now.sum_ps += node->end_ps - last->marker_end;
			last->marker_end = node->end_ps;
		}
		if (now.sum_ps > longest.sum_ps) {
			s->timed_device = device;
			longest = now;
		}
	}
	if (!ok || !program || !is_repeated || now.n < 2 || own < 0.8 * all) {
		s->steps.n = 0;
		s->timed_device = NONE;
		return ok;
	}
	memmove(s->steps.at, s->steps.at + longest.first, longest.n * sizeof(*s->steps.at));
	s->steps.n = longest.n;
	s->by = ANATOMY_BY_PROGRAM;
	s->step_name = text_of(s, name).n ? name : strings_alias(&s->texts, SPAN("one program"));
	ok = s->step_name != NONE;
	/* By one clock, a single device can be seen together with its host. */
	if (n_devices == 1 && !s->is_by_device_clock)
		s->timed_device = NONE;
	for (size_t i = 0; i < s->steps.n; i++) {
		struct step *step = &s->steps.at[i];

		step->start = step->marker_start;
		step->end = step->marker_end;
		step->gap_start = step->start;
	}
	return ok;
}

static bool choose_steps(struct scene *s, struct span function)
{
	if (s->is_by_device_clock) {
		if (s->steps.n)
			return true;
		s->by = ANATOMY_NONE;
		return find_runs(s);
	}
	if (function.n) {
		s->steps.n = 0;
		return s->main == NONE || find_calls(s, function);
	}
	if (s->main != NONE && !find_markers(s))
		return false;
	if (s->steps.n)
		return true;
	if (s->main != NONE && !find_calls(s, function))
		return false;
	if (s->steps.n)
		return true;
	if (s->has_accelerator) {
		s->by = ANATOMY_NONE;
		return scene_number_runs(s, main_program(s)) && find_runs(s);
	}
	return take_whole(s);
}

bool scene_find_steps(struct scene *s, struct span function)
{
	bool ok;

	s->by = ANATOMY_BY_DEVICE; /* if there are steps already */
	join_device_steps(s);
	find_main(s);
	ok = add_copies(s) && scene_find_launches(s) && choose_steps(s, function);
	if (ok && s->steps.n)
		qsort(s->steps.at, s->steps.n, sizeof(*s->steps.at), by_marker);
	if (ok && s->by != ANATOMY_BY_DEVICE && s->by != ANATOMY_BY_PROGRAM)
		complete(s);
	else if (ok)
		separate(s);
	for (size_t i = 1; ok && s->by == ANATOMY_BY_PROGRAM && i < s->steps.n; i++)
		s->steps.at[i].gap_start = s->steps.at[i - 1].end;
	return scene_ok(s, ok);
}
