/* The share of the time between its first and last operation in which an accelerator
 * computes; of a trace, the share of its steps. */
#include "advise/parts.h"
#include "base/clamped.h"
#include "base/sort.h"

static const struct tfprof_checker_option_info options[] = {
	{"min_utilization", "0.5", "Share of the time below which utilization is low."},
	{NULL, NULL, NULL},
};

struct usage {
	uint32_t device; /* string id */
	int64_t accelerator_us, start_us, end_us;
};

typedef VEC(struct usage) usages;

static uint32_t last_exec(const struct model *m, uint32_t node)
{
	uint32_t last = NONE;

	for (uint32_t row = m->nodes.first_exec[node]; row != NONE;
		row = exec_at(&m->execs, row)->next)
		last = row;
	return last;
}

static void add(struct usage *u, const struct model *m, uint32_t exec)
{
	struct exec_sums sums = exec_get_sums(&m->execs, exec);
	struct exec_extent extent = exec_get_extent(m, exec);

	add_clamped(&u->accelerator_us, sums.accelerator_us);
	if (extent.start_us && (!u->start_us || extent.start_us < u->start_us))
		u->start_us = extent.start_us;
	if (extent.end_us > u->end_us)
		u->end_us = extent.end_us;
}

/* Only a node's last step counts. */
static bool collect(struct check *c, usages *found)
{
	const struct model *m = c->model;
	uint32_t *place = check_alloc(c, m->strings.text.n, sizeof(*place));

	if (!place)
		return false;
	for (uint32_t node = 0; node < m->nodes.n; node++) {
		uint32_t device = m->nodes.device[node];
		uint32_t exec = last_exec(m, node);

		if (exec == NONE || !(check_device(c, node)->properties & DEVICE_ACCELERATOR))
			continue;
		if (!place[device]) {
			if (!vec_push(found, ((struct usage){.device = device})))
				return false;
			place[device] = (uint32_t)found->n;
		}
		add(&found->at[place[device] - 1], m, exec);
	}
	return true;
}

static void report(struct check *c, struct span device, int64_t busy_us, int64_t span_us,
	bool is_limit)
{
	double share = (double)busy_us / (double)span_us;
	bool low = is_limit && !(share >= check_number(c, "min_utilization"));
	struct finding *f;

	buf_text(&c->text, "device: ");
	buf_span(&c->text, device);
	buf_printf(&c->text, low ? " low utilization: %.2f" : " utilization: %.2f", share);
	f = check_find(c, low ? "low_utilization" : "utilization",
		low ? TFPROF_LEVEL_WARNING : TFPROF_LEVEL_NONE, CONFIDENCE_HIGH);
	f->stake_us = to_int((double)span_us - (double)busy_us);
	f->stake_share = 1 - share;
	f->remedy = low
		? "Find out what the accelerator waits for: input, copies, tiny kernels, or "
		  "operations on the CPU."
		: is_limit ? "Nothing: the accelerator is busy. Only faster kernels would help."
			   : "What the rest of the step goes to, StepChecker and "
			     "InputPipelineChecker tell.";
	check_place(c, f, (struct place){.device = device, .micros = busy_us});
	check_figure(c, f, "utilization", share);
}

/* ---- traces ------------------------------------------------------------------------------ */

static int64_t computing_of(const struct anatomy *a, size_t device)
{
	int64_t sum = 0;

	for (size_t i = 0; i < a->steps.n; i++)
		if (a->steps.at[i].is_steady)
			sum += a->steps.at[i].devices
				? a->steps.at[i].devices[device].parts[ANATOMY_COMPUTE]
				: a->steps.at[i].parts[ANATOMY_COMPUTE];
	return sum;
}

/* Per step. On a CPU, it is information: input and Python use the same cores. */
static void check_trace(struct check *c, const struct step_parts *p)
{
	const struct anatomy *a = p->anatomy;
	int64_t n_us = 1000000 * (int64_t)p->total.n_steps;
	bool is_limit = model_has_accelerator(c->model);
	size_t n = a->devices.n > 1 ? a->devices.n : 1;

	for (size_t d = 0; d < n; d++)
		report(c, a->devices.n ? check_copy(c, a->devices.at[d]) : SPAN("CPU"),
			computing_of(a, d) / n_us, p->total.wall_ps / n_us, is_limit);
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	usages found = {0};
	struct span *names = NULL;
	uint32_t *order = NULL;
	const struct step_parts *parts;
	enum tfprof_status status = check_parts(c, &parts, err);
	bool ok;

	if (status != TFPROF_OK || parts) {
		if (parts)
			check_trace(c, parts);
		return status;
	}
	ok = collect(c, &found);
	if (ok && found.n) {
		names = mem_array(found.n, sizeof(*names));
		order = mem_array(found.n, sizeof(*order));
		ok = names && order;
		for (size_t i = 0; ok && i < found.n; i++)
			names[i] = model_text(c->model, found.at[i].device);
		ok = ok && sort_texts(names, order, found.n);
		for (size_t i = 0; ok && i < found.n; i++) {
			const struct usage *u = &found.at[order[i]];

			if (u->end_us > u->start_us)
				report(c, model_text(c->model, u->device), u->accelerator_us,
					(int64_t)((uint64_t)u->end_us - (uint64_t)u->start_us),
					true);
		}
	}
	if (!found.n)
		check_skip(c, NO_ACCELERATOR,
			"No accelerator in the profile. Skip AcceleratorUtilizationChecker");
	vec_clear(&found);
	mem_free(names);
	mem_free(order);
	return ok ? TFPROF_OK : error_no_memory(err);
}

const struct checker accelerator_utilization_checker = {
	.info = {"AcceleratorUtilizationChecker",
		"Share of the time between its first and last operation in which an accelerator "
		"computes.",
		options},
	.in_tensorflow = true,
	.has_heading = true,
	.run = run,
};
