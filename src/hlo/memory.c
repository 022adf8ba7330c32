#include "hlo/memory.h"

#include <stdlib.h>

#include "hlo/op_name.h"
#include "hlo/peak.h"

/* ---- sums ---------------------------------------------------------------- */

static struct hlo_space *space_of(struct hlo_memory *m, uint64_t number)
{
	for (size_t i = 0; i < m->spaces.n; i++)
		if (m->spaces.at[i].number == number)
			return &m->spaces.at[i];
	if (!vec_push(&m->spaces, ((struct hlo_space){.number = number})))
		return NULL;
	return &m->spaces.at[m->spaces.n - 1];
}

static void add_allocation(struct hlo_space *s, const struct hlo_allocation *a)
{
	switch (a->class) {
	case HLO_PARAMETERS:
		hlo_add(&s->parameters, a->bytes);
		if (a->is_aliased)
			hlo_add(&s->aliased, a->bytes);
		break;
	case HLO_CONSTANTS: hlo_add(&s->constants, a->bytes); break;
	case HLO_THREAD_LOCAL: hlo_add(&s->thread_local, a->bytes); break;
	case HLO_OUTPUTS: hlo_add(&s->outputs, a->bytes); break;
	case HLO_TEMPORARIES: hlo_add(&s->temporaries, a->bytes); break;
	}
}

static bool add_request(struct hlo_memory *m, const struct hlo_allocation *a)
{
	struct hlo_request request = {a->bytes, a->class == HLO_OUTPUTS};

	return a->space || (a->class != HLO_OUTPUTS && a->class != HLO_TEMPORARIES) ||
		vec_push(&m->requests, request);
}

static int compare_spaces(const void *a, const void *b)
{
	uint64_t x = ((const struct hlo_space *)a)->number;
	uint64_t y = ((const struct hlo_space *)b)->number;

	return (x > y) - (x < y);
}

/* Programs have one arena in each of a few spaces. More of them are damage, and left out. */
enum { MOST_SPACES = 64, MOST_ARENAS = 64 };

static bool add_up(struct hlo_memory *m, const struct hlo_buffers *b)
{
	for (size_t i = 0; i < b->allocations.n; i++) {
		struct hlo_space *s;

		if (!b->allocations.at[i].bytes)
			continue;
		s = space_of(m, b->allocations.at[i].space);
		if (!s)
			return false;
		if (m->spaces.n > MOST_SPACES) {
			m->spaces.n--;
			m->n_damaged++;
			continue;
		}
		add_allocation(s, &b->allocations.at[i]);
		if (!add_request(m, &b->allocations.at[i]))
			return false;
	}
	if (m->spaces.n)
		qsort(m->spaces.at, m->spaces.n, sizeof(*m->spaces.at), compare_spaces);
	return true;
}

/* ---- arenas -------------------------------------------------------------- */

/* What finding peaks and names needs, made when the first arena does. */
struct tools {
	const struct hlo_program *p;
	struct hlo_buffers buffers;
	struct hlo_same same;
	struct hlo_schedule schedule;
	struct hlo_borrower borrower;
	uint32_t *trace_of; /* by allocation; NONE */
	bool is_ready, has_schedule;
};

static bool prepare(struct tools *t)
{
	if (t->is_ready)
		return true;
	t->is_ready = true;
	return hlo_same_find(&t->same, t->p) && hlo_borrower_init(&t->borrower, t->p, &t->same);
}

static bool prepare_schedule(struct tools *t)
{
	if (t->has_schedule)
		return true;
	t->has_schedule = true;
	return hlo_schedule_read(&t->schedule, t->p, &t->same);
}

