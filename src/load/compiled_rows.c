#include "load/compiled_rows.h"

#include <stdlib.h>

#include "hlo/memory.h"
#include "hlo/op_name.h"

/* The program that is being read. */
struct reader {
	struct compiled_rows *rows;
	const struct model *m;
	uint32_t program;
	struct hlo_program p;
	struct hlo_costs costs;
	struct hlo_kinds kinds;
	struct buf scratch;
	uint32_t *row_of; /* by op; NONE */
};

/* What ran of the program: places among the model's. */
struct ran {
	const struct compiled_op *op;
	uint32_t at; /* in the program */
};

typedef VEC(struct ran) ran_list;

/* ---- executions ------------------------------------------------------------------ */

/* By device, then block, then events. */
static int by_block(const void *a, const void *b, void *context)
{
	const struct ran *x = a, *y = b;
	const struct hlo_program *p = context;
	uint32_t i = p->ops.at[x->at].block, k = p->ops.at[y->at].block;

	if (x->op->device != y->op->device)
		return x->op->device < y->op->device ? -1 : 1;
	if (i != k)
		return i < k ? -1 : 1;
	return (x->op->n_events > y->op->n_events) - (x->op->n_events < y->op->n_events);
}

/* All instructions of a block run equally often, but one may have several events, or one get lost:
 * the commonest number counts; of two equally common, the smaller. */
static uint32_t find_commonest(const struct ran *ran, size_t n)
{
	uint32_t commonest = 0;
	size_t most = 0;

	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && ran[k].op->n_events == ran[i].op->n_events; k++)
			;
		if (k - i > most) {
			most = k - i;
			commonest = ran[i].op->n_events;
		}
	}
	return commonest;
}

static bool is_same_block(const struct hlo_program *p, const struct ran *a, const struct ran *b)
{
	return a->op->device == b->op->device && p->ops.at[a->at].block == p->ops.at[b->at].block;
}

/* ---- rows ------------------------------------------------------------------------ */

static uint32_t add_text(struct reader *r)
{
	uint32_t id = r->scratch.failed ? NONE : strings_add(&r->rows->texts, buf_get(&r->scratch));

	r->scratch.n = 0;
	return id;
}

/* Fusions without a name have that of a member. */
static uint32_t find_named(const struct reader *r, uint32_t op)
{
	const struct hlo_op *o = &r->p.ops.at[op];
	uint32_t block = o->opcode == HLO_FUSION ? hlo_callee(&r->p, o, 0) : NONE;
	uint32_t root = block == NONE ? NONE : r->p.blocks.at[block].root;

	return !o->op_name.n && root != NONE && r->p.ops.at[root].op_name.n ? root : op;
}

static bool add_row(struct reader *r, uint32_t op)
{
	const struct hlo_op *o = &r->p.ops.at[op];
	uint32_t named = find_named(r, op);
	struct compiled_row row = {.program = r->program,
		.kind = (enum hlo_kind)r->kinds.of_op[op],
		.is_transfer = hlo_is_transfer(&r->p, o),
		.is_layout_change = hlo_is_layout_change(&r->p, o),
		.is_float32 = hlo_is_float32_product(&r->p, o),
		.is_unknown = r->costs.of_op[op].unknown > 0};

	row.is_recomputed = hlo_op_name_read(r->p.ops.at[named].op_name, &r->scratch).is_recomputed;
	row.layer = add_text(r);
	hlo_put_line(&r->scratch, &r->p, named);
	row.line = add_text(r);
	buf_span(&r->scratch, o->name);
	row.name = add_text(r);
	if (row.layer == NONE || row.line == NONE || row.name == NONE)
		return false;
	r->row_of[op] = (uint32_t)r->rows->at.n;
	return r->rows->at.n < NONE - 1 && vec_push(&r->rows->at, row);
}

