/* Which operations of a line are in which step (trace_stretch). */
#include "load/xplane/trace.h"

bool trace_drop_unused_steps(struct trace *t)
{
	uint32_t *place = mem_array(t->steps.n, sizeof(*place));
	size_t n = 0;

	if (!place)
		return false;
	memset(place, 0, t->steps.n * sizeof(*place));
	for (size_t i = 0; i < t->stretches.n; i++)
		place[t->stretches.at[i].step] = 1;
	for (size_t i = 0; i < t->steps.n; i++)
		if (place[i]) {
			t->steps.at[n] = t->steps.at[i];
			place[i] = (uint32_t)n++;
		} else {
			place[i] = NONE;
		}
	for (size_t i = 0; i < t->stretches.n; i++)
		t->stretches.at[i].step = place[t->stretches.at[i].step];
	for (size_t i = 0; i < t->memory.n; i++)
		if (t->memory.at[i].step != NONE)
			t->memory.at[i].step = place[t->memory.at[i].step];
	t->steps.n = n;
	mem_free(place);
	return true;
}

/* A counting sort: there are few steps. */
bool trace_sort_stretches(struct trace *t)
{
	size_t n = t->stretches.n;
	struct trace_stretch *sorted = mem_array(n + 1, sizeof(*sorted));
	size_t *ends = mem_zero_array(t->steps.n + 1, sizeof(*ends));
	bool ok = sorted && ends;

	for (size_t i = 0; ok && i < n; i++)
		ends[t->stretches.at[i].step]++;
	for (size_t i = 1; ok && i < t->steps.n; i++)
		ends[i] += ends[i - 1];
	for (size_t i = n; ok && i-- > 0;)
		sorted[--ends[t->stretches.at[i].step]] = t->stretches.at[i];
	mem_free(ends);
	if (!ok) {
		mem_free(sorted);
		return false;
	}
	mem_free(t->stretches.at);
	t->stretches.at = sorted;
	t->stretches.cap = n + 1;
	return true;
}
