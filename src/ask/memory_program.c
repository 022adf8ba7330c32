/* memory: what a compiled program holds while it runs, and who holds it at the peak. */
#include <stdlib.h>

#include "ask/memory_parts.h"
#include "hlo/shape.h"
#include "query/format.h"

/* ---- what is alive at the peak ------------------------------------------------- */

static uint32_t add_text(struct memory_program *x)
{
	uint32_t id = x->scratch.failed ? NONE : strings_add(&x->texts, buf_get(&x->scratch));

	x->scratch.n = 0;
	return id;
}

static bool read_rows(struct memory_program *x, const struct hlo_arena *arena)
{
	x->rows.n = 0;
	for (uint32_t i = arena->first; i < arena->first + arena->n; i++) {
		struct live_row row = {.live = &x->memory.live.at[i]};

		hlo_put_layer(&x->scratch, &x->program, &row.live->name);
		row.layer = add_text(x);
		hlo_put_line(&x->scratch, &x->program, row.live->name.from);
		row.line = add_text(x);
		if (row.layer == NONE || row.line == NONE || !vec_push(&x->rows, row))
			return false;
	}
	return true;
}

static int larger_first(const void *a, const void *b)
{
	const struct live_layer *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->text > y->text) - (x->text < y->text);
}

/* Finds the layers, and sorts the rows by them. */
static bool find_layers(struct memory_program *x)
{
	mem_free(x->layer_of);
	x->layer_of = mem_zero_array(x->texts.text.n + 1, sizeof(*x->layer_of));
	x->layers.n = 0;
	if (!x->layer_of)
		return false;
	for (size_t i = 0; i < x->rows.n; i++) {
		uint32_t *of = &x->layer_of[x->rows.at[i].layer];

		if (!*of) {
			if (!vec_push(&x->layers,
				    ((struct live_layer){.text = x->rows.at[i].layer})))
				return false;
			*of = (uint32_t)x->layers.n;
		}
		x->layers.at[*of - 1].n++;
		hlo_add(&x->layers.at[*of - 1].bytes, x->rows.at[i].live->bytes);
	}
	if (x->layers.n)
		qsort(x->layers.at, x->layers.n, sizeof(*x->layers.at), larger_first);
	return true;
}

static void put_borrowed(struct memory_program *x, const struct hlo_borrowed_name *name)
{
	buf_text(&x->scratch, hlo_borrowed_texts[name->how]);
	if (name->how == HLO_BORROWED_COPY || name->how == HLO_BORROWED_USE) {
		buf_char(&x->scratch, ' ');
		buf_span(&x->scratch, x->program.ops.at[name->via].name);
	}
}

static void put_buffer(struct memory_program *x, size_t parent, const struct live_row *row)
{
	struct column_table *t = &x->a->table;
	const struct hlo_live *live = row->live;
	size_t at = column_table_add_row(t, parent,
		live->op == NONE ? SPAN("(unknown)") : x->program.ops.at[live->op].name);

	table_set_int(t, at, COLUMN_BYTES, live->bytes);
	if (live->op != NONE)
		hlo_put_shape(&x->scratch, &x->program, live->value);
	table_set_text(t, at, COLUMN_SHAPE, buf_get(&x->scratch));
	x->scratch.n = 0;
	table_set_text(t, at, COLUMN_LAYER, strings_get(&x->texts, row->layer));
	table_set_text(t, at, COLUMN_LINE, strings_get(&x->texts, row->line));
	put_borrowed(x, &live->name);
	table_set_text(t, at, COLUMN_BORROWED, buf_get(&x->scratch));
	x->scratch.n = 0;
}

/* Rows of a layer follow each other: one pass over the buffers for each would be quadratic. */
static int by_layer(const void *a, const void *b, void *context)
{
	const struct live_row *x = a, *y = b;
	const uint32_t *place = context;

	if (place[x->layer] != place[y->layer])
		return place[x->layer] < place[y->layer] ? -1 : 1;
	return (x->live > y->live) - (x->live < y->live);
}

static bool put_arena(struct memory_program *x, size_t parent, const struct hlo_arena *arena)
{
	struct column_table *t = &x->a->table;
	size_t next = 0;

	if (!read_rows(x, arena) || !find_layers(x))
		return false;
	for (uint32_t i = 0; i < x->layers.n; i++)
		x->layer_of[x->layers.at[i].text] = i;
	if (x->rows.n)
		qsort_r(x->rows.at, x->rows.n, sizeof(*x->rows.at), by_layer, x->layer_of);
	for (size_t i = 0; i < x->layers.n; i++) {
		const struct live_layer *layer = &x->layers.at[i];
		struct span name = strings_get(&x->texts, layer->text);
		size_t at = column_table_add_row(t, parent, name);

		table_set_int(t, at, COLUMN_BYTES, layer->bytes);
		table_set_int(t, at, COLUMN_PEAK, layer->bytes);
		table_set_int(t, at, COLUMN_BUFFERS, layer->n);
		table_set_text(t, at, COLUMN_LAYER, name);
		for (uint32_t k = 0; k < layer->n; k++)
			put_buffer(x, at, &x->rows.at[next++]);
	}
	return true;
}

