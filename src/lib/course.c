#include "lib/course.h"

#include "base/clamped.h"
#include "base/error.h"
#include "load/anatomy/anatomy.h"

/* Of a larger trace it would take seconds. */
static const size_t MOST_BYTES = (size_t)256 << 20;
enum { MOST_MOMENTS = 1 << 20 };

enum { NS_PER_US = 1000, PS_PER_NS = 1000, PS_PER_US = 1000000 };

const struct span course_lane_names[N_COURSE_LANES] =
	{[COURSE_STEPS] = {"steps", 5}, [COURSE_PARTS] = {"their parts", 11}};

struct course {
	struct anatomy anatomy;
};

static const enum thread_kind kinds[N_ANATOMY_PARTS] = {
	[ANATOMY_COMPUTE] = THREAD_COMPUTE,
	[ANATOMY_COMMUNICATION] = THREAD_COMMUNICATION,
	[ANATOMY_COPY] = THREAD_COPY,
	[ANATOMY_INPUT] = THREAD_INPUT,
	[ANATOMY_CALLBACK] = THREAD_CALLBACK,
	[ANATOMY_COMPILE] = THREAD_COMPILE,
	[ANATOMY_RUNTIME] = THREAD_WAITING,
	[ANATOMY_DISPATCH] = THREAD_DISPATCH,
	[ANATOMY_PYTHON] = THREAD_PYTHON,
	[ANATOMY_IDLE] = THREAD_UNKNOWN,
	[ANATOMY_UNKNOWN] = THREAD_UNKNOWN,
};

/* As threads and executions count. */
static int64_t to_us(const struct course *c, int64_t ps)
{
	int64_t epoch_ns = c->anatomy.epoch_ns;

	return clamped_sum(epoch_ns / NS_PER_US,
		clamped_sum(epoch_ns % NS_PER_US * PS_PER_NS, ps) / PS_PER_US);
}

enum tfprof_status course_new(tfprof_profile *p, struct course **course, struct tfprof_error *err)
{
	struct course *c = mem_zero(sizeof(*c));
	enum tfprof_status status;

	*course = NULL;
	if (!c)
		return error_no_memory(err);
	status = profile_lock(p, PROFILE_LOADED, err);
	if (status == TFPROF_OK) {
		const struct model *m = &p->model;

		if (m->traces.n == 1 && m->traces.at[0].bytes.n <= MOST_BYTES)
			status = anatomy_read_moments(&c->anatomy, &m->traces.at[0], MOST_MOMENTS,
				err);
		status = profile_unlock(p, status, err);
	}
	if (status == TFPROF_OK)
		*course = c;
	else
		course_free(c);
	return status;
}

void course_free(struct course *course)
{
	if (course)
		anatomy_clear(&course->anatomy);
	mem_free(course);
}

size_t course_get_n_bytes(const struct course *course)
{
	return sizeof(*course) + course->anatomy.moments.n * sizeof(*course->anatomy.moments.at) +
		course->anatomy.steps.n * sizeof(*course->anatomy.steps.at);
}

int course_get_step(const struct course *course, int64_t step, int64_t *start_micros,
	int64_t *end_micros)
{
	const struct anatomy *a = &course->anatomy;

	for (size_t i = 0; a->moments.n && i < a->steps.n; i++) {
		const struct anatomy_step *s = &a->steps.at[i];

		if (s->number != step)
			continue;
		*start_micros = to_us(course, s->start_ps);
		*end_micros = to_us(course, s->start_ps + s->wall_ps);
		return true;
	}
	return false;
}

/* ---- lanes ------------------------------------------------------------------- */

struct visit {
	const struct course *course;
	int64_t from_us, until_us;
	course_event_fn *fn;
	void *context;
};

/* What is shorter than a microsecond cannot be drawn. */
static bool visit(const struct visit *v, enum course_lane lane, enum thread_kind kind,
	int64_t start_ps, int64_t end_ps, const struct buf *name)
{
	struct course_event e = {lane, kind, to_us(v->course, start_ps), to_us(v->course, end_ps),
		buf_get(name)};

	if (name->failed)
		return false;
	return e.end_us <= e.start_us || e.end_us < v->from_us || e.start_us > v->until_us ||
		v->fn(v->context, &e);
}

static bool visit_step(const struct visit *v, const struct anatomy_step *s, struct buf *name)
{
	buf_reset(name);
	buf_text(name, "step ");
	buf_int(name, s->number);
	return visit(v, COURSE_STEPS, THREAD_STEP, s->start_ps, s->start_ps + s->wall_ps, name);
}

static bool visit_moment(const struct visit *v, const struct anatomy_moment *m, struct buf *name)
{
	struct span words = span_of(anatomy_part_words(m->part));

	buf_reset(name);
	/* "Python (not traced)" says it already. */
	if (!m->cause.n || !span_starts(m->cause, words))
		buf_span(name, words);
	if (name->n && m->cause.n)
		buf_text(name, ": ");
	buf_span(name, m->cause);
	return visit(v, COURSE_PARTS, kinds[m->part], m->start_ps, m->end_ps, name);
}

bool course_each(const struct course *course, int64_t from_us, int64_t until_us,
	course_event_fn *fn, void *context)
{
	const struct anatomy *a = &course->anatomy;
	struct visit v = {course, from_us, until_us, fn, context};
	struct buf name = {0};
	bool ok = true;

	for (size_t i = 0; ok && a->moments.n && i < a->steps.n; i++)
		ok = visit_step(&v, &a->steps.at[i], &name);
	for (size_t i = 0; ok && i < a->moments.n; i++)
		ok = visit_moment(&v, &a->moments.at[i], &name);
	buf_clear(&name);
	return ok;
}
