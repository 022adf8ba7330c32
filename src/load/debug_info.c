#include "load/debug_info.h"

/* A frame or a trace, by its id. */
struct numbered {
	uint64_t id;
	struct span message;
	struct call_stack stack; /* of a trace, once it was made */
	bool is_made;
};

struct table {
	VEC(struct numbered) items;
	struct hash_index index;
};

/* Entry of a map from a name to a trace, or to the id of one. */
struct name_entry {
	struct span message;
	bool is_direct;
};

/* What stacks are made from. */
struct reading {
	struct debug_info *info;
	const struct load *load;
	VEC(struct span) files;
	struct table frames, traces;
	VEC(struct name_entry) entries;
	struct decoder decoder;
	struct span name; /* whose stack is being made */
	bool is_broken;   /* it refers to what is not there */
	size_t n_broken;
	struct buf broken; /* what the first one refers to */
};

/* ---- tables ---------------------------------------------------------------- */

struct id_probe {
	const struct table *table;
	uint64_t id;
};

static bool same_id(const void *context, uint32_t i)
{
	const struct id_probe *p = context;

	return p->table->items.at[i].id == p->id;
}

static struct numbered *table_find(const struct table *t, uint64_t id)
{
	struct id_probe probe = {t, id};
	uint32_t i = hash_find(&t->index, hash_bytes(&id, sizeof(id)), same_id, &probe);

	return i == NONE ? NULL : &t->items.at[i];
}

struct id_entry {
	struct span key;
	uint64_t id; /* a key or a value that is a number */
	struct span value;
};

static struct id_entry read_entry(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct id_entry entry = {.key = {"", 0}, .value = {"", 0}};

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(MAP_KEY): entry.key = f.bytes; break;
		case WIRE_I64(MAP_KEY):
		case WIRE_I64(MAP_VALUE): entry.id = f.value; break;
		case WIRE_LEN(MAP_VALUE): entry.value = f.bytes; break;
		}
	return entry;
}

/* As in all maps, the last of a key counts. */
static void table_add(struct decoder *d, struct table *t, struct span message)
{
	struct id_entry entry = read_entry(d, message);
	struct numbered *known = table_find(t, entry.id);

	if (known) {
		known->message = entry.value;
		return;
	}
	decoder_alloc(d,
		hash_add(&t->index, hash_bytes(&entry.id, sizeof(entry.id)),
			(uint32_t)t->items.n) &&
			vec_push(&t->items,
				((struct numbered){entry.id, entry.value, {0}, false})));
}

static void table_clear(struct table *t)
{
	vec_clear(&t->items);
	hash_clear(&t->index);
}

/* ---- names ------------------------------------------------------------------ */

struct name_probe {
	const struct debug_info *info;
	struct span node, function;
};

static bool same_name(const void *context, uint32_t i)
{
	const struct name_probe *p = context;
	const struct debug_name *name = &p->info->names.at[i];

	return span_equal(name->node, p->node) && span_equal(name->function, p->function);
}

static uint64_t hash_name(struct span node, struct span function)
{
	return hash_mix(hash_bytes(node.at, node.n), hash_bytes(function.at, function.n));
}

static struct debug_name *find_name(const struct debug_info *d, struct span node,
	struct span function)
{
	struct name_probe probe = {d, node, function};
	uint32_t i = hash_find(&d->index, hash_name(node, function), same_name, &probe);

	return i == NONE ? NULL : &d->names.at[i];
}

const struct debug_name *debug_info_find(const struct debug_info *d, struct span node,
	struct span function)
{
	const struct debug_name *name = find_name(d, node, function);

	return name && name->stack.n ? name : NULL;
}

static void add_name(struct reading *r, struct span key, struct call_stack stack)
{
	struct debug_info *d = r->info;
	const char *at = key.n ? memchr(key.at, '@', key.n) : NULL;
	struct debug_name name = {.node = key, .function = {"", 0}, .stack = stack}, *known;

	if (at) {
		name.node.n = (size_t)(at - key.at);
		name.function = (struct span){at + 1, key.n - name.node.n - 1};
	}
	known = find_name(d, name.node, name.function);
	if (known)
		known->stack = stack;
	else
		decoder_alloc(&r->decoder,
			hash_add(&d->index, hash_name(name.node, name.function),
				(uint32_t)d->names.n) &&
				vec_push(&d->names, name));
}

