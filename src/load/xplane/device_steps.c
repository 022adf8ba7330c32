/* Steps that devices recorded. */
#include <stdlib.h>

#include "base/ascii.h"
#include "base/sort.h"
#include "load/xplane/trace.h"

int64_t device_step_number(const struct xstats *s, struct span name, int64_t place)
{
	size_t at = name.n;
	int64_t number = 0;

	if (xstats_has_number(s, STAT_STEP_NUM))
		return (int64_t)xstats_number(s, STAT_STEP_NUM);
	while (at && name.n - at < 18 && ascii_is_digit(name.at[at - 1]))
		at--;
	for (size_t i = at; i < name.n; i++)
		number = 10 * number + (name.at[i] - '0');
	if (at < name.n && (!at || name.at[at - 1] == ' '))
		return number;
	return xstats_has_number(s, STAT_GROUP_ID) ? (int64_t)xstats_number(s, STAT_GROUP_ID)
						   : place;
}

static int by_group(const void *a, const void *b)
{
	const struct trace_marker *x = a, *y = b;

	if (x->kept != y->kept)
		return x->kept < y->kept ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

bool trace_use_groups(struct trace *t)
{
	size_t n_groups = t->device_groups.n;
	bool ok = true;

	if (t->device_steps.n || !n_groups)
		return true;
	qsort(t->device_groups.at, n_groups, sizeof(*t->device_groups.at), by_group);
	for (size_t i = 0; ok && i < n_groups; i++) {
		const struct trace_marker *group = &t->device_groups.at[i];
		struct trace_device_step *last =
			t->device_steps.n ? &t->device_steps.at[t->device_steps.n - 1] : NULL;

		if (!last || last->at.kept != group->kept || last->at.step != group->step)
			ok = vec_push(&t->device_steps,
				((struct trace_device_step){.at = *group,
					.first_ps = INT64_MAX,
					.last_ps = INT64_MIN}));
		else if (group->end_ps > last->at.end_ps)
			last->at.end_ps = group->end_ps;
	}
	for (size_t i = 0; ok && i < t->device_steps.n; i++) {
		struct trace_device_step *step = &t->device_steps.at[i];

		if (t->devices.at[step->at.kept].kind == PLANE_GPU) {
			step->start_ps = step->at.start_ps;
			step->end_ps = step->at.end_ps;
		}
	}
	return ok;
}

/* By step, the place of what the device of a line recorded of it, + 1. NULL on allocation failure.
 */
uint32_t *trace_list_device_steps(const struct trace *t, uint32_t device)
{
	uint32_t *places = mem_zero_array(t->steps.n + 1, sizeof(*places));

	for (size_t i = 0; places && i < t->device_steps.n; i++)
		if (t->device_steps.at[i].at.kept == device)
			places[sort_place(t->steps.at, t->steps.n, t->device_steps.at[i].at.step)] =
				(uint32_t)i + 1;
	return places;
}

void trace_extend_device_step(struct trace *t, uint32_t place, const struct trace_op *op)
{
	struct trace_device_step *step = place ? &t->device_steps.at[place - 1] : NULL;

	if (step && op->start_ps < step->first_ps)
		step->first_ps = op->start_ps;
	if (step && op->start_ps + op->total_ps > step->last_ps)
		step->last_ps = op->start_ps + op->total_ps;
}
