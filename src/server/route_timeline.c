/* /api/lanes, /api/slices and /api/sums: what ran when. Times are microseconds from the
 * first start in the step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/routes.h"
#include "server/timeline_call.h"

enum { MAX_LANES = 2000, MAX_SLICES = 40000, MAX_SUMS = 50 };

/* ---- lanes --------------------------------------------------------------- */

static void put_lane(const struct tfprof_lane *lane, size_t i, struct json *out)
{
	json_open_object(out);
	json_put_int(out, "lane", (int64_t)i);
	json_put_string(out, "device", (struct span){lane->device, lane->device_length});
	json_put_text(out, "kind", lane->kind);
	json_put_int(out, "number", lane->number);
	json_put_string(out, "name", (struct span){lane->name, lane->name_length});
	json_put_int(out, "executions", (int64_t)lane->n_executions);
	json_put_int(out, "busy", lane->busy_micros);
	json_put_int(out, "rows", lane->n_rows);
	json_close_object(out);
}

enum tfprof_status route_lanes(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct timeline_call t;
	struct tfprof_lane lane;
	struct tfprof_step_info step;
	enum tfprof_status status = timeline_call_open(&t, c, err);

	if (status == TFPROF_OK) {
		json_open_object(out);
		json_put_int(out, "step", t.step);
		json_put_int(out, "start", t.start_us);
		json_put_int(out, "duration", t.end_us - t.start_us);
		json_put_int(out, "total", (int64_t)t.n_lanes);
		tfprof_timeline_read_step(t.timeline, &step);
		if (step.n_hidden) {
			json_put_int(out, "hidden", (int64_t)step.n_hidden);
			json_put_int(out, "hidden_below", step.hidden_below_micros);
		}
		json_key(out, "lanes");
		json_open_array(out);
		for (size_t i = 0; i < MAX_LANES && tfprof_timeline_read_lane(t.timeline, i, &lane);
			i++)
			put_lane(&lane, i, out);
		json_close_array(out);
		json_close_object(out);
	}
	timeline_call_close(&t);
	return status;
}

/* ---- slices -------------------------------------------------------------- */

/* Columns keep the answer small: row, x, w, node, n, busy of each slice. */
struct slice_list {
	int64_t origin_us;
	VEC(struct tfprof_slice) at;
	VEC(size_t) row_ends; /* by row: where its slices end */
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

static void put_rows(const struct slice_list *list, struct json *out)
{
	size_t i = 0;

	json_key(out, "row");
	json_open_array(out);
	for (size_t row = 0; row < list->row_ends.n; row++)
		for (; i < list->row_ends.at[row]; i++)
			json_int(out, (int64_t)row);
	json_close_array(out);
}

/* The slices of all rows of a lane. */
static void find_slices(const tfprof_timeline *timeline, const struct stretch *s, size_t lane,
	struct slice_list *list)
{
	struct tfprof_lane info;

