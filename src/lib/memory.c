/* Memory over time through the public API.
 *
 *     device ── readings    (time, bytes), by time: what its allocator had in use
 *            ── changes     (time, node, bytes), by time: what nodes took and gave back
 */
#include <stdlib.h>
#include <string.h>

#include "base/clamped.h"
#include "base/error.h"
#include "lib/profile.h"

struct reading {
	int64_t time_us, bytes;
};

struct change {
	int64_t time_us, bytes;
	uint32_t node;
};

struct device_memory {
	uint32_t id; /* string of the model, while it is read */
	char *name;
	size_t name_length;
	VEC(struct reading) readings;
	VEC(struct change) changes;
	int64_t peak_bytes, peak_us;
};

struct tfprof_memory {
	VEC(struct device_memory) devices;
	size_t n_nodes;
};

/* ---- reading ------------------------------------------------------------------- */

struct collector {
	tfprof_memory *memory;
	struct device_memory *device;
	uint32_t node;
	bool ok;
};

static bool collect_reading(void *context, const struct exec_memory *memory)
{
	struct collector *c = context;
	struct reading reading = {memory->micros, memory->allocator_bytes_in_use};
	struct change kept = {INT64_MIN, memory->accelerator_persistent_bytes, c->node};

	if (reading.time_us > 0 && reading.bytes > 0)
		c->ok = vec_push(&c->device->readings, reading);
	if (c->ok && kept.bytes)
		c->ok = vec_push(&c->device->changes, kept);
	return c->ok;
}

static bool collect_allocation(void *context, const struct exec_allocation *allocation)
{
	struct collector *c = context;
	struct change change = {allocation->micros, allocation->bytes, c->node};

	c->ok = vec_push(&c->device->changes, change);
	return c->ok;
}

static struct device_memory *find_device(tfprof_memory *y, const struct model *m, uint32_t id)
{
	struct device_memory fresh = {.id = id};
	struct span name = model_text(m, id);

	for (size_t i = 0; i < y->devices.n; i++)
		if (y->devices.at[i].id == id)
			return &y->devices.at[i];
	fresh.name = mem_array(name.n + 1, 1);
	if (!fresh.name)
		return NULL;
	if (name.n)
		memcpy(fresh.name, name.at, name.n);
	fresh.name_length = name.n;
	if (!vec_push(&y->devices, fresh)) {
		mem_free(fresh.name);
		return NULL;
	}
	return &y->devices.at[y->devices.n - 1];
}

static bool collect(tfprof_memory *y, const struct model *m, int64_t step)
{
	struct collector c = {.memory = y, .ok = true};
	struct exec_visitor visitor = {.memory = collect_reading,
		.allocation = collect_allocation,
		.context = &c};

	for (uint32_t node = 0; c.ok && node < m->nodes.n; node++)
		for (uint32_t row = m->nodes.first_exec[node]; c.ok && row != NONE;
			row = exec_at(&m->execs, row)->next) {
			if (step >= 0 && exec_at(&m->execs, row)->step != step)
				continue;
			c.node = node;
			c.device = find_device(y, m, m->nodes.device[node]);
			c.ok = c.device;
			if (c.ok)
				exec_visit(m, row, &visitor);
		}
	return c.ok;
}

static int by_time(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_readings(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;

	return by_time(x->time_us, y->time_us);
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return by_time(x->time_us, y->time_us);
}

static void clear_device(struct device_memory *d)
{
	mem_free(d->name);
	vec_clear(&d->readings);
	vec_clear(&d->changes);
}

/* Drops devices without a reading, and sorts the others. */
static void arrange(tfprof_memory *y)
{
	size_t n = 0;

	for (size_t i = 0; i < y->devices.n; i++) {
		struct device_memory *d = &y->devices.at[i];

		if (!d->readings.n) {
			clear_device(d);
			continue;
		}
		qsort(d->readings.at, d->readings.n, sizeof(*d->readings.at), compare_readings);
		if (d->changes.n)
			qsort(d->changes.at, d->changes.n, sizeof(*d->changes.at), compare_changes);
		for (size_t k = 0; k < d->readings.n; k++)
			if (d->readings.at[k].bytes > d->peak_bytes) {
				d->peak_bytes = d->readings.at[k].bytes;
				d->peak_us = d->readings.at[k].time_us;
			}
		y->devices.at[n++] = *d;
	}
	y->devices.n = n;
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
		status = profile_check_step(p, step, err);
		y->n_nodes = p->model.nodes.n;
		if (status == TFPROF_OK && !collect(y, &p->model, step))
			status = error_no_memory(err);
		status = profile_unlock(p, status, err);
	}
	arrange(y);
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
	for (size_t i = 0; i < y->devices.n; i++)
		clear_device(&y->devices.at[i]);
	vec_clear(&y->devices);
	mem_free(y);
}

/* ---- asking ---------------------------------------------------------------------- */

int tfprof_memory_read_device(const tfprof_memory *y, size_t i, struct tfprof_memory_device *device)
{
	const struct device_memory *d;

	if (i >= y->devices.n)
		return 0;
	d = &y->devices.at[i];
	*device = (struct tfprof_memory_device){.device = d->name,
		.device_length = d->name_length,
		.n_readings = d->readings.n,
		.first_micros = d->readings.at[0].time_us,
		.last_micros = d->readings.at[d->readings.n - 1].time_us,
		.peak_bytes = d->peak_bytes,
		.peak_micros = d->peak_us};
	return 1;
}

/* How many readings are before a time. */
static size_t count_before(const struct device_memory *d, int64_t time_us)
{
	size_t low = 0, high = d->readings.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->readings.at[middle].time_us < time_us)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void tfprof_memory_read(const tfprof_memory *y, size_t device, int64_t from_micros,
	int64_t until_micros, size_t n, int64_t *lowest, int64_t *highest)
{
	const struct device_memory *d = device < y->devices.n ? &y->devices.at[device] : NULL;
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
	const struct device_memory *d = device < y->devices.n ? &y->devices.at[device] : NULL;
	int64_t *held = d ? mem_zero_array(y->n_nodes + 1, sizeof(*held)) : NULL;
	size_t node;

	if (!held)
		return;
	for (size_t i = 0; i < d->changes.n && d->changes.at[i].time_us <= at_micros; i++)
		add_clamped(&held[d->changes.at[i].node], d->changes.at[i].bytes);
	while (n-- && (node = find_largest(held, y->n_nodes)) < y->n_nodes) {
		if (fn(context, node, held[node]))
			break;
		held[node] = 0;
	}
	mem_free(held);
}