/* ---- stacks ----------------------------------------------------------------- */

static void miss(struct reading *r, const char *what, uint64_t id)
{
	if (!r->broken.n)
		buf_printf(&r->broken,
			"the call stack of '%.*s' refers to %s %llu, which is missing",
			ERROR_SPAN(r->name), what, (unsigned long long)id);
	r->is_broken = true;
}

static void put_frame(struct reading *r, struct span message)
{
	struct wire_reader reader = wire_reader(message);
	struct wire_field f;
	struct frame frame = {.function = SPAN(""), .source = SPAN("")};
	uint64_t file = 0;

	while (decoder_next(&r->decoder, &reader, &f))
		switch (f.tag) {
		case WIRE_VARINT(GRAPH_DEBUG_INFO_FILE_LINE_COL_FILE_INDEX): file = f.value; break;
		case WIRE_VARINT(GRAPH_DEBUG_INFO_FILE_LINE_COL_LINE):
			frame.line = f.value > INT32_MAX ? 0 : (int32_t)f.value;
			break;
		case WIRE_LEN(GRAPH_DEBUG_INFO_FILE_LINE_COL_FUNC): frame.function = f.bytes; break;
		case WIRE_LEN(GRAPH_DEBUG_INFO_FILE_LINE_COL_CODE): frame.source = f.bytes; break;
		}
	if (file >= r->files.n) {
		miss(r, "file", file);
		return;
	}
	frame.file = r->files.at[file];
	call_stacks_put(&r->info->stacks, &frame);
}

static void put_frame_of(struct reading *r, uint64_t id)
{
	const struct numbered *frame = table_find(&r->frames, id);

	if (frame)
		put_frame(r, frame->message);
	else
		miss(r, "frame", id);
}

static void put_frames(struct reading *r, struct span ids)
{
	if (ids.n % 8)
		decoder_fail(&r->decoder, ids.at + ids.n / 8 * 8);
	for (size_t i = 0; i + 8 <= ids.n && !r->is_broken; i += 8) {
		uint64_t id = 0;

		for (size_t k = 8; k-- > 0;)
			id = id << 8 | (unsigned char)ids.at[i + k];
		put_frame_of(r, id);
	}
}

/* One that refers to what is not there is taken back. */
static struct call_stack put_stack(struct reading *r, struct span message)
{
	struct buf *code = &r->info->stacks.code;
	struct call_stack stack = {code->n, 0};
	struct wire_reader reader = wire_reader(message);
	struct wire_field f;

	r->is_broken = false;
	while (!r->is_broken && decoder_next(&r->decoder, &reader, &f))
		switch (f.tag) {
		case WIRE_LEN(GRAPH_DEBUG_INFO_STACK_TRACE_FILE_LINE_COLS):
			put_frame(r, f.bytes);
			break;
		case WIRE_LEN(GRAPH_DEBUG_INFO_STACK_TRACE_FRAME_ID): put_frames(r, f.bytes); break;
		case WIRE_I64(GRAPH_DEBUG_INFO_STACK_TRACE_FRAME_ID):
			put_frame_of(r, f.value);
			break;
		}
	decoder_alloc(&r->decoder, !code->failed);
	if (r->is_broken)
		code->n = stack.at;
	stack.n = code->n - stack.at;
	return stack;
}

/* Many nodes may have the same trace: it is made once. */
static struct call_stack stack_of(struct reading *r, uint64_t id)
{
	struct numbered *trace = table_find(&r->traces, id);

	r->is_broken = false;
	if (!trace) {
		miss(r, "trace", id);
		return (struct call_stack){0};
	}
	if (!trace->is_made)
		trace->stack = put_stack(r, trace->message);
	trace->is_made = true;
	return trace->stack;
}

