#include "model/model.h"

#include <stdlib.h>

#include "base/sort.h"
#include "formats/checkpoint/checkpoint.h"
#include "model/device.h"

bool model_init(struct model *m)
{
	*m = (struct model){.damaged = mem_zero(sizeof(*m->damaged))};
	if (m->damaged && strings_init(&m->strings) && sets_init(&m->sets) &&
		shapes_init(&m->shapes))
		return true;
	model_clear(m);
	return false;
}

void model_clear(struct model *m)
{
#define X(type, column) mem_free(m->nodes.column);
	NODE_COLUMNS(X)
#undef X
	strings_clear(&m->strings);
	sets_clear(&m->sets);
	shapes_clear(&m->shapes);
	vec_clear(&m->node_of);
	mem_free(m->name_hashes);
	vec_clear(&m->edges);
	vec_clear(&m->outputs);
	vec_clear(&m->flow.keys);
	execs_clear(&m->execs);
	vec_clear(&m->steps);
	vec_clear(&m->run_shapes);
	vec_clear(&m->step_float_ops);
	vec_clear(&m->device_work);
	vec_clear(&m->accelerators);
	vec_clear(&m->device_programs);
	vec_clear(&m->kernels);
	vec_clear(&m->device_transfers);
	vec_clear(&m->transfers);
	vec_clear(&m->trace_strings);
	vec_clear(&m->trace_string_of);
	hash_clear(&m->trace_string_index);
	for (size_t i = 0; i < m->sources.n; i++)
		source_close(&m->sources.at[i]);
	vec_clear(&m->sources);
	compiled_clear(&m->compiled);
	allocations_clear(&m->allocations);
	for (size_t i = 0; i < m->traces.n; i++)
		source_close(&m->traces.at[i]);
	vec_clear(&m->traces);
	vec_clear(&m->graphs);
	vec_clear(&m->op_logs);
	vec_clear(&m->function_stacks);
	vec_clear(&m->turns);
	vec_clear(&m->listed_slices);
	mem_free(m->damaged);
	arena_clear(&m->arena);
	checkpoint_free(m->checkpoint);
	*m = (struct model){0};
}

uint32_t model_find_node(const struct model *m, struct span name)
{
	uint32_t string = strings_find(&m->strings, name);

	assert(!m->name_hashes);
	return string == NONE ? NONE : model_node_of(m, string);
}

static bool reserve_nodes(struct nodes *nodes, size_t n)
{
	size_t cap = nodes->cap;
	bool ok = true;

	if (nodes->cap - nodes->n >= n)
		return true;
#define X(type, column)   \
	cap = nodes->cap; \
	ok = ok && mem_grow((void **)&nodes->column, &cap, nodes->n, n, sizeof(type));
	NODE_COLUMNS(X)
#undef X
	if (ok)
		nodes->cap = cap;
	return ok;
}

/* The map from string id to node grows with the pool. */
static bool reserve_node_of(struct model *m, uint32_t string)
{
	size_t missing = string < m->node_of.n ? 0 : string + 1 - m->node_of.n;

	if (!vec_reserve(&m->node_of, missing))
		return false;
	for (; missing; missing--)
		m->node_of.at[m->node_of.n++] = NONE;
	return true;
}

bool model_reserve(struct model *m, size_t n)
{
	return reserve_nodes(&m->nodes, n) && strings_reserve(&m->strings, n) &&
		vec_reserve(&m->node_of, n);
}

void model_prefault_nodes(const struct model *m, size_t first, size_t n)
{
	if (!n)
		return;
#define X(type, column) mem_prefault(m->nodes.column + first, n * sizeof(type));
	NODE_COLUMNS(X)
#undef X
}

static uint32_t append_node(struct model *m, uint32_t name, uint32_t op)
{
	struct nodes *nodes = &m->nodes;
	uint32_t node = (uint32_t)nodes->n, types;

	if (nodes->n >= NONE - 1 || !reserve_nodes(nodes, 1))
		return NONE;
	types = sets_with(&m->sets, &m->strings, 0, op);
	if (types == NONE)
		return NONE;
#define X(type, column) memset(&nodes->column[node], 0, sizeof(type));
	NODE_COLUMNS(X)
#undef X
	nodes->name[node] = name;
	nodes->op[node] = op;
	nodes->types[node] = types;
	nodes->id[node] = node;
	nodes->first_exec[node] = NONE;
	nodes->first_edge[node] = (uint32_t)m->edges.n;
	nodes->first_output[node] = (uint32_t)m->outputs.n;
	nodes->n++;
	return node;
}

uint32_t model_add_node(struct model *m, uint32_t name, uint32_t op)
{
	uint32_t node = reserve_node_of(m, name) ? append_node(m, name, op) : NONE;

	if (node != NONE)
		m->node_of.at[name] = node;
	return node;
}

