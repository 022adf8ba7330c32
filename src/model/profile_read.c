/* ProfileProto → model, in one pass over the bytes.
 *
 * Sums of execs are read at once; attributes, call stacks and the events
 * behind the sums stay as slices of the file until somebody asks for them. */
#include <stdlib.h>

#include "model/input.h"
#include "model/model.h"
#include "model/profile_fields.h"
#include "proto/wire.h"

/* An input of the node being read: its source is known by id only. */
struct raw_edge {
	int64_t source_id;
	struct edge edge;
	uint32_t shape;            /* its own input shape, NONE if none was written */
};

struct raw_exec {
	int64_t step;
	struct span message;
};

struct index_entry {
	int64_t source_id;
	int32_t output;
};

struct loader {
	struct model *model;
	const char *bad;           /* malformed here; NULL: memory is out */
	VEC(int64_t) edge_ids;     /* source id of each edge of the model */
	VEC(int64_t) node_keys;    /* the map key of each node */
	VEC(uint32_t) edge_shapes; /* of edges that have one of their own, else NONE */
	/* of the node being read: */
	VEC(struct raw_edge) edges;
	VEC(struct index_entry) indexes;
	VEC(struct raw_exec) execs;
	VEC(struct output) input_shapes;
	dims_vec shape, dims;      /* its own shape; one of a nested message */
};

static bool fail(struct loader *l, const char *bad)
{
	l->bad = bad;
	return false;
}

/* A map entry { key = 1: int, value = 2: int }. */
static bool read_int_entry(struct loader *l, struct span entry, int64_t *key, int64_t *value)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f;

	*key = *value = 0;
	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(1))
			*key = (int64_t)f.value;
		else if (f.tag == WIRE_VARINT(2))
			*value = (int64_t)f.value;
	return r.bad ? fail(l, r.bad) : true;
}

/* A map entry { key = 1: int, value = 2: message }. */
static bool read_message_entry(struct loader *l, struct span entry, int64_t *key,
	struct span *value)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f;

	*key = 0;
	*value = (struct span){entry.at, 0};
	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(1))
			*key = (int64_t)f.value;
		else if (f.tag == WIRE_LEN(2))
			*value = f.bytes;
	return r.bad ? fail(l, r.bad) : true;
}

static bool read_dims(struct loader *l, dims_vec *dims, struct span packed)
{
	struct wire_reader r = wire_reader(packed);
	uint64_t value;

	while (wire_packed_next(&r, &value))
		if (!vec_push(dims, (int64_t)value))
			return fail(l, NULL);
	return r.bad ? fail(l, r.bad) : true;
}

static bool intern_dims(struct loader *l, const dims_vec *dims, uint32_t *shape)
{
	*shape = shapes_add(&l->model->shapes, dims->at, dims->n);
	return *shape != NONE ? true : fail(l, NULL);
}

/* A map entry { slot, Tuple { dims = 1 } }. */
static bool read_shape_entry(struct loader *l, struct span entry, struct output *output)
{
	struct wire_reader r;
	struct wire_field f;
	struct span tuple;
	int64_t slot;

	if (!read_message_entry(l, entry, &slot, &tuple))
		return false;
	l->dims.n = 0;
	r = wire_reader(tuple);
	while (wire_next(&r, &f)) {
		if (f.tag == WIRE_VARINT(1) && !vec_push(&l->dims, (int64_t)f.value))
			return fail(l, NULL);
		if (f.tag == WIRE_LEN(1) && !read_dims(l, &l->dims, f.bytes))
			return false;
	}
	if (r.bad)
		return fail(l, r.bad);
	output->slot = (int32_t)slot;
	return intern_dims(l, &l->dims, &output->shape);
}

static int by_position(const void *a, const void *b)
{
	const struct raw_edge *x = a, *y = b;

	return (x->edge.position > y->edge.position) - (x->edge.position < y->edge.position);
}

static int by_source(const void *a, const void *b)
{
	const struct index_entry *x = a, *y = b;

	return (x->source_id > y->source_id) - (x->source_id < y->source_id);
}

