/* /api/lanes, /api/slices and /api/sums: what ran when. Times are microseconds from the
 * first start in the step. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/routes.h"
#include "server/view_query.h"

enum { MAX_LANES = 2000, MAX_SLICES = 40000, MAX_SUMS = 50 };

struct shown_timeline {
	struct kept *kept;
	const tfprof_timeline *timeline;
	tfprof_profile *profile;
	int64_t start_us, end_us;
	size_t n_lanes;
};

static enum tfprof_status open_timeline(struct call *c, struct shown_timeline *t,
	struct tfprof_error *err)
{
	struct shown_profile *profile;
	struct tfprof_lane lane;
	struct tfprof_step_info info;
	int64_t p, step;
	size_t n_steps;
	const int64_t *steps;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	*t = (struct shown_timeline){0};
	if (status != TFPROF_OK)
		return status;
	t->profile = profile->profile;
	steps = tfprof_profile_get_steps(profile->profile, &n_steps);
	status = call_get_int(c, "step", n_steps ? steps[0] : -1, -1, INT64_MAX, &step, err);
	if (status == TFPROF_OK && step < 0 && n_steps)
		step = steps[0];
	if (status == TFPROF_OK)
		status = view_timeline(c, step, &t->kept, err);
	if (status != TFPROF_OK)
		return status;
	t->timeline = kept_get(t->kept);
	while (tfprof_timeline_read_lane(t->timeline, t->n_lanes, &lane))
		t->n_lanes++;
	tfprof_timeline_read_step(t->timeline, &info);
	t->start_us = info.start_micros;
	t->end_us = info.start_micros + info.wall_micros;
	return TFPROF_OK;
}

/* ---- lanes --------------------------------------------------------------- */

static void put_lane(const struct tfprof_lane *lane, size_t i, struct json *out)
{
	json_open_object(out);
	json_put_int(out, "lane", (int64_t)i);
	json_put_string(out, "device", (struct span){lane->device, lane->device_length});
	json_put_text(out, "kind", lane->kind);
	json_put_int(out, "number", lane->number);
	json_put_int(out, "executions", (int64_t)lane->n_executions);
	json_put_int(out, "busy", lane->busy_micros);
	json_close_object(out);
}

enum tfprof_status route_lanes(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct shown_timeline t;
	struct tfprof_lane lane;
	enum tfprof_status status = open_timeline(c, &t, err);

	if (status == TFPROF_OK) {
		json_open_object(out);
		json_put_int(out, "duration", t.end_us - t.start_us);
		json_put_int(out, "total", (int64_t)t.n_lanes);
		json_key(out, "lanes");
		json_open_array(out);
		for (size_t i = 0; i < MAX_LANES && tfprof_timeline_read_lane(t.timeline, i, &lane);
			i++)
			put_lane(&lane, i, out);
		json_close_array(out);
		json_close_object(out);
	}
	store_release(c->store, t.kept);
	return status;
}

/* ---- slices -------------------------------------------------------------- */

/* Columns keep the answer small: x, w, node, n, busy of each slice. */
struct slice_list {
	int64_t origin_us;
	VEC(struct tfprof_slice) at;
	bool failed;
};

static int keep_slice(void *context, const struct tfprof_slice *slice)
{
	struct slice_list *list = context;

	list->failed |= !vec_push(&list->at, *slice);
	return list->failed || list->at.n >= MAX_SLICES;
}

enum slice_column { SLICE_X, SLICE_W, SLICE_NODE, SLICE_N, SLICE_BUSY };

static void put_column(const struct slice_list *list, const char *name, enum slice_column column,
	struct json *out)
{
	json_key(out, name);
	json_open_array(out);
	for (size_t i = 0; i < list->at.n; i++) {
		const struct tfprof_slice *s = &list->at.at[i];
		const int64_t values[] = {[SLICE_X] = s->start_micros - list->origin_us,
			[SLICE_W] = s->end_micros - s->start_micros,
			[SLICE_NODE] = (int64_t)s->node,
			[SLICE_N] = (int64_t)s->n_executions,
			[SLICE_BUSY] = s->busy_micros};

		json_int(out, values[column]);
	}
	json_close_array(out);
}

/* What to call and how to colour each slice: indices into a list of types. */
static void put_types(const struct shown_timeline *t, const struct slice_list *list,
	struct json *out)
{
	json_key(out, "op");
	json_open_array(out);
	for (size_t i = 0; i < list->at.n; i++) {
		size_t n;
		const char *op = tfprof_profile_get_node_op(t->profile, list->at.at[i].node, &n);

		json_string(out, (struct span){op ? op : "", op ? n : 0});
	}
	json_close_array(out);
	json_key(out, "family");
	json_open_array(out);
	for (size_t i = 0; i < list->at.n; i++) {
		size_t n;
		const char *op = tfprof_profile_get_node_op(t->profile, list->at.at[i].node, &n);

		json_text(out, tfprof_op_get_family(op ? op : "", op ? n : 0));
	}
	json_close_array(out);
	json_key(out, "name");
	json_open_array(out);
	for (size_t i = 0; i < list->at.n; i++) {
		size_t n;
		const char *name =
			tfprof_profile_get_node_name(t->profile, list->at.at[i].node, &n);

		json_string(out, (struct span){name ? name : "", name ? n : 0});
	}
	json_close_array(out);
}