/* Pages of a large block of zeros cost nothing until they are written. */
static bool make_columns(struct nodes *nodes, size_t n)
{
	bool ok = true;

#define X(type, column)                                  \
	nodes->column = mem_zero_array(n, sizeof(type)); \
	ok = ok && nodes->column;
	NODE_COLUMNS(X)
#undef X
	if (ok)
		nodes->n = nodes->cap = n;
	return ok;
}

bool model_make_nodes(struct model *m, size_t n)
{
	uint32_t first = (uint32_t)m->strings.text.n;

	m->name_hashes = mem_array(n, sizeof(*m->name_hashes));
	if (!m->name_hashes || n >= NONE - 1 - first || !make_columns(&m->nodes, n) ||
		!strings_append(&m->strings, n))
		return false;
	for (size_t i = 0; i < n; i++)
		m->nodes.name[i] = first + (uint32_t)i;
	return true;
}

bool model_index_names(struct model *m)
{
	size_t n = m->nodes.n;

	if (!m->name_hashes)
		return true;
	if (!strings_index(&m->strings, m->nodes.name, m->name_hashes, n) ||
		!reserve_node_of(m, (uint32_t)m->strings.text.n - 1))
		return false;
	/* Of two nodes of one name the later one is found. */
	for (size_t i = 0; i < n; i++)
		m->node_of.at[m->nodes.name[i]] = (uint32_t)i;
	mem_free(m->name_hashes);
	m->name_hashes = NULL;
	return true;
}

void model_truncate_nodes(struct model *m, size_t n, size_t n_edges, size_t n_outputs)
{
	for (size_t i = n; i < m->nodes.n; i++)
		m->node_of.at[m->nodes.name[i]] = NONE;
	m->nodes.n = n;
	m->edges.n = n_edges;
	m->outputs.n = n_outputs;
}

bool model_add_types(struct model *m, uint32_t node, const uint32_t *strings, size_t n)
{
	uint32_t types = sets_with_all(&m->sets, &m->strings, m->nodes.types[node], strings, n);
	uint32_t executed = m->nodes.executed_types[node];

	if (executed)
		executed = sets_with_all(&m->sets, &m->strings, executed, strings, n);
	if (types == NONE || executed == NONE)
		return false;
	if (types != m->nodes.types[node])
		m->nodes.flags[node] |= NODE_CHANGED;
	m->nodes.types[node] = types;
	m->nodes.executed_types[node] = executed;
	return true;
}

bool model_add_type(struct model *m, uint32_t node, uint32_t string)
{
	return model_add_types(m, node, &string, 1);
}

/* Where a step is or would be. */
static size_t step_place(const struct model *m, int64_t step)
{
	return sort_place(m->steps.at, m->steps.n, step);
}

uint32_t model_find_step(const struct model *m, int64_t step)
{
	size_t i = step_place(m, step);

	return i < m->steps.n && m->steps.at[i] == step ? (uint32_t)i : NONE;
}

static bool is_accelerator(struct span name)
{
	enum device_kind kind = device_get_kind(name);

	return kind == DEVICE_KIND_ACCELERATOR || device_kinds[kind].accelerator_time;
}

/* The device of a node is one of its types. */
bool model_has_accelerator(const struct model *m)
{
	if (m->execs.has_accelerator_time || m->misses_accelerator_stream)
		return true;
	for (size_t i = 0; i < m->execs.lanes.n; i++)
		if (m->execs.lanes.at[i].is_accelerator)
			return true;
	for (uint32_t i = 0; i < m->sets.at.n; i++) {
		const struct string_set *types = sets_get(&m->sets, i);

		for (uint32_t k = 0; k < types->n; k++)
			if (is_accelerator(model_text(m, types->at[k])))
				return true;
	}
	return false;
}