/* Maps come in any order; in practice nearly sorted and short. */
static bool in_order(const struct loader *l)
{
	for (size_t i = 1; i < l->edges.n; i++)
		if (l->edges.at[i - 1].edge.position >= l->edges.at[i].edge.position)
			return false;
	return true;
}

static void find_edge_shape(struct loader *l, struct raw_edge *e)
{
	for (size_t i = 0; i < l->input_shapes.n; i++)
		if (l->input_shapes.at[i].slot == e->edge.position)
			e->shape = l->input_shapes.at[i].shape;
}

static void find_edge_output(struct loader *l, struct raw_edge *e)
{
	struct index_entry key = {e->source_id, 0}, *hit;

	hit = bsearch(&key, l->indexes.at, l->indexes.n, sizeof(key), by_source);
	if (hit)
		e->edge.output = hit->output;
}

static bool add_edges(struct loader *l, uint32_t node)
{
	struct model *m = l->model;

	if (!in_order(l))
		qsort(l->edges.at, l->edges.n, sizeof(*l->edges.at), by_position);
	if (l->indexes.n > 1)
		qsort(l->indexes.at, l->indexes.n, sizeof(*l->indexes.at), by_source);
	m->nodes.first_edge[node] = (uint32_t)m->edges.n;
	if (m->edges.n + l->edges.n >= NONE)
		return fail(l, NULL);
	for (size_t i = 0; i < l->edges.n; i++) {
		struct raw_edge *e = &l->edges.at[i];

		if (l->indexes.n)
			find_edge_output(l, e);
		if (l->input_shapes.n)
			find_edge_shape(l, e);
		if (!vec_push(&m->edges, e->edge) || !vec_push(&l->edge_ids, e->source_id))
			return fail(l, NULL);
		if (e->shape != NONE) {
			/* Rare: kept aligned with the edges only from the first on. */
			while (l->edge_shapes.n + 1 < m->edges.n)
				if (!vec_push(&l->edge_shapes, NONE))
					return fail(l, NULL);
			if (!vec_push(&l->edge_shapes, e->shape))
				return fail(l, NULL);
		}
	}
	m->nodes.n_edges[node] = (uint32_t)l->edges.n;
	return true;
}

static bool add_execs(struct loader *l, uint32_t node)
{
	struct model *m = l->model;

	for (size_t i = 0; i < l->execs.n; i++) {
		uint32_t row = exec_row(m, node, l->execs.at[i].step);
		struct exec *exec;

		if (row == NONE)
			return fail(l, NULL);
		exec = &m->execs.rows.at[row];
		/* A key that comes again replaces what came before. */
		*exec = (struct exec){.step = exec->step, .next = exec->next, .detail = NONE};
		if (!exec_read_sums(exec, l->execs.at[i].message, &l->bad))
			return false;
		m->has_negative |= exec_is_negative(exec);
	}
	return true;
}

/* The scalar fields of a ProfileNode. */
struct raw_node {
	struct span name, op, device, host_device, trace;
	int64_t id, float_ops;
	uint32_t types;
	uint32_t shape;
	size_t first_output;
};

static uint32_t intern(struct loader *l, struct span text)
{
	return strings_alias(&l->model->strings, text);
}

static uint32_t add_node(struct loader *l, const struct raw_node *raw, struct span message,
	int64_t key)
{
	struct model *m = l->model;
	struct nodes *nodes = &m->nodes;
	uint32_t name = intern(l, raw->name), op = intern(l, raw->op), node;
	uint32_t device = intern(l, raw->device), host = intern(l, raw->host_device);

	if (name == NONE || op == NONE || device == NONE || host == NONE)
		return NONE;
	node = model_node_of(m, name);
	if (node == NONE)
		node = model_add_node(m, name, op);
	if (node == NONE || (node == l->node_keys.n && !vec_push(&l->node_keys, key)))
		return NONE;
	l->node_keys.at[node] = key;
	nodes->op[node] = op;
	nodes->types[node] = raw->types;
	nodes->shape[node] = raw->shape;
	nodes->device[node] = device;
	nodes->host_device[node] = host;
	nodes->first_output[node] = (uint32_t)raw->first_output;
	nodes->n_outputs[node] = (uint32_t)(m->outputs.n - raw->first_output);
	nodes->first_exec[node] = NONE;
	nodes->flags[node] = NODE_HAS_TRACE | NODE_FROM_PROFILE;
	nodes->id[node] = raw->id;
	nodes->float_ops[node] = raw->float_ops;
	m->has_negative |= raw->float_ops < 0;
	nodes->source[node] = message;
	nodes->trace[node] = raw->trace;
	return node;
}

