/* /api/links: what led to an execution or an event of a thread, and what it led to:
 *
 *     call of the host ──launch──> kernel on a device
 *     event of a thread ──dispatch──> what another thread does for it
 *
 * Asked for by lane, start and duration: `lane`, `x`, `w`, with `of=threads` of a thread. */
#include <string.h>

#include "base/error.h"
#include "lib/timeline.h"
#include "server/routes.h"
#include "server/timeline_call.h"

enum { MAX_LINKS = 60 };

struct links {
	const tfprof_timeline *executions, *threads;
	struct tfprof_lane lane; /* that was asked for */
	bool is_of_threads;
	int64_t number, from_us, until_us, origin_us;
	struct json *out;
	size_t n_put;
};

static struct span name_of_lane(const struct tfprof_lane *lane)
{
	return (struct span){lane->name, lane->name_length};
}

/* Whether a lane of executions is that line of that device: "gpu:2" of "/host:a/device:gpu:2". */
static bool is_line(const struct tfprof_lane *lane, const struct flow_end *end)
{
	struct span device = {lane->device, lane->device_length};
	size_t at = span_find(device, SPAN("gpu:"));
	int64_t number = 0;

	if (!lane->is_accelerator || at == device.n ||
		!span_equal(name_of_lane(lane), (struct span){end->name, end->name_length}))
		return false;
	for (at += 4; at < device.n && device.at[at] >= '0' && device.at[at] <= '9'; at++)
		number = 10 * number + (device.at[at] - '0');
	return number == end->device;
}

static bool is_within(const struct links *l, const struct flow_end *end)
{
	return end->start_micros >= l->from_us && end->end_micros <= l->until_us;
}

/* What ran on a device is one execution, or several kernels of it; of threads all that is within an
 * event is part of it. */
static bool is_asked_for(const struct links *l, const struct flow_end *end)
{
	if (!is_within(l, end))
		return false;
	return l->is_of_threads ? end->lane == l->number : end->lane < 0 && is_line(&l->lane, end);
}

/* The lane that shows an end: of executions if it is on a device; -1: none. */
static int64_t lane_of(const struct links *l, const struct flow_end *end)
{
	struct tfprof_lane lane;

	if (end->lane >= 0)
		return end->lane;
	for (size_t i = 0; tfprof_timeline_read_lane(l->executions, i, &lane); i++)
		if (is_line(&lane, end))
			return (int64_t)i;
	return -1;
}

static void put_end(struct links *l, const char *key, const struct flow_end *end)
{
	json_key(l->out, key);
	json_open_object(l->out);
	json_put_bool(l->out, "of_threads", end->lane >= 0);
	json_put_int(l->out, "lane", lane_of(l, end));
	json_put_string(l->out, "name", (struct span){end->name, end->name_length});
	json_put_int(l->out, "x", end->start_micros - l->origin_us);
	json_put_int(l->out, "w", end->end_micros - end->start_micros);
	json_close_object(l->out);
}

static void put_link(struct links *l, const struct flow_end *from, const struct flow_end *to)
{
	if (lane_of(l, from) < 0 || lane_of(l, to) < 0 || l->n_put++ >= MAX_LINKS)
		return;
	json_open_object(l->out);
	put_end(l, "from", from);
	put_end(l, "to", to);
	json_close_object(l->out);
}

/* The thread that ran what a lane of executions of a host shows; -1. */
static int64_t find_thread(const struct links *l)
{
	struct tfprof_lane lane;

	for (size_t i = 0; !l->lane.is_accelerator && l->lane.name_length &&
		tfprof_timeline_read_lane(l->threads, i, &lane);
		i++)
		if (span_equal(name_of_lane(&lane), name_of_lane(&l->lane)))
			return (int64_t)i;
	return -1;
}

/* An operation of a host runs in the last work that its thread began for another and that had not
 * ended. Pools record only that it begins. */
static void put_dispatch(struct links *l)
{
	int64_t thread = find_thread(l);
	struct flow_end from, to, best_from = {0}, best = {.lane = -1};

	for (size_t i = 0; thread >= 0 && timeline_read_flow(l->threads, i, &from, &to); i++) {
		bool begins = to.start_micros == to.end_micros;

		if (to.lane != thread || to.start_micros > l->from_us ||
			(!begins && to.end_micros < l->until_us) ||
			(best.lane >= 0 && to.start_micros < best.start_micros))
			continue;
		best = to;
		best_from = from;
	}
	if (best.lane >= 0)
		put_link(l, &best_from, &best);
}

static void put_links(struct links *l)
{
	struct flow_end from, to;

	json_open_array(l->out);
	for (size_t i = 0; timeline_read_flow(l->threads, i, &from, &to); i++)
		if (is_asked_for(l, &from) || is_asked_for(l, &to))
			put_link(l, &from, &to);
	if (!l->is_of_threads)
		put_dispatch(l);
	json_close_array(l->out);
}

/* Times of devices are whole microseconds, too, but rounded on their own. */
static enum tfprof_status read_place(struct links *l, const struct call *c, int64_t n_lanes,
	struct tfprof_error *err)
{
	int64_t x, w;
	enum tfprof_status status =
		call_get_int(c, "lane", 0, 0, n_lanes ? n_lanes - 1 : 0, &l->number, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "x", 0, INT64_MIN / 4, INT64_MAX / 4, &x, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "w", 0, 0, INT64_MAX / 4, &w, err);
	if (status != TFPROF_OK)
		return status;
	l->from_us = l->origin_us + x - !l->is_of_threads;
	l->until_us = l->origin_us + x + w + !l->is_of_threads;
	tfprof_timeline_read_lane(l->is_of_threads ? l->threads : l->executions, (size_t)l->number,
		&l->lane);
	return TFPROF_OK;
}

enum tfprof_status route_links(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct timeline_call t;
	struct links l = {.out = out};
	enum tfprof_status status = timeline_call_open(&t, c, err);

	if (status == TFPROF_OK)
		status = timeline_call_open_threads(&t, c, err);
	if (status == TFPROF_OK) {
		l.executions = kept_get(t.kept);
		l.threads = kept_get(t.kept_threads);
		l.is_of_threads = t.is_of_threads;
		l.origin_us = t.start_us;
		status = read_place(&l, c, (int64_t)t.n_lanes, err);
	}
	if (status == TFPROF_OK)
		put_links(&l);
	timeline_call_close(&t);
	return status;
}
