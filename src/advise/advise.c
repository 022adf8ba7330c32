#include "advise/advise.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "advise/checkers.h"
#include "advise/parts.h"
#include "base/cancel.h"

#define X(name) extern const struct checker name##_checker;
CHECKERS(X)
#undef X

static const struct checker *const checkers[] = {
#define X(name) &name##_checker,
	CHECKERS(X)
#undef X
};

enum { N_CHECKERS = sizeof(checkers) / sizeof(*checkers) };

const struct checker *checker_get(size_t i)
{
	return i < N_CHECKERS ? checkers[i] : NULL;
}

const struct tfprof_checker_info *tfprof_checker_get_info(size_t i)
{
	return i < N_CHECKERS ? &checkers[i]->info : NULL;
}

/* ---- what checkers use ------------------------------------------------------ */

static size_t index_of(const struct checker *checker)
{
	size_t i = 0;

	while (checkers[i] != checker)
		i++;
	return i;
}

const char *check_word(const struct check *c, const char *option)
{
	size_t i = 0;

	while (strcmp(c->checker->info.options[i].name, option) != 0)
		i++;
	return advice_options_value(c->options, index_of(c->checker), i);
}

double check_number(const struct check *c, const char *option)
{
	return strtod(check_word(c, option), NULL);
}

int64_t check_int(const struct check *c, const char *option)
{
	return to_int(check_number(c, option));
}

void *check_alloc(struct check *c, size_t n, size_t item_size)
{
	void *block = arena_zero(&c->advice->arena, n, item_size);

	if (!block)
		c->advice->failed = true;
	return block;
}

struct span check_copy(struct check *c, struct span text)
{
	struct span copy = arena_copy(&c->advice->arena, text);

	if (!copy.at) {
		c->advice->failed = true;
		return (struct span){"", 0};
	}
	return copy;
}

const struct activity *check_activity(struct check *c)
{
	struct advice *a = c->advice;

	if (a->activity)
		return a->activity;
	a->activity = check_alloc(c, 1, sizeof(*a->activity));
	if (!a->activity)
		return NULL;
	if (!activity_collect(a->activity, c->model)) {
		a->failed = true;
		activity_clear(a->activity);
		a->activity = NULL;
	} else {
		check_set_walls(c, a->activity);
	}
	return a->activity;
}

const struct device *check_device(struct check *c, uint32_t node)
{
	static const struct device nowhere = {.kind = DEVICE_KIND_OTHER};
	struct advice *a = c->advice;
	uint32_t name = c->model->nodes.device[node];

	if (name != a->last_name) {
		a->last_device = devices_add(&a->devices, model_text(c->model, name));
		a->last_name = name;
		a->failed |= a->last_device == NONE;
	}
	return a->last_device == NONE ? &nowhere : &a->devices.at.at[a->last_device];
}

bool check_cancelled(const struct check *c)
{
	return is_cancelled(c->cancel);
}

enum tfprof_status check_query(struct check *c, enum tfprof_view view, const char *const *settings,
	struct query *q, struct tfprof_error *err)
{
	struct tfprof_options *o = tfprof_options_new();
	enum tfprof_status status = o ? TFPROF_OK : error_no_memory(err);

	*q = (struct query){.model = c->model,
		.kind = view,
		.cancel = c->cancel,
		.metrics = ALL_METRICS};
	for (; status == TFPROF_OK && *settings; settings += 2)
		status = tfprof_options_set(o, settings[0], settings[1], err);
	if (status == TFPROF_OK)
		status = tfprof_options_set(o, "source_lines",
			c->options->number[OPT_SOURCE_LINES] ? "true" : "false", err);
	if (o)
		o->tolerant = c->options->tolerant;
	q->options = o;
	if (status == TFPROF_OK)
		status = c->views->get(c->views->context, q, err);
	if (status == TFPROF_OK)
		status = query_run(q, err);
	/* The result does not refer to the options. */
	tfprof_options_free(o);
	q->options = NULL;
	return status;
}

/* ---- findings --------------------------------------------------------------- */

struct finding *check_find(struct check *c, const char *what, enum tfprof_level level,
	enum confidence confidence)
{
	struct finding *f = check_alloc(c, 1, sizeof(*f));

	if (c->text.failed || !f || !vec_push(&c->verdict->findings, f)) {
		c->advice->failed = true;
		f = &c->lost;
	}
	vec_clear(&c->lost.places);
	vec_clear(&c->lost.figures);
	*f = (struct finding){.what = what,
		.level = level,
		.confidence = confidence,
		.text = check_copy(c, buf_get(&c->text)),
		.step = NO_STEP};
	c->text.n = 0;
	return f;
}

void check_place(struct check *c, struct finding *f, struct place place)
{
	if (!vec_push(&f->places, place))
		c->advice->failed = true;
}

void check_figure(struct check *c, struct finding *f, const char *name, double value)
{
	if (!vec_push(&f->figures, ((struct figure){name, value})))
		c->advice->failed = true;
}

static void remark(struct check *c, const char *format, va_list arguments)
{
	char text[1024];
	int n = vsnprintf(text, sizeof(text), format, arguments);
	size_t length = n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;

	c->verdict->remark = check_copy(c, (struct span){text, length});
}

