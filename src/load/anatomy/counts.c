/* What is counted per step: batches taken, launches by the main thread, eager operations; and what
 * kind of operation input pipelines spend most time in. */
#include "load/anatomy/scene.h"

/* The last step that begins by `time`, if that is not over; NONE. */
static uint32_t step_at(const struct scene *s, int64_t time, bool by_marker)
{
	size_t low = 0;

#define START(i) (by_marker ? s->steps.at[i].marker_start : s->steps.at[i].start)
#define END(i) (by_marker ? s->steps.at[i].marker_end : s->steps.at[i].end)
	sort_search(low, s->steps.n, i, START(i) <= time);
	return low && time <= END(low - 1) ? (uint32_t)low - 1 : NONE;
#undef START
#undef END
}

/* A batch belongs to the step in which taking it ends. */
static void count_batches(const struct scene *s, struct anatomy *a)
{
	for (uint32_t n = 0; n < s->n_host; n++) {
		uint32_t step;

		if (!(name_of(s, n) & NAME_GET_NEXT))
			continue;
		step = step_at(s, s->nodes.at[n].end_ps, false);
		if (step != NONE)
			a->steps.at[step].n_batches++;
	}
}

/* ---- launches ------------------------------------------------------------------------ */

/* Whether it runs an operation by itself that is none of an input pipeline. */
static bool is_eager(const struct scene *s, uint32_t launch)
{
	for (uint32_t n = launch; n < s->nodes.at[launch].end; n++) {
		if (node_has(s, n, FACT_CALL))
			return false;
		if (node_has(s, n, FACT_EAGER))
			return !is_input_type(text_of(s, facts_of(s, n)->text));
	}
	return false;
}

static void count_launches(const struct scene *s, struct anatomy *a)
{
	const struct thread_line *line = s->main == NONE ? NULL : &s->lines.at[s->main];
	/* The work of steps that are not waited for comes after their markers. */
	bool by_marker = s->by == ANATOMY_BY_MARKERS;

	for (uint32_t n = line ? line->first : 0; line && n < line->end;) {
		const struct node *node = &s->nodes.at[n];
		uint32_t step;

		if (!(name_of(s, n) & (NAME_LAUNCH | NAME_JIT)) && !node_has(s, n, FACT_CALL)) {
			n++;
			continue;
		}
		step = step_at(s, node->start, by_marker);
		if (step != NONE) {
			a->steps.at[step].n_launches++;
			if (is_eager(s, n)) {
				a->steps.at[step].n_eager++;
				a->steps.at[step].eager_ps += node->end_ps - node->start;
			}
		}
		n = node->end;
	}
}

/* ---- input pipelines ------------------------------------------------------------------- */

static bool find_input_op(struct scene *s, struct anatomy *a)
{
	VEC(int64_t) sums = {0}; /* by text */
	int64_t most = 0;
	struct span best = {"", 0};
	bool ok = true;

	for (size_t i = 0; ok && i < s->plain.n; i++) {
		uint32_t type;

		if (s->plain.at[i].class != WORK_INPUT)
			continue;
		/* Type of "name:Type". */
		type = strings_alias(&s->texts,
			span_after_last(text_of(s, s->plain.at[i].event), ':'));
		ok = type != NONE;
		while (ok && sums.n <= type)
			ok = vec_push(&sums, 0);
		if (!ok)
			break;
		sums.at[type] += s->plain.at[i].work_ps;
		if (sums.at[type] > most) {
			most = sums.at[type];
			best = text_of(s, type);
		}
	}
	vec_clear(&sums);
	a->input_op = arena_copy(&a->arena, best);
	return ok && a->input_op.at;
}

bool scene_count(struct scene *s, struct anatomy *a)
{
	count_batches(s, a);
	count_launches(s, a);
	return scene_ok(s, find_input_op(s, a));
}
