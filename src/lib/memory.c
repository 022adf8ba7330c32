/* Memory over time through the public API (ask/curves.h). */
#include "ask/curves.h"
#include "base/clamped.h"
#include "base/error.h"
#include "base/sort.h"
#include "lib/memory.h"
#include "lib/profile.h"

#include <string.h>

struct tfprof_memory {
	struct memory_curves curves;
	char **names; /* of the curves */
	size_t n_nodes;
};

/* The names, which outlive the profile. */
static bool copy_names(tfprof_memory *y, const struct model *m)
{
	y->names = mem_zero_array(y->curves.at.n + 1, sizeof(*y->names));
	for (size_t i = 0; y->names && i < y->curves.at.n; i++) {
		y->names[i] = span_copy(model_text(m, y->curves.at.at[i].name));
		if (!y->names[i])
			return false;
	}
	return y->names;
}

enum tfprof_status tfprof_memory_new(tfprof_profile *p, int64_t step, tfprof_memory **memory,
	struct tfprof_error *err)
{
	tfprof_memory *y = mem_zero(sizeof(*y));
	enum tfprof_status status;

	*memory = NULL;
	if (!y)
		return error_no_memory(err);
	status = profile_lock(p, PROFILE_LOADED, err);
	if (status == TFPROF_OK) {
		status = profile_check_step(p, step, false, err);
		y->n_nodes = p->model.nodes.n;
		if (status == TFPROF_OK &&
			!(memory_curves_read(&y->curves, &p->model, step) &&
				copy_names(y, &p->model)))
			status = error_no_memory(err);
		status = profile_unlock(p, status, err);
	}
	if (status == TFPROF_OK)
		*memory = y;
	else
		tfprof_memory_free(y);
	return status;
}

void tfprof_memory_free(tfprof_memory *y)
{
	if (!y)
		return;
	for (size_t i = 0; y->names && i < y->curves.at.n; i++)
		mem_free(y->names[i]);
	mem_free(y->names);
	memory_curves_clear(&y->curves);
	mem_free(y);
}

/* ---- asking ---------------------------------------------------------------------- */

int tfprof_memory_read_device(const tfprof_memory *y, size_t i, struct tfprof_memory_device *device)
{
	const struct memory_curve *d;

	if (i >= y->curves.at.n)
		return 0;
	d = &y->curves.at.at[i];
	*device = (struct tfprof_memory_device){.device = y->names[i],
		.device_length = strlen(y->names[i]),
		.n_readings = d->readings.n,
		.first_micros = d->readings.at[0].time_us,
		.last_micros = d->readings.at[d->readings.n - 1].time_us,
		.peak_bytes = d->peak_bytes,
		.peak_micros = d->peak_us};
	return 1;
}

/* How many readings are before a time. */
static size_t count_before(const struct memory_curve *d, int64_t time_us)
{
	size_t low = 0;

	sort_search(low, d->readings.n, i, d->readings.at[i].time_us < time_us);
	return low;
}

void tfprof_memory_read(const tfprof_memory *y, size_t device, int64_t from_micros,
	int64_t until_micros, size_t n, int64_t *lowest, int64_t *highest)
{
	const struct memory_curve *d = device < y->curves.at.n ? &y->curves.at.at[device] : NULL;
	double width = n ? ((double)until_micros - (double)from_micros) / (double)n : 0;
	size_t next = d ? count_before(d, from_micros) : 0;

	for (size_t i = 0; i < n; i++) {
		double end = (double)from_micros + width * (double)(i + 1);

		lowest[i] = highest[i] = d && next ? d->readings.at[next - 1].bytes : -1;
		for (; d && next < d->readings.n && (double)d->readings.at[next].time_us < end;
			next++) {
			int64_t bytes = d->readings.at[next].bytes;

			if (lowest[i] < 0 || bytes < lowest[i])
				lowest[i] = bytes;
			if (bytes > highest[i])
				highest[i] = bytes;
		}
	}
}

static size_t find_largest(const int64_t *held, size_t n)
{
	size_t best = n;

	for (size_t node = 0; node < n; node++)
		if (held[node] > 0 && (best == n || held[node] > held[best]))
			best = node;
	return best;
}

void tfprof_memory_find_holders(const tfprof_memory *y, size_t device, int64_t at_micros, size_t n,
	tfprof_holder_fn *fn, void *context)
{
	const struct memory_curve *d = device < y->curves.at.n ? &y->curves.at.at[device] : NULL;
	int64_t *held = d ? mem_zero_array(y->n_nodes + 1, sizeof(*held)) : NULL;
	size_t node;

	if (!held)
		return;
	for (size_t i = 0; i < d->changes.n && d->changes.at[i].time_us <= at_micros; i++)
		if (d->changes.at[i].node != NONE)
			add_clamped(&held[d->changes.at[i].node], d->changes.at[i].bytes);
	while (n-- && (node = find_largest(held, y->n_nodes)) < y->n_nodes) {
		if (fn(context, node, held[node]))
			break;
		held[node] = 0;
	}
	mem_free(held);
}

void memory_each_change(const tfprof_memory *y, size_t device, memory_change_fn *fn, void *context)
{
	const struct memory_curve *d = device < y->curves.at.n ? &y->curves.at.at[device] : NULL;

	for (size_t i = 0; d && i < d->changes.n; i++)
		if (d->changes.at[i].node != NONE &&
			fn(context, d->changes.at[i].node, d->changes.at[i].time_us,
				d->changes.at[i].bytes))
			break;
}
