/* OpLogProto → types, float operations and call stacks of known nodes.
 *
 * A log is checked as a whole before anything is added, in pieces, in parallel.
 * Checking notes which node each entry is of and where its call stack is, so that
 * adding looks at few entries again. Types of a node, from however many entries, are
 * added together, at the end. */
#include "base/parallel.h"
#include "base/sort.h"
#include "load/load.h"
#include "proto/decoder.h"

/* An entry of the log or of its string table. */
struct item {
	struct span message;
	struct span trace; /* .at is NULL if it has none */
	uint32_t node;     /* NONE: not known */
	bool is_string;
	bool has_more; /* types or float operations */
	bool is_of_function;
};

struct piece {
	struct span bytes;
	VEC(struct item) items;
	struct field_counts fields;
	struct decoder decoder;
};

struct log {
	struct model *model; /* NULL: it is only checked */
	size_t n_pieces;
	struct piece pieces[PARALLEL_MAX];
	VEC(struct sort_item) types; /* node → string id */
	struct slicer slicer;        /* for slices of its bytes */
};

struct log_entry {
	struct wire_reader r;
	struct span name;
	int64_t float_ops;
};

static struct log_entry log_entry(struct span message)
{
	return (struct log_entry){.r = wire_reader(message), .name = {"", 0}};
}

/* The next type or CodeDef of an OpLogEntry; the rest is known at the end. */
static bool log_entry_next(struct decoder *d, struct log_entry *entry, struct wire_field *f)
{
	while (decoder_next(d, &entry->r, f))
		switch (f->tag) {
		case WIRE_LEN(OP_LOG_ENTRY_NAME): entry->name = f->bytes; break;
		case WIRE_VARINT(OP_LOG_ENTRY_FLOAT_OPS):
			entry->float_ops = (int64_t)f->value;
			break;
		case WIRE_LEN(OP_LOG_ENTRY_TYPES):
		case WIRE_LEN(OP_LOG_ENTRY_CODE_DEF): return true;
		}
	return false;
}

/* ---- checking ------------------------------------------------------------ */

static void check_trace(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(CODE_DEF_TRACES), &f))
		decoder_check(d, f.bytes);
}

static void check_entry(struct decoder *d, struct item *item, struct span *name)
{
	struct log_entry entry = log_entry(item->message);
	struct wire_field f;

	while (log_entry_next(d, &entry, &f))
		if (f.tag == WIRE_LEN(OP_LOG_ENTRY_TYPES)) {
			item->has_more = true;
		} else {
			item->trace = f.bytes;
			check_trace(d, f.bytes);
		}
	item->has_more |= entry.float_ops != 0;
	*name = entry.name;
}

/* Names of the latest entries. Nodes are looked up after prefetching the slots, and
 * then the texts they are compared with: otherwise `new` takes 10 % longer. */
enum { AHEAD = 32 };

struct waiting {
	size_t n; /* so far */
	struct {
		struct span name;
		uint64_t hash;
		size_t item;
	} at[AHEAD];
};

static void find_node(const struct model *m, struct piece *p, const struct waiting *w, size_t i)
{
	uint32_t name = strings_find_hashed(&m->strings, w->at[i].name, w->at[i].hash);

	p->items.at[w->at[i].item].node = name == NONE ? NONE : model_node_of(m, name);
}

static void find_later(const struct model *m, struct piece *p, struct waiting *w, struct span name)
{
	size_t i = w->n % AHEAD, half = (w->n + AHEAD / 2) % AHEAD;

	if (w->n >= AHEAD)
		find_node(m, p, w, i);
	if (w->n >= AHEAD / 2)
		strings_prefetch_text(&m->strings, w->at[half].hash);
	w->at[i].name = name;
	w->at[i].hash = strings_hash(name);
	w->at[i].item = p->items.n - 1;
	w->n++;
	strings_prefetch(&m->strings, w->at[i].hash);
}

