#include "load/anatomy/anatomy.h"

#include "load/anatomy/samples.h"
#include "load/anatomy/scene.h"
#include "load/input.h"
#include "load/xplane/trace.h"

#include "base/ascii.h"

typedef VEC(struct plane) planes;

/* ---- helpers of the scene ------------------------------------------------------------- */

uint32_t scene_add_device(struct scene *s, struct span name)
{
	uint32_t text = strings_add(&s->texts, name);

	if (text == NONE)
		return NONE;
	while (s->device_of.n <= text)
		if (!vec_push(&s->device_of, 0))
			return NONE;
	if (s->device_of.at[text])
		return s->device_of.at[text] - 1;
	if (!vec_push(&s->devices, text))
		return NONE;
	s->device_of.at[text] = (uint32_t)s->devices.n;
	return (uint32_t)s->devices.n - 1;
}

uint32_t scene_add_module(struct scene *s, struct span prefix, struct span function)
{
	struct buf name = {0};
	uint32_t text;

	buf_span(&name, prefix);
	buf_span(&name, function);
	for (size_t i = 0; i < name.n; i++)
		if (!ascii_is_letter(name.at[i]) && !ascii_is_digit(name.at[i]))
			name.at[i] = '_';
	while (name.n && name.at[name.n - 1] == '_')
		name.n--;
	text = name.failed ? NONE : strings_add(&s->texts, buf_get(&name));
	buf_clear(&name);
	return text;
}

struct doing_probe {
	const struct scene *s;
	struct doing doing;
};

static bool same_doing(const void *context, uint32_t i)
{
	const struct doing_probe *probe = context;

	return doing_is_same(probe->s->doings.at[i], probe->doing);
}

uint32_t scene_add_doing(struct scene *s, struct doing doing)
{
	struct doing_probe probe = {s, doing};
	uint64_t hash = doing_hash(doing);
	uint32_t i = hash_find(&s->doing_index, hash, same_doing, &probe);

	if (i != NONE)
		return i;
	if (s->doings.n >= NONE - 1 || !vec_push(&s->doings, doing) ||
		!hash_add(&s->doing_index, hash, (uint32_t)s->doings.n - 1))
		return NONE;
	return (uint32_t)s->doings.n - 1;
}

struct run_probe {
	const struct scene *s;
	uint64_t id;
	uint32_t module;
	bool has_id;
};

static bool same_run(const void *context, uint32_t i)
{
	const struct run_probe *probe = context;
	const struct run *run = &probe->s->runs.at[i];

	return run->id == probe->id && run->module == probe->module && run->has_id == probe->has_id;
}

/* Calls spell the names of programs with letters, digits and '_' only. */
static uint32_t spell_module(struct scene *s, struct span module)
{
	uint32_t text = strings_alias(&s->texts, module), spelled;

	if (text == NONE)
		return NONE;
	while (s->module_of.n <= text)
		if (!vec_push(&s->module_of, 0))
			return NONE;
	if (s->module_of.at[text])
		return s->module_of.at[text] - 1;
	spelled = scene_add_module(s, SPAN(""), module);
	if (spelled != NONE)
		s->module_of.at[text] = spelled + 1;
	return spelled;
}

uint32_t scene_add_run(struct scene *s, struct span module, bool has_id, uint64_t id, int64_t start)
{
	struct run_probe probe = {s, id, spell_module(s, module), has_id};
	uint64_t hash = hash_mix(hash_mix(hash_secret(), id), probe.module);
	uint32_t i;

	if (probe.module == NONE)
		return NONE;
	i = hash_find(&s->run_index, hash, same_run, &probe);
	if (i != NONE) {
		if (start < s->runs.at[i].start)
			s->runs.at[i].start = start;
		return i;
	}
	if (s->runs.n >= NONE - 1 ||
		!vec_push(&s->runs, ((struct run){id, probe.module, has_id, start, INT64_MIN})) ||
		!hash_add(&s->run_index, hash, (uint32_t)s->runs.n - 1))
		return NONE;
	return (uint32_t)s->runs.n - 1;
}

struct span function_of_call(struct span name)
{
	struct span function = span_from(name, span_before(name, '(').n);

	if (function.n)
		function = span_from(function, 1);
	if (function.n)
		function.n--;
	return function;
}

