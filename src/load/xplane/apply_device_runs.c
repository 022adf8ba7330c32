/* The program that accelerators spend their time on: how long its runs take by the device's clock,
 * and what a run waits for.
 *
 * On a core an instruction of a program runs once in a run, unless it is within another: when one
 * runs again, another run has begun. */
#include "load/xplane/transfers.h"

struct program_sums {
	uint64_t program;
	struct accelerator_program found;
	int64_t self_ps;
};

struct summer {
	struct trace *t;
	VEC(struct program_sums) programs;
	uint32_t *seen_in; /* by target: the run it was last seen in */
	int64_t *self_ps;  /* by target: of all */
	uint32_t *n_ran;   /* by target */
	uint32_t run;
	struct transfers transfers;
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

static bool is_transfer(const struct trace_target *target, bool *ok)
{
	uint32_t op;
	const struct hlo_details *d = target->module
		? hlo_get_details(target->module, target->instruction, &op, ok)
		: NULL;

	return target->direction == GOES_TO_DEVICE || target->direction == GOES_TO_HOST ||
		(d && hlo_is_transfer(&d->program, &d->program.ops.at[op]));
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
			transfers_begin_run(&s->transfers);
			first_ps = last_ps = op->start_ps;
		}
		if (op->start_ps + op->total_ps > last_ps)
			last_ps = op->start_ps + op->total_ps;
		if (is_top)
			around_ps = op->start_ps + op->total_ps;
		sums->self_ps += op->self_ps > 0 ? op->self_ps : 0;
		s->self_ps[op->target] += op->self_ps > 0 ? op->self_ps : 0;
		s->n_ran[op->target]++;
		if (target->is_waiting && is_transfer(target, &ok))
			sums->found.transfer_wait_ps += op->self_ps > 0 ? op->self_ps : 0;
		s->seen_in[op->target] = s->run;
		ok = ok && transfers_add(&s->transfers, op, line->device);
	}
	return ok;
}

/* The largest copy from or to the host, and the fastest. */
static void add_transfers(const struct summer *s, struct program_sums *main)
{
	for (size_t i = 0; i < s->transfers.at.n; i++) {
		const struct transfer_sum *sum = &s->transfers.at.at[i];
		const struct accelerator_transfer *of = &sum->found;

		if (s->t->targets.at[sum->target].program != main->program || of->bytes <= 0 ||
			(of->direction != GOES_TO_DEVICE && of->direction != GOES_TO_HOST))
			continue;
		if (of->bytes / of->n > main->found.transfer_bytes)
			main->found.transfer_bytes = of->bytes / of->n;
		if (of->fastest > main->found.transfer_rate)
			main->found.transfer_rate = of->fastest;
	}
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
	add_transfers(s, main);
	a->model->main_program = main->found;
	return main->found.name != NONE;
}

bool apply_device_runs(struct apply *a)
{
	struct trace *t = a->trace;
	size_t n = t->targets.n + 1;
	struct summer s = {.t = t,
		.seen_in = mem_zero_array(n, sizeof(*s.seen_in)),
		.self_ps = mem_zero_array(n, sizeof(*s.self_ps)),
		.n_ran = mem_zero_array(n, sizeof(*s.n_ran))};
	bool ok = s.seen_in && s.self_ps && s.n_ran && transfers_init(&s.transfers, a);

	for (size_t i = 0; ok && i < t->lines.n; i++)
		if (t->devices.at[t->lines.at[i].device].kind == PLANE_TPU)
			ok = add_line(&s, &t->lines.at[i],
				i + 1 < t->lines.n ? t->lines.at[i + 1].first_op : t->ops.n);
	for (uint32_t i = 0; ok && i < t->devices.n; i++)
		if (t->devices.at[i].kind == PLANE_GPU)
			ok = transfers_add_gpu(&s.transfers, i);
	ok = ok && find_main(&s, a) && transfers_put(&s.transfers);
	transfers_clear(&s.transfers);
	mem_free(s.seen_in);
	mem_free(s.self_ps);
	mem_free(s.n_ran);
	vec_clear(&s.programs);
	return ok;
}
