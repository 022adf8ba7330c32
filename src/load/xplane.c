/* A trace of tf.profiler or jax.profiler (XSpace) → nodes and their executions.
 *
 *     XSpace ── planes ── lines ── events     bytes
 *                 │
 *                 ▼ xplane/plane.h, walk.c    names first, then every event once
 *               trace                         operations, and what led to them
 *                 │
 *                 ▼ xplane/group.c, steps.c   which step each belongs to
 *                 ▼ xplane/apply.h
 *               model
 *
 * Everything is read before the model changes. */
#include "load/load.h"
#include "load/xplane/apply.h"
#include "load/xplane/core_runs.h"
#include "load/xplane/explain.h"
#include "load/xplane/run.h"
#include "model/profile_fields.h"

/* Of one trace, which a host records: it has up to 16. The devices that a node ran on take memory
 * by the square of their number. */
enum { MAX_ACCELERATORS = 4096 };

struct xplane {
	VEC(struct plane) planes;
	size_t n_accelerators;
	struct span host;
	int64_t start_ns; /* when recording began; 0: not known */
	struct trace trace;
};

/* ---- reading ------------------------------------------------------------- */

static void read_plane(struct xplane *x, struct decoder *d, struct span bytes)
{
	struct plane *p = &x->planes.at[x->planes.n - 1];

	plane_read(p, d, bytes);
	if (plane_is_accelerator(p->kind) && x->n_accelerators++ >= MAX_ACCELERATORS)
		p->kind = PLANE_OTHER; /* a note counts those that are not read */
}

static void read_space(struct xplane *x, struct decoder *d, struct span bytes)
{
	struct wire_reader r = wire_reader(bytes);
	struct wire_field f;

	while (!d->failed && decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(XSPACE_PLANES):
			if (decoder_alloc(d, vec_push(&x->planes, ((struct plane){0}))))
				read_plane(x, d, f.bytes);
			break;
		case WIRE_LEN(XSPACE_HOSTNAMES):
			if (!x->host.n)
				x->host = f.bytes;
			break;
		}
}

static bool is_walked(const struct plane *p)
{
	return p->kind == PLANE_HOST || p->kind == PLANE_GPU || p->kind == PLANE_TPU;
}

static void find_times(struct xplane *x, struct decoder *d)
{
	int64_t origin_ns = INT64_MAX;

	for (size_t i = 0; i < x->planes.n; i++) {
		const struct plane *p = &x->planes.at[i];

		if (is_walked(p))
			origin_ns = trace_get_origin(p, d, origin_ns);
		if (p->kind == PLANE_TASK)
			x->start_ns = (int64_t)xstats_number(&p->stats, STAT_PROFILE_START_TIME);
	}
	x->trace.origin_ns = origin_ns == INT64_MAX ? 0 : origin_ns;
}

static void read_planes(struct xplane *x, struct decoder *d)
{
	for (size_t i = 0; !d->failed && i < x->planes.n; i++)
		if (x->planes.at[i].kind == PLANE_MODULES)
			hlo_modules_add(&x->trace.modules, &x->planes.at[i], d);
	for (size_t i = 0; !d->failed && i < x->planes.n; i++)
		if (x->planes.at[i].kind == PLANE_HOST)
			trace_walk(&x->trace, &x->planes.at[i], d);
		else
			x->trace.skipped.planes += x->planes.at[i].kind == PLANE_OTHER;
	trace_sort_launches(&x->trace);
	for (size_t i = 0; !d->failed && i < x->planes.n; i++)
		if (plane_is_accelerator(x->planes.at[i].kind) && x->planes.at[i].lines.n)
			trace_walk(&x->trace, &x->planes.at[i], d);
}

/* The same trace twice would be twice the time. */
static enum tfprof_status check_new(const struct load *l, const struct source *known,
	struct tfprof_error *err)
{
	if (l->source.bytes.n && span_equal(l->source.bytes, known->bytes))
		return error_set(err, TFPROF_ARGUMENT,
			"cannot add: %.300s: the same trace is there already: give it once",
			l->in->path ? l->in->path : "the trace");
	return TFPROF_OK;
}

static enum tfprof_status read_trace(struct xplane *x, const struct model *m, struct load *l,
	struct tfprof_error *err)
{
	const struct trace_skipped *skipped = &x->trace.skipped;
	struct decoder d = {0};
	enum tfprof_status status;

