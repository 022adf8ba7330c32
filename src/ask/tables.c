#include "ask/tables.h"

#include "ask/question.h"

#include "model/executed.h"
#include "model/profile_fields.h"

enum tfprof_status table_start(struct column_table *t, const struct tfprof_column_info *infos,
	size_t n_columns, const struct step_list *steps, size_t n, struct tfprof_error *err)
{
	enum tfprof_status status = step_list_check(steps, n, err);

	if (status != TFPROF_OK)
		return status;
	if (!column_table_init(t, infos, n_columns, n * steps->n))
		return error_no_memory(err);
	for (size_t i = 0; i < n_columns; i++)
		t->columns[i].view.is_nullable = strcmp(infos[i].name, "step") == 0;
	return TFPROF_OK;
}

/* ---- the question --------------------------------------------------------- */

static const struct table_kind {
	const char *name;
	enum table_needs needs;
	const char *named_by;
	table_maker *make;
} kinds[] = {
#define X(name, needs, named_by, ...) {#name, needs, named_by, table_make_##name},
	TABLES(X)
#undef X
};

/* The tree of call stacks; NULL if the profile has none. */
static enum tfprof_status find_code(const struct asked *q, const struct tree **code,
	struct tfprof_error *err)
{
	struct query view = {.model = q->model, .kind = TFPROF_CODE, .options = q->options};
	enum tfprof_status status;

	if (!q->model->has_trace)
		return TFPROF_OK;
	status = q->get_view(q->profile, &view, err);
	if (status == TFPROF_OK)
		*code = view.tree;
	return status == TFPROF_UNSUPPORTED ? TFPROF_OK : status;
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	const struct table_kind *kind = kinds;
	struct table_source source = {.model = q->model,
		.steps = step_list_of(q->model, q->options->number[OPT_STEP])};
	enum tfprof_status status = TFPROF_OK;

	while (!span_equal(span_of(kind->name), q->options->list[OPT_TABLE].at[0]))
		kind++;
	if (kind->needs == FROM_NAMES)
		status = q->get_names(q->profile, &source.by_name, err);
	if (kind->needs == FROM_CODE)
		status = find_code(q, &source.code, err);
	if (status == TFPROF_OK)
		status = kind->make(&a->table, &source, err);
	a->table.named_by = kind->named_by;
	return status;
}

const struct question table_question = {
	.name = "table",
	.summary = "a plain table of all steps, for many profiles together",
	.description =
		"Writes one of the tables that tfprof index makes, for one profile: every step "
		"in one pass, with the step and the device as columns, and own numbers that "
		"add up.",
	.example = "--table=ops --output=csv",
	.state = QUESTION_INDEXED,
	.not_saved = "times of whole steps, and their parts",
	.run = run,
};

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
		{"numbers_version", TFPROF_COLUMN_INT64, NULL, 0},
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

static size_t count_device(bool *seen, uint32_t device)
{
	bool is_new = device && !seen[device];

	seen[device] = true;
	return is_new;
}

/* Those that nodes are placed on, and those that they ran on besides. */
static size_t count_devices(const struct model *m)
{
	bool *seen = mem_zero(m->strings.text.n);
	size_t n = 0;

	for (size_t i = 0; seen && i < m->nodes.n; i++)
		n += count_device(seen, model_device(m, (uint32_t)i));
	for (size_t i = 0; seen && i < m->accelerators.n; i++)
		n += count_device(seen, m->accelerators.at[i].device);
	mem_free(seen);
	return n;
}

void table_summarize(const struct model *m, struct tfprof_summary *s)
{
	size_t n_run = 0;

	*s = (struct tfprof_summary){
		.n_nodes = m->nodes.n,
		.n_steps = m->steps.n,
		.n_devices = count_devices(m),
		.has_code_traces = m->has_trace,
		.has_run_meta = m->execs.n_rows != 0,
		.has_checkpoint = m->checkpoint != NULL,
		.misses_accelerator_stream = m->misses_accelerator_stream,
	};
	for (size_t i = 0; i < m->nodes.n; i++) {
		s->has_float_ops |= m->nodes.float_ops[i] != 0;
		n_run += m->nodes.first_exec[i] != NONE;
	}
	s->coverage = m->nodes.n ? (double)n_run / (double)m->nodes.n : 0;
	s->has_lanes = m->execs.lanes.n > 0;
}

enum tfprof_status table_make_summary(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err)
{
	enum { N = sizeof(summary_infos) / sizeof(*summary_infos) };
	static const char digits[] = "0123456789abcdef";
	uint64_t hash = graph_hash(source->model);
	struct tfprof_summary summary;
	struct table_column *c;

	if (!column_table_init(t, summary_infos, N, 1))
		return error_no_memory(err);
	table_summarize(source->model, &summary);
	c = t->columns;
#define X(field, type) (c++)->numbers[0] = (int64_t)summary.field;
	SUMMARY_COLUMNS(X)
#undef X
	(c++)->numbers[0] =
		source->model->numbers_version ? source->model->numbers_version : NUMBERS_VERSION;
	(c++)->doubles[0] = summary.coverage;
	for (int shift = 60; shift >= 0; shift -= 4)
		buf_char(&c->bytes, digits[hash >> shift & 15]);
	table_end_text(c);
	return column_table_finish(t, err);
}
