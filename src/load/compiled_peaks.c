#include "load/compiled_peaks.h"

#include <stdlib.h>

#include "base/clamped.h"
#include "hlo/memory.h"

/* What a trace recorded that a node allocated: the temporaries of a program, if it calls one. */
struct recorded {
	int64_t bytes;
	uint32_t node;
};

/* A program that is being read. */
struct placer {
	struct model *m;
	VEC(struct recorded) recorded; /* by bytes */
	int64_t *bytes;                /* by node, of this program */
	VEC(uint32_t) touched;         /* nodes that have some */
	int64_t unplaced;
	struct hlo_program p;
	struct hlo_memory memory;
	uint32_t *node_of; /* by op; NONE: it did not run */
	uint32_t *fusion;  /* by block: the op that calls it; NONE */
	/* Of ops that ran: their names, and their scopes with their lines. */
	struct strings texts;
	VEC(uint32_t) nodes; /* by text; NONE */
	struct buf scratch;
	uint32_t nameless; /* node of an op without op_name; NONE */
};

/* "jit(f)/mlp/tanh", or "jit(f)/mlp/:model.py:20". */
static struct span key_of(struct placer *x, uint32_t op, bool is_place)
{
	struct span name = x->p.ops.at[op].op_name;

	if (!is_place)
		return name;
	x->scratch.n = 0;
	buf_span(&x->scratch, (struct span){name.at, name.n - span_after_last(name, '/').n});
	buf_char(&x->scratch, ':');
	hlo_put_line(&x->scratch, &x->p, op);
	return x->scratch.failed ? SPAN("") : buf_get(&x->scratch);
}

static uint32_t find_key(struct placer *x, uint32_t op, bool is_place)
{
	uint32_t id = strings_find(&x->texts, key_of(x, op, is_place));

	return id == NONE || id >= x->nodes.n ? NONE : x->nodes.at[id];
}

/* The first of several counts. */
static bool add_key(struct placer *x, uint32_t op, bool is_place)
{
	uint32_t id = strings_add(&x->texts, key_of(x, op, is_place));

	while (id != NONE && x->nodes.n <= id)
		if (!vec_push(&x->nodes, NONE))
			return false;
	if (id != NONE && x->nodes.at[id] == NONE)
		x->nodes.at[id] = x->node_of[op];
	return id != NONE && !x->scratch.failed;
}

static bool add_names(struct placer *x, uint32_t op)
{
	if (x->p.ops.at[op].op_name.n)
		return add_key(x, op, false) && add_key(x, op, true);
	x->nameless = x->nameless == NONE ? x->node_of[op] : x->nameless;
	return true;
}

/* Finds the nodes of ops that ran. */
static bool prepare(struct placer *x, const struct compiled_op *const *ops, size_t n)
{
	const struct hlo_program *p = &x->p;

	x->nameless = NONE;
	x->node_of = mem_array(p->ops.n + 1, sizeof(*x->node_of));
	x->fusion = mem_array(p->blocks.n + 1, sizeof(*x->fusion));
	if (!x->node_of || !x->fusion || !strings_init(&x->texts))
		return false;
	for (size_t i = 0; i < p->ops.n; i++)
		x->node_of[i] = NONE;
	for (size_t i = 0; i < p->blocks.n; i++)
		x->fusion[i] = NONE;
	for (uint32_t i = 0; i < p->ops.n; i++) {
		const struct hlo_op *op = &p->ops.at[i];
		uint32_t block = op->opcode == HLO_FUSION ? hlo_callee(p, op, 0) : NONE;

		if (block != NONE)
			x->fusion[block] = i;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t op = hlo_program_find_id(p, ops[i]->instruction);

		if (op == NONE || ops[i]->node == NONE || x->node_of[op] != NONE)
			continue;
		x->node_of[op] = ops[i]->node;
		if (!add_names(x, op))
			return false;
	}
	return true;
}

/* Of the op itself, of one with its name, of one in its scope and on its line, or of the fusion
 * that it is in. */
static uint32_t node_of(struct placer *x, uint32_t op)
{
	uint32_t node, fusion;

	if (op == NONE)
		return NONE;
	node = x->node_of[op];
	if (node == NONE && x->p.ops.at[op].op_name.n)
		node = find_key(x, op, false);
	if (node == NONE && x->p.ops.at[op].op_name.n)
		node = find_key(x, op, true);
	fusion = x->fusion[x->p.ops.at[op].block];
	return node == NONE && fusion != NONE ? x->node_of[fusion] : node;
}

static bool place(struct placer *x, const struct hlo_live *live)
{
	uint32_t node = node_of(x, live->name.from);

	if (node == NONE)
		node = node_of(x, live->name.via);
	if (node == NONE)
		node = node_of(x, live->op);
	if (node == NONE)
		node = x->nameless;
	if (node == NONE || node >= x->m->compiled.n_peaks) {
		add_clamped(&x->unplaced, live->bytes);
		return true;
	}
	if (!x->bytes[node] && !vec_push(&x->touched, node))
		return false;
	add_clamped(&x->bytes[node], live->bytes);
	return true;
}