	if (m->numbers_version && m->numbers_version != NUMBERS_VERSION)
		return error_set(err, TFPROF_ARGUMENT,
			"cannot add a trace to a profile whose numbers have an older meaning: "
			"give the traces that it was saved from");
	for (size_t i = 0; i < m->traces.n; i++)
		if ((status = check_new(l, &m->traces.at[i], err)) != TFPROF_OK)
			return status;
	if (m->reading == TFPROF_READ_FOR_STEP)
		return TFPROF_OK;
	if (!trace_init(&x->trace, l->source.bytes.n))
		return error_no_memory(err);
	read_space(x, &d, l->source.bytes);
	if (!d.failed)
		find_times(x, &d);
	if (!d.failed)
		read_planes(x, &d);
	if (l->source.owner == SOURCE_MAPPED)
		mapped_file_release(&l->source.file);
	if (!d.failed)
		decoder_alloc(&d,
			own_resolve(&x->trace.own) && trace_find_executions(&x->trace) &&
				core_runs_count(&x->trace) &&
				trace_tell_programs_apart(&x->trace) &&
				trace_sum_compiled(&x->trace) && trace_complete(&x->trace) &&
				trace_group(&x->trace) && trace_number(&x->trace));
	own_clear(&x->trace.own);
	status = input_status(l->in, l->kind, &l->source, &d, err);
	if (status == TFPROF_OK)
		explain_steps(&x->trace, l->in->path);
	l->counts.n_unread = (size_t)(skipped->backward + skipped->endless + skipped->nameless +
		skipped->garbled);
	if (status == TFPROF_OK)
		status = load_check(l, m, err);
	l->counts.n_unread = 0; /* a note lists them by kind */
	return status;
}

static void clear(struct xplane *x)
{
	for (size_t i = 0; i < x->planes.n; i++)
		plane_clear(&x->planes.at[i]);
	vec_clear(&x->planes);
	trace_clear(&x->trace);
}

/* ---- notes --------------------------------------------------------------- */

static const char *plural(uint64_t n, const char *one, const char *several)
{
	return n == 1 ? one : several;
}

/* A trace of accelerators has steps that they record, or runs of programs; the whole is none. */
static bool has_accelerator(const struct trace *t)
{
	for (size_t i = 0; i < t->devices.n; i++)
		if (plane_is_accelerator(t->devices.at[i].kind))
			return true;
	return false;
}

static void put_steps(struct buf *b, const struct xplane *x)
{
	static const char *const from[] = {
		[STEPS_MARKED] = "",
		[STEPS_COUNTED] = " (markers without step_num: numbered in order)",
		[STEPS_OF_CALLS] = " (no step markers: each call of a function is one)",
		[STEPS_NONE] = " (no step markers: views take the whole trace as one)",
	};
	uint64_t n = x->trace.n_inside;

	if (!n && !x->trace.n_outside) {
		buf_text(b,
			"0 operations in this trace: did TensorFlow or JAX run anything in the "
			"same process while it was recorded?\n");
		return;
	}
	if (x->trace.steps_from == STEPS_NONE && has_accelerator(&x->trace)) {
		buf_printf(b, "%llu %s; no step markers: views take the whole trace as one step\n",
			(unsigned long long)n, plural(n, "operation", "operations"));
		return;
	}
	buf_printf(b, "%llu %s in %zu %s%s; %llu outside of all steps (%.2fms)\n",
		(unsigned long long)n, plural(n, "operation", "operations"), x->trace.steps.n,
		plural(x->trace.steps.n, "step", "steps"), from[x->trace.steps_from],
		(unsigned long long)x->trace.n_outside, (double)x->trace.outside_ps / 1e9);
}