void check_skip(struct check *c, const char *reason, const char *format, ...)
{
	va_list arguments;

	c->verdict->reason = reason;
	va_start(arguments, format);
	remark(c, format, arguments);
	va_end(arguments);
	c->verdict->skipped = true;
}

const char *check_lacks(struct check *c, const char *otherwise)
{
	const struct activity *a = check_activity(c);

	for (size_t i = 0; a && i < a->devices.at.n; i++)
		if (device_is_accelerator(&a->devices.at.at[i]))
			return otherwise;
	return NO_ACCELERATOR;
}

const char *check_per_step(const struct check *c)
{
	return c->model->recorded & MODEL_RECORDED_NO_STEPS ? " in the trace" : " per step";
}

void check_ok(struct check *c, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	remark(c, format, arguments);
	va_end(arguments);
}

void check_note(struct check *c, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	buf_text(&c->advice->notes, text);
	buf_char(&c->advice->notes, '\n');
}

/* ---- running ---------------------------------------------------------------- */

/* Failures that end the advice; an invalid option is the caller's mistake. */
static bool stops_all(enum tfprof_status status)
{
	return status == TFPROF_NO_MEMORY || status == TFPROF_CANCELLED ||
		status == TFPROF_ARGUMENT || status == TFPROF_REGEX;
}

static enum tfprof_status run_one(struct check *c, struct tfprof_error *err)
{
	struct tfprof_error error = {0};
	enum tfprof_status status;

	if (c->checker->needs_run_meta && !c->model->steps.n && !c->model->traces.n) {
		check_skip(c, NO_RUN_METADATA, "Missing RunMetadata info. Skip %s",
			c->checker->info.name);
		return TFPROF_OK;
	}
	c->parts = NULL;
	status = c->checker->reads_parts ? check_parts(c, &c->parts, &error) : TFPROF_OK;
	if (status == TFPROF_OK)
		status = c->checker->run(c, &error);
	if (status == TFPROF_OK && check_cancelled(c))
		status = error_set(&error, TFPROF_CANCELLED, "the advisor was stopped");
	if (stops_all(status)) {
		if (err)
			*err = error;
		return status;
	}
	/* A failure of one checker need not stop the others. */
	if (status != TFPROF_OK)
		check_skip(c, "failed", "%s", error.text);
	return TFPROF_OK;
}

enum tfprof_status advise_run(struct advice *a, const struct model *m,
	const struct tfprof_options *o, const struct advise_views *views,
	const volatile int *cancel, struct tfprof_error *err)
{
	struct check c = {.model = m, .options = o, .views = views, .cancel = cancel, .advice = a};
	enum tfprof_status status = TFPROF_OK;

	*a = (struct advice){.last_name = NONE, .as_tensorflow = o->tolerant};
	if (o->tolerant)
		advice_options_put_unknown(o, &a->notes);
	/* Reserving all keeps pointers to verdicts valid. */
	if (!vec_reserve(&a->verdicts, N_CHECKERS))
		return error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && i < N_CHECKERS; i++) {
		if (!advice_options_chosen(o, i))
			continue;
		c.checker = checkers[i];
		c.verdict = &a->verdicts.at[a->verdicts.n++];
		*c.verdict = (struct verdict){.checker = checkers[i]};
		status = run_one(&c, err);
		if (status == TFPROF_OK && (a->failed || a->notes.failed))
			status = error_no_memory(err);
		/* Otherwise the report ends with it. */
		if (status == TFPROF_OK && o->tolerant && c.checker->in_tensorflow &&
			c.verdict->remark.n)
			check_note(&c, "%s", c.verdict->remark.at);
	}
	vec_clear(&c.lost.places);
	vec_clear(&c.lost.figures);
	buf_clear(&c.text);
	return status;
}

void advice_clear(struct advice *a)
{
	for (size_t i = 0; i < a->verdicts.n; i++) {
		struct verdict *v = &a->verdicts.at[i];

		for (size_t k = 0; k < v->findings.n; k++) {
			vec_clear(&v->findings.at[k]->places);
			vec_clear(&v->findings.at[k]->figures);
		}
		vec_clear(&v->findings);
	}
	vec_clear(&a->verdicts);
	if (a->activity)
		activity_clear(a->activity);
	step_parts_clear(a->parts);
	devices_clear(&a->devices);
	buf_clear(&a->notes);
	arena_clear(&a->arena);
}

enum tfprof_level advice_level(const struct advice *a)
{
	enum tfprof_level level = TFPROF_LEVEL_NONE;

	for (size_t i = 0; i < a->verdicts.n; i++)
		for (size_t k = 0; k < a->verdicts.at[i].findings.n; k++)
			if (a->verdicts.at[i].findings.at[k]->level > level)
				level = a->verdicts.at[i].findings.at[k]->level;
	return level;
}

const char *advice_level_name(enum tfprof_level level)
{
	static const char *const names[] = {"none", "notice", "warning", "high"};

	return names[level];
}

const char *advice_confidence_name(enum confidence confidence)
{
	static const char *const names[] = {"low", "medium", "high"};

	return names[confidence];
}
