/* Kernels that take longer to launch than to run.
 *
 * On a GPU a node has two times: on the device itself that of the host, which prepares
 * and launches it, and on the stream that of the kernel. */
#include "advise/advise.h"
#include "advise/top.h"
#include "base/sort.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"min_kernels", "100", "Minimum number of kernels per step to check a device."},
	{"notice", "0.05", "Minimum share of the step lost to launching kernels."},
	{"warning", "0.2", "Minimum share for a warning."},
	{"top", "3", "Number of op types to list."},
	{NULL, NULL, NULL},
};

/* The times of a node in a step. */
struct node_times {
	int64_t n_kernels, kernel_us, launch_us;
};

/* The kernels of a node in a step, with its launch time divided evenly. */
struct kernels {
	uint32_t device, node; /* device: string id */
	int64_t n;
	double kernel_us, launch_us; /* of one kernel */
};

struct device_sums {
	int64_t n_kernels, n_steps;
	int64_t span_us;  /* of the steps in which it had kernels */
	double lost_us;   /* by launches that take longer than the kernel */
	size_t last_step; /* + 1 */
};

struct tiny {
	struct check *c;
	const struct activity *a;
	bool *on_gpu;             /* by node */
	struct node_times *times; /* by node */
	struct device_sums *sums; /* by string id of the device */
	VEC(uint32_t) seen;       /* nodes of the step */
	VEC(uint32_t) devices;
	VEC(struct kernels) kernels;
};

static double lost_by(const struct kernels *k)
{
	return k->launch_us > k->kernel_us ? (double)k->n * (k->launch_us - k->kernel_us) : 0;
}

static bool add_kernels(struct tiny *t, size_t step, uint32_t node)
{
	const struct node_times *times = &t->times[node];
	uint32_t device = t->c->model->nodes.device[node];
	struct device_sums *sums = &t->sums[device];
	struct kernels k = {device, node, times->n_kernels, 0, 0};

	if (!times->n_kernels || !times->launch_us)
		return true;
	k.kernel_us = (double)times->kernel_us / (double)k.n;
	k.launch_us = (double)times->launch_us / (double)k.n;
	if (!sums->n_steps && !vec_push(&t->devices, device))
		return false;
	if (sums->last_step != step + 1) {
		sums->last_step = step + 1;
		sums->n_steps++;
		add_clamped(&sums->span_us, t->a->step_us[step]);
	}
	sums->n_kernels += k.n;
	sums->lost_us += lost_by(&k);
	return vec_push(&t->kernels, k);
}

static bool add_step(struct tiny *t, size_t step)
{
	struct event_rows rows = activity_events(t->a, step);
	bool ok = true;

	t->seen.n = 0;
	for (size_t row = rows.first; ok && row < rows.end; row++) {
		struct event e = events_get(&t->a->events, row);
		struct node_times *times = &t->times[e.node];

		if (!t->on_gpu[e.node])
			continue;
		if (!times->n_kernels && !times->launch_us)
			ok = vec_push(&t->seen, e.node);
		if (device_has_accelerator_time(activity_device(t->a, e.device))) {
			times->n_kernels++;
			add_clamped(&times->kernel_us, e.duration_us);
		} else {
			add_clamped(&times->launch_us, e.duration_us);
		}
	}
	for (size_t i = 0; ok && i < t->seen.n; i++) {
		ok = add_kernels(t, step, t->seen.at[i]);
		t->times[t->seen.at[i]] = (struct node_times){0};
	}
	return ok;
}

static bool collect(struct tiny *t)
{
	const struct model *m = t->c->model;
	bool ok = true;

	t->on_gpu = check_alloc(t->c, m->nodes.n, sizeof(*t->on_gpu));
	t->times = check_alloc(t->c, m->nodes.n, sizeof(*t->times));
	t->sums = check_alloc(t->c, m->strings.text.n, sizeof(*t->sums));
	if (!t->on_gpu || !t->times || !t->sums)
		return false;
	for (uint32_t node = 0; node < m->nodes.n; node++)
		t->on_gpu[node] = device_is_gpu(check_device(t->c, node));
	for (size_t step = 0; ok && step < t->a->n_steps && !check_cancelled(t->c); step++)
		ok = add_step(t, step);
	return ok;
}

/* ---- findings -------------------------------------------------------------------- */

/* The median launch or run time of a device's kernels. */
static double median_of(struct tiny *t, uint32_t device, bool launch)
{
	int64_t total = t->sums[device].n_kernels, below = 0;
	struct sort_item *items = check_alloc(t->c, t->kernels.n, sizeof(*items));
	struct sort_item *scratch = check_alloc(t->c, t->kernels.n, sizeof(*scratch));
	size_t n = 0;

	if (!items || !scratch)
		return 0;
	for (size_t i = 0; i < t->kernels.n; i++) {
		const struct kernels *k = &t->kernels.at[i];

		/* Nanoseconds are precise enough to sort by. */
		if (k->device == device)
			items[n++] =
				(struct sort_item){(uint64_t)to_int(1000 *
							   (launch ? k->launch_us : k->kernel_us)),
					(uint32_t)i};
	}
	sort_items(items, scratch, n);
	for (size_t i = 0; i < n; i++) {
		const struct kernels *k = &t->kernels.at[items[i].id];

		below += k->n;
		if (2 * below >= total)
			return launch ? k->launch_us : k->kernel_us;
	}
	return 0;
}

struct type_loss {
	uint32_t node; /* with the largest loss */
	int64_t n_kernels;
	double lost_us, node_lost_us;
};

