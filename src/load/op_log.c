/* OpLogProto → types, float operations and call stacks of known nodes.
 *
 * A log is checked as a whole before anything is added, in pieces at the same
 * time. Checking notes which node each entry is of and where its call stack is,
 * so that adding looks at few entries again. */
#include "base/parallel.h"
#include "load/load.h"
#include "proto/fields.h"
#include "proto/wire.h"

/* An entry of the log, or of its string table. */
struct item {
	struct span message;
	struct span trace; /* .at is NULL if it has none */
	uint32_t node;     /* NONE: not known */
	bool is_string;
	bool has_more; /* types or float operations */
};

struct piece {
	struct span bytes;
	VEC(struct item) items;
	bool failed;
	const char *bad; /* malformed here; NULL: memory is out */
};

struct log {
	const struct model *model; /* NULL: it is only checked */
	size_t n_pieces;
	struct piece pieces[PARALLEL_MAX];
};

/* ---- checking ------------------------------------------------------------ */

static bool check_trace(struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(CODE_DEF_TRACES) && !wire_check(f.bytes, bad))
			return false;
	*bad = r.bad;
	return !r.bad;
}

static bool check_entry(struct item *item, struct span *name, const char **bad)
{
	struct wire_reader r = wire_reader(item->message);
	struct wire_field f;

	*name = (struct span){"", 0};
	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(OP_LOG_ENTRY_NAME): *name = f.bytes; break;
		case WIRE_VARINT(OP_LOG_ENTRY_FLOAT_OPS):
		case WIRE_LEN(OP_LOG_ENTRY_TYPES): item->has_more = true; break;
		case WIRE_LEN(OP_LOG_ENTRY_CODE_DEF):
			item->trace = f.bytes;
			if (!check_trace(f.bytes, bad))
				return false;
			break;
		}
	*bad = r.bad;
	return !r.bad;
}

/* Names of the latest entries. Their nodes are looked for when the slots they are
 * in have arrived, and then the texts they are compared with. */
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

static bool read_item(struct log *log, struct piece *p, const struct wire_field *f,
	struct waiting *w)
{
	struct item item = {.message = f->bytes,
		.node = NONE,
		.is_string = f->tag == WIRE_LEN(OP_LOG_ID_TO_STRING)};
	struct span name;

	if (item.is_string ? !wire_check(f->bytes, &p->bad) : !check_entry(&item, &name, &p->bad))
		return false;
	if (!log->model)
		return true;
	if (!vec_push(&p->items, item)) {
		p->bad = NULL;
		return false;
	}
	if (!item.is_string)
		find_later(log->model, p, w, name);
	return true;
}

static void read_piece(void *context, size_t i)
{
	struct log *log = context;
	struct piece *p = &log->pieces[i];
	struct wire_reader r = wire_reader(p->bytes);
	struct wire_field f;
	struct waiting waiting = {0};

	while (wire_next(&r, &f))
		if ((f.tag == WIRE_LEN(OP_LOG_LOG_ENTRIES) ||
			    f.tag == WIRE_LEN(OP_LOG_ID_TO_STRING)) &&
			!read_item(log, p, &f, &waiting)) {
			p->failed = true;
			return;
		}
	p->bad = r.bad;
	p->failed = r.bad != NULL;
	for (size_t k = waiting.n < AHEAD ? 0 : waiting.n - AHEAD; k < waiting.n; k++)
		find_node(log->model, p, &waiting, k % AHEAD);
}

static void log_clear(struct log *log)
{
	for (size_t i = 0; i < log->n_pieces; i++)
		vec_clear(&log->pieces[i].items);
}

static enum tfprof_status read_log(struct log *log, const struct load *l, struct tfprof_error *err)
{
	const struct source *source = &l->source;
	struct span pieces[PARALLEL_MAX];

	log->n_pieces = parallel_parts(source->bytes.n, 1 << 20);
	wire_split(source->bytes, pieces, log->n_pieces);
	for (size_t i = 0; i < log->n_pieces; i++)
		log->pieces[i].bytes = pieces[i];
	parallel_run(log->n_pieces, read_piece, log);
	for (size_t i = 0; i < log->n_pieces; i++)
		if (log->pieces[i].failed)
			return load_malformed(l, source, log->pieces[i].bad, err);
	return TFPROF_OK;
}

enum tfprof_status op_log_check(const struct load *l, struct tfprof_error *err)
{
	struct log log = {0};

	return read_log(&log, l, err);
}

/* ---- adding -------------------------------------------------------------- */

static bool add_string(struct model *m, struct span entry)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f;
	int64_t id = 0;
	struct span text = {"", 0};

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(MAP_KEY))
			id = (int64_t)f.value;
		else if (f.tag == WIRE_LEN(MAP_VALUE))
			text = f.bytes;
	return model_add_trace_string(m, id, text);
}

/* Float operations and types. */
static bool add_more(struct model *m, uint32_t node, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	int64_t float_ops = 0;

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(OP_LOG_ENTRY_FLOAT_OPS)) {
			float_ops = (int64_t)f.value;
		} else if (f.tag == WIRE_LEN(OP_LOG_ENTRY_TYPES)) {
			uint32_t type = strings_add(&m->strings, f.bytes);

			if (type == NONE || !model_add_type(m, node, type))
				return false;
		}
	if (float_ops)
		m->nodes.float_ops[node] = float_ops;
	m->has_negative |= float_ops < 0;
	return true;
}

static bool add_item(struct model *m, const struct item *item)
{
	uint32_t node = item->node;

	if (item->is_string)
		return add_string(m, item->message);
	if (node == NONE)
		return true;
	m->nodes.flags[node] |= NODE_CHANGED;
	if (item->trace.at) {
		m->has_trace = true;
		if (!(m->nodes.flags[node] & NODE_HAS_TRACE)) {
			m->nodes.flags[node] |= NODE_HAS_TRACE;
			m->nodes.trace[node] = item->trace.at;
		}
	}
	return !item->has_more || add_more(m, node, item->message);
}

/* The node of an item some places on. */
PREFETCHES prefetch_node(const struct nodes *nodes, uint32_t node)
{
	if (node == NONE)
		return;
	__builtin_prefetch(&nodes->flags[node], 1);
	__builtin_prefetch(&nodes->trace[node], 1);
}

static bool add_piece(struct model *m, const struct piece *p, struct span log, size_t *n)
{
	for (size_t i = 0; i < p->items.n; i++) {
		const struct item *item = &p->items.at[i];

		if (i + AHEAD < p->items.n)
			prefetch_node(&m->nodes, item[AHEAD].node);
		if (!add_item(m, item))
			return false;
		if (++*n % 4096 == 0)
			model_progress(m, (size_t)(item->message.at + item->message.n - log.at),
				log.n);
	}
	return true;
}

enum tfprof_status load_op_log(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct log log = {.model = m};
	size_t n = 0;
	bool fine = true;
	/* Call stacks stay as slices of the log. */
	enum tfprof_status status =
		model_index_names(m) ? source_own(&l->source, err) : error_no_memory(err);

	if (status == TFPROF_OK)
		status = read_log(&log, l, err);
	if (status == TFPROF_OK)
		status = model_keep(m, &l->source, err);
	if (status != TFPROF_OK) {
		log_clear(&log);
		return status;
	}
	m->generation++;
	for (size_t i = 0; fine && i < log.n_pieces; i++)
		fine = add_piece(m, &log.pieces[i], m->sources.at[m->sources.n - 1].bytes, &n);
	log_clear(&log);
	return fine ? TFPROF_OK : error_no_memory(err);
}
