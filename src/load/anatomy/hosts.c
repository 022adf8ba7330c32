#include "load/anatomy/hosts.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "model/device.h"

static int by_number(const void *a, const void *b)
{
	const struct anatomy_step *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->wall_ps < y->wall_ps) - (x->wall_ps > y->wall_ps);
}

/* A step of several hosts takes as long as on the slowest one. Their clocks differ, so nothing
 * else of them is put together. */
static bool join(const struct anatomy_hosts *hosts, struct anatomy *joined)
{
	size_t n = 0;
	bool ok = true;

	joined->by = hosts->at[0].by;
	joined->function = hosts->at[0].function;
	joined->input_op = hosts->at[0].input_op;
	for (size_t h = 0; h < hosts->n; h++)
		joined->n_unknown_names += hosts->at[h].n_unknown_names;
	for (size_t h = 0; ok && h < hosts->n; h++)
		for (size_t i = 0; ok && i < hosts->at[h].steps.n; i++)
			ok = vec_push(&joined->steps, hosts->at[h].steps.at[i]);
	if (ok && joined->steps.n)
		qsort(joined->steps.at, joined->steps.n, sizeof(*joined->steps.at), by_number);
	for (size_t i = 0; ok && i < joined->steps.n; i++)
		if (!n || joined->steps.at[i].number != joined->steps.at[n - 1].number)
			joined->steps.at[n++] = joined->steps.at[i];
	joined->steps.n = n;
	return ok && anatomy_find_steady(joined);
}

enum tfprof_status anatomy_hosts_read(struct anatomy_hosts *hosts, const struct model *m,
	struct span function, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	*hosts = (struct anatomy_hosts){0};
	if (!m->traces.n)
		return TFPROF_OK;
	hosts->at = mem_zero_array(m->traces.n, sizeof(*hosts->at));
	if (!hosts->at)
		return error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < m->traces.n; i++) {
		hosts->n++;
		status = anatomy_read_source(&hosts->at[i], &m->traces.at[i], function, err);
	}
	if (status == TFPROF_OK && hosts->n > 1 && !join(hosts, &hosts->joined))
		status = error_no_memory(err);
	return status;
}

enum tfprof_status anatomy_hosts_read_runs(struct anatomy_hosts *hosts, const struct model *m,
	struct tfprof_error *err)
{
	*hosts = (struct anatomy_hosts){.at = mem_zero(sizeof(*hosts->at))};
	if (!hosts->at)
		return error_no_memory(err);
	hosts->n = 1;
	return anatomy_read_runs(hosts->at, m, err);
}

void anatomy_hosts_clear(struct anatomy_hosts *hosts)
{
	for (size_t i = 0; i < hosts->n; i++)
		anatomy_clear(&hosts->at[i]);
	mem_free(hosts->at);
	vec_clear(&hosts->joined.steps);
}

const struct anatomy *anatomy_hosts_get(const struct anatomy_hosts *hosts)
{
	return hosts->n > 1 ? &hosts->joined : hosts->at;
}

static bool is_named(struct span name, struct span other)
{
	for (size_t i = 0; i < name.n && name.n == other.n; i++)
		if (ascii_lower(name.at[i]) != ascii_lower(other.at[i]))
			return false;
	return name.n == other.n;
}

const struct anatomy_late *anatomy_hosts_get_late(const struct anatomy_hosts *hosts,
	struct span device)
{
	struct span name = device_get_hardware(device);

	for (size_t i = 0; hosts->n == 1 && i < hosts->at->late.n; i++)
		if (is_named(hosts->at->late.at[i].device, name))
			return &hosts->at->late.at[i];
	return NULL;
}
