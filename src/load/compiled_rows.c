#include "load/compiled_rows.h"

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

static bool add_ran(struct reader *r, const struct compiled_op *op)
{
	uint32_t at = hlo_program_find_id(&r->p, op->instruction);
	int64_t executions = op->n_executions;
	const struct hlo_cost *cost;
	struct compiled_row *row;

	if (at == NONE)
		return true;
	if (r->row_of[at] == NONE && !add_row(r, at))
		return false;
	cost = &r->costs.of_op[at];
	row = &r->rows->at.at[r->row_of[at]];
	row->is_unknown &= !op->is_recorded;
	row->is_on_accelerator |= op->is_accelerator;
	row->executions += executions;
	row->self_ps += op->self_ps;
	hlo_add(&row->cost.float_ops, hlo_product(op->float_ops, executions));
	hlo_add(&row->cost.matrix_float_ops, hlo_product(op->matrix_float_ops, executions));
	hlo_add(&row->cost.transcendentals, hlo_product(cost->transcendentals, executions));
	hlo_add(&row->cost.bytes, hlo_product(op->bytes, executions));
	hlo_add(&row->cost.sent_bytes, hlo_product(cost->sent_bytes, executions));
	return true;
}

/* ---- programs -------------------------------------------------------------------- */

/* Events of the host are launches if a device ran the program. */
static bool add_program(struct reader *r, const struct compiled_op *const *ops, size_t n)
{
	bool is_on_device = false, ok;

	r->row_of = mem_array(r->p.ops.n + 1, sizeof(*r->row_of));
	ok = r->row_of && hlo_costs_count(&r->costs, &r->p) && hlo_kinds_find(&r->kinds, &r->p);
	for (size_t i = 0; ok && i < r->p.ops.n; i++)
		r->row_of[i] = NONE;
	for (size_t i = 0; i < n; i++)
		is_on_device |= ops[i]->is_accelerator;
	for (size_t i = 0; ok && i < n; i++)
		ok = (is_on_device && !ops[i]->is_accelerator) || add_ran(r, ops[i]);
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
