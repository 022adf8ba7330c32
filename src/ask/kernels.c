/* op --by=kernel: what GPUs ran, as their recorders call it.
 *
 *     void tensorflow::functor::FillPhiloxRandomKernelLaunch<…>(…)     name: functor::FillPhilox…
 *     regs:38 shm:0 grid:160,1,1 block:1024,1,1                        the columns behind
 *
 * A row has a kernel of a node with one grid and block. */
#include "ask/kernels.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "load/xplane/kernel_name.h"
#include "model/trace.h"

/* id, name, type, unit */
/* clang-format off */
#define KERNELS_COLUMNS(X)                                                     \
	X(NODE, "node", TEXT, NULL)                                            \
	X(TYPE, "type", TEXT, NULL)                                            \
	X(LINE, "line", TEXT, NULL)                                            \
	X(RUNS, "runs", INT64, NULL)                                           \
	X(TIME, "exec_micros", DOUBLE, "microseconds")                         \
	X(MIN, "min_micros", DOUBLE, "microseconds")                           \
	X(MAX, "max_micros", DOUBLE, "microseconds")                           \
	X(GRID, "grid", TEXT, NULL)                                            \
	X(BLOCK, "block", TEXT, NULL)                                          \
	X(REGISTERS, "registers", INT64, NULL)                                 \
	X(SHARED, "shared_bytes", INT64, "bytes")                              \
	X(OCCUPANCY, "occupancy", DOUBLE, NULL)                                \
	X(FULL_NAME, "full_name", TEXT, NULL)
/* clang-format on */

enum {
#define X(id, ...) KERNELS_##id,
	KERNELS_COLUMNS(X)
#undef X
		N_KERNELS_COLUMNS
};

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, one) {name, TFPROF_COLUMN_##type, one, 0},
	KERNELS_COLUMNS(X)
#undef X
};

/* ---- details --------------------------------------------------------------- */

/* "160,1,1" of "regs:38 grid:160,1,1" for "grid"; empty if it has none. */
static struct span find_detail(struct span details, const char *word)
{
	struct span key = span_of(word);

	for (size_t at = 0, end; at < details.n; at = end + 1) {
		struct span item;

		for (end = at; end < details.n && details.at[end] != ' ' && details.at[end] != '\n';
			end++)
			;
		item = (struct span){details.at + at, end - at};
		if (item.n > key.n && span_starts(item, key) && item.at[key.n] == ':')
			return span_from(item, key.n + 1);
	}
	return SPAN("");
}

/* -1 if it is not a number. */
static int64_t find_number(struct span details, const char *word)
{
	struct span text = find_detail(details, word);
	int64_t number = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (!ascii_is_digit(text.at[i]) || number > INT64_MAX / 100)
			return -1;
		number = 10 * number + (text.at[i] - '0');
	}
	return text.n ? number : -1;
}

/* NAN if it is none. */
static double find_real(struct span details, const char *word)
{
	struct span text = find_detail(details, word);
	char digits[32], *end;
	double number;

	if (!text.n || text.n >= sizeof(digits))
		return NAN;
	memcpy(digits, text.at, text.n);
	digits[text.n] = '\0';
	number = strtod(digits, &end);
	return *end || end == digits || !isfinite(number) || number < 0 ? NAN : number;
}

/* Recorders have different words for it; of some, part is static. */
static int64_t find_shared(struct span details)
{
	static const char *const words[] = {"shm", "group_mem", "static_shared", "dynamic_shared"};
	int64_t sum = -1;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		int64_t n = find_number(details, words[i]);

		if (n >= 0 && n < INT64_MAX / 8)
			sum = sum < 0 ? n : sum + n;
	}
	return sum;
}