static void clear(struct scene *s)
{
	strings_clear(&s->texts);
	vec_clear(&s->names);
	hlo_modules_clear(&s->modules);
	vec_clear(&s->lines);
	vec_clear(&s->nodes);
	vec_clear(&s->facts);
	scene_clear_work(s);
	vec_clear(&s->work);
	vec_clear(&s->runs);
	hash_clear(&s->run_index);
	vec_clear(&s->devices);
	vec_clear(&s->device_of);
	vec_clear(&s->module_of);
	vec_clear(&s->stages);
	vec_clear(&s->steps);
	vec_clear(&s->doings);
	hash_clear(&s->doing_index);
	vec_clear(&s->stretches);
}

/* ---- the result ------------------------------------------------------------------------- */

static bool copy_text(struct anatomy *a, struct span text, struct span *copy)
{
	*copy = arena_copy(&a->arena, text);
	return copy->at;
}

static bool make_step(const struct scene *s, struct anatomy *a, const struct step *from)
{
	struct anatomy_step step = {.number = from->number,
		.start_ps = from->start,
		.wall_ps = from->end - from->start,
		.marker_ps = from->marker_end - from->marker_start,
		.gap_ps = from->start - from->gap_start};

	if (a->devices.n > 1) {
		step.devices = arena_zero(&a->arena, a->devices.n, sizeof(*step.devices));
		if (!step.devices)
			return false;
	}
	return vec_push(&a->steps, step);
}

/* Each step has the parts of each device, also of those that did nothing: 88 bytes. */
enum { MAX_DEVICE_STEPS = 2000000 };

static bool make_result(struct scene *s, struct anatomy *a)
{
	bool ok = copy_text(a, text_of(s, s->step_name), &a->function);

	a->by = s->by;
	a->others = s->others;
	ok = ok && copy_text(a, s->others.name, &a->others.name);
	a->n_unknown_names = s->n_unknown_names;
	if (s->devices.n > 1 && s->steps.n > MAX_DEVICE_STEPS / s->devices.n)
		a->n_untold = s->devices.n;
	for (size_t i = 0; ok && !a->n_untold && i < s->devices.n; i++) {
		struct span name;

		ok = copy_text(a, text_of(s, s->devices.at[i]), &name) &&
			vec_push(&a->devices, name);
	}
	for (size_t i = 0; ok && i < s->steps.n; i++)
		ok = make_step(s, a, &s->steps.at[i]);
	if (s->timed_device != NONE)
		s->most_moments = 0;
	ok = scene_ok(s, ok) && scene_count(s, a);
	scene_clear_work(s); /* the cut takes most memory, and none of this */
	return ok && scene_cut(s, a) && scene_ok(s, anatomy_find_steady(a)) &&
		scene_list_compiled(s, a);
}

/* ---- reading ------------------------------------------------------------------------------ */

static void read_planes(struct decoder *d, struct span bytes, planes *list)
{
	struct wire_reader r = wire_reader(bytes);
	struct wire_field f;

	while (!d->failed && decoder_find(d, &r, WIRE_LEN(XSPACE_PLANES), &f))
		if (decoder_alloc(d, vec_push(list, ((struct plane){0}))))
			plane_read(&list->at[list->n - 1], d, f.bytes);
}

static void find_origin(struct scene *s, const planes *list, struct anatomy *a)
{
	int64_t origin_ns = INT64_MAX, start_ns = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i].kind == PLANE_HOST || plane_is_accelerator(list->at[i].kind))
			origin_ns = trace_get_origin(&list->at[i], s->d, origin_ns);
		if (list->at[i].kind == PLANE_TASK)
			start_ns =
				(int64_t)xstats_number(&list->at[i].stats, STAT_PROFILE_START_TIME);
	}
	s->origin_ns = origin_ns == INT64_MAX ? 0 : origin_ns;
	a->epoch_ns = trace_get_epoch(s->origin_ns, start_ns);
}

static bool has_operations(const struct plane *p)
{
	for (size_t i = 0; i < p->stat_names.n; i++)
		if (p->stat_names.at[i].stat == STAT_HLO_OP)
			return true;
	return false;
}

/* Before its lines are read, again if they have been. */
static void begin_hosts(struct scene *s, size_t n_bytes)
{
	scene_clear_work(s);
	own_init(&s->own, n_bytes, scene_set_time, s);
	s->own.keeps_all = true;
	s->lines.n = s->nodes.n = s->facts.n = s->stretches.n = 0;
	s->stretches_of = NONE;
	s->is_main_known = true;
}

