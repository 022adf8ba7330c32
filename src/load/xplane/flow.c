/* What events produce and consume, as the walker finds it. */
#include "load/xplane/trace.h"

/* The index of a task; NONE if its number is out of range, so that it must be listed. */
static uint32_t place_task(struct trace_tasks *tasks, uint64_t id)
{
	/* The first task seen need not have the smallest number: threads start in any order. */
	enum { BEFORE = 1 << 16 };

	if (!tasks->is_open) {
		tasks->is_open = true;
		tasks->first = id > BEFORE ? id - BEFORE : 0;
	}
	id -= tasks->first;
	return id < tasks->most ? (uint32_t)id : NONE;
}

static bool reach_task(struct trace_tasks *tasks, uint32_t place)
{
	size_t n = tasks->consumer.n, more = (size_t)place + 1 - n;

	if (place < n)
		return true;
	if (!vec_reserve(&tasks->consumer, more))
		return false;
	memset(tasks->consumer.at + n, 0, more * sizeof(*tasks->consumer.at));
	tasks->consumer.n += more;
	return true;
}

static bool list_producer(struct trace *t, uint32_t kept, uint64_t key, uint32_t task)
{
	if (!t->kept.at[kept].produces)
		t->kept.at[kept].produces = KEPT_LISTED | (uint32_t)t->producers.n;
	return t->producers.n < KEPT_GROUPED &&
		vec_push(&t->producers, ((struct trace_flow){key, kept, task}));
}

bool trace_add_producer(struct trace *t, uint32_t kept, uint64_t type, uint64_t id)
{
	uint32_t before = t->kept.at[kept].produces;
	uint32_t task = type == FLOW_TASK ? place_task(&t->tasks, id) : NONE;

	if (!before && task != NONE) {
		t->kept.at[kept].produces = task + 1;
		return true;
	}
	/* An event has room for one task; if it produces more, all are listed. */
	if (before && !(before & KEPT_LISTED)) {
		t->kept.at[kept].produces = 0;
		if (!list_producer(t, kept, trace_key_of_task(&t->tasks, before - 1), before - 1))
			return false;
	}
	return list_producer(t, kept, trace_flow_key(type, id), task);
}

bool trace_add_consumer(struct trace *t, uint32_t kept, uint64_t type, uint64_t id)
{
	uint32_t task = type == FLOW_TASK ? place_task(&t->tasks, id) : NONE;

	if (task != NONE) {
		if (!reach_task(&t->tasks, task))
			return false;
		if (!t->tasks.consumer.at[task]) {
			t->tasks.consumer.at[task] = kept + 1;
			return true;
		}
	}
	t->tasks.has_others |= type == FLOW_TASK;
	return vec_push(&t->consumers, ((struct trace_flow){trace_flow_key(type, id), kept, NONE}));
}

void trace_shrink_tasks(struct trace *t)
{
	for (size_t i = 0; i < t->tasks.consumer.n; i++)
		if (t->tasks.consumer.at[i] > t->kept.n)
			t->tasks.consumer.at[i] = 0;
}
