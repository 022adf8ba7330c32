/* /api/held: what an allocator had in use at n moments, and how much of it each layer held.
 *
 *     changes of nodes, by time ──> bytes of their layers so far ──> a column per moment
 *
 * Layers whose names differ only in digits are one. What was allocated before the trace is
 * nobody's. */
#include "base/clamped.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/strings.h"
#include "lib/memory.h"
#include "server/memory_call.h"
#include "server/routes.h"

enum { MAX_MOMENTS = 500, DEFAULT_MOMENTS = 150, MAX_GROUPS = 2000 };

struct stack {
	tfprof_profile *profile;
	int64_t start_us, n, width_us; /* moments: start, start + width, … */
	struct strings names;
	VEC(int64_t) now;    /* by group */
	VEC(int64_t) column; /* n of each group, one after the other */
	struct buf name;
	int64_t next; /* the moment that is next */
	bool failed;
};

/* "encoder_3/mlp/MatMul" is of "encoder_#/mlp". */
static void put_layer(struct buf *b, struct span name)
{
	size_t end = name.n;

	while (end && name.at[end - 1] != '/')
		end--;
	buf_reset(b);
	for (size_t i = 0; i + 1 < end; i++) {
		bool is_digit = name.at[i] >= '0' && name.at[i] <= '9';

		if (!is_digit)
			buf_char(b, name.at[i]);
		else if (!b->n || b->at[b->n - 1] != '#')
			buf_char(b, '#');
	}
}

/* Past the most groups, all further layers are one. */
static uint32_t find_group(struct stack *s, uint64_t node)
{
	struct span name;
	uint32_t group;

	name.at = tfprof_profile_get_node_name(s->profile, node, &name.n);
	put_layer(&s->name, name);
	group = s->names.text.n < MAX_GROUPS ? strings_add(&s->names, buf_get(&s->name)) : 0;
	while (group != NONE && s->now.n <= group) {
		if (!vec_push(&s->now, 0) || !vec_reserve(&s->column, s->n))
			return NONE;
		for (int64_t i = 0; i < s->n; i++)
			s->column.at[s->column.n++] = 0;
	}
	return group;
}

/* The columns of moments before a time. */
static void keep_until(struct stack *s, int64_t time_us)
{
	for (; s->next < s->n && s->start_us + s->next * s->width_us < time_us; s->next++)
		for (size_t group = 0; group < s->now.n; group++)
			s->column.at[(int64_t)group * s->n + s->next] = s->now.at[group];
}

static int add_change(void *context, uint64_t node, int64_t time_us, int64_t bytes)
{
	struct stack *s = context;
	uint32_t group;

	keep_until(s, time_us);
	group = find_group(s, node);
	s->failed |= group == NONE;
	if (!s->failed)
		add_clamped(&s->now.at[group], bytes);
	return s->failed || s->next == s->n;
}

static void put_moments(const struct stack *s, const tfprof_memory *memory, size_t device,
	struct json *out)
{
	json_key(out, "in_use");
	json_open_array(out);
	for (int64_t i = 0; i < s->n; i++) {
		int64_t at = s->start_us + i * s->width_us, lowest, highest;

		tfprof_memory_read(memory, device, at, at + 1, 1, &lowest, &highest);
		json_int(out, highest);
	}
	json_close_array(out);
}

static void put_groups(const struct stack *s, struct json *out)
{
	json_key(out, "groups");
	json_open_array(out);
	for (size_t group = 0; group < s->now.n; group++) {
		const int64_t *column = s->column.at + (int64_t)group * s->n;
		bool holds = false;

		for (int64_t i = 0; i < s->n && !holds; i++)
			holds = column[i] > 0;
		if (!holds)
			continue;
		json_open_object(out);
		json_put_string(out, "name", strings_get(&s->names, (uint32_t)group));
		json_key(out, "bytes");
		json_open_array(out);
		for (int64_t i = 0; i < s->n; i++)
			json_int(out, column[i] > 0 ? column[i] : 0);
		json_close_array(out);
		json_close_object(out);
	}
	json_close_array(out);
}

enum tfprof_status route_held(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct timeline_call t = {0};
	struct kept *kept = NULL;
	struct stack s = {0};
	int64_t device = 0;
	enum tfprof_status status = memory_open(c, &t, &kept, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "device", 0, 0, INT32_MAX, &device, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "n", DEFAULT_MOMENTS, 2, MAX_MOMENTS, &s.n, err);
	if (status == TFPROF_OK) {
		s.profile = t.profile;
		s.start_us = t.start_us;
		s.width_us = (t.end_us - t.start_us) / (s.n - 1);
		if (s.width_us < 1)
			s.width_us = 1;
		s.failed = !strings_init(&s.names);
		if (!s.failed)
			memory_each_change(kept_get(kept), (size_t)device, add_change, &s);
		keep_until(&s, INT64_MAX);
		json_open_object(out);
		json_put_int(out, "every", s.width_us);
		put_moments(&s, kept_get(kept), (size_t)device, out);
		put_groups(&s, out);
		json_close_object(out);
		if (s.failed || s.name.failed)
			status = error_no_memory(err);
	}
	strings_clear(&s.names);
	vec_clear(&s.now);
	vec_clear(&s.column);
	buf_clear(&s.name);
	store_release(c->store, kept);
	timeline_call_close(&t);
	return status;
}