/* What has no end ends with the trace. */
static void end_regions(struct scene *s)
{
	for (size_t i = 0; i < s->nodes.n; i++)
		if (s->nodes.at[i].end_ps == INT64_MAX)
			s->nodes.at[i].end_ps =
				s->last > s->nodes.at[i].start ? s->last : s->nodes.at[i].start;
}

static bool read_hosts(struct scene *s, const planes *list, size_t n_bytes)
{
	s->takes_programs = true;
	for (size_t i = 0; i < list->n; i++) {
		s->has_accelerator |= plane_is_accelerator(list->at[i].kind) && list->at[i].lines.n;
		s->takes_programs &=
			list->at[i].kind != PLANE_HOST || !has_operations(&list->at[i]);
	}
	s->takes_programs &= !s->has_accelerator;
	for (size_t i = 0; !s->d->failed && i < list->n; i++)
		if (list->at[i].kind == PLANE_MODULES)
			hlo_modules_add(&s->modules, &list->at[i], s->d);
	for (;;) {
		begin_hosts(s, n_bytes);
		for (size_t i = 0; !s->d->failed && i < list->n; i++)
			if (list->at[i].kind == PLANE_HOST)
				scene_read_lines(s, &list->at[i]);
		/* No operation of a compiled program after all. */
		if (s->d->failed || s->takes_programs || s->has_accelerator || s->has_xla ||
			!s->has_programs)
			break;
		s->takes_programs = true;
	}
	end_regions(s);
	return !s->d->failed;
}

static bool read_devices(struct scene *s, const planes *list, struct span function)
{
	if (!function.n)
		scene_choose_clock(s, list->at, list->n);
	for (size_t i = 0; !s->d->failed && i < list->n; i++)
		if (plane_is_accelerator(list->at[i].kind))
			scene_read_device(s, &list->at[i]);
	return !s->d->failed;
}

void scene_release(struct scene *s, size_t n_read)
{
	const size_t most = (size_t)16 << 20;

	s->n_read += n_read;
	if (s->n_read < most || s->from->owner != SOURCE_MAPPED)
		return;
	mapped_file_release(&s->from->file);
	s->n_read = 0;
}

static void read_scene(struct scene *s, struct span function, struct anatomy *a)
{
	struct span bytes = s->from->bytes;
	planes list = {0};

	read_planes(s->d, bytes, &list);
	if (!s->d->failed)
		find_origin(s, &list, a);
	(void)(!s->d->failed && read_hosts(s, &list, bytes.n) && scene_find_work(s) &&
		read_devices(s, &list, function) && scene_find_steps(s, function) &&
		scene_find_stages(s) && scene_read_main(s) &&
		scene_name_python(s, list.at, list.n) && scene_find_late(s, a) &&
		make_result(s, a));
	for (size_t i = 0; i < list.n; i++)
		plane_clear(&list.at[i]);
	vec_clear(&list);
}

static bool init(struct scene *s)
{
	s->get_next = strings_alias(&s->texts, SPAN("IteratorGetNext"));
	return s->get_next != NONE;
}

static enum tfprof_status read_bytes(struct anatomy *a, const struct source *from,
	struct span function, size_t most, struct tfprof_error *err)
{
	struct decoder d = {0};
	struct scene s = {.d = &d,
		.from = from,
		.main = NONE,
		.timed_device = NONE,
		.most_moments = most};
	const struct tfprof_input in = {.path = from->path};

	if (decoder_alloc(&d, strings_init(&s.texts)) && decoder_alloc(&d, init(&s)))
		read_scene(&s, function, a);
	clear(&s);
	return input_status(&in, INPUT_XPLANE, from, &d, err);
}

static enum tfprof_status read_source(struct anatomy *a, const struct source *from,
	struct span function, size_t most, struct tfprof_error *err)
{
	enum tfprof_status status = source_check(from, err);

	*a = (struct anatomy){0};
	if (status == TFPROF_OK)
		status = read_bytes(a, from, function, most, err);
	if (from->owner == SOURCE_MAPPED)
		mapped_file_release(&from->file);
	return status;
}

enum tfprof_status anatomy_read_source(struct anatomy *a, const struct source *from,
	struct span function, struct tfprof_error *err)
{
	return read_source(a, from, function, 0, err);
}

enum tfprof_status anatomy_read_moments(struct anatomy *a, const struct source *from, size_t most,
	struct tfprof_error *err)
{
	return read_source(a, from, SPAN(""), most, err);
}