static bool read_field(struct loader *l, struct raw_node *raw, const struct wire_field *f)
{
	struct model *m = l->model;
	struct output output = {0};
	int64_t key, value;
	struct span message;
	uint32_t type;

	switch (f->tag) {
	case WIRE_LEN(1): raw->name = f->bytes; break;
	case WIRE_LEN(2):
		if (!read_int_entry(l, f->bytes, &key, &value))
			return false;
		if (!vec_push(&l->edges, ((struct raw_edge){value, {0, (int32_t)key, 0}, NONE})))
			return fail(l, NULL);
		break;
	case WIRE_LEN(4): return read_dims(l, &l->shape, f->bytes);
	case WIRE_VARINT(4):
		return vec_push(&l->shape, (int64_t)f->value) ? true : fail(l, NULL);
	case WIRE_LEN(5):
		type = intern(l, f->bytes);
		raw->types = type == NONE ? NONE : sets_with(&m->sets, &m->strings, raw->types, type);
		return raw->types != NONE ? true : fail(l, NULL);
	case WIRE_LEN(6): raw->device = f->bytes; break;
	case WIRE_LEN(7): raw->host_device = f->bytes; break;
	case WIRE_VARINT(8): raw->float_ops = (int64_t)f->value; break;
	case WIRE_LEN(9): raw->op = f->bytes; break;
	case WIRE_LEN(10): raw->trace = f->bytes; break;
	case WIRE_LEN(12):
		if (!read_message_entry(l, f->bytes, &key, &message))
			return false;
		if (!vec_push(&l->execs, ((struct raw_exec){key, message})))
			return fail(l, NULL);
		break;
	case WIRE_VARINT(13): raw->id = (int64_t)f->value; break;
	case WIRE_LEN(14):
		if (!read_int_entry(l, f->bytes, &key, &value))
			return false;
		if ((int32_t)value &&
			!vec_push(&l->indexes, ((struct index_entry){key, (int32_t)value})))
			return fail(l, NULL);
		break;
	case WIRE_LEN(15):
		if (!read_shape_entry(l, f->bytes, &output))
			return false;
		if (!vec_push(&m->outputs, output))
			return fail(l, NULL);
		break;
	case WIRE_LEN(16):
		if (!read_shape_entry(l, f->bytes, &output))
			return false;
		if (!vec_push(&l->input_shapes, output))
			return fail(l, NULL);
		break;
	}
	return true;
}

static bool read_node(struct loader *l, struct span message, int64_t key)
{
	struct raw_node raw = {.first_output = l->model->outputs.n};
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	uint32_t node;

	l->edges.n = l->indexes.n = l->execs.n = l->input_shapes.n = l->shape.n = 0;
	while (wire_next(&r, &f))
		if (!read_field(l, &raw, &f))
			return false;
	if (r.bad)
		return fail(l, r.bad);
	if (l->shape.n && !intern_dims(l, &l->shape, &raw.shape))
		return false;
	node = add_node(l, &raw, message, key);
	if (node == NONE)
		return fail(l, NULL);
	return add_edges(l, node) && add_execs(l, node);
}

static bool read_string(struct loader *l, struct span entry)
{
	int64_t id;
	struct span text;

	if (!read_message_entry(l, entry, &id, &text))
		return false;
	return model_add_trace_string(l->model, id, text) ? true : fail(l, NULL);
}