	list->at.n = list->row_ends.n = 0;
	if (!tfprof_timeline_read_lane(timeline, lane, &info))
		return;
	for (uint32_t row = 0; row < info.n_rows && !list->failed; row++) {
		tfprof_timeline_find_slices(timeline, lane, row, s->from_us, s->until_us, s->min_us,
			keep_slice, list);
		list->failed |= !vec_push(&list->row_ends, list->at.n);
	}
}

/* The nodes of slices that have room for a label, by their place in the columns. */
static void put_names(const struct timeline_call *t, const struct stretch *s,
	const struct slice_list *list, struct json *out)
{
	enum { MIN_SHARE = 16 };

	json_key(out, "names");
	json_open_object(out);
	for (size_t i = 0; i < list->at.n; i++) {
		const struct tfprof_slice *slice = &list->at.at[i];
		char place[24];
		struct span name;

		if (slice->n_executions != 1 ||
			slice->end_micros - slice->start_micros <
				(s->until_us - s->from_us) / MIN_SHARE)
			continue;
		if (t->is_of_threads)
			continue; /* their names are their types */
		name.at = tfprof_profile_get_node_name(t->profile, slice->node, &name.n);
		snprintf(place, sizeof(place), "%zu", i);
		json_put_string(out, place, name);
	}
	json_close_object(out);
}

/* Each type of operation is named once; slices hold its index. */
struct op_list {
	VEC(struct span) at;
	VEC(const char *) kinds; /* of events of threads */
	VEC(int64_t) of_name;    /* the same: by node, its place + 1; 0: not used yet */
};

static int64_t find_event(struct op_list *ops, const tfprof_timeline *timeline, uint64_t node)
{
	struct span name;
	const char *kind;

	while (ops->of_name.n <= node)
		if (!vec_push(&ops->of_name, 0))
			return -1;
	if (ops->of_name.at[node])
		return ops->of_name.at[node] - 1;
	name.at = tfprof_timeline_get_name(timeline, node, &name.n, &kind);
	if (!name.at || !vec_push(&ops->at, name) || !vec_push(&ops->kinds, kind))
		return -1;
	ops->of_name.at[node] = (int64_t)ops->at.n;
	return ops->of_name.at[node] - 1;
}

static int64_t find_op(struct op_list *ops, struct span op)
{
	for (size_t i = 0; i < ops->at.n; i++)
		if (span_equal(ops->at.at[i], op))
			return (int64_t)i;
	return vec_push(&ops->at, op) ? (int64_t)ops->at.n - 1 : -1;
}

static void put_types(const struct timeline_call *t, struct slice_list *list, struct op_list *ops,
	struct json *out)
{
	json_key(out, "op");
	json_open_array(out);
	for (size_t i = 0; i < list->at.n; i++) {
		struct span op;
		int64_t number;

		if (t->is_of_threads) {
			number = find_event(ops, t->timeline, list->at.at[i].node);
		} else {
			op.at = tfprof_profile_get_node_op(t->profile, list->at.at[i].node, &op.n);
			number = find_op(ops, op.at ? op : SPAN(""));
		}
		list->failed |= number < 0;
		json_int(out, number);
	}
	json_close_array(out);
}

static void put_ops(const struct op_list *ops, struct json *out)
{
	json_key(out, "ops");
	json_open_array(out);
	for (size_t i = 0; i < ops->at.n; i++) {
		json_open_object(out);
		json_put_string(out, "name", ops->at.at[i]);
		json_put_text(out, "family",
			i < ops->kinds.n ? ops->kinds.at[i]
					 : tfprof_op_get_family(ops->at.at[i].at, ops->at.at[i].n));
		json_close_object(out);
	}
	json_close_array(out);
}

static void put_slices(const struct timeline_call *t, const tfprof_timeline *timeline,
	const struct stretch *s, struct slice_list *list, struct op_list *ops, struct json *out)
{
	json_open_array(out);
	for (int64_t lane = s->first; lane < s->last; lane++) {
		find_slices(timeline, s, (size_t)lane, list);
		json_open_object(out);
		json_put_int(out, "lane", lane);
		put_rows(list, out);
		put_column(list, "x", SLICE_X, out);
		put_column(list, "w", SLICE_W, out);
		put_column(list, "node", SLICE_NODE, out);
		put_column(list, "n", SLICE_N, out);
		put_column(list, "busy", SLICE_BUSY, out);
		put_types(t, list, ops, out);
		put_names(t, s, list, out);
		json_close_object(out);
	}
	json_close_array(out);
}

enum tfprof_status route_slices(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct timeline_call t;
	struct slice_list list = {0};
	struct op_list ops = {0};
	struct stretch s;
	enum tfprof_status status = timeline_call_open(&t, c, err);

	if (status == TFPROF_OK)
		status = timeline_call_stretch(&t, c, &s, err);
	if (status == TFPROF_OK) {
		list.origin_us = t.start_us;
		json_open_object(out);
		json_key(out, "lanes");
		put_slices(&t, t.timeline, &s, &list, &ops, out);
		if (t.only) {
			json_key(out, "selected");
			put_slices(&t, t.only, &s, &list, &ops, out);
		}
		put_ops(&ops, out);
		json_close_object(out);
		if (list.failed)
			status = error_no_memory(err);
	}
	vec_clear(&list.at);
	vec_clear(&list.row_ends);
	vec_clear(&ops.at);
	vec_clear(&ops.kinds);
	vec_clear(&ops.of_name);
	timeline_call_close(&t);
	return status;
}

/* ---- how busy ------------------------------------------------------------- */

/* How much of its lanes' time a device is busy in each part of a stretch, in percent. */
static void put_busy(const struct timeline_call *t, const struct stretch *s, int64_t n,
	size_t first_lane, size_t end_lane, struct json *out)
{
	int64_t span = s->until_us - s->from_us;

	json_open_array(out);
	for (int64_t i = 0; i < n; i++) {
		int64_t from = s->from_us + (int64_t)((double)span * (double)i / (double)n);
		int64_t until = s->from_us + (int64_t)((double)span * (double)(i + 1) / (double)n);
		int64_t busy = 0, whole = (until - from) * (int64_t)(end_lane - first_lane);

		for (size_t lane = first_lane; lane < end_lane; lane++)
			busy += tfprof_timeline_get_busy(t->timeline, lane, from, until);
		json_int(out, whole > 0 ? 100 * busy / whole : 0);
	}
	json_close_array(out);
}

/* A strip for each device, whose lanes are neighbours. */
static void put_strips(const struct timeline_call *t, const struct stretch *s, int64_t n,
	struct json *out)
{
	struct tfprof_lane lane, next;
	size_t first = 0;

