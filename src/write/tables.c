#include "write/tables.h"

#include "model/executed.h"

enum tfprof_status table_start(struct column_table *t, const struct tfprof_column_info *infos,
	size_t n_columns, const struct step_list *steps, size_t n, struct tfprof_error *err)
{
	const size_t most = (size_t)1 << 27;
	size_t n_rows;

	if (__builtin_mul_overflow(n, steps->n, &n_rows) || n_rows > most)
		return error_set(err, TFPROF_UNSUPPORTED,
			"%zu rows in each of %zu steps: a table has at most %zu rows: ask for one "
			"step",
			n, steps->n, most);
	if (!column_table_init(t, infos, n_columns, n_rows))
		return error_no_memory(err);
	for (size_t i = 0; i < n_columns; i++)
		t->columns[i].view.is_nullable = strcmp(infos[i].name, "step") == 0;
	return TFPROF_OK;
}

/* ---- summary ---------------------------------------------------------------- */

/* column, type: the fields of struct tfprof_summary */
#define SUMMARY_COLUMNS(X)       \
	X(n_nodes, INT64)        \
	X(n_steps, INT64)        \
	X(n_devices, INT64)      \
	X(has_code_traces, BOOL) \
	X(has_run_meta, BOOL)    \
	X(has_float_ops, BOOL)   \
	X(has_checkpoint, BOOL)  \
	X(has_lanes, BOOL)

static const struct tfprof_column_info summary_infos[] = {
#define X(field, type) {#field, TFPROF_COLUMN_##type, NULL, 0},
	SUMMARY_COLUMNS(X)
#undef X
		{"coverage", TFPROF_COLUMN_DOUBLE, NULL, 0},
	{"graph_hash", TFPROF_COLUMN_TEXT, NULL, 0},
};

/* FNV-1a: the same in every process, unlike hash_bytes(). */
static uint64_t stable_hash(uint64_t h, struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		h = (h ^ (unsigned char)text.at[i]) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

/* Equal for equal sets of nodes, in whatever order they were read. */
static uint64_t graph_hash(const struct model *m)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->nodes.n; i++)
		sum += hash_mix(stable_hash(stable_hash(0xcbf29ce484222325u, model_name(m, i)),
					model_text(m, model_op(m, i))),
			1);
	return sum;
}

enum tfprof_status table_make_summary(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err)
{
	enum { N = sizeof(summary_infos) / sizeof(*summary_infos) };
	static const char digits[] = "0123456789abcdef";
	uint64_t hash = graph_hash(source->model);
	struct table_column *c;

	if (!column_table_init(t, summary_infos, N, 1))
		return error_no_memory(err);
	c = t->columns;
#define X(field, type) (c++)->numbers[0] = (int64_t)source->summary->field;
	SUMMARY_COLUMNS(X)
#undef X
	(c++)->doubles[0] = source->summary->coverage;
	for (int shift = 60; shift >= 0; shift -= 4)
		buf_char(&c->bytes, digits[hash >> shift & 15]);
	table_end_text(c);
	return column_table_finish(t, err);
}