static bool read_transfer(struct loader *l, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct transfer t = {.stats = {message.at, 0}};
	struct span device = {message.at, 0};

	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TRANSFER_STEP): t.step = (int64_t)f.value; break;
		case WIRE_LEN(TRANSFER_DEVICE): device = f.bytes; break;
		case WIRE_LEN(TRANSFER_STATS): t.stats = f.bytes; break;
		}
	if (r.bad)
		return fail(l, r.bad);
	t.device = intern(l, device);
	return t.device != NONE && vec_push(&l->model->transfers, t) ? true : fail(l, NULL);
}

static bool read_steps(struct loader *l, struct span packed)
{
	struct wire_reader r = wire_reader(packed);
	uint64_t step;

	while (wire_packed_next(&r, &step))
		if (!model_add_step(l->model, (int64_t)step))
			return fail(l, NULL);
	return r.bad ? fail(l, r.bad) : true;
}

/* How many nodes there are, from the top level alone: what is cut short is
 * found before anything is read. */
static bool count_nodes(struct loader *l, struct span profile, size_t *n)
{
	struct wire_reader r = wire_reader(profile);
	struct wire_field f;

	*n = 0;
	while (wire_next(&r, &f))
		*n += f.tag == WIRE_LEN(1);
	return r.bad ? fail(l, r.bad) : true;
}

static bool read_profile(struct loader *l, struct span profile)
{
	struct model *m = l->model;
	struct wire_reader r = wire_reader(profile);
	struct wire_field f;
	struct span message;
	int64_t key;
	size_t n;
	bool fine = true;

	if (!count_nodes(l, profile, &n))
		return false;
	if (!model_reserve(m, n) || !vec_reserve(&l->node_keys, n))
		return fail(l, NULL);
	while (fine && wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(1):
			fine = read_message_entry(l, f.bytes, &key, &message) &&
				read_node(l, message, key);
			if (m->nodes.n % 4096 == 0)
				model_progress(m, (size_t)(r.at - profile.at), profile.n);
			break;
		case WIRE_VARINT(2): m->has_trace = f.value != 0; break;
		case WIRE_LEN(3): fine = read_steps(l, f.bytes); break;
		case WIRE_VARINT(3):
			fine = model_add_step(m, (int64_t)f.value) ? true : fail(l, NULL);
			break;
		case WIRE_LEN(4): fine = read_string(l, f.bytes); break;
		case WIRE_VARINT(5): m->misses_accelerator_stream = f.value != 0; break;
		case WIRE_LEN(PROFILE_TRANSFER): fine = read_transfer(l, f.bytes); break;
		}
	if (fine && r.bad)
		return fail(l, r.bad);
	return fine;
}

/* ---- sources of edges: from ids to names -------------------------------- */

/* Ids are the node numbers of the profile that was saved, so nearly always
 * 0…n-1: a table answers. Anything else is searched in a sorted list. */
struct id_map {
	uint32_t *table;
	size_t n_table;
	struct id_node {
		int64_t id;
		uint32_t node;
	} *sorted;
	size_t n_sorted;
};

static int by_id(const void *a, const void *b)
{
	const struct id_node *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static bool id_map_init(struct id_map *map, const struct loader *l)
{
	size_t n = l->node_keys.n;

	*map = (struct id_map){.n_table = 2 * n + 64};
	map->table = mem_array(map->n_table, sizeof(*map->table));
	if (!map->table)
		return false;
	memset(map->table, 0xff, map->n_table * sizeof(*map->table));
	for (size_t i = 0; i < n; i++) {
		int64_t id = l->node_keys.at[i];

		if (id >= 0 && (uint64_t)id < map->n_table)
			map->table[id] = (uint32_t)i;
		else
			map->n_sorted++;
	}
	if (!map->n_sorted)
		return true;
	map->sorted = mem_array(map->n_sorted, sizeof(*map->sorted));
	if (!map->sorted)
		return false;
	map->n_sorted = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t id = l->node_keys.at[i];

		if (id < 0 || (uint64_t)id >= map->n_table)
			map->sorted[map->n_sorted++] = (struct id_node){id, (uint32_t)i};
	}
	qsort(map->sorted, map->n_sorted, sizeof(*map->sorted), by_id);
	return true;
}

