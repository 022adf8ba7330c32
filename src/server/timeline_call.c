#include "server/timeline_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "lib/timeline.h"

static void free_only(void *timeline)
{
	tfprof_timeline_free(timeline);
}

static enum tfprof_status make_only(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	const struct timeline_call *t = context;
	const struct node_set *set = selection_get(&t->selection);
	tfprof_timeline *only;
	enum tfprof_status status =
		tfprof_timeline_select(t->timeline, set->has, set->n_nodes, &only, err);

	(void)profile;
	(void)cancel;
	*object = only;
	return status;
}

/* An estimate. */
static size_t count_only_bytes(void *timeline)
{
	enum { BYTES_PER_EXECUTION = 20 };
	struct tfprof_step_info info;

	tfprof_timeline_read_step(timeline, &info);
	return info.n_executions * BYTES_PER_EXECUTION;
}

/* The selection of a timeline is kept, like a timeline. */
static enum tfprof_status open_only(struct timeline_call *t, struct call *c, int64_t p,
	struct tfprof_error *err)
{
	struct maker maker = {make_only, count_only_bytes, free_only, t};
	struct buf key = {0};
	char kind[64];
	enum tfprof_status status;

	if (!selection_get(&t->selection))
		return TFPROF_OK;
	snprintf(kind, sizeof(kind), "timeline %lld of", (long long)t->step);
	status = view_put_key(c, kind, &key, err);
	if (status == TFPROF_OK) {
		buf_text(&key, call_get(c, "sel"));
		buf_char(&key, '\0');
		status = key.failed
			? error_no_memory(err)
			: store_use(c->store, p, key.at, &maker, &c->cancel, &t->kept_only, err);
	}
	buf_clear(&key);
	if (status == TFPROF_OK)
		t->only = kept_get(t->kept_only);
	return status;
}

static enum tfprof_status find_step(struct timeline_call *t, const struct call *c,
	struct tfprof_error *err)
{
	size_t n;
	const int64_t *steps = tfprof_profile_get_steps(t->profile, &n);
	enum tfprof_status status =
		call_get_int(c, "step", n ? steps[0] : -1, -1, INT64_MAX, &t->step, err);

	/* Memory is held from step to step. */
	if (status == TFPROF_OK && call_get(c, "all_steps"))
		t->step = -1;
	else if (status == TFPROF_OK && t->step < 0 && n)
		t->step = steps[0];
	return status;
}

/* ---- the course of steps --------------------------------------------------- */

static enum tfprof_status make_course(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	struct course *course;
	enum tfprof_status status = course_new(profile, &course, err);

	(void)context;
	(void)cancel;
	*object = course;
	return status;
}

static size_t count_course_bytes(void *course)
{
	return course_get_n_bytes(course);
}

static void free_course(void *course)
{
	course_free(course);
}

enum tfprof_status timeline_call_find_times(struct call *c, const tfprof_timeline *timeline,
	int64_t step, struct step_times *times, struct tfprof_error *err)
{
	struct maker maker = {make_course, count_course_bytes, free_course, NULL};
	struct tfprof_step_info info;
	int64_t p, start_us, end_us;
	char key[64];
	enum tfprof_status status = call_get_int(c, "p", 0, 0, MAX_PROFILES - 1, &p, err);

	tfprof_timeline_read_step(timeline, &info);
	*times = (struct step_times){.start_us = info.start_micros,
		.end_us = info.start_micros + info.wall_micros};
	if (status != TFPROF_OK || step < 0)
		return status;
	snprintf(key, sizeof(key), "%" PRId64 " course", p);
	status = store_use(c->store, p, key, &maker, &c->cancel, &times->course, err);
	if (status != TFPROF_OK ||
		!course_get_step(kept_get(times->course), step, &start_us, &end_us) ||
		start_us > times->end_us || end_us < times->start_us)
		return status;
	if (start_us < times->start_us)
		times->start_us = start_us;
	if (end_us > times->end_us)
		times->end_us = end_us;
	return TFPROF_OK;
}

/* ---- threads --------------------------------------------------------------- */

static enum tfprof_status make_threads(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	const struct timeline_call *t = context;
	tfprof_timeline *threads;
	enum tfprof_status status = timeline_new_threads(profile, t->start_us, t->end_us,
		t->kept_course ? kept_get(t->kept_course) : NULL, &threads, err);

	(void)cancel;
	*object = threads;
	return status;
}

enum tfprof_status timeline_call_open_threads(struct timeline_call *t, struct call *c,
	struct tfprof_error *err)
{
	struct maker maker = {make_threads, view_count_timeline_bytes, free_only, t};
	char key[64];
	int64_t p;
	enum tfprof_status status = call_get_int(c, "p", 0, 0, MAX_PROFILES - 1, &p, err);

	if (status != TFPROF_OK || t->kept_threads)
		return status;
	snprintf(key, sizeof(key), "%" PRId64 " threads %" PRId64, p, t->step);
	return store_use(c->store, p, key, &maker, &c->cancel, &t->kept_threads, err);
}

enum tfprof_status timeline_call_open(struct timeline_call *t, struct call *c,
	struct tfprof_error *err)
{
	struct shown_profile *profile;
	struct tfprof_lane lane;
	struct step_times times;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	*t = (struct timeline_call){.store = c->store};
	if (status != TFPROF_OK)
		return status;
	t->profile = profile->profile;
	status = find_step(t, c, err);
	if (status == TFPROF_OK)
		status = view_timeline(c, t->step, &t->kept, err);
	if (status != TFPROF_OK)
		return status;
	t->timeline = kept_get(t->kept);
	status = timeline_call_find_times(c, t->timeline, t->step, &times, err);
	t->kept_course = times.course;
	t->start_us = times.start_us;
	t->end_us = times.end_us;
	t->is_of_threads = call_get(c, "of") && strcmp(call_get(c, "of"), "threads") == 0;
	if (status == TFPROF_OK && t->is_of_threads)
		status = timeline_call_open_threads(t, c, err);
	if (t->kept_threads)
		t->timeline = kept_get(t->kept_threads);
	while (status == TFPROF_OK && tfprof_timeline_read_lane(t->timeline, t->n_lanes, &lane))
		t->n_lanes++;
	if (status == TFPROF_OK && !t->is_of_threads)
		status = selection_open(&t->selection, c, err);
	return status == TFPROF_OK ? open_only(t, c, p, err) : status;
}

void timeline_call_close(struct timeline_call *t)
{
	selection_close(&t->selection);
	store_release(t->store, t->kept_only);
	store_release(t->store, t->kept_threads);
	store_release(t->store, t->kept_course);
	store_release(t->store, t->kept);
}

enum tfprof_status timeline_call_stretch(const struct timeline_call *t, const struct call *c,
	struct stretch *s, struct tfprof_error *err)
{
	int64_t end = t->end_us - t->start_us;
	enum tfprof_status status =
		call_get_int(c, "lane", 0, 0, (int64_t)t->n_lanes, &s->first, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "until_lane", s->first + 1, 0, INT64_MAX, &s->last, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "from", 0, INT64_MIN / 4, INT64_MAX / 4, &s->from_us, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "until", end, INT64_MIN / 4, INT64_MAX / 4, &s->until_us,
			err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "min", 0, 0, INT64_MAX, &s->min_us, err);
	s->from_us += t->start_us;
	s->until_us += t->start_us;
	if (s->last > (int64_t)t->n_lanes)
		s->last = (int64_t)t->n_lanes;
	return status;
}