static bool add_ran(struct reader *r, const struct ran *ran, int64_t executions)
{
	const struct hlo_cost *cost = &r->costs.of_op[ran->at];
	int64_t float_ops = cost->float_ops, bytes = cost->bytes;
	struct compiled_row *row;

	if (r->row_of[ran->at] == NONE && !add_row(r, ran->at))
		return false;
	row = &r->rows->at.at[r->row_of[ran->at]];
	if (ran->op->float_ops >= 0) { /* the device counted them */
		float_ops = ran->op->float_ops < HLO_MOST ? ran->op->float_ops : HLO_MOST;
		row->is_unknown = false;
	}
	if (ran->op->bytes >= 0)
		bytes = ran->op->bytes < HLO_MOST ? ran->op->bytes : HLO_MOST;
	row->is_on_accelerator |= ran->op->is_accelerator;
	row->executions += executions;
	row->self_ps += ran->op->self_ps;
	hlo_add(&row->cost.float_ops, hlo_product(float_ops, executions));
	hlo_add(&row->cost.matrix_float_ops, hlo_product(cost->matrix_float_ops, executions));
	hlo_add(&row->cost.transcendentals, hlo_product(cost->transcendentals, executions));
	hlo_add(&row->cost.bytes, hlo_product(bytes, executions));
	hlo_add(&row->cost.sent_bytes, hlo_product(cost->sent_bytes, executions));
	return true;
}

/* Those of a block on a device. */
static bool add_block(struct reader *r, const struct ran *ran, size_t n)
{
	const struct compiled_program *program = &r->m->compiled.programs.at[r->program];
	uint32_t executions = find_commonest(ran, n);
	bool is_entry = r->p.ops.at[ran->at].block == r->p.entry;
	bool ok = true;

	if (is_entry && !ran->op->is_accelerator && program->n_runs > 1 &&
		program->n_runs < executions)
		executions = program->n_runs;
	for (size_t i = 0; ok && i < n; i++)
		ok = add_ran(r, &ran[i],
			ran[i].op->has_events_only ? ran[i].op->n_events : executions);
	return ok;
}

/* ---- programs -------------------------------------------------------------------- */

/* Events of the host are launches if a device ran the program. */
static bool find_ran(struct reader *r, const struct compiled_op *const *ops, size_t n,
	ran_list *list)
{
	bool is_on_device = false;

	for (size_t i = 0; i < n; i++)
		is_on_device |= ops[i]->is_accelerator;
	for (size_t i = 0; i < n; i++) {
		struct ran ran = {ops[i], hlo_program_find_id(&r->p, ops[i]->instruction)};

		if (ran.at == NONE || (is_on_device && !ran.op->is_accelerator))
			continue;
		if (!vec_push(list, ran))
			return false;
	}
	if (list->n)
		qsort_r(list->at, list->n, sizeof(*list->at), by_block, &r->p);
	return true;
}

static bool add_program(struct reader *r, const struct compiled_op *const *ops, size_t n)
{
	ran_list list = {0};
	bool ok = find_ran(r, ops, n, &list);

	r->row_of = mem_array(r->p.ops.n + 1, sizeof(*r->row_of));
	ok = ok && r->row_of && hlo_costs_count(&r->costs, &r->p) &&
		hlo_kinds_find(&r->kinds, &r->p);
	for (size_t i = 0; ok && i < r->p.ops.n; i++)
		r->row_of[i] = NONE;
	for (size_t i = 0, k; ok && i < list.n; i = k) {
		for (k = i; k < list.n && is_same_block(&r->p, &list.at[i], &list.at[k]); k++)
			;
		ok = add_block(r, &list.at[i], k - i);
	}
	vec_clear(&list);
	return ok;
}

/* Where the rows go. */
struct wanted {
	struct compiled_rows *rows;
	const struct model *m;
};

static bool read_program(void *context, const struct compiled_op *const *ops, size_t n)
{
	const struct wanted *wanted = context;
	struct reader r = {.rows = wanted->rows, .m = wanted->m, .program = ops[0]->program};
	struct decoder d = {0};
	bool ok;

	if (hlo_program_read(&r.p, &d, r.m->compiled.programs.at[r.program].message)) {
		ok = add_program(&r, ops, n);
	} else {
		ok = d.bad != NULL;
		r.rows->n_damaged++;
	}
	mem_free(r.row_of);
	buf_clear(&r.scratch);
	hlo_kinds_clear(&r.kinds);
	hlo_costs_clear(&r.costs);
	hlo_program_clear(&r.p);
	return ok;
}

bool compiled_rows_read(struct compiled_rows *rows, const struct model *m)
{
	struct wanted wanted = {rows, m};

	return strings_init(&rows->texts) && compiled_visit(&m->compiled, read_program, &wanted);
}

void compiled_rows_clear(struct compiled_rows *rows)
{
	strings_clear(&rows->texts);
	vec_clear(&rows->at);
}
