#include "advise/waiting.h"

typedef VEC(struct grouped_interval) grouped_vec;

static bool add_step(struct waiting *waiting, const struct activity *a, size_t step,
	struct interval *spans)
{
	struct event_rows rows = activity_events(a, step);
	struct moves moves = activity_transfers(a, step);
	grouped_vec received = {0}, busy = {0};
	struct interval_groups in, at_work;
	struct arena arena = {0};
	bool fine = true;

	for (size_t i = 0; fine && i < moves.n; i++)
		if (moves.at[i].entry.kind == TRANSFER_TENSOR)
			fine = vec_push(&received,
				((struct grouped_interval){activity_device(a, moves.at[i].device)
								   ->task,
					{moves.at[i].entry.start_us, moves.at[i].entry.end_us}}));
	for (size_t row = rows.first; fine && row < rows.end; row++) {
		struct event e = events_get(&a->events, row);

		fine = vec_push(&busy,
			((struct grouped_interval){activity_device(a, e.device)->task,
				{e.start_us, event_end(&e)}}));
	}
	fine = fine && intervals_group(&in, &arena, received.at, received.n, a->devices.tasks.n) &&
		intervals_group(&at_work, &arena, busy.at, busy.n, a->devices.tasks.n);
	if (fine)
		activity_spans(a, step, spans);
	for (size_t t = 0; fine && t < a->devices.tasks.n; t++) {
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
	return fine;
}

bool waiting_find(struct waiting *waiting, const struct activity *a)
{
	struct interval *spans = mem_array(a->devices.tasks.n, sizeof(*spans));
	bool fine = spans != NULL;

	for (size_t step = 0; fine && step < a->n_steps; step++)
		fine = add_step(waiting, a, step, spans);
	mem_free(spans);
	return fine;
}