static void make_stacks(struct reading *r)
{
	for (size_t i = 0; i < r->entries.n && !r->decoder.failed; i++) {
		struct id_entry entry = read_entry(&r->decoder, r->entries.at[i].message);
		struct call_stack stack;

		r->name = entry.key;
		stack = r->entries.at[i].is_direct ? put_stack(r, entry.value)
						   : stack_of(r, entry.id);
		r->n_broken += r->is_broken;
		if (!r->is_broken)
			add_name(r, entry.key, stack);
	}
}

/* ---- reading ---------------------------------------------------------------- */

static void read_message(struct reading *r, struct span message)
{
	struct decoder *d = &r->decoder;
	struct wire_reader reader = wire_reader(message);
	struct wire_field f;

	while (!d->failed && decoder_next(d, &reader, &f))
		switch (f.tag) {
		case WIRE_LEN(GRAPH_DEBUG_INFO_FILES):
			decoder_alloc(d, vec_push(&r->files, f.bytes));
			break;
		case WIRE_LEN(GRAPH_DEBUG_INFO_FRAMES_BY_ID):
			table_add(d, &r->frames, f.bytes);
			break;
		case WIRE_LEN(GRAPH_DEBUG_INFO_TRACES_BY_ID):
			table_add(d, &r->traces, f.bytes);
			break;
		case WIRE_LEN(GRAPH_DEBUG_INFO_TRACES):
		case WIRE_LEN(GRAPH_DEBUG_INFO_NAME_TO_TRACE_ID):
			decoder_alloc(d,
				vec_push(&r->entries,
					((struct name_entry){f.bytes,
						f.tag == WIRE_LEN(GRAPH_DEBUG_INFO_TRACES)})));
			break;
		}
}

/* Broken stacks are an error, unless they are what damage has left. */
static enum tfprof_status check_stacks(struct reading *r, const struct model *m,
	struct tfprof_error *err)
{
	const char *name = input_name(r->load->in, r->load->kind);

	if (!r->n_broken)
		return TFPROF_OK;
	if (m->reading != TFPROF_READ_RECOVER)
		return error_set(err, TFPROF_FORMAT, "%.300s: %.*s: it is damaged%s", name,
			ERROR_SPAN(buf_get(&r->broken)), RECOVER_HINT);
	buf_printf(r->load->notes, "%s: recovered: dropped %zu call stack%s: %.*s\n", name,
		r->n_broken, r->n_broken == 1 ? "" : "s", ERROR_SPAN(buf_get(&r->broken)));
	return TFPROF_OK;
}

enum tfprof_status debug_info_read(struct debug_info *d, const struct model *m,
	const struct load *l, const struct source *source, struct span message,
	struct tfprof_error *err)
{
	struct reading r = {.info = d, .load = l};
	enum tfprof_status status;

	*d = (struct debug_info){0};
	decoder_alloc(&r.decoder, call_stacks_init(&d->stacks, m));
	read_message(&r, message);
	make_stacks(&r);
	status = input_status(l->in, l->kind, source, &r.decoder, err);
	if (status == TFPROF_OK)
		status = check_stacks(&r, m, err);
	vec_clear(&r.files);
	table_clear(&r.frames);
	table_clear(&r.traces);
	vec_clear(&r.entries);
	buf_clear(&r.broken);
	return status;
}

void debug_info_clear(struct debug_info *d)
{
	vec_clear(&d->names);
	hash_clear(&d->index);
	call_stacks_clear(&d->stacks);
}

/* ---- adding ----------------------------------------------------------------- */

/* Node of a model file (load/model_nodes.c): it is in no graph, but has its name from the
 * function it is in. */
static bool is_of_model_file(const struct model *m, uint32_t node)
{
	return !m->nodes.source[node].bits;
}

enum tfprof_status debug_info_keep(struct debug_info *d, struct model *m, struct tfprof_error *err)
{
	enum tfprof_status status = call_stacks_keep(&d->stacks, m, err);

