/* Which stretches of time are steps, and when each was completed. */
#include "load/anatomy/scene.h"

#include <stdlib.h>

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

bool scene_add_step(struct scene *s, int64_t number, int64_t start, int64_t end)
{
	return vec_push(&s->steps,
		((struct step){.number = number,
			.marker_start = start,
			.marker_end = end,
			.others_end = INT64_MIN}));
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
		ok = scene_add_step(s, (int64_t)facts_of(s, n)->number, node->start, node->end_ps);
		n = node->end > n ? node->end - 1 : n; /* none within another */
	}
	return ok;
}

uint64_t scene_main_program(const struct scene *s)
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

static bool take_whole(struct scene *s)
{
	int64_t start = INT64_MAX, end = INT64_MIN;

	s->by = ANATOMY_WHOLE;
	for (size_t i = 0; i < s->work.n; i++)
		if (s->work.at[i].class != WORK_INPUT) {
			start = s->work.at[i].start < start ? s->work.at[i].start : start;
			end = s->work.at[i].end > end ? s->work.at[i].end : end;
		}
	return start >= end || scene_add_step(s, 0, start, end);
}

/* The last step that began by then; NONE. */
static uint32_t step_at(const struct scene *s, int64_t time)
{
	size_t low = 0;

	sort_search(low, s->steps.n, i, s->steps.at[i].marker_start <= time);
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
		if (i && step->others_end > before && step->others_end <= step->marker_start) {
			step->start = step->others_end;
			has_gap = true;
		}
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
	uint64_t program = scene_main_program(s);
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
			ok = scene_add_step(s, (int64_t)now.n++, node->start, node->start);
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
		return s->main == NONE || scene_find_calls(s, function);
	}
	if (s->main != NONE && !find_markers(s))
		return false;
	if (s->steps.n)
		return true;
	if (s->main != NONE && !scene_find_calls(s, function))
		return false;
	if (s->steps.n)
		return true;
	if (s->has_accelerator) {
		s->by = ANATOMY_NONE;
		return scene_number_runs(s, scene_main_program(s)) && find_runs(s);
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
