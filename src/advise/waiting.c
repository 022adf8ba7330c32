#include "advise/waiting.h"

typedef VEC(struct grouped_interval) grouped_vec;

static bool add_step(struct waiting *waiting, const struct activity *a, size_t step,
	struct interval *spans)
{
	struct event_rows rows = activity_events(a, step);
	struct step_transfers transfers = activity_transfers(a, step);
	grouped_vec received = {0}, busy = {0};
	struct interval_groups in, at_work;
	struct arena arena = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < transfers.n; i++)
		if (transfers.at[i].entry.kind == TRANSFER_TENSOR)
			ok = vec_push(&received,
				((struct grouped_interval){activity_device(a,
								   transfers.at[i].device)
								   ->task,
					{transfers.at[i].entry.start_us,
						transfers.at[i].entry.end_us}}));
	for (size_t row = rows.first; ok && row < rows.end; row++) {
		struct event e = events_get(&a->events, row);

		ok = vec_push(&busy,
			((struct grouped_interval){activity_device(a, e.device)->task,
				{e.start_us, event_end(&e)}}));
	}
	ok = ok && intervals_group(&in, &arena, received.at, received.n, a->devices.tasks.n) &&
		intervals_group(&at_work, &arena, busy.at, busy.n, a->devices.tasks.n);
	if (ok)
		activity_spans(a, step, spans);
	for (size_t t = 0; ok && t < a->devices.tasks.n; t++) {
		if (!in.n[t])
			continue;
		waiting[t].n_steps++;
		add_clamped(&waiting[t].span_us, spans[t].end - spans[t].start);
		add_clamped(&waiting[t].wait_us,
			intervals_outside(in.at + in.first[t], in.n[t],
				at_work.at + at_work.first[t], at_work.n[t]));
	}
	vec_clear(&received);
	vec_clear(&busy);
	arena_clear(&arena);
	return ok;
}

bool waiting_find(struct waiting *waiting, const struct activity *a)
{
	struct interval *spans = mem_array(a->devices.tasks.n, sizeof(*spans));
	bool ok = spans != NULL;

	for (size_t step = 0; ok && step < a->n_steps; step++)
		ok = add_step(waiting, a, step, spans);
	mem_free(spans);
	return ok;
}