/* ---- a program ------------------------------------------------------------------- */

static void put_space_name(struct buf *b, uint64_t number)
{
	static const char *const names[] = {[1] = "VMEM",
		[2] = "synchronization flags",
		[HLO_HOST_SPACE] = "host memory",
		[6] = "scalar memory"};

	if (number < sizeof(names) / sizeof(*names) && names[number])
		buf_printf(b, " (%s)", names[number]);
	else if (number)
		buf_printf(b, " (space %llu)", (unsigned long long)number);
}

static size_t put_class(struct memory_program *x, size_t parent, const char *name, uint64_t space,
	int64_t bytes)
{
	size_t at;

	buf_text(&x->scratch, name);
	put_space_name(&x->scratch, space);
	at = column_table_add_row(&x->a->table, parent, buf_get(&x->scratch));
	x->scratch.n = 0;
	table_set_int(&x->a->table, at, COLUMN_BYTES, bytes);
	return at;
}

static int64_t peak_of(const struct hlo_memory *m, uint64_t space)
{
	int64_t peak = 0;

	for (size_t i = 0; i < m->arenas.n; i++)
		if (m->arenas.at[i].space == space)
			hlo_add(&peak, m->arenas.at[i].peak);
	return peak;
}

static bool put_temporaries(struct memory_program *x, size_t parent, const struct hlo_space *s)
{
	size_t at = put_class(x, parent, "temporaries", s->number, s->temporaries), n = 0;
	struct column_table *t = &x->a->table;
	bool ok = true;

	table_set_int(t, at, COLUMN_PEAK, peak_of(&x->memory, s->number));
	for (size_t i = 0; ok && i < x->memory.arenas.n; i++)
		if (x->memory.arenas.at[i].space == s->number) {
			ok = put_arena(x, at, &x->memory.arenas.at[i]);
			n += x->memory.arenas.at[i].n;
		}
	table_set_int(t, at, COLUMN_BUFFERS, (int64_t)n);
	return ok;
}

/* In device memory all classes are listed, elsewhere those that hold something. */
static bool put_space(struct memory_program *x, size_t parent, const struct hlo_space *s)
{
	bool is_device = !s->number;

	if (is_device || s->parameters)
		put_class(x, parent, "parameters", s->number, s->parameters);
	if (is_device || s->outputs)
		put_class(x, parent, "outputs", s->number, s->outputs);
	if ((is_device || s->temporaries) && !put_temporaries(x, parent, s))
		return false;
	if (is_device || s->constants)
		put_class(x, parent, "constants", s->number, s->constants);
	return true;
}

static struct hlo_space device_space(const struct hlo_memory *m)
{
	for (size_t i = 0; i < m->spaces.n; i++)
		if (!m->spaces.at[i].number)
			return m->spaces.at[i];
	return (struct hlo_space){0};
}

static int64_t without_temporaries(const struct hlo_space *s)
{
	return hlo_sum(s->parameters, hlo_sum(s->outputs, s->constants));
}

bool memory_program_put(struct memory_program *x, struct span name)
{
	struct hlo_space device = device_space(&x->memory);
	size_t at = column_table_add_row(&x->a->table, 0, name);
	bool ok = put_space(x, at, &device);

	table_set_int(&x->a->table, at, COLUMN_BYTES, memory_program_bytes(x));
	table_set_int(&x->a->table, at, COLUMN_PEAK,
		hlo_sum(without_temporaries(&device), peak_of(&x->memory, 0)));
	for (size_t i = 0; ok && i < x->memory.spaces.n; i++)
		if (x->memory.spaces.at[i].number)
			ok = put_space(x, at, &x->memory.spaces.at[i]);
	return ok;
}

/* ---- notes ----------------------------------------------------------------------- */

void memory_program_note(struct memory_program *x, struct span name)
{
	enum { SHOWN_FROM = 1000000 };
	const struct hlo_memory *m = &x->memory;

	if (m->n_donatable && m->donatable_bytes >= SHOWN_FROM)
		answer_note(x->a, "donation",
			"%.*s: %zu %s could be donated (donate_argnums): at most %.2fMB less",
			(int)name.n, name.at, m->n_donatable,
			m->n_donatable == 1 ? "parameter" : "parameters",
			memory_megabytes(m->donatable_bytes));
	for (size_t i = 0; i < m->arenas.n; i++) {
		const struct hlo_arena *arena = &m->arenas.at[i];
		int64_t lost = arena->bytes - arena->peak;

		if (lost >= SHOWN_FROM && lost / ((double)arena->bytes) >= 0.01)
			answer_note(x->a, "fragmentation",
				"%.*s: %.2fMB of the temporaries are lost between buffers",
				(int)name.n, name.at, memory_megabytes(lost));
		if (arena->is_from_schedule && arena->bytes >= SHOWN_FROM)
			answer_note(x->a, "schedule",
				"%.*s: the file has no trace of the compiler's heap: the peak "
				"follows from the order of instructions",
				(int)name.n, name.at);
	}
	if (m->n_damaged)
		answer_note(x->a, "damaged", "%.*s: %zu entries of its memory are damaged",
			(int)name.n, name.at, m->n_damaged);
}

