/* Runs of a program on streams, which have no events of their own: another begins when an operation
 * runs again that is not the one before.
 *
 *     a b b c │ a b b c │ a …
 */
#include "load/anatomy/scene.h"

/* What a device ran on one of its lines. */
struct stream {
	size_t first, end; /* operations */
	double work_ps;    /* of the program */
};

static bool is_of(const struct scene *s, const struct op *op, uint64_t program)
{
	return facts_of(s, op->node)->number == program;
}

/* Gives each operation of the program its run. Of one operation nobody can tell how many runs its
 * kernels are: it gets none. */
static bool number_stream(struct scene *s, const struct stream *stream, uint64_t program,
	uint64_t *n_runs)
{
	VEC(uint64_t) seen = {0}; /* by text: the last run that had it */
	uint32_t before = NONE, run = NONE;
	bool ok = true, has_several = false;

	for (size_t i = stream->first; i < stream->end && !has_several; i++) {
		const struct op *op = &s->ops.at[i];

		has_several = is_of(s, op, program) && before != NONE && op->name != before;
		before = is_of(s, op, program) ? op->name : before;
	}
	before = NONE;
	for (size_t i = stream->first; ok && has_several && i < stream->end; i++) {
		struct op *op = &s->ops.at[i];
		bool is_own = is_of(s, op, program);

		while (ok && seen.n <= op->name)
			ok = vec_push(&seen, 0);
		if (!ok)
			break;
		if (is_own &&
			(run == NONE || (op->name != before && seen.at[op->name] == *n_runs))) {
			run = scene_add_run(s, text_of(s, facts_of(s, op->node)->other), true,
				++*n_runs, s->nodes.at[op->node].start);
			ok = run != NONE;
		} else if (!is_own) {
			run = NONE;
		}
		op->run = run;
		before = op->name;
		seen.at[op->name] = *n_runs;
	}
	vec_clear(&seen);
	return ok;
}

bool scene_number_runs(struct scene *s, uint64_t program)
{
	struct stream now = {0}, best = {0};
	uint64_t n_runs = 0;
	uint32_t device = NONE;
	int64_t start = INT64_MIN;
	bool ok = true;

	for (size_t i = 0; ok && i <= s->ops.n; i++) {
		struct op *op = i < s->ops.n ? &s->ops.at[i] : NULL;
		int64_t at = op && op->is_on_device ? s->nodes.at[op->node].start : INT64_MIN;

		if (!op || op->device != device || !op->is_on_device || at < start) {
			now.end = i;
			if (now.work_ps > best.work_ps)
				best = now;
			now = (struct stream){.first = i};
		}
		if ((!op || op->device != device) && best.work_ps > 0) {
			ok = number_stream(s, &best, program, &n_runs);
			best = (struct stream){0};
		}
		if (!ok || !op)
			break;
		device = op->device;
		start = at;
		if (!op->is_on_device)
			continue;
		if (is_of(s, op, program))
			now.work_ps += (double)op->work_ps;
		op->run = NONE;
	}
	return ok;
}