	for (size_t i = 0; status == TFPROF_OK && i < d->names.n; i++) {
		struct debug_name *name = &d->names.at[i];

		if (name->stack.n && !call_stacks_slice(m, name->stack, &name->slice))
			status = error_no_memory(err);
	}
	return status;
}

static bool same_stack(const struct model *m, struct slice a, struct slice b)
{
	return span_equal(model_slice(m, a), model_slice(m, b));
}

/* One of a function waits for a trace. Meanwhile it is that of the node of its name, if all
 * functions that have such a node say the same. */
static bool add_of_function(struct model *m, const struct debug_name *name, uint32_t node,
	struct slice *found, bool *differs)
{
	if (node != NONE && is_of_model_file(m, node)) {
		differs[node] |= found[node].bits && !same_stack(m, found[node], name->slice);
		found[node] = name->slice;
	}
	return vec_push(&m->function_stacks,
		((struct function_stack){name->node, name->function, name->slice}));
}

static bool add_names(struct debug_info *d, struct model *m, size_t first_node, size_t *n_outside,
	struct slice *found, bool *differs)
{
	for (size_t i = 0; i < d->names.n; i++) {
		const struct debug_name *name = &d->names.at[i];
		uint32_t node = model_find_node(m, name->node);

		*n_outside += node == NONE && !name->function.n;
		if (!name->stack.n)
			continue;
		node = node != NONE && node >= first_node ? node : NONE;
		if (name->function.n && !add_of_function(m, name, node, found, differs))
			return false;
		if (!name->function.n && node != NONE && !(m->nodes.flags[node] & NODE_HAS_TRACE))
			call_stacks_set(m, node, name->slice);
	}
	return true;
}

/* A variable of a model file is where it is read. */
static void set_variables(struct model *m)
{
	for (uint32_t node = 0; node < m->nodes.n; node++)
		for (uint32_t i = 0; i < m->nodes.n_edges[node] && is_of_model_file(m, node) &&
			m->nodes.flags[node] & NODE_HAS_TRACE;
			i++) {
			const struct edge *edge = &m->edges.at[m->nodes.first_edge[node] + i];
			uint32_t source = model_node_of(m, edge->source);

			if (source != NONE && m->nodes.shape[source] &&
				is_of_model_file(m, source) &&
				!(m->nodes.flags[source] & NODE_HAS_TRACE))
				call_stacks_set(m, source, m->nodes.trace[node]);
		}
}

enum tfprof_status debug_info_apply(struct debug_info *d, struct model *m, size_t first_node,
	size_t *n_outside, struct tfprof_error *err)
{
	struct slice *found = mem_zero_array(m->nodes.n + 1, sizeof(*found));
	bool *differs = mem_zero_array(m->nodes.n + 1, sizeof(*differs));
	enum tfprof_status status =
		found && differs ? debug_info_keep(d, m, err) : error_no_memory(err);

	*n_outside = 0;
	if (status == TFPROF_OK && !add_names(d, m, first_node, n_outside, found, differs))
		status = error_no_memory(err);
	for (uint32_t node = 0; status == TFPROF_OK && node < m->nodes.n; node++)
		if (found[node].bits && !differs[node] && !(m->nodes.flags[node] & NODE_HAS_TRACE))
			call_stacks_set(m, node, found[node]);
	if (status == TFPROF_OK && model_is_complete(m))
		set_variables(m);
	mem_free(found);
	mem_free(differs);
	return status;
}

enum tfprof_status load_debug_info(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct debug_info d;
	/* Names of functions stay where they are. */
	enum tfprof_status status = source_own(&l->source, err);
	size_t n_outside;

	if (status != TFPROF_OK)
		return status;
	status = debug_info_read(&d, m, l, &l->source, l->source.bytes, err);
	if (status == TFPROF_OK)
		status = model_keep(m, &l->source, err);
	if (status == TFPROF_OK)
		status = debug_info_apply(&d, m, 0, &n_outside, err);
	if (status == TFPROF_OK) {
		l->counts = (struct load_counts){.n_entries = d.names.n, .n_outside = n_outside};
		m->generation++;
	}
	debug_info_clear(&d);
	return status;
}
