#include "query/step_sums.h"

#include "base/error.h"

struct step_list step_list_of(const struct model *m, int64_t only)
{
	size_t n = only >= 0 || !m->steps.n ? 1 : m->steps.n;

	return (struct step_list){m, only, n};
}

int64_t step_list_number(const struct step_list *steps, size_t place)
{
	if (steps->only >= 0)
		return steps->only;
	return steps->model->steps.n ? steps->model->steps.at[place] : -1;
}

uint32_t step_list_find(const struct step_list *steps, int64_t number)
{
	if (steps->only >= 0)
		return number == steps->only ? 0 : NONE;
	return model_find_step(steps->model, number);
}

enum tfprof_status step_list_check(const struct step_list *steps, size_t n_groups,
	struct tfprof_error *err)
{
	enum { MAX_SUMS = 10000000 };

	if (steps->n < 2 || n_groups <= MAX_SUMS / steps->n)
		return TFPROF_OK;
	return error_set(err, TFPROF_UNSUPPORTED,
		"%zu rows in each of %zu steps: a table has at most %d rows: ask for one step",
		n_groups, steps->n, MAX_SUMS);
}

enum tfprof_status step_sums_init(struct step_sums *s, const struct step_list *steps,
	size_t n_groups, struct tfprof_error *err)
{
	enum tfprof_status status = step_list_check(steps, n_groups, err);

	*s = (struct step_sums){.steps = *steps, .n_groups = n_groups};
	if (status != TFPROF_OK)
		return status;
	s->at = mem_zero_array(n_groups, steps->n * sizeof(*s->at));
	s->idle = mem_zero_array(n_groups, sizeof(*s->idle));
	s->n_definitions = mem_zero_array(n_groups, sizeof(*s->n_definitions));
	return s->at && s->idle && s->n_definitions ? TFPROF_OK : error_no_memory(err);
}

void step_sums_clear(struct step_sums *s)
{
	mem_free(s->at);
	mem_free(s->idle);
	mem_free(s->n_definitions);
	*s = (struct step_sums){0};
}

static void add(struct numbers *to, const struct numbers *from)
{
	for (int i = 0; i < N_METRICS; i++)
		add_clamped(&to->at[i], from->at[i]);
}

/* Parameters exist without a run, and count once. */
void step_sums_add(struct step_sums *s, uint32_t node, size_t group)
{
	const struct model *m = s->steps.model;
	struct numbers numbers;

	s->n_definitions[group]++;
	metrics_of_exec(m, node, NONE, &numbers);
	add(&s->idle[group], &numbers);
	for (uint32_t row = m->nodes.first_exec[node]; row != NONE;
		row = exec_at(&m->execs, row)->next) {
		uint32_t place = step_list_find(&s->steps, exec_at(&m->execs, row)->step);

		if (place == NONE)
			continue;
		metrics_of_exec(m, node, row, &numbers);
		numbers.at[METRIC_PARAMS] = 0;
		add(&s->at[group * s->steps.n + place], &numbers);
	}
}

void step_sums_merge(struct step_sums *to, size_t to_group, const struct step_sums *from,
	size_t from_group)
{
	size_t n = to->steps.n;

	to->n_definitions[to_group] += from->n_definitions[from_group];
	add(&to->idle[to_group], &from->idle[from_group]);
	for (size_t place = 0; place < n; place++)
		add(&to->at[to_group * n + place], &from->at[from_group * n + place]);
}
