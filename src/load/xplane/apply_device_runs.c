/* The program that accelerators spend their time on: how long its runs take by the device's clock,
 * and what a run waits for. */
#include <stdlib.h>

#include "base/clamped.h"
#include "load/xplane/core_runs.h"
#include "load/xplane/transfers.h"

struct program_sums {
	uint64_t program;
	int64_t n_runs; /* of the device at hand */
	struct accelerator_program found;
	int64_t self_ps;
};

struct summer {
	struct trace *t;
	VEC(struct program_sums) programs;
	int64_t *self_ps; /* by target: of all */
	uint32_t *n_ran;  /* by target */
	struct core_runs runs;
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

/* What its time is spent on, unless it computes. */
static bool add_waiting(struct summer *s, struct accelerator_program *to, const struct trace_op *op)
{
	const struct trace_target *target = &s->t->targets.at[op->target];
	int64_t self_ps = op->self_ps > 0 ? op->self_ps : 0;
	bool ok = true;

	if (transfers_is_collective(s->t, op->target))
		add_clamped(&to->collective_ps, self_ps);
	else if (is_transfer(target, &ok))
		add_clamped(&to->transfer_wait_ps, self_ps);
	else if (target->is_waiting)
		add_clamped(&to->wait_ps, self_ps);
	return ok;
}

/* Each device's runs are those of one line. */
static void end_line(struct summer *s)
{
	for (size_t i = 0; i < s->programs.n; i++) {
		struct program_sums *sums = &s->programs.at[i];
		struct accelerator_program *found = &sums->found;

		if (!sums->n_runs)
			continue;
		if (!found->n_devices || sums->n_runs < found->least_runs)
			found->least_runs = sums->n_runs;
		if (sums->n_runs > found->most_runs)
			found->most_runs = sums->n_runs;
		found->n_devices++;
		found->n_runs += sums->n_runs;
		sums->n_runs = 0;
	}
}

/* What ran before the first whole run, and between runs, is in none of them: only transfers count
 * it. */
static bool add_line(struct summer *s, const struct trace_line *line, size_t end)
{
	struct program_sums *sums = NULL;
	int64_t last_ps = 0;
	bool ok = true;

	core_runs_begin_line(&s->runs, line);
	transfers_begin_run(&s->transfers);
	for (size_t i = line->first_op; ok && i < end; i++) {
		const struct trace_op *op = &s->t->ops.at[i];
		int64_t self_ps = op->self_ps > 0 ? op->self_ps : 0;
		enum core_run run = core_runs_add(&s->runs, i);

		if (run != RUN_CONTINUES) {
			if (run == RUN_BEGINS || sums)
				transfers_begin_run(&s->transfers);
			sums = NULL;
		}
		if (run == RUN_BEGINS) {
			sums = sums_of(s, &s->t->targets.at[op->target]);
			if (!sums)
				return false;
			sums->n_runs++;
			last_ps = op->start_ps;
		}
		if (sums && op->start_ps + op->total_ps > last_ps) {
			add_clamped(&sums->found.run_ps, op->start_ps + op->total_ps - last_ps);
			last_ps = op->start_ps + op->total_ps;
		}
		if (sums) {
			add_clamped(&sums->self_ps, self_ps);
			add_clamped(&s->self_ps[op->target], self_ps);
			s->n_ran[op->target]++;
			ok = add_waiting(s, &sums->found, op);
		}
		ok = ok && transfers_add(&s->transfers, op, line->device);
	}
	end_line(s);
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

/* What it computes, and how fast its most expensive operation is: it speaks for all only if it has
 * much of the time. */
static bool add_computing(struct summer *s, struct program_sums *main)
{
	const double good_part = 0.3;
	const struct trace_target *most = NULL;
	struct accelerator_program *to = &main->found;
	int64_t most_ps = 0;
	double n_ran = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < s->t->targets.n; i++) {
		const struct trace_target *target = &s->t->targets.at[i];

		if (target->on_device != DEVICE_COMPILED || target->program != main->program ||
			target->is_waiting || transfers_is_collective(s->t, i) ||
			is_transfer(target, &ok))
			continue;
		add_clamped(&to->computing_ps, s->self_ps[i]);
		if (s->self_ps[i] <= most_ps)
			continue;
		most_ps = s->self_ps[i];
		most = target;
		n_ran = s->n_ran[i];
	}
	if (!most || (double)most_ps < good_part * (double)to->computing_ps)
		return ok;
	if (most->bytes > 0)
		to->computing_rate = (double)most->bytes * n_ran / (double)most_ps * 1e12;
	if (most->float_ops > 0)
		to->computing_flops = (double)most->float_ops * n_ran / (double)most_ps * 1e12;
	return ok;
}

static uint32_t name_of(const struct summer *s, const struct apply *a, uint64_t program)
{
	for (size_t i = 0; i < s->t->targets.n; i++) {
		const struct trace_target *target = &s->t->targets.at[i];

		if (target->program == program && target->module)
			return strings_add(&a->model->strings, target->module->name);
	}
	for (size_t i = 0; i < s->t->programs.n; i++)
		if (s->t->programs.at[i].id == program)
			return strings_add(&a->model->strings,
				strings_get(&s->t->texts, s->t->programs.at[i].name));
	return strings_add(&a->model->strings, SPAN("one program"));
}

/* That of another file of the profile: another host that ran the same. */
static void join(struct accelerator_program *to, const struct accelerator_program *from)
{
	if (from->least_runs < to->least_runs)
		to->least_runs = from->least_runs;
	if (from->most_runs > to->most_runs)
		to->most_runs = from->most_runs;
	to->n_devices += from->n_devices;
	to->n_runs += from->n_runs;
	add_clamped(&to->run_ps, from->run_ps);
	add_clamped(&to->transfer_wait_ps, from->transfer_wait_ps);
	add_clamped(&to->wait_ps, from->wait_ps);
	add_clamped(&to->collective_ps, from->collective_ps);
	add_clamped(&to->computing_ps, from->computing_ps);
	if (from->transfer_bytes > to->transfer_bytes)
		to->transfer_bytes = from->transfer_bytes;
	if (from->transfer_rate > to->transfer_rate)
		to->transfer_rate = from->transfer_rate;
	/* Of the slower host. */
	if (from->computing_rate < to->computing_rate)
		to->computing_rate = from->computing_rate;
	if (from->computing_flops < to->computing_flops)
		to->computing_flops = from->computing_flops;
}

/* It has at least 80 % of the time, and runs again. */
static bool find_main(struct summer *s, struct apply *a)
{
	struct program_sums *main = NULL;
	struct accelerator_program *of_all = &a->model->main_program;
	int64_t all_ps = 0;
	bool is_main;

	for (size_t i = 0; i < s->programs.n; i++) {
		add_clamped(&all_ps, s->programs.at[i].self_ps);
		if (!main || s->programs.at[i].self_ps > main->self_ps)
			main = &s->programs.at[i];
	}
	if (!main)
		return true;
	is_main = (double)main->self_ps >= 0.8 * (double)all_ps && main->found.most_runs > 1;
	if (is_main && !add_computing(s, main))
		return false;
	main->found.name = name_of(s, a, main->program);
	main->found.id = main->program;
	add_transfers(s, main);
	if (is_main && !of_all->n_runs && !of_all->is_mixed)
		*of_all = main->found;
	else if (is_main && of_all->id == main->found.id && of_all->name == main->found.name &&
		!of_all->is_mixed)
		join(of_all, &main->found);
	else
		*of_all = (struct accelerator_program){.is_mixed = true};
	return main->found.name != NONE;
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Adds the programs that ran to those of other files. */
static bool note_programs(const struct summer *s, struct model *m)
{
	size_t n = 0, n_before = m->device_programs.n;
	uint64_t *ids = mem_array(s->t->targets.n + 1, sizeof(*ids));
	bool ok = ids;

	for (size_t i = 0; ok && i < s->t->targets.n; i++)
		if (s->t->targets.at[i].on_device == DEVICE_COMPILED && s->t->targets.at[i].program)
			ids[n++] = s->t->targets.at[i].program;
	if (n)
		qsort(ids, n, sizeof(*ids), by_id);
	for (size_t i = 0; ok && i < n; i++) {
		bool is_known = i && ids[i] == ids[i - 1];

		/* Those of other files are in order, file by file. */
		for (size_t k = 0; !is_known && k < n_before; k++)
			is_known = m->device_programs.at[k] == ids[i];
		ok = is_known || vec_push(&m->device_programs, ids[i]);
	}
	mem_free(ids);
	return ok;
}

bool apply_device_runs(struct apply *a)
{
	struct trace *t = a->trace;
	size_t n = t->targets.n + 1;
	struct summer s = {.t = t,
		.self_ps = mem_zero_array(n, sizeof(*s.self_ps)),
		.n_ran = mem_zero_array(n, sizeof(*s.n_ran))};
	bool ok = s.self_ps && s.n_ran && core_runs_init(&s.runs, t) &&
		transfers_init(&s.transfers, a);

	for (size_t i = 0; ok && i < t->lines.n; i++)
		if (t->devices.at[t->lines.at[i].device].kind == PLANE_TPU)
			ok = add_line(&s, &t->lines.at[i],
				i + 1 < t->lines.n ? t->lines.at[i + 1].first_op : t->ops.n);
	for (uint32_t i = 0; ok && i < t->devices.n; i++)
		if (t->devices.at[i].kind == PLANE_GPU)
			ok = transfers_add_gpu(&s.transfers, i);
	ok = ok && find_main(&s, a) && note_programs(&s, a->model) && transfers_put(&s.transfers);
	transfers_clear(&s.transfers);
	core_runs_clear(&s.runs);
	mem_free(s.self_ps);
	mem_free(s.n_ran);
	vec_clear(&s.programs);
	return ok;
}