/* ---- callers ------------------------------------------------------------------------ */

static int by_bytes(const void *a, const void *b)
{
	const struct recorded *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static bool find_recorded(struct placer *x)
{
	const struct model *m = x->m;

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		uint32_t row = m->nodes.first_exec[node];
		int64_t bytes = row == NONE ? 0 : exec_get_sums(&m->execs, row).peak_bytes;

		if (bytes > 0 && !vec_push(&x->recorded, ((struct recorded){bytes, node})))
			return false;
	}
	if (x->recorded.n)
		qsort(x->recorded.at, x->recorded.n, sizeof(*x->recorded.at), by_bytes);
	return true;
}

/* "__inference_step_320" calls "a_inference_step_320__XlaMustCompile…". */
static bool calls(const struct placer *x, uint32_t node)
{
	struct span name = model_name(x->m, node), program = x->p.name, part;

	while (name.n) {
		part = span_cut(&name, '/');
		while (part.n && *part.at == '_')
			part = span_from(part, 1);
		if (part.n >= 4 && span_contains(program, part))
			return true;
	}
	return false;
}

/* The nodes of the program have what its caller was recorded to hold for them. */
static void take_of_caller(struct placer *x, int64_t bytes)
{
	enum { MOST = 64 };
	size_t first = 0, n = x->recorded.n;

	while (n) {
		size_t half = n / 2;
		bool is_below = x->recorded.at[first + half].bytes < bytes;

		first += is_below ? half + 1 : 0;
		n = is_below ? n - half - 1 : half;
	}
	for (size_t i = first;
		i < x->recorded.n && i < first + MOST && x->recorded.at[i].bytes == bytes; i++)
		if (calls(x, x->recorded.at[i].node)) {
			x->m->compiled.peaks[x->recorded.at[i].node] = -bytes;
			return;
		}
}

/* ---- programs ----------------------------------------------------------------------- */

/* Of device memory. */
static bool place_all(struct placer *x)
{
	struct compiled *c = &x->m->compiled;
	const struct hlo_memory *memory = &x->memory;
	bool ok = true, has_peak = false;

	for (size_t i = 0; i < memory->arenas.n; i++) {
		const struct hlo_arena *arena = &memory->arenas.at[i];

		for (uint32_t k = 0; ok && !arena->space && k < arena->n; k++) {
			ok = place(x, &memory->live.at[arena->first + k]);
			has_peak = true;
		}
		if (ok && !arena->space && arena->n)
			take_of_caller(x, arena->bytes);
	}
	c->n_peak_programs += has_peak;
	for (size_t i = 0; i < x->touched.n; i++) {
		uint32_t node = x->touched.at[i];

		if (c->peaks[node] < x->bytes[node])
			c->peaks[node] = x->bytes[node];
		x->bytes[node] = 0;
	}
	x->touched.n = 0;
	return ok;
}

static bool read_program(void *context, const struct compiled_op *const *ops, size_t n)
{
	struct placer *x = context;
	struct decoder d = {0};
	bool ok =
		hlo_program_read(&x->p, &d, x->m->compiled.programs.at[ops[0]->program].message) &&
		hlo_memory_read(&x->memory, &x->p, HLO_PEAK_OF_HEAP, &d);

	ok = ok ? prepare(x, ops, n) && place_all(x) : d.bad != NULL;
	mem_free(x->node_of);
	mem_free(x->fusion);
	x->node_of = x->fusion = NULL;
	strings_clear(&x->texts);
	x->nodes.n = 0;
	hlo_memory_clear(&x->memory);
	hlo_program_clear(&x->p);
	return ok;
}

enum tfprof_status model_find_peaks(struct model *m, struct tfprof_error *err)
{
	struct compiled *c = &m->compiled;
	struct placer x = {.m = m};
	bool ok;

	if (model_has_peaks(m))
		return TFPROF_OK;
	compiled_forget_peaks(c);
	c->peaks = mem_zero_array(m->nodes.n + 1, sizeof(*c->peaks));
	x.bytes = mem_zero_array(m->nodes.n + 1, sizeof(*x.bytes));
	c->n_peaks = c->peaks ? (uint32_t)m->nodes.n : 0;
	ok = c->peaks && x.bytes && find_recorded(&x) && compiled_visit(c, read_program, &x);
	mem_free(x.bytes);
	vec_clear(&x.touched);
	vec_clear(&x.recorded);
	vec_clear(&x.nodes);
	buf_clear(&x.scratch);
	if (!ok) {
		compiled_forget_peaks(c);
		return error_no_memory(err);
	}
	c->n_peak_ops = c->ops.n;
	c->unplaced_bytes = x.unplaced;
	return TFPROF_OK;
}