static void read_item(struct log *log, struct piece *p, const struct wire_field *f,
	struct waiting *w)
{
	struct item item = {.message = f->bytes,
		.node = NONE,
		.is_string = f->tag == WIRE_LEN(OP_LOG_ID_TO_STRING)};
	struct span name = {"", 0};

	if (item.is_string)
		decoder_check(&p->decoder, f->bytes);
	else
		check_entry(&p->decoder, &item, &name);
	item.is_of_function = log->model && log->model->graphs.n && op_log_is_of_function(name);
	if (!log->model || !decoder_alloc(&p->decoder, vec_push(&p->items, item)))
		return;
	if (!item.is_string)
		find_later(log->model, p, w, name);
}

static void read_piece(void *context, size_t i)
{
	struct log *log = context;
	struct piece *p = &log->pieces[i];
	struct wire_reader r = wire_reader(p->bytes);
	struct wire_field f;
	struct waiting waiting = {0};

	while (!p->decoder.failed && decoder_next(&p->decoder, &r, &f))
		if (f.tag == WIRE_LEN(OP_LOG_LOG_ENTRIES) || f.tag == WIRE_LEN(OP_LOG_ID_TO_STRING))
			read_item(log, p, &f, &waiting);
		else
			audit_field(&schema_op_log_proto, f.tag, &p->fields);
	for (size_t k = waiting.n < AHEAD ? 0 : waiting.n - AHEAD; k < waiting.n; k++)
		find_node(log->model, p, &waiting, k % AHEAD);
}

static void count(const struct log *log, struct load_counts *c)
{
	*c = (struct load_counts){0};
	for (size_t i = 0; i < log->n_pieces; i++) {
		const struct piece *p = &log->pieces[i];

		c->fields.n_unknown += p->fields.n_unknown;
		c->fields.n_mistyped += p->fields.n_mistyped;
		for (size_t k = 0; k < p->items.n; k++) {
			const struct item *item = &p->items.at[k];

			c->n_entries += !item->is_string;
			c->n_outside +=
				!item->is_string && item->node == NONE && !item->is_of_function;
		}
	}
}

static void log_clear(struct log *log)
{
	for (size_t i = 0; i < log->n_pieces; i++)
		vec_clear(&log->pieces[i].items);
	vec_clear(&log->types);
}

static enum tfprof_status read_log(struct log *log, const struct load *l, struct tfprof_error *err)
{
	const struct source *source = &l->source;
	struct span pieces[PARALLEL_MAX];
	enum tfprof_status status = TFPROF_OK;

	log->n_pieces = parallel_parts(source->bytes.n, 1 << 20);
	wire_split(source->bytes, pieces, log->n_pieces);
	for (size_t i = 0; i < log->n_pieces; i++)
		log->pieces[i].bytes = pieces[i];
	parallel_run(log->n_pieces, read_piece, log);
	for (size_t i = 0; i < log->n_pieces && status == TFPROF_OK; i++)
		status = input_status(l->in, l->kind, source, &log->pieces[i].decoder, err);
	return status;
}

enum tfprof_status op_log_check(const struct load *l, struct tfprof_error *err)
{
	struct log log = {0};

	return read_log(&log, l, err);
}

/* ---- adding -------------------------------------------------------------- */

static bool add_string(struct model *m, struct span message)
{
	struct decoder d = {0};
	struct map_entry entry = map_entry_read(&d, message);

	return model_add_trace_string(m, entry.key, entry.value);
}

/* Float operations and types. */
static bool add_more(struct log *log, uint32_t node, struct span message)
{
	struct model *m = log->model;
	struct log_entry entry = log_entry(message);
	struct decoder d = {0};
	struct wire_field f;

	while (log_entry_next(&d, &entry, &f)) {
		uint32_t type;

		if (f.tag != WIRE_LEN(OP_LOG_ENTRY_TYPES))
			continue;
		type = strings_add(&m->strings, f.bytes);
		if (type == NONE || !vec_push(&log->types, ((struct sort_item){node, type})))
			return false;
	}
	if (entry.float_ops)
		m->nodes.float_ops[node] = entry.float_ops;
	m->has_negative |= entry.float_ops < 0;
	return true;
}