static void put_details(struct column_table *t, size_t row, struct span details)
{
	int64_t registers = find_number(details, "regs"), shared = find_shared(details);
	double occupancy = find_real(details, "occ_pct");

	table_set_text(t, row, KERNELS_GRID, find_detail(details, "grid"));
	table_set_text(t, row, KERNELS_BLOCK, find_detail(details, "block"));
	if (registers >= 0)
		table_set_int(t, row, KERNELS_REGISTERS, registers);
	if (shared >= 0)
		table_set_int(t, row, KERNELS_SHARED, shared);
	/* Recorders that do not compute it write 0. */
	if (occupancy > 0)
		table_set_double(t, row, KERNELS_OCCUPANCY, occupancy);
}

/* ---- the table --------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct accelerator_kernel *x = a, *y = b;

	if (x->total_ps != y->total_ps)
		return x->total_ps > y->total_ps ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
				  : (x->details > y->details) - (x->details < y->details);
}

static enum tfprof_status put_kernel(struct answer *a, const struct model *m,
	const struct accelerator_kernel *k, struct buf *text, struct tfprof_error *err)
{
	struct column_table *t = &a->table;
	struct span source;
	enum tfprof_status status;
	size_t row;

	kernel_put_short_name(text, model_text(m, k->name));
	row = column_table_add_row(t, 0, buf_get(text));
	text->n = 0;
	status = trace_put_user_line(text, m, k->node, &source, err);
	table_set_text(t, row, KERNELS_NODE, model_name(m, k->node));
	table_set_text(t, row, KERNELS_TYPE, model_text(m, model_op(m, k->node)));
	table_set_text(t, row, KERNELS_LINE, buf_get(text));
	table_set_int(t, row, KERNELS_RUNS, k->n_runs);
	table_set_double(t, row, KERNELS_TIME, (double)k->total_ps / 1e6);
	table_set_double(t, row, KERNELS_MIN, (double)k->min_ps / 1e6);
	table_set_double(t, row, KERNELS_MAX, (double)k->max_ps / 1e6);
	put_details(t, row, model_text(m, k->details));
	table_set_text(t, row, KERNELS_FULL_NAME, model_text(m, k->name));
	a->failed |= text->failed;
	return status;
}

/* The root has the sums. */
static void put_sums(struct column_table *t, const struct model *m)
{
	int64_t n_runs = 0;
	double total_ps = 0;

	for (size_t i = 0; i < m->kernels.n; i++) {
		n_runs += m->kernels.at[i].n_runs;
		total_ps += (double)m->kernels.at[i].total_ps;
	}
	table_set_int(t, 0, KERNELS_RUNS, n_runs);
	table_set_double(t, 0, KERNELS_TIME, total_ps / 1e6);
}

enum tfprof_status kernels_answer(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	const struct model *m = q->model;
	struct accelerator_kernel *sorted;
	struct buf text = {0};
	enum tfprof_status status = TFPROF_OK;

	if (q->visit)
		return error_set(err, TFPROF_ARGUMENT,
			"op views are compared by op or kind, not by kernel");
	if (!m->kernels.n)
		return error_set(err, TFPROF_UNSUPPORTED, "op: no kernels: %s",
			model_is_saved_trace(m)
				? "a saved profile lacks them: add the trace that it was saved from"
				: "add a trace (*.xplane.pb) of a GPU that ran one");
	sorted = mem_array(m->kernels.n, sizeof(*sorted));
	if (!sorted || !column_table_init_tree(&a->table, infos, N_KERNELS_COLUMNS)) {
		mem_free(sorted);
		return error_no_memory(err);
	}
	memcpy(sorted, m->kernels.at, m->kernels.n * sizeof(*sorted));
	qsort(sorted, m->kernels.n, sizeof(*sorted), by_time);
	column_table_add_row(&a->table, TABLE_NO_PARENT, SPAN("kernels"));
	for (size_t i = 0; status == TFPROF_OK && i < m->kernels.n; i++)
		status = put_kernel(a, m, &sorted[i], &text, err);
	put_sums(&a->table, m);
	mem_free(sorted);
	buf_clear(&text);
	return status;
}