bool model_add_step(struct model *m, int64_t step)
{
	size_t i = step_place(m, step);

	if (i < m->steps.n && m->steps.at[i] == step)
		return true;
	if (!vec_reserve(&m->steps, 1))
		return false;
	memmove(m->steps.at + i + 1, m->steps.at + i, (m->steps.n - i) * sizeof(*m->steps.at));
	m->steps.at[i] = step;
	m->steps.n++;
	return true;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void model_sort_steps(struct model *m)
{
	int64_t *at = m->steps.at;
	size_t n = 0;

	if (m->steps.n)
		qsort(at, m->steps.n, sizeof(*at), by_number);
	for (size_t i = 0; i < m->steps.n; i++)
		if (!n || at[n - 1] != at[i])
			at[n++] = at[i];
	m->steps.n = n;
}

struct id_probe {
	const struct model *model;
	int64_t id;
};

static bool same_id(const void *context, uint32_t i)
{
	const struct id_probe *probe = context;

	return probe->model->trace_strings.at[i].id == probe->id;
}

static uint64_t hash_of_id(int64_t id)
{
	return hash_bytes(&id, sizeof(id));
}

/* Ids normally count from 0: then a table is smaller than an index, and code view asks
 * for three of every frame. */
static bool is_small(int64_t id)
{
	return id >= 0 && id < 1 << 20;
}

static bool add_small(struct model *m, size_t id, uint32_t string)
{
	size_t n = m->trace_string_of.n;

	if (id >= n) {
		if (!vec_reserve(&m->trace_string_of, id + 1 - n))
			return false;
		memset(m->trace_string_of.at + n, 0, (id + 1 - n) * sizeof(uint32_t));
		m->trace_string_of.n = id + 1;
	}
	m->trace_string_of.at[id] = string + 1;
	return true;
}

uint32_t model_find_trace_string(const struct model *m, int64_t id)
{
	struct id_probe probe = {m, id};

	/* NONE + 1 is 0 */
	if (is_small(id))
		return (size_t)id < m->trace_string_of.n ? m->trace_string_of.at[id] - 1 : NONE;
	return hash_find(&m->trace_string_index, hash_of_id(id), same_id, &probe);
}

void model_divide_turns(struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->turns.n; i++) {
		struct node_turns turns = m->turns.at[i];

		if (m->nodes.first_exec[turns.node] == NONE)
			m->turns.at[n++] = turns;
		else
			m->nodes.float_ops[turns.node] /= turns.n;
	}
	m->turns.n = n;
}

bool model_add_trace_string(struct model *m, int64_t id, struct span text)
{
	uint32_t string = (uint32_t)m->trace_strings.n;

	if (model_find_trace_string(m, id) != NONE)
		return true;
	return m->trace_strings.n < NONE - 1 && vec_reserve(&m->trace_strings, 1) &&
		(is_small(id) ? add_small(m, (size_t)id, string)
			      : hash_add(&m->trace_string_index, hash_of_id(id), string)) &&
		vec_push(&m->trace_strings, ((struct trace_string){id, text.n ? text : SPAN("")}));
}

enum tfprof_status model_keep(struct model *m, struct source *s, struct tfprof_error *err)
{
	enum tfprof_status status = source_own(s, err);

	if (status != TFPROF_OK)
		return status;
	if (!vec_push(&m->sources, *s))
		return error_no_memory(err);
	*s = (struct source){0};
	return TFPROF_OK;
}

enum tfprof_status model_keep_trace(struct model *m, struct source *s, struct tfprof_error *err)
{
	assert(s->owner != SOURCE_BORROWED);
	if (!vec_push(&m->traces, *s))
		return error_no_memory(err);
	*s = (struct source){0};
	return TFPROF_OK;
}

enum tfprof_status model_check_traces(const struct model *m, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < m->traces.n; i++)
		status = source_check(&m->traces.at[i], err);
	return status;
}

enum tfprof_status model_check_damage(const struct model *m, struct tfprof_error *err)
{
	size_t damaged = atomic_load(m->damaged);
	const char *path = damaged ? m->sources.at[damaged - 1].path : NULL;

	if (!damaged)
		return TFPROF_OK;
	return error_set(err, TFPROF_FORMAT,
		"%.400s: it is damaged, or has changed since it was loaded: reload it",
		path ? path : "an input");
}

enum tfprof_status model_check_sources(const struct model *m, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < m->sources.n; i++)
		status = source_check(&m->sources.at[i], err);
	if (status == TFPROF_OK && m->checkpoint)
		status = checkpoint_check(m->checkpoint, err);
	return status == TFPROF_OK ? model_check_damage(m, err) : status;
}

struct slicer model_slicer(const struct model *m, slice_list *listed)
{
	size_t last = m->sources.n - 1;

	return (struct slicer){m->sources.at[last].bytes.at, last, listed};
}

bool model_make_slice(struct model *m, struct slice *slice, struct span bytes)
{
	struct slicer slicer = model_slicer(m, &m->listed_slices);

	*slice = (struct slice){0};
	return !bytes.at || slicer_cut(&slicer, slice, bytes);
}

void model_note_damage(const struct model *m, struct slice slice, const struct decoder *d)
{
	if (d->failed && d->bad && slice.bits)
		atomic_store(m->damaged, slice_get(slice, &m->listed_slices).source + 1);
}

uint32_t model_edge_shape(const struct model *m, const struct edge *e)
{
	uint32_t source = model_node_of(m, e->source);

	if (source == NONE)
		return 0;
	for (uint32_t i = 0; i < m->nodes.n_outputs[source]; i++) {
		const struct output *output = &m->outputs.at[m->nodes.first_output[source] + i];

		if (output->slot == e->output)
			return output->shape;
	}
	return 0;
}
