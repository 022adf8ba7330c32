/* memory: what compiled programs hold while they run, and who holds it at the peak.
 *
 *     jit_step(80)                    all of device memory      columns: bytes, peak_bytes, …
 *     ├─ parameters
 *     ├─ outputs
 *     ├─ temporaries                  the arena, and its peak
 *     │  └─ mlp (kept by a loop)      alive then, by layer
 *     │     └─ copy.71                by buffer: shape, line, how its name was found
 *     ├─ constants
 *     └─ temporaries (host memory)    of other memory spaces, which are never added up */
#include <stdlib.h>

#include "ask/question.h"
#include "base/strings.h"
#include "hlo/memory.h"
#include "hlo/shape.h"

/* id, name, type, unit */
/* clang-format off */
#define MEMORY_COLUMNS(X)                                                      \
	X(BYTES, "bytes", INT64, "bytes")                                      \
	X(PEAK, "peak_bytes", INT64, "bytes")                                  \
	X(BUFFERS, "buffers", INT64, NULL)                                     \
	X(SHAPE, "shape", TEXT, NULL)                                          \
	X(LAYER, "layer", TEXT, NULL)                                          \
	X(LINE, "line", TEXT, NULL)                                            \
	X(BORROWED, "borrowed", TEXT, NULL)
/* clang-format on */

enum {
#define X(id, ...) COLUMN_##id,
	MEMORY_COLUMNS(X)
#undef X
		N_COLUMNS
};

static const struct tfprof_column_info infos[] = {
#define X(id, name, type, one) {name, TFPROF_COLUMN_##type, one, 0},
	MEMORY_COLUMNS(X)
#undef X
};

/* A buffer that is alive at a peak, with its texts. */
struct row {
	const struct hlo_live *live;
	uint32_t layer, line; /* text ids */
};

/* Those of a layer. */
struct layer {
	uint32_t text;
	uint32_t n;
	int64_t bytes;
};

/* A program that is being asked about. */
struct asking {
	struct answer *a;
	struct hlo_program program;
	struct hlo_memory memory;
	struct strings texts;
	struct buf scratch;
	VEC(struct row) rows;
	VEC(struct layer) layers;
	uint32_t *layer_of; /* by text: its place + 1; 0: none */
};

/* ---- what is alive at the peak ------------------------------------------------- */

static uint32_t add_text(struct asking *x)
{
	uint32_t id = x->scratch.failed ? NONE : strings_add(&x->texts, buf_get(&x->scratch));

	x->scratch.n = 0;
	return id;
}

static bool read_rows(struct asking *x, const struct hlo_arena *arena)
{
	x->rows.n = 0;
	for (uint32_t i = arena->first; i < arena->first + arena->n; i++) {
		struct row row = {.live = &x->memory.live.at[i]};

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
	const struct layer *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->text > y->text) - (x->text < y->text);
}