struct stretch {
	int64_t first, last, from_us, until_us, min_us;
};

static enum tfprof_status read_stretch(const struct call *c, const struct shown_timeline *t,
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

static void put_slices(const struct shown_timeline *t, const struct stretch *s,
	struct slice_list *list, struct json *out)
{
	json_open_array(out);
	for (int64_t lane = s->first; lane < s->last; lane++) {
		list->at.n = 0;
		tfprof_timeline_find_slices(t->timeline, (size_t)lane, s->from_us, s->until_us,
			s->min_us, keep_slice, list);
		json_open_object(out);
		json_put_int(out, "lane", lane);
		put_column(list, "x", SLICE_X, out);
		put_column(list, "w", SLICE_W, out);
		put_column(list, "node", SLICE_NODE, out);
		put_column(list, "n", SLICE_N, out);
		put_column(list, "busy", SLICE_BUSY, out);
		put_types(t, list, out);
		json_close_object(out);
	}
	json_close_array(out);
}

enum tfprof_status route_slices(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct shown_timeline t;
	struct slice_list list = {0};
	struct stretch s;
	enum tfprof_status status = open_timeline(c, &t, err);

	if (status == TFPROF_OK)
		status = read_stretch(c, &t, &s, err);
	if (status == TFPROF_OK) {
		list.origin_us = t.start_us;
		put_slices(&t, &s, &list, out);
		if (list.failed)
			status = error_no_memory(err);
	}
	vec_clear(&list.at);
	store_release(c->store, t.kept);
	return status;
}

/* ---- sums ---------------------------------------------------------------- */

struct op_sum {
	struct span op;
	int64_t us, n;
};

struct op_sums {
	tfprof_profile *profile;
	VEC(struct op_sum) at;
	bool failed;
};

static int add_execution(void *context, uint64_t node, int64_t us)
{
	struct op_sums *sums = context;
	struct op_sum sum = {.us = us, .n = 1};
	size_t i;

	sum.op.at = tfprof_profile_get_node_op(sums->profile, node, &sum.op.n);
	if (!sum.op.at)
		return 0;
	for (i = 0; i < sums->at.n; i++)
		if (span_equal(sums->at.at[i].op, sum.op)) {
			sums->at.at[i].us += us;
			sums->at.at[i].n++;
			return 0;
		}
	sums->failed |= !vec_push(&sums->at, sum);
	return sums->failed;
}

static int by_time(const void *a, const void *b)
{
	const struct op_sum *x = a, *y = b;

	return (x->us < y->us) - (x->us > y->us);
}

static void put_sums(struct op_sums *sums, struct json *out)
{
	json_key(out, "operations");
	json_open_array(out);
	if (sums->at.n)
		qsort(sums->at.at, sums->at.n, sizeof(*sums->at.at), by_time);
	for (size_t i = 0; i < sums->at.n && i < MAX_SUMS; i++) {
		const struct op_sum *s = &sums->at.at[i];

		json_open_object(out);
		json_put_string(out, "name", s->op);
		json_put_text(out, "family", tfprof_op_get_family(s->op.at, s->op.n));
		json_put_int(out, "micros", s->us);
		json_put_int(out, "executions", s->n);
		json_close_object(out);
	}
	json_close_array(out);
}

enum tfprof_status route_sums(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct shown_timeline t;
	struct op_sums sums = {0};
	struct stretch s;
	int64_t total = 0, n = 0;
	enum tfprof_status status = open_timeline(c, &t, err);

	if (status == TFPROF_OK)
		status = read_stretch(c, &t, &s, err);
	if (status == TFPROF_OK) {
		sums.profile = t.profile;
		for (int64_t lane = s.first; lane < s.last && !c->cancel; lane++)
			tfprof_timeline_each(t.timeline, (size_t)lane, s.from_us, s.until_us,
				add_execution, &sums);
		for (size_t i = 0; i < sums.at.n; i++) {
			total += sums.at.at[i].us;
			n += sums.at.at[i].n;
		}
		json_open_object(out);
		json_put_int(out, "micros", total);
		json_put_int(out, "executions", n);
		put_sums(&sums, out);
		json_close_object(out);
		if (sums.failed)
			status = error_no_memory(err);
	}
	vec_clear(&sums.at);
	store_release(c->store, t.kept);
	return status;
}