/* Whether `row`, as large as `than`, is the one to name: it is of a larger layer, or has a line. */
static bool tells_more(const struct memory_program *x, const struct live_row *row,
	const struct live_row *than)
{
	size_t place = x->layer_of[row->layer], other = x->layer_of[than->layer];

	if (place != other)
		return place < other;
	return strings_get(&x->texts, row->line).n && !strings_get(&x->texts, than->line).n;
}

/* The largest buffer; of several, one of the largest layer that has one, with a line if any has
 * one. NULL on allocation failure. */
static const struct hlo_live *find_largest(struct memory_program *x, const struct hlo_arena *arena)
{
	const struct live_row *found = NULL;
	int64_t most = -1;

	if (!read_rows(x, arena) || !find_layers(x))
		return NULL;
	for (uint32_t i = 0; i < x->layers.n; i++)
		x->layer_of[x->layers.at[i].text] = i;
	for (size_t i = 0; i < x->rows.n; i++) {
		const struct live_row *row = &x->rows.at[i];

		if (row->live->bytes > most ||
			(row->live->bytes == most && tells_more(x, row, found))) {
			most = row->live->bytes;
			found = row;
		}
	}
	return found ? found->live : NULL;
}

/* "67.11MB is f32[8,64] of mlp, model.py:20" */
static void put_value(const struct memory_program *x, const struct hlo_live *live, const char *is,
	struct buf *b)
{
	size_t before;

	format_number(b, UNIT_BYTES, live->bytes);
	buf_text(b, is);
	if (live->op != NONE)
		hlo_put_shape(b, &x->program, live->value);
	buf_text(b, " of ");
	hlo_put_layer(b, &x->program, &live->name);
	buf_text(b, ", ");
	before = b->n;
	if (live->name.from != NONE && x->program.ops.at[live->name.from].op_name.n)
		hlo_put_line(b, &x->program, live->name.from);
	if (b->n == before)
		buf_text(b, "line not known");
}

bool memory_program_put_headline(struct memory_program *x, struct span name, bool has_failed,
	struct buf *b)
{
	const struct hlo_memory *m = &x->memory;
	bool is_output = m->largest_output.bytes >= m->largest_constant.bytes;
	const struct hlo_live *live = NULL,
			      *other = is_output ? &m->largest_output : &m->largest_constant;
	const struct hlo_arena *largest = NULL;

	for (size_t i = 0; i < m->arenas.n; i++)
		if (!m->arenas.at[i].space && m->arenas.at[i].n)
			largest = &m->arenas.at[i];
	live = largest ? find_largest(x, largest) : NULL;
	if (largest && !live)
		return false;
	buf_span(b, name);
	buf_text(b, has_failed ? " was called, but nothing of it ran: " : ": ");
	format_number(b, UNIT_BYTES, memory_program_bytes(x));
	buf_text(b, has_failed ? " on each device" : " on each device while it runs");
	if (other->bytes > (live ? live->bytes : 0)) {
		buf_text(b, ", of which ");
		put_value(x, other, is_output ? " is the output " : " is the constant ", b);
		live = NULL;
	}
	if (!largest)
		return true;
	buf_text(b, "; temporaries peak at ");
	format_number(b, UNIT_BYTES, largest->peak);
	buf_text(b, " in ");
	buf_span(b, largest->at);
	if (live) {
		buf_text(b, ", of which ");
		put_value(x, live, " is ", b);
	}
	return true;
}

/* ---- reading --------------------------------------------------------------------- */

int64_t memory_program_bytes(const struct memory_program *x)
{
	struct hlo_space device = device_space(&x->memory);

	return hlo_sum(without_temporaries(&device), device.temporaries);
}

enum program_reading memory_program_read(struct memory_program *x, struct answer *a,
	struct span message, enum hlo_peak_source source)
{
	struct decoder d = {0};

	*x = (struct memory_program){.a = a};
	if (!strings_init(&x->texts))
		return MEMORY_FAILED;
	if (hlo_program_read(&x->program, &d, message) &&
		hlo_memory_read(&x->memory, &x->program, source, &d))
		return MEMORY_READ;
	return d.bad ? MEMORY_DAMAGED : MEMORY_FAILED;
}

void memory_program_clear(struct memory_program *x)
{
	hlo_memory_clear(&x->memory);
	hlo_program_clear(&x->program);
	strings_clear(&x->texts);
	buf_clear(&x->scratch);
	vec_clear(&x->rows);
	vec_clear(&x->layers);
	mem_free(x->layer_of);
}