	json_open_array(out);
	for (size_t i = 0; tfprof_timeline_read_lane(t->timeline, i, &lane); i++) {
		if (tfprof_timeline_read_lane(t->timeline, i + 1, &next) && next.number > 0)
			continue;
		put_busy(t, s, n, first, i + 1, out);
		first = i + 1;
	}
	json_close_array(out);
}

enum tfprof_status route_busy(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct timeline_call t;
	struct stretch s;
	int64_t n = 0;
	enum tfprof_status status = timeline_call_open(&t, c, err);

	if (status == TFPROF_OK)
		status = timeline_call_stretch(&t, c, &s, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "n", 200, 1, 1000, &n, err);
	/* Times are whole microseconds: shorter parts of the stretch would look idle. */
	if (status == TFPROF_OK && n > s.until_us - s.from_us)
		n = s.until_us > s.from_us ? s.until_us - s.from_us : 1;
	if (status == TFPROF_OK)
		put_strips(&t, &s, n, out);
	timeline_call_close(&t);
	return status;
}

/* ---- sums ---------------------------------------------------------------- */

struct op_sum {
	struct span op;
	int64_t us, n;
};

struct op_sums {
	const struct timeline_call *call;
	VEC(struct op_sum) at;
	bool failed;
};

static int add_execution(void *context, uint64_t node, int64_t us)
{
	struct op_sums *sums = context;
	struct op_sum sum = {.us = us, .n = 1};
	const char *kind;
	size_t i;

	sum.op.at = sums->call->is_of_threads
		? tfprof_timeline_get_name(sums->call->timeline, node, &sum.op.n, &kind)
		: tfprof_profile_get_node_op(sums->call->profile, node, &sum.op.n);
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

static int count_execution(void *context, uint64_t node, int64_t us)
{
	(void)node, (void)us;
	++*(int64_t *)context;
	return 0;
}

/* How many executions are selected. */
static void put_selected(const struct timeline_call *t, const struct stretch *s,
	const struct call *c, struct json *out)
{
	int64_t n = 0;

	for (int64_t lane = s->first; lane < s->last && !c->cancel; lane++)
		tfprof_timeline_each(t->only, (size_t)lane, s->from_us, s->until_us,
			count_execution, &n);
	json_put_int(out, "selected", n);
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
	struct timeline_call t;
	struct op_sums sums = {0};
	struct stretch s;
	int64_t total = 0, n = 0;
	enum tfprof_status status = timeline_call_open(&t, c, err);

	if (status == TFPROF_OK)
		status = timeline_call_stretch(&t, c, &s, err);
	if (status == TFPROF_OK) {
		sums.call = &t;
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
		if (t.only)
			put_selected(&t, &s, c, out);
		put_sums(&sums, out);
		json_close_object(out);
		if (sums.failed)
			status = error_no_memory(err);
	}
	vec_clear(&sums.at);
	timeline_call_close(&t);
	return status;
}