/* How much of the time the nodes of a graph have. Several hosts run the same. */
static void put_join(struct buf *b, const struct model *m, const struct apply *a)
{
	if ((!a->first_new && !m->graphs.n) || !a->all_ps || m->execs.lanes.n > a->trace->lines.n)
		return;
	buf_printf(b, "%.1f%% of the time is in nodes of the graph",
		100.0 * (double)a->joined_ps / (double)a->all_ps);
	if (a->gradient_ps)
		buf_printf(b, ", %.1f%% in gradients of its layers",
			100.0 * (double)a->gradient_ps / (double)a->all_ps);
	if (a->joined_ps + a->gradient_ps < a->all_ps)
		buf_printf(b, ", %.1f%% in neither",
			100.0 * (double)(a->all_ps - a->joined_ps - a->gradient_ps) /
				(double)a->all_ps);
	buf_char(b, '\n');
	if (a->fused_ps)
		buf_printf(b,
			"%.1f%% of the time is in fused kernels: charged to the convolution or "
			"matrix product in each, not to the operation it is named after\n",
			100.0 * (double)a->fused_ps / (double)a->all_ps);
	if (a->join.n_damaged)
		buf_text(b, "the functions of the graph are damaged: their nodes are missing\n");
	if (a->join.is_full)
		buf_printf(b,
			"functions have more than %d nodes over all calls: not all are joined\n",
			JOIN_MOST_NODES);
	if (a->n_ambiguous)
		buf_printf(b, "%zu %s ambiguous: not joined with the graph\n", a->n_ambiguous,
			plural(a->n_ambiguous, "name is", "names are"));
}

static void put_skipped(struct buf *b, const struct trace_skipped *s)
{
	const struct {
		uint64_t n;
		const char *one, *several;
	} kinds[] = {
#define X(name, one, several) {s->name, one, several},
		TRACE_SKIPS(X)
#undef X
	};
	const char *before = "not read: ";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!kinds[i].n)
			continue;
		buf_printf(b, "%s%llu %s", before, (unsigned long long)kinds[i].n,
			plural(kinds[i].n, kinds[i].one, kinds[i].several));
		before = ", ";
	}
	if (*before == ',')
		buf_char(b, '\n');
}

static void put_notes(struct buf *b, const struct xplane *x, const struct apply *a)
{
	put_steps(b, x);
	if (a->is_host_again) {
		buf_text(b, "host ");
		buf_span(b, a->host);
		buf_text(b, " is in an earlier trace, too: times of both are added up\n");
	}
	put_join(b, a->model, a);
	put_skipped(b, &x->trace.skipped);
	if (x->trace.modules.n_damaged)
		buf_printf(b, "%zu compiled %s damaged: operations have no names\n",
			x->trace.modules.n_damaged,
			plural(x->trace.modules.n_damaged, "program is", "programs are"));
	if (a->n_damaged)
		buf_printf(b, "%zu compiled %s damaged: inputs and shapes may be missing\n",
			a->n_damaged, plural(a->n_damaged, "instruction is", "instructions are"));
}

/* ---- the recorder --------------------------------------------------------- */

static bool is_of_jax(const struct plane *p)
{
	if (p->stats.has & STAT_BIT(JAX_VERSION))
		return true;
	for (size_t i = 0; i < p->roles.n; i++)
		if (p->roles.at[i].kind == EVENT_PJIT)
			return true;
	return false;
}

static unsigned find_recorder(const struct xplane *x)
{
	const struct trace *t = &x->trace;
	unsigned recorder = MODEL_RECORDED_BY_TENSORFLOW;

	for (size_t i = 0; i < x->planes.n; i++)
		if (is_of_jax(&x->planes.at[i]))
			recorder = MODEL_RECORDED_BY_JAX;
	if (t->compiled_ops.n && !t->modules.at.n)
		recorder |= MODEL_RECORDED_NO_PROGRAMS;
	if (t->steps_from == STEPS_NONE && has_accelerator(t))
		recorder |= MODEL_RECORDED_NO_STEPS;
	return recorder;
}

/* ---- loading ------------------------------------------------------------- */

/* Of the file, where the trace does not name its host: "vm" of "…/vm.xplane.pb". */
static struct span host_of_path(const char *path)
{
	struct span name = path ? span_after_last(span_of(path), '/') : SPAN("");

	name.n = span_find(name, SPAN(".xplane.pb"));
	return name.n ? name : SPAN("localhost");
}

static enum tfprof_status apply(struct xplane *x, struct model *m, struct load *l,
	struct tfprof_error *err)
{
	struct apply a = {.model = m,
		.trace = &x->trace,
		.host = x->host.n ? x->host : host_of_path(l->in->path),
		.base_ns = trace_get_epoch(x->trace.origin_ns, x->start_ns),
		.recorded_ns = x->start_ns};
	enum tfprof_status status = TFPROF_OK;

