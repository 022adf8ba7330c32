#include "write/timeline_events.h"

#include "base/sort.h"
#include "write/timeline.h"

uint32_t timeline_exec(const struct query *q, uint32_t node)
{
	const struct model *m = q->model;
	uint32_t exec;

	/* Every device has a host, except in odd saved profiles. */
	if (!m->nodes.device[node] || !m->nodes.host_device[node])
		return NONE;
	exec = exec_find(m, node, q->options->number[OPT_STEP]);
	return exec != NONE && exec_get_extent(m, exec).start_us != 0 ? exec : NONE;
}

bool timeline_next_node(const struct query *q, uint32_t *row, uint32_t *node, uint32_t *exec)
{
	/* Row 0 is the root, which is not a node. */
	while (++*row < q->n) {
		*node = q->tree->node[q->view[*row]];
		*exec = timeline_exec(q, *node);
		if (*exec != NONE)
			return true;
	}
	return false;
}

/* ---- collecting ---------------------------------------------------------- */

/* The n devices from `first` on in order of their names, as indexes relative to `first`; NULL on
 * allocation failure. */
static uint32_t *order_devices(const struct timeline_events *e, size_t first, size_t n)
{
	struct span *names = mem_array(n, sizeof(*names));
	uint32_t *order = mem_array(n, sizeof(*order));
	bool ok = names && order;

	for (size_t i = 0; ok && i < n; i++)
		names[i] = e->events.devices.at.at[first + i].name;
	ok = ok && sort_texts(names, order, n);
	mem_free(names);
	if (ok)
		return order;
	mem_free(order);
	return NULL;
}

/* Assigns pids to the devices that this node is the first to use, in name order. */
static bool assign_pids(struct timeline_events *e)
{
	size_t first = e->devices.n, n = e->events.devices.at.n - first;
	uint32_t *order;
	bool ok;

	if (!n)
		return true;
	order = order_devices(e, first, n);
	ok = order && vec_reserve(&e->devices, n) && vec_reserve(&e->by_pid, n);
	for (size_t i = 0; ok && i < n; i++) {
		e->devices.at[first + order[i]].pid = (uint32_t)(first + i);
		e->by_pid.at[first + i] = (uint32_t)(first + order[i]);
	}
	if (ok)
		e->devices.n = e->by_pid.n = first + n;
	mem_free(order);
	return ok;
}

static bool assign_ranks(struct timeline_events *e)
{
	uint32_t *order = order_devices(e, 0, e->devices.n);

	for (size_t i = 0; order && i < e->devices.n; i++)
		e->devices.at[order[i]].rank = (uint32_t)i;
	mem_free(order);
	return order;
}

static bool collect(struct timeline_events *e)
{
	const struct model *m = e->q->model;
	uint32_t step = model_find_step(m, e->q->options->number[OPT_STEP]);
	uint32_t row = 0, node, exec;

	while (timeline_next_node(e->q, &row, &node, &exec)) {
		events_add_exec(&e->events, m, node, step, exec);
		if (!assign_pids(e))
			return false;
		if (row % 1024 == 0 && query_cancelled(e->q))
			break;
	}
	return true;
}

enum tfprof_status timeline_events_init(struct timeline_events *e, struct query *q,
	struct tfprof_error *err)
{
	*e = (struct timeline_events){.q = q};
	event_sorter_init(&e->events, EVENTS_BY_DEVICE, EVENTS_DISTINCT_STARTS, 0);
	if (!collect(e) || !assign_ranks(e))
		return error_no_memory(err);
	return event_sorter_check(&e->events, err);
}

void timeline_events_clear(struct timeline_events *e)
{
	event_sorter_clear(&e->events);
	vec_clear(&e->devices);
	vec_clear(&e->by_pid);
}

struct chrome_place timeline_place(const struct timeline_events *e, uint32_t device, uint32_t lane)
{
	return (struct chrome_place){e->devices.at[device].pid,
		(int64_t)lane + timeline_is_for_perfetto(e->q)};
}