/* Finds the layers, and sorts the rows by them. */
static bool find_layers(struct asking *x)
{
	mem_free(x->layer_of);
	x->layer_of = mem_zero_array(x->texts.text.n + 1, sizeof(*x->layer_of));
	x->layers.n = 0;
	if (!x->layer_of)
		return false;
	for (size_t i = 0; i < x->rows.n; i++) {
		uint32_t *of = &x->layer_of[x->rows.at[i].layer];

		if (!*of) {
			if (!vec_push(&x->layers, ((struct layer){.text = x->rows.at[i].layer})))
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

static void put_borrowed(struct asking *x, const struct hlo_borrowed_name *name)
{
	buf_text(&x->scratch, hlo_borrowed_texts[name->how]);
	if (name->how == HLO_BORROWED_COPY || name->how == HLO_BORROWED_USE) {
		buf_char(&x->scratch, ' ');
		buf_span(&x->scratch, x->program.ops.at[name->via].name);
	}
}

static void put_buffer(struct asking *x, size_t parent, const struct row *row)
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
	const struct row *x = a, *y = b;
	const uint32_t *place = context;

	if (place[x->layer] != place[y->layer])
		return place[x->layer] < place[y->layer] ? -1 : 1;
	return (x->live > y->live) - (x->live < y->live);
}

static bool put_arena(struct asking *x, size_t parent, const struct hlo_arena *arena)
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
		const struct layer *layer = &x->layers.at[i];
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

static size_t put_class(struct asking *x, size_t parent, const char *name, uint64_t space,
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

static bool put_temporaries(struct asking *x, size_t parent, const struct hlo_space *s)
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
static bool put_space(struct asking *x, size_t parent, const struct hlo_space *s)
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

static bool put_program(struct asking *x, struct span name)
{
	struct hlo_space device = device_space(&x->memory);
	size_t at = column_table_add_row(&x->a->table, 0, name);
	bool ok = put_space(x, at, &device);

	table_set_int(&x->a->table, at, COLUMN_BYTES,
		hlo_sum(without_temporaries(&device), device.temporaries));
	table_set_int(&x->a->table, at, COLUMN_PEAK,
		hlo_sum(without_temporaries(&device), peak_of(&x->memory, 0)));
	for (size_t i = 0; ok && i < x->memory.spaces.n; i++)
		if (x->memory.spaces.at[i].number)
			ok = put_space(x, at, &x->memory.spaces.at[i]);
	return ok;
}

/* ---- notes ----------------------------------------------------------------------- */

static double megabytes(int64_t bytes)
{
	return (double)bytes / 1e6;
}

static void note_program(struct asking *x, struct span name)
{
	enum { SHOWN_FROM = 1000000 };
	const struct hlo_memory *m = &x->memory;

	if (m->n_donatable && m->donatable_bytes >= SHOWN_FROM)
		answer_note(x->a, "donation",
			"%.*s: %zu %s could be donated (donate_argnums): at most %.2fMB less",
			(int)name.n, name.at, m->n_donatable,
			m->n_donatable == 1 ? "parameter" : "parameters",
			megabytes(m->donatable_bytes));
	for (size_t i = 0; i < m->arenas.n; i++) {
		const struct hlo_arena *arena = &m->arenas.at[i];
		int64_t lost = arena->bytes - arena->peak;

		if (lost >= SHOWN_FROM && lost / ((double)arena->bytes) >= 0.01)
			answer_note(x->a, "fragmentation",
				"%.*s: %.2fMB of the temporaries are lost between buffers",
				(int)name.n, name.at, megabytes(lost));
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

/* The largest buffer; of several, one of the largest layer that has one. NULL on allocation
 * failure. */
static const struct hlo_live *find_largest(struct asking *x, const struct hlo_arena *arena)
{
	const struct row *found = NULL;
	int64_t most = -1;

	if (!read_rows(x, arena) || !find_layers(x))
		return NULL;
	for (uint32_t i = 0; i < x->layers.n; i++)
		x->layer_of[x->layers.at[i].text] = i;
	for (size_t i = 0; i < x->rows.n; i++) {
		const struct row *row = &x->rows.at[i];

		if (row->live->bytes > most ||
			(row->live->bytes == most &&
				x->layer_of[row->layer] < x->layer_of[found->layer])) {
			most = row->live->bytes;
			found = row;
		}
	}
	return found ? found->live : NULL;
}

/* The largest buffer of the largest program, in a sentence. Programs come in that order. */
static bool put_headline(struct asking *x, struct span name)
{
	const struct hlo_arena *largest = NULL;
	struct hlo_space device = device_space(&x->memory);
	const struct hlo_live *live;
	struct buf *b = &x->scratch;

	if (answer_find_field(x->a, "headline"))
		return true;
	for (size_t i = 0; i < x->memory.arenas.n; i++)
		if (!x->memory.arenas.at[i].space && x->memory.arenas.at[i].n)
			largest = &x->memory.arenas.at[i];
	live = largest ? find_largest(x, largest) : NULL;
	if (largest && !live)
		return false;
	buf_span(b, name);
	buf_printf(b, ": %.2fMB on each device while it runs",
		megabytes(hlo_sum(without_temporaries(&device), device.temporaries)));
	if (largest) {
		buf_printf(b, "; temporaries peak at %.2fMB in ", megabytes(largest->peak));
		buf_span(b, largest->at);
		buf_printf(b, ", of which %.2fMB is ", megabytes(live->bytes));
		if (live->op != NONE)
			hlo_put_shape(b, &x->program, live->value);
		buf_text(b, " of ");
		hlo_put_layer(b, &x->program, &live->name);
		buf_text(b, ", ");
		if (live->name.from != NONE && x->program.ops.at[live->name.from].op_name.n) {
			size_t before = b->n;

			hlo_put_line(b, &x->program, live->name.from);
			if (b->n == before)
				buf_text(b, "line not known");
		} else {
			buf_text(b, "line not known");
		}
	}
	answer_put_text(x->a, "headline", buf_get(b));
	b->n = 0;
	return true;
}

/* ---- all ------------------------------------------------------------------------- */

/* A program, by how much it holds. */
struct ranked {
	uint32_t program;
	bool has_run;
	int64_t bytes;
};

/* Those that ran first, then the largest first. */
static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->has_run != y->has_run)
		return x->has_run ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (x->program > y->program) - (x->program < y->program);
}

typedef VEC(struct ranked) ranking;

static void clear(struct asking *x)
{
	hlo_memory_clear(&x->memory);
	hlo_program_clear(&x->program);
	strings_clear(&x->texts);
	buf_clear(&x->scratch);
	vec_clear(&x->rows);
	vec_clear(&x->layers);
	mem_free(x->layer_of);
}

enum reading { READ, DAMAGED, NO_MEMORY };

static enum reading read_program(struct asking *x, struct answer *a, struct span message,
	enum hlo_peak_source source)
{
	struct decoder d = {0};

	*x = (struct asking){.a = a};
	if (!strings_init(&x->texts))
		return NO_MEMORY;
	if (hlo_program_read(&x->program, &d, message) &&
		hlo_memory_read(&x->memory, &x->program, source, &d))
		return READ;
	return d.bad ? DAMAGED : NO_MEMORY;
}

static bool rank(struct answer *a, const struct model *m, ranking *ranks)
{
	struct asking x;
	enum reading reading = READ;

	for (uint32_t i = 0; reading != NO_MEMORY && i < m->compiled.programs.n; i++) {
		const struct compiled_program *p = &m->compiled.programs.at[i];
		struct span name = model_text(m, p->name);
		struct hlo_space device;

		reading = read_program(&x, a, p->message, HLO_NO_PEAK);
		device = device_space(&x.memory);
		if (reading == DAMAGED)
			answer_note(a, "damaged", "%.*s: it is damaged and left out", (int)name.n,
				name.at);
		else if (reading == READ && x.memory.is_known &&
			!vec_push(ranks,
				((struct ranked){i, p->has_run,
					hlo_sum(without_temporaries(&device),
						device.temporaries)})))
			reading = NO_MEMORY;
		clear(&x);
	}
	if (ranks->n)
		qsort(ranks->at, ranks->n, sizeof(*ranks->at), compare_ranked);
	return reading != NO_MEMORY;
}

static bool put_ranked(struct answer *a, const struct model *m, const ranking *ranks,
	const volatile int *cancel)
{
	struct asking x;
	bool ok = true;

	for (size_t i = 0; ok && i < ranks->n && !(cancel && *cancel); i++) {
		const struct compiled_program *p = &m->compiled.programs.at[ranks->at[i].program];
		struct span name = model_text(m, p->name);

		ok = read_program(&x, a, p->message, HLO_PEAK_OF_HEAP) == READ;
		if (ok) {
			ok = put_headline(&x, name) && put_program(&x, name) && !x.scratch.failed;
			if (ranks->at[i].has_run)
				note_program(&x, name);
		}
		clear(&x);
	}
	return ok;
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	enum tfprof_status status = model_check_traces(q->model, err);
	ranking ranks = {0};
	bool ok;

	if (status != TFPROF_OK)
		return status;
	ok = column_table_init_tree(&a->table, infos, N_COLUMNS) && rank(a, q->model, &ranks);
	if (ok) {
		column_table_add_row(&a->table, TABLE_NO_PARENT, SPAN("memory"));
		ok = put_ranked(a, q->model, &ranks, q->cancel);
	}
	vec_clear(&ranks);
	return ok ? TFPROF_OK : error_no_memory(err);
}

static bool has_programs(const struct asked *q)
{
	return q->model->compiled.programs.n > 0;
}

static const struct question_need needs[] = {
	{has_programs, "it shows the memory of compiled programs, and there are none",
		"a trace (*.xplane.pb) of JAX, or of TensorFlow with jit_compile=True"},
	{NULL, NULL, NULL},
};

const struct question memory_question = {
	.name = "memory",
	.summary = "what compiled programs hold, and who holds it at the peak",
	.description =
		"Prints the memory of each program that XLA compiled, on one device: parameters, "
		"outputs, temporaries and constants, and what is alive when the temporaries are "
		"largest, by layer and buffer. Buffers without a name in the source borrow one; "
		"`borrowed` says how. Programs that ran come first, then the largest.",
	.example = "",
	.state = QUESTION_LOADED,
	.needs = needs,
	.run = run,
};