/* The largest first; then in the order of the program. */
static int compare_live(const void *a, const void *b)
{
	const struct hlo_live *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static struct hlo_live name_buffer(const struct tools *t, uint32_t buffer)
{
	const struct hlo_buffer *b = &t->buffers.at.at[buffer];
	struct hlo_live live = {b->op, b->value, b->bytes, {HLO_BORROWED_NOT, NONE, NONE}};

	if (b->op != NONE)
		live.name = hlo_borrow(&t->borrower, b->op, b->value);
	return live;
}

static bool add_live(struct hlo_memory *m, struct tools *t, const struct hlo_peak *peak)
{
	for (size_t i = 0; i < peak->live.n; i++) {
		struct hlo_live live = name_buffer(t, peak->live.at[i]);

		if (m->live.n >= NONE - 1 || !vec_push(&m->live, live))
			return false;
	}
	return true;
}

static bool add_arena(struct hlo_memory *m, struct tools *t, uint32_t allocation, uint32_t trace)
{
	const struct hlo_allocation *a = &t->buffers.allocations.at[allocation];
	struct hlo_arena arena = {.space = a->space,
		.bytes = a->bytes,
		.is_from_schedule = trace == NONE,
		.first = (uint32_t)m->live.n};
	struct hlo_peak peak = {.at = {"", 0}};
	bool ok = prepare(t);

	if (ok && trace != NONE)
		ok = hlo_peak_of_heap(&peak, &t->buffers, trace);
	else if (ok)
		ok = prepare_schedule(t) &&
			hlo_peak_of_schedule(&peak, t->p, &t->buffers, &t->same, &t->schedule,
				allocation);
	ok = ok && add_live(m, t, &peak);
	arena.peak = peak.bytes;
	arena.at = peak.at;
	arena.n = (uint32_t)m->live.n - arena.first;
	hlo_peak_clear(&peak);
	if (ok && arena.n)
		qsort(&m->live.at[arena.first], arena.n, sizeof(*m->live.at), compare_live);
	return ok && vec_push(&m->arenas, arena);
}

static bool add_arenas(struct hlo_memory *m, struct tools *t, enum hlo_peak_source source)
{
	const struct hlo_buffers *b = &t->buffers;

	t->trace_of = mem_array(b->allocations.n + 1, sizeof(*t->trace_of));
	if (!t->trace_of)
		return false;
	for (size_t i = 0; i < b->allocations.n; i++)
		t->trace_of[i] = NONE;
	for (uint32_t i = 0; source == HLO_PEAK_OF_HEAP && i < b->traces.n; i++)
		if (b->traces.at[i].allocation != NONE)
			t->trace_of[b->traces.at[i].allocation] = i;
	for (uint32_t i = 0; i < b->allocations.n; i++) {
		if (b->allocations.at[i].class != HLO_TEMPORARIES || !b->allocations.at[i].bytes)
			continue;
		if (m->arenas.n == MOST_ARENAS)
			m->n_damaged++;
		else if (!add_arena(m, t, i, t->trace_of[i]))
			return false;
	}
	return true;
}

/* The largest of a class; of values that follow each other in a block, the last. */
static bool find_largest(struct hlo_live *largest, struct tools *t, enum hlo_class class)
{
	const struct hlo_buffers *b = &t->buffers;
	uint32_t found = NONE;

	for (uint32_t i = 0; i < b->allocations.n; i++) {
		const struct hlo_allocation *a = &b->allocations.at[i];

		for (uint32_t k = a->first; a->class == class && !a->space && k < a->first + a->n;
			k++) {
			uint32_t at = b->assigned.at[k].buffer;

			if (at != NONE &&
				(found == NONE || b->at.at[at].bytes > b->at.at[found].bytes ||
					(b->at.at[at].bytes == b->at.at[found].bytes &&
						b->at.at[at].value > b->at.at[found].value)))
				found = at;
		}
	}
	if (found == NONE)
		return true;
	if (!prepare(t))
		return false;
	*largest = name_buffer(t, found);
	return true;
}

/* ---- all ----------------------------------------------------------------- */

bool hlo_memory_read(struct hlo_memory *m, const struct hlo_program *p, enum hlo_peak_source source,
	struct decoder *d)
{
	struct tools t = {.p = p};
	bool ok = hlo_buffers_read(&t.buffers, p, d);

	m->is_known = t.buffers.allocations.n > 0;
	if (ok)
		decoder_alloc(d,
			add_up(m, &t.buffers) &&
				(source == HLO_NO_PEAK ||
					(add_arenas(m, &t, source) &&
						find_largest(&m->largest_output, &t, HLO_OUTPUTS) &&
						find_largest(&m->largest_constant, &t,
							HLO_CONSTANTS))) &&
				hlo_find_donatable(m, p, &t.buffers));
	m->n_damaged += t.buffers.n_damaged;
	hlo_buffers_clear(&t.buffers);
	hlo_same_clear(&t.same);
	hlo_schedule_clear(&t.schedule);
	hlo_borrower_clear(&t.borrower);
	mem_free(t.trace_of);
	return !d->failed;
}

void hlo_memory_clear(struct hlo_memory *m)
{
	vec_clear(&m->spaces);
	vec_clear(&m->arenas);
	vec_clear(&m->live);
	vec_clear(&m->requests);
}

/* ---- texts --------------------------------------------------------------- */

void hlo_put_layer(struct buf *b, const struct hlo_program *p, const struct hlo_borrowed_name *n)
{
	struct span text = n->from == NONE ? SPAN("") : p->ops.at[n->from].op_name;
	size_t start = b->n;
	struct hlo_op_name name = hlo_op_name_read(text, b);

	if (b->n == start)
		buf_text(b, "(no scope)");
	if (n->how == HLO_BORROWED_KEPT)
		buf_text(b, " (kept by a loop)");
	else if (name.is_gradient)
		buf_text(b, " (gradient)");
}

void hlo_put_line(struct buf *b, const struct hlo_program *p, uint32_t op)
{
	const struct hlo_op *o = op == NONE ? NULL : &p->ops.at[op];
	uint32_t frame = o ? hlo_frames_find_own(&p->frames, o->frame) : 0;
	struct span file = frame ? p->frames.at[frame - 1].file : o ? o->file : SPAN("");

	if (!file.n)
		return;
	buf_span(b, file);
	buf_printf(b, ":%lld", (long long)(frame ? p->frames.at[frame - 1].line : o->line));
}