/* Entries mostly come in the order of nodes. */
static bool sort_types(struct log *log)
{
	struct sort_item *items = log->types.at, *scratch;
	size_t n = log->types.n, i = 1;

	while (i < n && items[i - 1].key <= items[i].key)
		i++;
	if (i >= n)
		return true;
	scratch = mem_array(n, sizeof(*scratch));
	if (scratch)
		sort_items(items, scratch, n);
	mem_free(scratch);
	return scratch;
}

/* Adds all types of a node at once: one by one, each would make a set that copies the one
 * before. */
static bool add_types(struct log *log)
{
	VEC(uint32_t) types = {0};
	bool ok = sort_types(log);

	for (size_t i = 0; ok && i < log->types.n; i++) {
		const struct sort_item *item = &log->types.at[i];

		ok = vec_push(&types, item->id);
		if (ok && (i + 1 == log->types.n || item[1].key != item->key)) {
			ok = model_add_types(log->model, (uint32_t)item->key, types.at, types.n);
			types.n = 0;
		}
	}
	vec_clear(&types);
	return ok;
}

static bool add_trace(struct log *log, uint32_t node, struct span trace)
{
	struct model *m = log->model;

	m->has_trace = true;
	if (m->nodes.flags[node] & NODE_HAS_TRACE)
		return true;
	m->nodes.flags[node] |= NODE_HAS_TRACE;
	return slicer_cut(&log->slicer, &m->nodes.trace[node], trace);
}

static bool add_item(struct log *log, const struct item *item)
{
	struct model *m = log->model;
	uint32_t node = item->node;

	if (item->is_string)
		return add_string(m, item->message);
	if (node == NONE)
		return true;
	m->nodes.flags[node] |= NODE_CHANGED;
	if (item->trace.at && !add_trace(log, node, item->trace))
		return false;
	return !item->has_more || add_more(log, node, item->message);
}

bool op_log_add_entry(struct model *m, size_t source, uint32_t node, struct span message)
{
	struct log log = {.model = m,
		.slicer = {m->sources.at[source].bytes.at, source, &m->listed_slices}};
	struct item item = {.message = message, .node = node};
	struct decoder d = {0};
	struct span name;
	bool ok;

	check_entry(&d, &item, &name);
	ok = add_item(&log, &item) && add_types(&log);
	log_clear(&log);
	return ok;
}

static bool add_piece(struct log *log, const struct piece *p, struct span bytes, size_t *n)
{
	for (size_t i = 0; i < p->items.n; i++) {
		const struct item *item = &p->items.at[i];

		if (!add_item(log, item))
			return false;
		if (++*n % 4096 == 0)
			model_progress(log->model,
				(size_t)(item->message.at + item->message.n - bytes.at), bytes.n);
	}
	return true;
}

enum tfprof_status load_op_log(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct log log = {.model = m};
	size_t n = 0;
	bool ok = true;
	/* Call stacks stay as slices of the log. */
	enum tfprof_status status = source_own(&l->source, err);

	if (status == TFPROF_OK)
		status = read_log(&log, l, err);
	if (status == TFPROF_OK && !vec_reserve(&m->op_logs, 1))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = model_keep(m, &l->source, err);
	if (status != TFPROF_OK) {
		log_clear(&log);
		return status;
	}
	m->generation++;
	m->op_logs.at[m->op_logs.n++] = (uint32_t)(m->sources.n - 1);
	log.slicer = model_slicer(m, &m->listed_slices);
	for (size_t i = 0; ok && i < log.n_pieces; i++)
		ok = add_piece(&log, &log.pieces[i], m->sources.at[m->sources.n - 1].bytes, &n);
	ok = ok && add_types(&log);
	count(&log, &l->counts);
	log_clear(&log);
	return ok ? TFPROF_OK : error_no_memory(err);
}
