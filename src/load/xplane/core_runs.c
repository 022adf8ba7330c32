#include "load/xplane/core_runs.h"

#include "base/sort.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
	const struct trace_core_run *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

bool core_runs_init(struct core_runs *r, struct trace *t)
{
	*r = (struct core_runs){.t = t,
		.seen_in = mem_zero_array(t->targets.n + 1, sizeof(*r->seen_in))};
	if (t->core_runs.n)
		qsort(t->core_runs.at, t->core_runs.n, sizeof(*t->core_runs.at), by_start);
	return r->seen_in;
}

void core_runs_clear(struct core_runs *r)
{
	mem_free(r->seen_in);
}

void core_runs_begin_line(struct core_runs *r, const struct trace_line *line)
{
	const struct trace *t = r->t;

	r->line = line;
	r->is_in_run = false;
	r->around_ps = INT64_MIN;
	for (r->first = 0; r->first < t->core_runs.n; r->first++)
		if (t->core_runs.at[r->first].device >= line->device)
			break;
	for (r->end = r->first; r->end < t->core_runs.n; r->end++)
		if (t->core_runs.at[r->end].device != line->device)
			break;
}

/* The place of the recorded run that a time of the host's clock is in; r->end: none. */
static size_t find_recorded(const struct core_runs *r, int64_t host_ps)
{
	const struct trace_core_run *runs = r->t->core_runs.at;
	size_t low = r->first;

	sort_search(low, r->end, i, runs[i].start_ps <= host_ps);
	return low > r->first && host_ps <= runs[low - 1].end_ps ? low - 1 : r->end;
}

static enum core_run begin_run(struct core_runs *r)
{
	r->n++;
	r->is_in_run = true;
	return RUN_BEGINS;
}

static enum core_run add_recorded(struct core_runs *r, size_t op)
{
	const struct trace_device_op *beside =
		&r->t->device_ops.at[r->line->first_device_op + op - r->line->first_op];
	size_t place = find_recorded(r, beside->host_start_ps);
	bool is_same = r->is_in_run && place == r->recorded;

	r->recorded = place;
	if (is_same)
		return RUN_CONTINUES;
	r->is_in_run = false;
	return place == r->end ? RUN_NONE : begin_run(r);
}

enum core_run core_runs_add(struct core_runs *r, size_t op)
{
	const struct trace_op *of = &r->t->ops.at[op];
	uint64_t program = r->t->targets.at[of->target].program;
	bool is_top = of->start_ps >= r->around_ps, is_same;

	if (r->first < r->end)
		return add_recorded(r, op);
	is_same = r->is_in_run && program == r->program &&
		!(is_top && r->seen_in[of->target] == r->n);
	if (is_top)
		r->around_ps = of->start_ps + of->total_ps;
	r->program = program;
	if (!is_same)
		begin_run(r);
	r->seen_in[of->target] = r->n;
	return is_same ? RUN_CONTINUES : RUN_BEGINS;
}

bool core_runs_count(struct trace *t)
{
	struct core_runs r;
	bool ok = core_runs_init(&r, t);

	for (size_t i = 0; ok && i < t->lines.n; i++) {
		const struct trace_line *line = &t->lines.at[i];
		size_t end = i + 1 < t->lines.n ? line[1].first_op : t->ops.n;
		struct trace_device *device = &t->devices.at[line->device];

		if (device->kind != PLANE_TPU)
			continue;
		core_runs_begin_line(&r, line);
		for (size_t op = line->first_op; r.first == r.end && op < end; op++)
			device->n_programs_run += core_runs_add(&r, op) == RUN_BEGINS;
	}
	core_runs_clear(&r);
	return ok;
}