static uint32_t id_map_find(const struct id_map *map, int64_t id)
{
	struct id_node key = {id, 0}, *hit;

	if (id >= 0 && (uint64_t)id < map->n_table)
		return map->table[id];
	hit = map->n_sorted ? bsearch(&key, map->sorted, map->n_sorted, sizeof(key), by_id) : NULL;
	return hit ? hit->node : NONE;
}

/* An edge that carries its own shape goes to the source's output of that
 * shape, if the saved index points at another. An unknown shape may be that of
 * an output that was never described: one behind all others. */
static void settle_output(struct model *m, struct edge *e, uint32_t shape)
{
	uint32_t source = model_node_of(m, e->source);
	int32_t behind = 0;

	if (model_edge_shape(m, e) == shape)
		return;
	for (uint32_t i = 0; i < m->nodes.n_outputs[source]; i++) {
		const struct output *output = &m->outputs.at[m->nodes.first_output[source] + i];

		if (output->shape == shape) {
			e->output = output->slot;
			return;
		}
		if (output->slot >= behind && output->slot < INT32_MAX)
			behind = output->slot + 1;
	}
	if (!shape)
		e->output = behind;
}

static enum tfprof_status resolve_edges(struct loader *l, const char *name,
	struct tfprof_error *err)
{
	struct model *m = l->model;
	struct id_map map;
	enum tfprof_status status = TFPROF_OK;

	if (!id_map_init(&map, l))
		status = error_no_memory(err);
	for (size_t node = 0; status == TFPROF_OK && node < m->nodes.n; node++)
		for (uint32_t i = 0; i < m->nodes.n_edges[node]; i++) {
			size_t e = m->nodes.first_edge[node] + i;
			uint32_t source = id_map_find(&map, l->edge_ids.at[e]);

			if (source == NONE) {
				struct span text = model_name(m, (uint32_t)node);

				status = error_set(err, TFPROF_FORMAT,
					"%s: node '%.*s' has input %d from node id %lld, which is not in "
					"the profile", name, ERROR_SPAN(text), m->edges.at[e].position,
					(long long)l->edge_ids.at[e]);
				break;
			}
			m->edges.at[e].source = m->nodes.name[source];
		}
	if (status == TFPROF_OK)
		for (size_t e = 0; e < l->edge_shapes.n; e++)
			if (l->edge_shapes.at[e] != NONE)
				settle_output(m, &m->edges.at[e], l->edge_shapes.at[e]);
	mem_free(map.table);
	mem_free(map.sorted);
	return status;
}

static void loader_clear(struct loader *l)
{
	vec_clear(&l->edge_ids);
	vec_clear(&l->node_keys);
	vec_clear(&l->edge_shapes);
	vec_clear(&l->edges);
	vec_clear(&l->indexes);
	vec_clear(&l->execs);
	vec_clear(&l->input_shapes);
	vec_clear(&l->shape);
	vec_clear(&l->dims);
}

/* Back to empty, with what the caller set. */
static void start_over(struct model *m)
{
	struct model old = *m;

	model_clear(m);
	model_init(m);
	m->progress = old.progress;
	m->progress_context = old.progress_context;
	m->generation = old.generation;
}

enum tfprof_status model_load_profile(struct model *m, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	struct source source;
	struct loader l = {.model = m};
	enum tfprof_status status;

	if (m->nodes.n || m->steps.n || m->sources.n)
		return error_set(err, TFPROF_ARGUMENT,
			"a saved profile can only be loaded into an empty profile");
	status = input_open(&source, in, INPUT_PROFILE, err);
	if (status == TFPROF_OK)
		status = model_keep(m, &source, err);
	if (status != TFPROF_OK) {
		source_close(&source);
		return status;
	}
	source = m->sources.at[0];
	if (!read_profile(&l, source.bytes))
		status = l.bad ? input_malformed(in, INPUT_PROFILE, &source, l.bad, err)
			       : error_no_memory(err);
	else
		status = resolve_edges(&l, input_name(in, INPUT_PROFILE), err);
	loader_clear(&l);
	if (status != TFPROF_OK)
		start_over(m);
	m->generation++;
	return status;
}
