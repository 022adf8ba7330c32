/* events: what ran when and where, a row per execution, sorted by device and start. */
#include "ask/question.h"

#include "model/events.h"
#include "model/executed.h"

/* id, name, type, unit */
/* clang-format off */
#define EVENTS_TABLE(X)                                                        \
	X(NAME, "name", TEXT, NULL)                                            \
	X(OP, "op", TEXT, NULL)                                                \
	X(NODE, "node", INT64, NULL)                                           \
	X(STEP, "step", INT64, NULL)                                           \
	X(DEVICE, "device", TEXT, NULL)                                        \
	X(KIND, "kind", TEXT, NULL)                                            \
	X(LANE, "lane", INT64, NULL)                                           \
	X(START, "start_micros", INT64, "microseconds")                        \
	X(DURATION, "duration_micros", INT64, "microseconds")
/* clang-format on */

enum {
#define X(id, name, type, unit) EVENT_##id,
	EVENTS_TABLE(X)
#undef X
		N_EVENT_COLUMNS
};

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, unit) {name, TFPROF_COLUMN_##type, unit, 0},
	EVENTS_TABLE(X)
#undef X
};

static void put_event(struct column_table *t, size_t row, const struct model *m,
	const struct events *e)
{
	struct table_column *c = t->columns;
	struct event event = events_get(e, row);
	const struct device *device = &e->devices.at.at[event.device];

	table_put_text(&c[EVENT_NAME], model_name(m, event.node));
	table_put_text(&c[EVENT_OP], model_text(m, model_op(m, event.node)));
	c[EVENT_NODE].numbers[row] = event.node;
	c[EVENT_STEP].numbers[row] = m->steps.at[event.step];
	table_put_text(&c[EVENT_DEVICE], device->name);
	table_put_text(&c[EVENT_KIND], span_of(device_kinds[device->kind].name));
	c[EVENT_LANE].numbers[row] = event.lane;
	c[EVENT_START].numbers[row] = event.start_us;
	c[EVENT_DURATION].numbers[row] = event.duration_us;
}

static enum tfprof_status put_events(struct column_table *t, const struct model *m,
	const struct events *e, struct tfprof_error *err)
{
	if (!column_table_init(t, infos, N_EVENT_COLUMNS, e->n))
		return error_no_memory(err);
	for (size_t row = 0; row < e->n; row++)
		put_event(t, row, m, e);
	return TFPROF_OK;
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	int64_t step = q->options->number[OPT_STEP];
	struct events events = {0};
	enum tfprof_status status = events_read(&events, q->model, step, err);

	if (status == TFPROF_OK)
		status = put_events(&a->table, q->model, &events, err);
	events_clear(&events);
	return status;
}

static const struct question_need needs[] = {
	{asked_ran, RUNS_MISSING, RUNS_REMEDY},
	{NULL, NULL, NULL},
};

const struct question events_question = {
	.name = "events",
	.summary = "what ran when and where, execution by execution",
	.description = "Prints one line per execution, sorted by device and start: the node, its "
		       "operation type, step, device and lane (a thread or stream), start and "
		       "duration in microseconds.",
	.example = "--step=0 --output=csv",
	.state = QUESTION_LOADED,
	.needs = needs,
	.not_saved = "threads and streams",
	.run = run,
};