	m->numbers_version = NUMBERS_VERSION;
	if (m->reading == TFPROF_READ_FOR_STEP)
		return TFPROF_OK;
	if (!apply_targets(&a) || !apply_fused(&a) || !apply_gradients(&a) ||
		!apply_function_logs(&a) || !apply_compiled(&a) || !apply_modules(&a) ||
		!apply_served(&a) || !apply_devices(&a) || !apply_kernels(&a) ||
		!apply_device_runs(&a) || !apply_ops(&a) || !apply_fused_runs(&a) ||
		!apply_memory(&a))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = apply_stacks(&a, err);
	if (status == TFPROF_OK)
		m->recorded |= find_recorder(x);
	for (size_t i = 0; i < x->planes.n; i++)
		m->n_accelerators_seen += plane_is_accelerator(x->planes.at[i].kind);
	put_notes(l->notes, x, &a);
	if (status == TFPROF_OK)
		explain_join(&a);
	apply_clear(&a);
	m->generation++;
	return status == TFPROF_OK && l->notes->failed ? error_no_memory(err) : status;
}

static enum tfprof_status load_one(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct xplane x = {0};
	enum tfprof_status status = source_own(&l->source, err); /* programs point into it */

	if (status == TFPROF_OK)
		status = read_trace(&x, m, l, err);
	if (status == TFPROF_OK)
		status = model_complete(m, err);
	if (status == TFPROF_OK)
		status = apply(&x, m, l, err);
	clear(&x);
	if (status == TFPROF_OK)
		status = model_keep_trace(m, &l->source, err);
	return status;
}

/* ---- a directory of several hosts ---------------------------------------- */

/* One of the hosts. */
struct host {
	struct tfprof_input in;
	struct load load;
	struct xplane x;
};

static enum tfprof_status read_host(struct host *h, const struct model *m, const struct load *l,
	const char *path, struct tfprof_error *err)
{
	enum tfprof_status status;

	h->in = tfprof_input_file(path);
	h->load = (struct load){.in = &h->in, .kind = l->kind, .notes = l->notes};
	status = load_open(&h->load, m, err);
	return status == TFPROF_OK ? read_trace(&h->x, m, &h->load, err) : status;
}

/* All are read before any is added. */
static enum tfprof_status load_hosts(struct model *m, struct load *l, const xplane_paths *paths,
	struct tfprof_error *err)
{
	struct host *hosts = mem_zero_array(paths->n + 1, sizeof(*hosts));
	enum tfprof_status status = hosts ? model_complete(m, err) : error_no_memory(err);

	for (size_t i = 0; status == TFPROF_OK && i < paths->n; i++) {
		status = read_host(&hosts[i], m, l, paths->at[i], err);
		for (size_t k = 0; status == TFPROF_OK && k < i; k++)
			status = check_new(&hosts[i].load, &hosts[k].load.source, err);
	}
	for (size_t i = 0; status == TFPROF_OK && i < paths->n; i++)
		status = apply(&hosts[i].x, m, &hosts[i].load, err);
	for (size_t i = 0; status == TFPROF_OK && i < paths->n; i++)
		status = model_keep_trace(m, &hosts[i].load.source, err);
	for (size_t i = 0; hosts && i < paths->n; i++) {
		clear(&hosts[i].x);
		source_close(&hosts[i].load.source);
	}
	mem_free(hosts);
	return status;
}

static enum tfprof_status load_run(struct model *m, struct load *l, struct tfprof_error *err)
{
	xplane_paths paths = {0};
	enum tfprof_status status;

	if (!xplane_list_run(l->in->path, &paths))
		status = error_no_memory(err);
	else if (!paths.n)
		status = error_set(err, TFPROF_IO,
			"cannot read: %.300s: a directory without *.xplane.pb", l->in->path);
	else
		status = load_hosts(m, l, &paths, err);
	xplane_free_paths(&paths);
	return status;
}

/* Float operations of the graph that ran, where nothing else says them. A graph that cannot be
 * read for that has given what it could. */
static enum tfprof_status count(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct tfprof_error failed = {0};
	enum tfprof_status status =
		m->graphs.n ? model_count_float_ops(m, l->notes, &failed) : TFPROF_OK;

	if (status == TFPROF_NO_MEMORY)
		return error_no_memory(err);
	if (status != TFPROF_OK)
		buf_printf(l->notes, "float operations are not counted: %s\n", failed.text);
	return TFPROF_OK;
}

enum tfprof_status load_xplane(struct model *m, struct load *l, struct tfprof_error *err)
{
	enum tfprof_status status = l->source.bytes.at ? load_one(m, l, err) : load_run(m, l, err);

	return status == TFPROF_OK ? count(m, l, err) : status;
}
