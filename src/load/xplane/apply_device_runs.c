/* The program that accelerators spend their time on: how long its runs take by the device's clock,
 * and what a run waits for.
 *
 * On a core an instruction of a program runs once in a run, unless it is within another: when one
 * runs again, another run has begun. */
#include "load/xplane/apply.h"

struct program_sums {
	uint64_t program;
	struct accelerator_program found;
	int64_t self_ps;
};

struct summer {
	struct trace *t;
	VEC(struct program_sums) programs;
	uint32_t *seen_in; /* by target: the run it was last seen in */
	int64_t *begun_ps; /* by target: start of its last event in that run */
	int64_t *self_ps;  /* by target: of all */
	uint32_t *n_ran;   /* by target */
	uint32_t run;
};

static struct program_sums *sums_of(struct summer *s, const struct trace_target *target)
{
	for (size_t i = 0; i < s->programs.n; i++)
		if (s->programs.at[i].program == target->program)
			return &s->programs.at[i];
	if (!vec_push(&s->programs, ((struct program_sums){.program = target->program})))
		return NULL;
	return &s->programs.at[s->programs.n - 1];
}

/* The instruction that began what one waits for: its target; NONE. */
static uint32_t find_begun(struct trace *t, const struct trace_target *done, bool *ok)
{
	uint32_t op, operand, text;
	const struct hlo_details *d =
		done->module ? hlo_get_details(done->module, done->instruction, &op, ok) : NULL;

	operand = d ? hlo_operand(&d->program, &d->program.ops.at[op], 0) : NONE;
	if (operand == NONE)
		return NONE;
	text = strings_add(&t->texts, d->program.ops.at[operand].name);
	*ok &= text != NONE;
	return text == NONE ? NONE : trace_find_compiled(t, done->program, text);
}

static bool is_transfer(const struct trace_target *target, bool *ok)
{
	uint32_t op;
	const struct hlo_details *d = target->module
		? hlo_get_details(target->module, target->instruction, &op, ok)
		: NULL;

	return d && hlo_is_transfer(&d->program, &d->program.ops.at[op]);
}

/* A wait for a copy from or to the host. */
static bool add_transfer(struct summer *s, struct accelerator_program *p, const struct trace_op *op)
{
	const struct trace_target *target = &s->t->targets.at[op->target];
	bool ok = true;
	uint32_t begun = find_begun(s->t, target, &ok);
	int64_t in_flight_ps;

	if (!is_transfer(target, &ok))
		return ok;
	p->transfer_wait_ps += op->self_ps > 0 ? op->self_ps : 0;
	if (begun == NONE || s->seen_in[begun] != s->run || target->bytes <= 0)
		return ok;
	in_flight_ps = op->start_ps + op->total_ps - s->begun_ps[begun];
	if (target->bytes > p->transfer_bytes)
		p->transfer_bytes = target->bytes;
	if (in_flight_ps > 0 &&
		(double)target->bytes / (double)in_flight_ps * 1e12 > p->transfer_rate)
		p->transfer_rate = (double)target->bytes / (double)in_flight_ps * 1e12;
	return ok;
}

static bool add_line(struct summer *s, const struct trace_line *line, size_t end)
{
	struct program_sums *sums = NULL;
	int64_t first_ps = 0, last_ps = 0, around_ps = INT64_MIN;
	bool ok = true;

	for (size_t i = line->first_op; ok && i <= end; i++) {
		const struct trace_op *op = i < end ? &s->t->ops.at[i] : NULL;
		const struct trace_target *target = op ? &s->t->targets.at[op->target] : NULL;
		bool is_top = op && op->start_ps >= around_ps;

		if (sums &&
			(!op || sums->program != target->program ||
				(is_top && s->seen_in[op->target] == s->run))) {
			sums->found.run_ps += last_ps - first_ps;
			sums = NULL;
		}
		if (!op)
			break;
		if (!sums) {
			sums = sums_of(s, target);
			if (!sums)
				return false;
			sums->found.n_runs++;
			s->run++;
			first_ps = last_ps = op->start_ps;
		}
		if (op->start_ps + op->total_ps > last_ps)
			last_ps = op->start_ps + op->total_ps;
		if (is_top)
			around_ps = op->start_ps + op->total_ps;
		sums->self_ps += op->self_ps > 0 ? op->self_ps : 0;
		s->self_ps[op->target] += op->self_ps > 0 ? op->self_ps : 0;
		s->n_ran[op->target]++;
		if (target->is_waiting)
			ok = add_transfer(s, &sums->found, op);
		s->seen_in[op->target] = s->run;
		s->begun_ps[op->target] = op->start_ps;
	}
	return ok;
}

/* What it computes, and how fast its most expensive operation moves bytes. */
static bool add_computing(struct summer *s, struct program_sums *main)
{
	int64_t most_ps = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < s->t->targets.n; i++) {
		const struct trace_target *target = &s->t->targets.at[i];

		if (target->on_device != DEVICE_COMPILED || target->program != main->program ||
			target->is_waiting || is_transfer(target, &ok))
			continue;
		main->found.computing_ps += s->self_ps[i];
		if (s->self_ps[i] <= most_ps)
			continue;
		most_ps = s->self_ps[i];
		main->found.computing_rate = target->bytes > 0
			? (double)target->bytes * s->n_ran[i] / (double)most_ps * 1e12
			: 0;
	}
	return ok;
}

/* It has at least 80 % of the time, and runs again. */
static bool find_main(struct summer *s, struct apply *a)
{
	struct program_sums *main = NULL;
	int64_t all_ps = 0;

	for (size_t i = 0; i < s->programs.n; i++) {
		all_ps += s->programs.at[i].self_ps;
		if (!main || s->programs.at[i].self_ps > main->self_ps)
			main = &s->programs.at[i];
	}
	if (!main || (double)main->self_ps < 0.8 * (double)all_ps || main->found.n_runs < 2 ||
		a->model->main_program.n_runs || !add_computing(s, main))
		return main == NULL || main->found.n_runs < 2 ||
			(double)main->self_ps < 0.8 * (double)all_ps ||
			a->model->main_program.n_runs;
	for (size_t i = 0; i < s->t->targets.n; i++)
		if (s->t->targets.at[i].program == main->program && s->t->targets.at[i].module)
			main->found.name =
				strings_add(&a->model->strings, s->t->targets.at[i].module->name);
	a->model->main_program = main->found;
	return main->found.name != NONE;
}

bool apply_device_runs(struct apply *a)
{
	struct trace *t = a->trace;
	size_t n = t->targets.n + 1;
	struct summer s = {.t = t,
		.seen_in = mem_zero_array(n, sizeof(*s.seen_in)),
		.begun_ps = mem_zero_array(n, sizeof(*s.begun_ps)),
		.self_ps = mem_zero_array(n, sizeof(*s.self_ps)),
		.n_ran = mem_zero_array(n, sizeof(*s.n_ran))};
	bool ok = s.seen_in && s.begun_ps && s.self_ps && s.n_ran;

	for (size_t i = 0; ok && i < t->lines.n; i++)
		if (t->devices.at[t->lines.at[i].device].kind == PLANE_TPU)
			ok = add_line(&s, &t->lines.at[i],
				i + 1 < t->lines.n ? t->lines.at[i + 1].first_op : t->ops.n);
	ok = ok && find_main(&s, a);
	mem_free(s.seen_in);
	mem_free(s.begun_ps);
	mem_free(s.self_ps);
	mem_free(s.n_ran);
	vec_clear(&s.programs);
	return ok;
}
