/* transfers: copies and collectives of accelerators, and how much of them computing hides
 * (model/accelerator.h). Times are of all devices together. */
#include <stdlib.h>

#include "ask/question.h"

/* id, name, type, unit */
/* clang-format off */
#define TRANSFERS_COLUMNS(X)                                                   \
	X(OPERATION, "operation", TEXT, NULL)                                  \
	X(DIRECTION, "direction", TEXT, NULL)                                  \
	X(COUNT, "count", INT64, NULL)                                         \
	X(IN_FLIGHT, "in_flight_micros", DOUBLE, "microseconds")               \
	X(EXPOSED, "exposed_micros", DOUBLE, "microseconds")                   \
	X(HIDDEN, "hidden_micros", DOUBLE, "microseconds")                     \
	X(BYTES, "bytes", INT64, "bytes")                                      \
	X(BANDWIDTH, "bytes_per_second", DOUBLE, NULL)                         \
	X(FASTEST, "fastest_bytes_per_second", DOUBLE, NULL)                   \
	X(TRANSFER, "transfer_micros", DOUBLE, "microseconds")                 \
	X(SKEW, "skew_micros", DOUBLE, "microseconds")                         \
	X(BEGUN_BY, "begun_by", TEXT, NULL)                                    \
	X(SERVES, "serves", TEXT, NULL)                                        \
	X(NODE, "node", TEXT, NULL)
/* clang-format on */

enum {
#define X(id, ...) TRANSFERS_##id,
	TRANSFERS_COLUMNS(X)
#undef X
		N_TRANSFERS_COLUMNS
};

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, one) {name, TFPROF_COLUMN_##type, one, 0},
	TRANSFERS_COLUMNS(X)
#undef X
};

static const char *const directions[] = {
#define X(id, text) text,
	TRANSFER_DIRECTIONS(X)
#undef X
};

static int most_exposed_first(const void *a, const void *b)
{
	const struct accelerator_transfer *x = a, *y = b;

	if (x->exposed_ps != y->exposed_ps)
		return x->exposed_ps > y->exposed_ps ? -1 : 1;
	if (x->in_flight_ps != y->in_flight_ps)
		return x->in_flight_ps > y->in_flight_ps ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static void put_time(struct column_table *t, size_t row, size_t column, int64_t ps)
{
	if (ps >= 0)
		table_set_double(t, row, column, (double)ps / 1e6);
}

static void put_one(struct column_table *t, const struct model *m,
	const struct accelerator_transfer *of)
{
	size_t row = column_table_add_row(t, 0, model_text(m, of->name));

	table_set_text(t, row, TRANSFERS_OPERATION, model_text(m, of->opcode));
	table_set_text(t, row, TRANSFERS_DIRECTION, span_of(directions[of->direction]));
	table_set_int(t, row, TRANSFERS_COUNT, of->n);
	put_time(t, row, TRANSFERS_IN_FLIGHT, of->in_flight_ps);
	put_time(t, row, TRANSFERS_EXPOSED, of->exposed_ps);
	if (of->in_flight_ps >= of->exposed_ps)
		put_time(t, row, TRANSFERS_HIDDEN, of->in_flight_ps - of->exposed_ps);
	if (of->bytes > 0)
		table_set_int(t, row, TRANSFERS_BYTES, of->bytes);
	if (of->bytes > 0 && of->in_flight_ps > 0)
		table_set_double(t, row, TRANSFERS_BANDWIDTH,
			(double)of->bytes / (double)of->in_flight_ps * 1e12);
	if (of->fastest > 0)
		table_set_double(t, row, TRANSFERS_FASTEST, of->fastest);
	put_time(t, row, TRANSFERS_TRANSFER, of->transfer_ps);
	put_time(t, row, TRANSFERS_SKEW, of->skew_ps);
	table_set_text(t, row, TRANSFERS_BEGUN_BY, model_text(m, of->begun));
	table_set_text(t, row, TRANSFERS_SERVES, model_text(m, of->served));
	table_set_text(t, row, TRANSFERS_NODE, model_name(m, of->node));
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	const struct model *m = q->model;
	size_t n = m->device_transfers.n;
	struct accelerator_transfer *sorted = mem_array(n + 1, sizeof(*sorted));

	if (!sorted || !column_table_init_tree(&a->table, infos, N_TRANSFERS_COLUMNS)) {
		mem_free(sorted);
		return error_no_memory(err);
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = m->device_transfers.at[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), most_exposed_first);
	column_table_add_row(&a->table, TABLE_NO_PARENT, SPAN("transfers"));
	for (size_t i = 0; i < n; i++)
		put_one(&a->table, m, &sorted[i]);
	mem_free(sorted);
	return TFPROF_OK;
}

static bool has_accelerators(const struct asked *q)
{
	return q->model->accelerators.n > 0;
}

static const struct question_need needs[] = {
	{has_accelerators, "no copies or collectives of accelerators were traced",
		"a trace (*.xplane.pb) of a GPU or TPU"},
	{NULL, NULL, NULL},
};

static const char *const sums[] = {"count", "in_flight_micros", "exposed_micros", "hidden_micros",
	"bytes", "transfer_micros", "skew_micros", NULL};

const struct question transfers_question = {
	.name = "transfers",
	.summary = "copies and collectives of accelerators",
	.description =
		"Prints one line per copy or collective of the accelerators in a trace: how long "
		"it was "
		"in flight, how much of that was exposed, with nothing else running, and how much "
		"computing hid; bytes and bandwidth; and of collectives, how much was waiting for "
		"slower devices (skew). Those with the most exposed time come first.",
	.example = "",
	.state = QUESTION_LOADED,
	.sums = sums,
	.needs = needs,
	.not_saved = "copies and collectives",
	.run = run,
};
