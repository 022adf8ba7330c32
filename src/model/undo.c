#include "model/undo.h"

/* A copy of n items; false on allocation failure. */
static bool copy_items(void *copy, const void *from, size_t n, size_t size)
{
	void **to = copy;

	*to = mem_array(n, size);
	if (*to && n)
		memcpy(*to, from, n * size);
	return *to;
}

/* Columns that nothing was written to yet have the same byte throughout. */
static bool copy_column(struct undo_column *to, const void *from, size_t n, size_t size)
{
	const unsigned char *bytes = from;

	to->is_kept = n;
	if (n && memcmp(bytes, bytes + 1, n * size - 1) != 0)
		return copy_items(&to->copy, from, n, size);
	to->fill = n ? *bytes : 0;
	return true;
}

static bool copy_execs(struct model_undo *u, const struct execs *x)
{
	u->rows = mem_array(x->n_rows, sizeof(*u->rows));
	for (size_t i = 0; u->rows && i < x->n_rows; i++)
		u->rows[i] = *exec_at(x, (uint32_t)i);
	return u->rows &&
		copy_items(&u->details, x->details.at, x->details.n, sizeof(*u->details)) &&
		copy_items(&u->records, x->records.at, x->records.n, sizeof(*u->records)) &&
		copy_items(&u->wide, x->wide.at, x->wide.n, sizeof(*u->wide));
}

bool model_undo_begin(struct model_undo *u, const struct model *m, int64_t step, bool has_op_log)
{
	bool ok = true;

	*u = (struct model_undo){.before = *m};
#define X(type, column) \
	ok = ok && copy_column(&u->column, m->nodes.column, m->nodes.n, sizeof(type));
	UNDO_STEP_COLUMNS(X)
	if (has_op_log) {
		UNDO_OP_LOG_COLUMNS(X)
	}
#undef X
	ok = ok && copy_items(&u->steps, m->steps.at, m->steps.n, sizeof(*u->steps));
	if (ok && model_find_step(m, step) != NONE)
		ok = copy_execs(u, &m->execs);
	if (!ok)
		model_undo_end(u);
	return ok;
}

void model_undo_end(struct model_undo *u)
{
#define X(type, column) mem_free(u->column.copy);
	UNDO_STEP_COLUMNS(X)
	UNDO_OP_LOG_COLUMNS(X)
#undef X
	mem_free(u->steps);
	mem_free(u->rows);
	mem_free(u->details);
	mem_free(u->records);
	mem_free(u->wide);
	*u = (struct model_undo){0};
}

static void put_back(void *to, const void *copy, size_t n, size_t size)
{
	if (n)
		memcpy(to, copy, n * size);
}

static void put_back_column(void *to, const struct undo_column *was, size_t n, size_t size)
{
	if (was->copy)
		memcpy(to, was->copy, n * size);
	else if (was->is_kept)
		memset(to, was->fill, n * size);
}

/* A new row stands between two old ones: the earlier points to the later again. Rows that
 * belong to no node are not initialized. */
static void unchain(struct model *m, size_t n_rows)
{
	for (size_t node = 0; node < m->nodes.n; node++)
		for (uint32_t i = m->nodes.first_exec[node]; i != NONE;) {
			struct exec *row = exec_at(&m->execs, i);

			while (row->next != NONE && row->next >= n_rows)
				row->next = exec_at(&m->execs, row->next)->next;
			i = row->next;
		}
}

/* Nodes have their first ones again. */
static void restore_execs(const struct model_undo *u, struct model *m)
{
	const struct execs *was = &u->before.execs;
	struct execs *x = &m->execs;

	if (u->rows) {
		for (size_t i = 0; i < was->n_rows; i++)
			*exec_at(x, (uint32_t)i) = u->rows[i];
		put_back(x->details.at, u->details, was->details.n, sizeof(*u->details));
		put_back(x->records.at, u->records, was->records.n, sizeof(*u->records));
		put_back(x->wide.at, u->wide, was->wide.n, sizeof(*u->wide));
	}
	unchain(m, was->n_rows);
	x->n_rows = was->n_rows;
	x->details.n = was->details.n;
	x->records.n = was->records.n;
	x->wide.n = was->wide.n;
	x->has_accelerator_time = was->has_accelerator_time;
}

/* Ids that were new are unknown again. The index of large ones keeps its entries, which
 * no longer lead to their ids: 0 is not a large one. */
static void forget_trace_strings(struct model *m, size_t n)
{
	for (size_t i = n; i < m->trace_strings.n; i++) {
		int64_t id = m->trace_strings.at[i].id;

		if (id >= 0 && (size_t)id < m->trace_string_of.n)
			m->trace_string_of.at[id] = 0;
		m->trace_strings.at[i].id = 0;
	}
	m->trace_strings.n = n;
}

void model_undo(struct model_undo *u, struct model *m)
{
	const struct model *was = &u->before;

	model_truncate_nodes(m, was->nodes.n, was->edges.n, was->outputs.n);
#define X(type, column) put_back_column(m->nodes.column, &u->column, was->nodes.n, sizeof(type));
	UNDO_STEP_COLUMNS(X)
	UNDO_OP_LOG_COLUMNS(X)
#undef X
	restore_execs(u, m);
	put_back(m->steps.at, u->steps, was->steps.n, sizeof(*u->steps));
	m->steps.n = was->steps.n;
	m->transfers.n = was->transfers.n;
	m->run_shapes.n = was->run_shapes.n;
	m->graphs.n = was->graphs.n;
	m->op_logs.n = was->op_logs.n;
	m->function_stacks.n = was->function_stacks.n;
	forget_trace_strings(m, was->trace_strings.n);
	/* Names stay interned, so their sources stay, too. */
	for (size_t i = was->sources.n; i < m->sources.n; i++)
		source_detach(&m->sources.at[i]);
	m->device_work.n = was->device_work.n;
	m->accelerators.n = was->accelerators.n;
	m->kernels.n = was->kernels.n;
	m->device_transfers.n = was->device_transfers.n;
	m->n_accelerators_seen = was->n_accelerators_seen;
	m->main_program = was->main_program;
	m->device_programs.n = was->device_programs.n;
	compiled_truncate(&m->compiled, was->compiled.programs.n, was->compiled.ops.n);
	m->allocations.pools.n = was->allocations.pools.n;
	m->allocations.events.n = was->allocations.events.n;
	while (m->traces.n > was->traces.n)
		source_close(&m->traces.at[--m->traces.n]);
	m->n_covered = was->n_covered;
	m->has_trace = was->has_trace;
	m->numbers_version = was->numbers_version;
	m->misses_accelerator_stream = was->misses_accelerator_stream;
	m->has_negative = was->has_negative;
	m->has_executed = was->has_executed;
	model_undo_end(u);
}
