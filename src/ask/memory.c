/* memory: who holds the memory at the peak: of compiled programs, and over time.
 *
 *     jit_step(80)                    all of device memory      columns: bytes, peak_bytes, …
 *     ├─ parameters
 *     ├─ outputs
 *     ├─ temporaries                  the arena, and its peak
 *     │  └─ mlp (kept by a loop)      alive then, by layer
 *     │     └─ copy.71                by buffer: shape, line, how its name was found
 *     ├─ constants
 *     └─ temporaries (host memory)    of other memory spaces, which are never added up
 *     GPU_0_bfc                       what an allocator had in use at its peak
 *     ├─ encoder                      by layer
 *     │  └─ encoder/MatMul            by node, or by program
 *     └─ held since before the trace */
#include "ask/memory_parts.h"
#include "ask/model_report.h"

#include <stdlib.h>

#include "base/spelling.h"

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, one) {name, TFPROF_COLUMN_##type, one, 0},
	MEMORY_COLUMNS(X)
#undef X
};

/* A program, by how much it holds. */
struct ranked {
	uint32_t program;
	bool has_run;
	int64_t bytes;
};

typedef VEC(struct ranked) ranking;

/* Those that ran, or were to, first, then the largest first. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->has_run != y->has_run)
		return x->has_run ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->program > y->program) - (x->program < y->program);
}

static bool add_ranked(ranking *ranks, struct program_blocks *blocks, uint32_t program,
	bool has_run, const struct memory_program *x)
{
	if (!x->memory.is_known)
		return true;
	for (size_t i = 0; i < x->memory.requests.n; i++)
		if (!vec_push(&blocks->at,
			    ((struct program_block){x->memory.requests.at[i].bytes, program,
				    x->memory.requests.at[i].is_output})))
			return false;
	return vec_push(ranks, ((struct ranked){program, has_run, memory_program_bytes(x)}));
}

static int compare_blocks(const void *a, const void *b)
{
	const struct program_block *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->is_output != y->is_output)
		return x->is_output - y->is_output;
	return (x->program > y->program) - (x->program < y->program);
}

static bool rank(struct answer *a, const struct model *m, ranking *ranks,
	struct program_blocks *blocks)
{
	struct memory_program x;
	enum program_reading reading = MEMORY_READ;

	for (uint32_t i = 0; reading != MEMORY_FAILED && i < m->compiled.programs.n; i++) {
		const struct compiled_program *p = &m->compiled.programs.at[i];
		struct span name = model_text(m, p->name);

		reading = memory_program_read(&x, a, p->message, HLO_NO_PEAK);
		if (reading == MEMORY_DAMAGED)
			answer_note(a, "damaged", "%.*s: it is damaged and left out", (int)name.n,
				name.at);
		else if (reading == MEMORY_READ &&
			!add_ranked(ranks, blocks, i, p->has_run || p->has_failed, &x))
			reading = MEMORY_FAILED;
		memory_program_clear(&x);
	}
	if (ranks->n)
		qsort(ranks->at, ranks->n, sizeof(*ranks->at), compare_ranked);
	if (blocks->at.n)
		qsort(blocks->at.at, blocks->at.n, sizeof(*blocks->at.at), compare_blocks);
	return reading != MEMORY_FAILED;
}

/* The headline is of the largest program. */
static bool put_ranked(struct answer *a, const struct model *m, const ranking *ranks,
	const volatile int *cancel, struct buf *headline)
{
	struct memory_program x;
	bool ok = true;

	for (size_t i = 0; ok && i < ranks->n && !(cancel && *cancel); i++) {
		const struct compiled_program *p = &m->compiled.programs.at[ranks->at[i].program];
		struct span name = model_text(m, p->name);

		ok = memory_program_read(&x, a, p->message, HLO_PEAK_OF_HEAP) == MEMORY_READ &&
			(i || memory_program_put_headline(&x, name, p->has_failed, headline)) &&
			memory_program_put(&x, name) && !x.scratch.failed;
		if (ok && ranks->at[i].has_run)
			memory_program_note(&x, name);
		memory_program_clear(&x);
	}
	return ok;
}

static void put_headline(struct answer *a, const ranking *ranks, const struct memory_pools *pools,
	struct buf *headline)
{
	/* Pools hold what programs ask for, but a name of its own if a node asked. */
	bool is_of_pool =
		pools->headline.n && (!ranks->n || pools->headline_bytes > ranks->at[0].bytes);

	a->failed |= headline->failed || pools->headline.failed;
	if (is_of_pool || ranks->n)
		answer_put_text(a, "headline", buf_get(is_of_pool ? &pools->headline : headline));
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	enum tfprof_status status = model_check_traces(q->model, err);
	struct memory_pools pools = {.a = a, .m = q->model, .status = TFPROF_OK, .err = err};
	ranking ranks = {0};
	struct buf headline = {0};
	bool ok;

	if (q->file)
		return memory_of_model(a, q, err);
	if (status == TFPROF_OK)
		status = model_refuse_options(q->options, "memory", err);
	if (status != TFPROF_OK)
		return status;
	ok = memory_curves_read(&pools.curves, q->model, -1) &&
		column_table_init_tree(&a->table, infos,
			pools.curves.at.n ? N_COLUMNS : N_COLUMNS_WITHOUT_POOLS) &&
		rank(a, q->model, &ranks, &pools.blocks);
	if (ok) {
		column_table_add_row(&a->table, TABLE_NO_PARENT, SPAN("memory"));
		ok = put_ranked(a, q->model, &ranks, q->cancel, &headline) &&
			memory_pools_put(&pools);
	}
	if (ok)
		put_headline(a, &ranks, &pools, &headline);
	status = ok ? TFPROF_OK : pools.status != TFPROF_OK ? pools.status : error_no_memory(err);
	vec_clear(&ranks);
	buf_clear(&headline);
	memory_pools_clear(&pools);
	return status;
}

static bool has_memory(const struct asked *q)
{
	return q->file || q->model->compiled.programs.n > 0 || memory_curves_exist(q->model);
}

static bool has_memory_or_trace(const struct asked *q)
{
	return has_memory(q) || q->model->traces.n > 0;
}

static const struct question_need needs[] = {
	{has_memory_or_trace, "there are no compiled programs, and no allocations",
		"a trace (*.xplane.pb) of JAX or TensorFlow, or run metadata with allocations, "
		"which saved profiles do not keep; or ask a model file alone for an estimate"},
	{has_memory, "no compiled program and no allocation is in this trace",
		"one of a GPU, or of functions with jit_compile=True"},
	{NULL, NULL, NULL},
};

static const char *const sums[] = {"bytes", "buffers", NULL};

const struct question memory_question = {
	.name = "memory",
	.summary = "who holds the memory at the peak: of programs and of allocators",
	.description =
		"Prints the memory of each program that XLA compiled, on one device: parameters, "
		"outputs, temporaries and constants, and what is alive when the temporaries are "
		"largest, by layer and buffer. Buffers without a name in the source borrow one; "
		"`borrowed` says how. Programs that ran come first, then the largest. Then, for "
		"each "
		"allocator that was recorded, its peak, its capacity and who held how much at that "
		"time: nodes by layer, programs, and what was there before the recording. Of a "
		"model file, it estimates the memory of a call or of a training step, and the "
		"largest batch that fits.",
	.example = "",
	.takes_model = true,
	.state = QUESTION_LOADED,
	.needs = needs,
	.not_saved = "compiled programs and allocations",
	.sums = sums,
	.run = run,
};