/* The op types with the largest losses, and the loss of each, by string id of the op. */
static struct type_loss *find_types(struct tiny *t, uint32_t device, struct top *top)
{
	size_t n_strings = t->c->model->strings.text.n;
	struct type_loss *types = check_alloc(t->c, n_strings, sizeof(*types));

	if (!types || !top_init(top, t->c, "top"))
		return NULL;
	for (size_t i = 0; i < t->kernels.n; i++) {
		const struct kernels *k = &t->kernels.at[i];
		struct type_loss *type = &types[model_op(t->c->model, k->node)];

		if (k->device != device)
			continue;
		type->n_kernels += k->n;
		type->lost_us += lost_by(k);
		if (lost_by(k) >= type->node_lost_us) {
			type->node_lost_us = lost_by(k);
			type->node = k->node;
		}
	}
	for (uint32_t op = 0; op < n_strings; op++)
		top_add(top, op, to_int(types[op].lost_us));
	return types;
}

static void report(struct tiny *t, uint32_t device, double kernel_us, double launch_us,
	enum tfprof_level level)
{
	const struct device_sums *sums = &t->sums[device];
	int64_t n_steps = sums->n_steps;
	struct top top;
	const struct type_loss *types = find_types(t, device, &top);
	struct buf *b = &t->c->text;
	struct finding *f;

	buf_span(b, model_text(t->c->model, device));
	buf_printf(b,
		" runs %lld kernels per step, half of them in at most %.1fus, and launching one "
		"takes %.1fus: ",
		(long long)(sums->n_kernels / n_steps), kernel_us, launch_us);
	format_number(b, UNIT_MICROS, to_int(sums->lost_us) / n_steps);
	buf_text(b, " lost per step");
	for (size_t i = 0; i < top.n; i++) {
		const struct type_loss *type = &types[top.at[i].id];
		struct place place = check_node(t->c, type->node);

		buf_text(b, "\n  ");
		buf_span(b, model_text(t->c->model, top.at[i].id));
		buf_printf(b, ", %lld kernels per step, ", (long long)(type->n_kernels / n_steps));
		format_number(b, UNIT_MICROS, top.at[i].value / n_steps);
		buf_text(b, " lost, as in ");
		place_put(b, &place);
	}
	f = check_find(t->c, "tiny_kernels", level, CONFIDENCE_MEDIUM);
	f->stake_us = to_int(sums->lost_us) / n_steps;
	f->stake_share = sums->lost_us / (double)sums->span_us;
	f->remedy = "Fuse small operations (compile the graph, use fused layers), or give each "
		    "more work with a larger batch.";
	for (size_t i = 0; i < top.n; i++) {
		const struct type_loss *type = &types[top.at[i].id];
		struct place place = check_node(t->c, type->node);

		place.micros = top.at[i].value / n_steps;
		check_place(t->c, f, place);
	}
	check_figure(t->c, f, "kernels", (double)sums->n_kernels / (double)n_steps);
	check_figure(t->c, f, "median_kernel_micros", kernel_us);
	check_figure(t->c, f, "median_launch_micros", launch_us);
}

/* Kernels that wait in the device's queue lose nothing by their launches. */
static bool is_device_bound(const struct model *m, uint32_t stream)
{
	struct span name = model_text(m, stream), device;

	for (size_t i = 0; i < m->accelerators.n; i++) {
		device = model_text(m, m->accelerators.at[i].device);
		if (span_starts(name, device) && (name.n == device.n || name.at[device.n] == '/'))
			return accelerator_is_device_bound(&m->accelerators.at[i]);
	}
	return false;
}

static void judge_device(struct tiny *t, uint32_t device)
{
	const struct device_sums *sums = &t->sums[device];
	double kernel_us = median_of(t, device, false), launch_us = median_of(t, device, true);
	enum tfprof_level level =
		check_level(sums->span_us ? sums->lost_us / (double)sums->span_us : 0,
			check_number(t->c, "notice"), check_number(t->c, "warning"), NEVER);

	if (kernel_us < launch_us && level != TFPROF_LEVEL_NONE &&
		!is_device_bound(t->c->model, device))
		report(t, device, kernel_us, launch_us, level);
}

/* Why nothing was checked. */
static const char *find_reason(const struct activity *a)
{
	bool has_tpu = false;

	for (size_t i = 0; i < a->devices.at.n; i++) {
		if (device_is_gpu(&a->devices.at.at[i]))
			return "too few kernels per step";
		has_tpu |= a->devices.at.at[i].kind == DEVICE_KIND_TPU_CORE;
	}
	return has_tpu ? "launches are not recorded on TPUs" : NO_ACCELERATOR;
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct tiny t = {.c = c, .a = check_activity(c)};
	bool ok = t.a && collect(&t);
	size_t n_checked = 0;

	for (size_t i = 0; ok && i < t.devices.n; i++) {
		const struct device_sums *sums = &t.sums[t.devices.at[i]];

		if (sums->n_kernels / sums->n_steps < check_int(c, "min_kernels"))
			continue;
		n_checked++;
		judge_device(&t, t.devices.at[i]);
	}
	if (ok && !n_checked)
		check_skip(c, find_reason(t.a),
			"No GPU with %s kernels per step in the profile. Skip "
			"TinyKernelChecker",
			check_word(c, "min_kernels"));
	else if (ok && !c->verdict->findings.n)
		check_ok(c, "Kernels do not wait for their launches (%zu accelerators checked).",
			n_checked);
	vec_clear(&t.seen);
	vec_clear(&t.devices);
	vec_clear(&t.kernels);
	return ok ? TFPROF_OK : error_no_memory(err);
}

const struct checker tiny_kernel_checker = {
	.info = {"TinyKernelChecker", "Kernels that take longer to launch than to run.", options},
	.needs_run_meta = true,
	.run = run,
};
