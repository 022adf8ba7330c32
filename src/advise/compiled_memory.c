/* Memory of compiled programs that could be less: parameters that could be donated, what loops keep
 * for the backward pass, and holes between buffers. */
#include "advise/advise.h"
#include "hlo/memory.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"min_bytes", "1000000", "Minimum number of bytes to report."},
	{"notice_bytes", "10000000", "Minimum number of bytes for a notice; less is information."},
	{"donation", "0.05", "Minimum share of the program's memory that donation could save."},
	{"kept", "0.2", "Minimum share of the temporaries' peak that loops keep."},
	{"fragmentation", "0.05", "Minimum share of the temporaries lost between buffers."},
	{NULL, NULL, NULL},
};

/* A program that is being checked. */
struct checked {
	struct check *c;
	struct span name;
	struct hlo_program program;
	struct hlo_memory memory;
	int64_t bytes; /* of device memory */
	struct buf scratch;
};

static bool is_much(const struct checked *x, int64_t bytes, int64_t of, const char *option)
{
	return of > 0 && bytes >= check_int(x->c, "min_bytes") &&
		(double)bytes >= check_number(x->c, option) * (double)of;
}

static void report(struct checked *x, const char *what, enum confidence confidence, int64_t bytes,
	int64_t of, const char *remedy, struct place place)
{
	struct finding *f = check_find(x->c, what,
		bytes >= check_int(x->c, "notice_bytes") ? TFPROF_LEVEL_NOTICE : TFPROF_LEVEL_NONE,
		confidence);

	f->stake_bytes = bytes;
	f->stake_share = (double)bytes / (double)of;
	f->remedy = remedy;
	place.bytes = bytes;
	if (place.line.n)
		check_place(x->c, f, place);
}

static void check_donation(struct checked *x)
{
	const struct hlo_memory *m = &x->memory;
	struct buf *b = &x->c->text;

	if (!is_much(x, m->donatable_bytes, x->bytes, "donation"))
		return;
	buf_span(b, x->name);
	buf_printf(b, ": %zu parameter%s could be donated: at most ", m->n_donatable,
		m->n_donatable == 1 ? "" : "s");
	format_number(b, UNIT_BYTES, m->donatable_bytes);
	buf_text(b, " of ");
	format_number(b, UNIT_BYTES, x->bytes);
	buf_text(b, " less.");
	report(x, "donation", CONFIDENCE_MEDIUM, m->donatable_bytes, x->bytes,
		"Donate arguments that are not used again: jax.jit(f, donate_argnums=…).",
		(struct place){0});
}

/* The largest of what loops keep gives the line. */
static void check_kept(struct checked *x, const struct hlo_arena *arena)
{
	const struct hlo_live *largest = NULL;
	struct buf *b = &x->c->text;
	struct place place = {0};
	int64_t kept = 0;

	for (uint32_t i = arena->first; i < arena->first + arena->n; i++) {
		const struct hlo_live *live = &x->memory.live.at[i];

		if (live->name.how != HLO_BORROWED_KEPT)
			continue;
		hlo_add(&kept, live->bytes);
		if (!largest || live->bytes > largest->bytes)
			largest = live;
	}
	if (!largest || !is_much(x, kept, arena->peak, "kept"))
		return;
	buf_span(b, x->name);
	buf_printf(b, ": loops keep %.0f%% of the temporaries at their peak: ",
		100 * (double)kept / (double)arena->peak);
	format_number(b, UNIT_BYTES, kept);
	buf_text(b, " of ");
	format_number(b, UNIT_BYTES, arena->peak);
	buf_text(b, ", the most for ");
	hlo_put_layer(b, &x->program, &largest->name);
	hlo_put_line(&x->scratch, &x->program, largest->name.from);
	if (x->scratch.n) {
		buf_text(b, ", ");
		buf_span(b, buf_get(&x->scratch));
		place.line = check_copy(x->c, buf_get(&x->scratch));
	}
	buf_char(b, '.');
	report(x, "kept_by_loop", CONFIDENCE_HIGH, kept, arena->peak,
		"jax.checkpoint recomputes them in the backward pass instead.", place);
	x->scratch.n = 0;
}

static void check_fragments(struct checked *x, const struct hlo_arena *arena)
{
	int64_t lost = arena->bytes - arena->peak;
	struct buf *b = &x->c->text;

	if (!is_much(x, lost, arena->bytes, "fragmentation"))
		return;
	buf_span(b, x->name);
	buf_text(b, ": ");
	format_number(b, UNIT_BYTES, lost);
	buf_text(b, " of ");
	format_number(b, UNIT_BYTES, arena->bytes);
	buf_text(b, " of temporaries are lost between buffers.");
	report(x, "fragmentation", CONFIDENCE_MEDIUM, lost, arena->bytes,
		"Buffers of the same size fit into each other's places.", (struct place){0});
}

static void check_program(struct checked *x)
{
	for (size_t i = 0; i < x->memory.spaces.n; i++) {
		const struct hlo_space *s = &x->memory.spaces.at[i];

		if (!s->number)
			x->bytes = hlo_sum(hlo_sum(s->parameters, s->outputs),
				hlo_sum(s->temporaries, s->constants));
	}
	check_donation(x);
	for (size_t i = 0; i < x->memory.arenas.n; i++)
		if (!x->memory.arenas.at[i].space) {
			check_kept(x, &x->memory.arenas.at[i]);
			check_fragments(x, &x->memory.arenas.at[i]);
		}
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	const struct model *m = c->model;
	enum tfprof_status status = model_check_traces(m, err);
	size_t n_checked = 0;
	bool ok = true;

	for (size_t i = 0; status == TFPROF_OK && ok && i < m->compiled.programs.n; i++) {
		const struct compiled_program *p = &m->compiled.programs.at[i];
		struct checked x = {.c = c, .name = model_text(m, p->name)};
		struct decoder d = {0};

		if (!p->has_run)
			continue;
		ok = (hlo_program_read(&x.program, &d, p->message) &&
			     hlo_memory_read(&x.memory, &x.program, HLO_PEAK_OF_HEAP, &d)) ||
			d.bad;
		if (ok && !d.bad && x.memory.is_known) {
			n_checked++;
			check_program(&x);
		}
		ok = ok && !x.scratch.failed;
		buf_clear(&x.scratch);
		hlo_memory_clear(&x.memory);
		hlo_program_clear(&x.program);
	}
	if (status != TFPROF_OK)
		return status;
	if (ok && !n_checked)
		check_skip(c, "no compiled programs",
			"No compiled program with its memory ran. Skip CompiledMemoryChecker");
	else if (ok && !c->verdict->findings.n)
		check_ok(c,
			"Compiled programs hold little that they could do without (%zu checked).",
			n_checked);
	return ok ? TFPROF_OK : error_no_memory(err);
}

const struct checker compiled_memory_checker = {
	.info = {"CompiledMemoryChecker",
		"Memory of compiled programs that could be less: donation, loops, fragmentation.",
		options},
	.needs_run_meta = true,
	.run = run,
};
