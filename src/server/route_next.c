/* /api/next: the execution that follows another, or with `back` the one before it; in the step,
 * among what is selected, or only on its lane. Executions are ordered by start, then by lane.
 *
 *     lane, at, node     the one to start from; without `at`, the first or the last is found
 *     only_lane=1        look at no other lane */
#include <string.h>

#include "base/error.h"
#include "server/routes.h"
#include "server/timeline_call.h"

struct place {
	int64_t lane, start_us;
};

struct walk {
	struct place from;
	uint64_t node; /* of the execution to start from */
	bool is_back, has_from;

	int64_t lane;   /* being searched */
	bool is_behind; /* the one to start from has been passed */
	bool has_best;
	struct place best;
	struct tfprof_slice slice; /* at `best` */
};

static int compare_places(struct place a, struct place b)
{
	if (a.start_us != b.start_us)
		return a.start_us < b.start_us ? -1 : 1;
	return (a.lane > b.lane) - (a.lane < b.lane);
}

/* Executions of no duration may start at the same time on a lane: whether they come before or
 * after the one to start from depends on their order. */
static int look_at(void *context, const struct tfprof_slice *slice)
{
	struct walk *w = context;
	struct place here = {w->lane, slice->start_micros};
	int side = w->has_from ? compare_places(here, w->from) : w->is_back ? -1 : 1;
	int to_best;

	if (side == 0 && slice->node == w->node) {
		w->is_behind = true;
		return 0;
	}
	if (side == 0)
		side = w->is_behind ? 1 : -1;
	if (side != (w->is_back ? -1 : 1))
		return w->is_back && side > 0;
	to_best = w->has_best ? compare_places(here, w->best) : 0;
	if (!w->has_best || (w->is_back ? to_best >= 0 : to_best < 0)) {
		w->has_best = true;
		w->best = here;
		w->slice = *slice;
	}
	/* A lane is sorted, so the rest is further away. */
	return !w->is_back;
}

/* Searches backwards in growing steps, so that a near execution is found without visiting all
 * before it. */
static void look_back(struct walk *w, const tfprof_timeline *timeline, int64_t begin_us,
	int64_t end_us)
{
	int64_t until = w->has_from ? w->from.start_us + 1 : end_us + 1;

	for (int64_t span = 1024;; span *= 4) {
		int64_t from = until - begin_us > span ? until - span : begin_us;

		w->is_behind = false;
		tfprof_timeline_find_slices(timeline, (size_t)w->lane, TFPROF_ALL_ROWS, from, until,
			0, look_at, w);
		if (from == begin_us ||
			(w->has_best && (w->best.lane == w->lane || w->best.start_us >= from)))
			return;
	}
}

static void look(struct walk *w, const struct timeline_call *t, int64_t lane)
{
	const tfprof_timeline *timeline = t->only ? t->only : t->timeline;

	w->lane = lane;
	w->is_behind = false;
	if (w->is_back)
		look_back(w, timeline, t->start_us, t->end_us);
	else
		tfprof_timeline_find_slices(timeline, (size_t)lane, TFPROF_ALL_ROWS,
			w->has_from ? w->from.start_us : t->start_us, t->end_us + 1, 0, look_at, w);
}

static void put_found(const struct walk *w, const struct timeline_call *t, struct json *out)
{
	struct span name, op;

	json_open_object(out);
	if (w->has_best) {
		name.at = tfprof_profile_get_node_name(t->profile, w->slice.node, &name.n);
		op.at = tfprof_profile_get_node_op(t->profile, w->slice.node, &op.n);
		json_put_int(out, "lane", w->best.lane);
		json_put_int(out, "node", (int64_t)w->slice.node);
		json_put_string(out, "name", name);
		json_put_string(out, "op", op.at ? op : SPAN(""));
		json_put_int(out, "x", w->slice.start_micros - t->start_us);
		json_put_int(out, "w", w->slice.end_micros - w->slice.start_micros);
	}
	json_close_object(out);
}

static bool is_set(const struct call *c, const char *name)
{
	const char *value = call_get(c, name);

	return value && strcmp(value, "1") == 0;
}

enum tfprof_status route_next(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct timeline_call t;
	struct walk w = {.is_back = is_set(c, "back"), .has_from = call_get(c, "at") != NULL};
	int64_t node = 0;
	enum tfprof_status status = timeline_call_open(&t, c, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "lane", 0, 0, t.n_lanes ? (int64_t)t.n_lanes - 1 : 0,
			&w.from.lane, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "at", 0, 0, INT64_MAX / 4, &w.from.start_us, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "node", 0, 0, INT64_MAX, &node, err);
	if (status == TFPROF_OK) {
		w.node = (uint64_t)node;
		w.from.start_us += t.start_us;
		for (int64_t lane = 0; lane < (int64_t)t.n_lanes && !c->cancel; lane++)
			if (!is_set(c, "only_lane") || lane == w.from.lane)
				look(&w, &t, lane);
		put_found(&w, &t, out);
	}
	timeline_call_close(&t);
	return status;
}
