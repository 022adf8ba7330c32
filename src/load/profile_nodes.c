/* Sums of execs are read at once; attributes, call stacks, edges and the events
 * behind the sums stay as slices of the file until they are needed. */
#include "load/profile_nodes.h"

#include <stdlib.h>

#include "model/exec_profile.h"
#include "model/executed.h"
#include "model/profile_fields.h"

bool node_reader_init(struct node_reader *r, struct model *m, uint32_t first)
{
	*r = (struct node_reader){.model = m, .first = first};
	r->slicer = model_slicer(m, &r->listed_slices);
	return strings_init(&r->strings) && sets_init(&r->sets) && shapes_init(&r->shapes);
}

void node_reader_clear(struct node_reader *r)
{
	strings_clear(&r->strings);
	sets_clear(&r->sets);
	shapes_clear(&r->shapes);
	execs_clear(&r->execs);
	mem_free(r->merged.string);
	mem_free(r->merged.set);
	mem_free(r->merged.shape);
	vec_clear(&r->listed_slices);
	vec_clear(&r->keys);
	vec_clear(&r->raw_execs);
	vec_clear(&r->shape);
	vec_clear(&r->types);
	vec_clear(&r->executed);
}

/* ---- fields of a node ---------------------------------------------------- */

static void add_dim(struct node_reader *r, uint64_t size)
{
	decoder_alloc(&r->decoder, vec_push(&r->shape, (int64_t)size));
}

static void read_shape(struct node_reader *r, struct span packed)
{
	struct wire_reader w = wire_reader(packed);
	uint64_t size;

	while (decoder_next_packed(&r->decoder, &w, &size))
		add_dim(r, size);
}

/* Which of the recent texts it may be: length and end tell most apart. */
static size_t recent_place(const struct node_reader *r, struct span text)
{
	uint64_t end = 0;

	if (text.n >= sizeof(end))
		memcpy(&end, text.at + text.n - sizeof(end), sizeof(end));
	else
		end = hash_bytes(text.at, text.n);
	return (hash_mix(text.n, end) >> 8) % (sizeof(r->recent) / sizeof(*r->recent));
}

static uint32_t intern(struct node_reader *r, struct span text)
{
	struct recent_text *recent;

	if (!text.n)
		return 0;
	recent = &r->recent[recent_place(r, text)];
	if (!span_equal(recent->text, text))
		*recent = (struct recent_text){text, strings_alias(&r->strings, text)};
	return recent->string;
}

/* The scalar fields of a ProfileNode. */
struct raw_node {
	struct span name, op, device, host_device, placed, trace;
	int64_t id, float_ops;
	uint32_t n_inputs;
	bool is_undefined;
};

static void add_type(struct node_reader *r, struct span text)
{
	uint32_t type = intern(r, text);

	decoder_alloc(&r->decoder, type != NONE && vec_push(&r->types, type));
}

static void read_exec(struct node_reader *r, struct span message)
{
	struct map_entry entry = map_entry_read(&r->decoder, message);
	struct raw_exec exec = {entry.key, entry.value, r->raw_execs.n};

	decoder_alloc(&r->decoder, vec_push(&r->raw_execs, exec));
}

/* Fields of our own, and unknown ones. Their numbers are large: among the others, they would
 * keep the compiler from making a table of cases. */
static void read_own_field(struct node_reader *r, struct raw_node *raw, const struct wire_field *f)
{
	switch (f->tag) {
	case WIRE_LEN(PROFILE_NODE_EXECUTED):
		decoder_alloc(&r->decoder, vec_push(&r->executed, f->bytes));
		break;
	case WIRE_VARINT(PROFILE_NODE_UNDEFINED): raw->is_undefined = f->value != 0; break;
	case WIRE_LEN(PROFILE_NODE_PLACED): raw->placed = f->bytes; break;
	default: audit_field(audit_get_profile_node(), f->tag, &r->fields);
	}
}

static void read_field(struct node_reader *r, struct raw_node *raw, const struct wire_field *f)
{
	switch (f->tag) {
	case WIRE_LEN(PROFILE_NODE_NAME): raw->name = f->bytes; break;
	case WIRE_LEN(PROFILE_NODE_INPUTS): raw->n_inputs++; break;
	case WIRE_LEN(PROFILE_NODE_SHAPE): read_shape(r, f->bytes); break;
	case WIRE_VARINT(PROFILE_NODE_SHAPE): add_dim(r, f->value); break;
	case WIRE_LEN(PROFILE_NODE_OP_TYPES): add_type(r, f->bytes); break;
	case WIRE_LEN(PROFILE_NODE_CANONICAL_DEVICE): raw->device = f->bytes; break;
	case WIRE_LEN(PROFILE_NODE_HOST_DEVICE): raw->host_device = f->bytes; break;
	case WIRE_VARINT(PROFILE_NODE_FLOAT_OPS): raw->float_ops = (int64_t)f->value; break;
	case WIRE_LEN(PROFILE_NODE_OP): raw->op = f->bytes; break;
	case WIRE_LEN(PROFILE_NODE_TRACE): raw->trace = f->bytes; break;
	case WIRE_LEN(PROFILE_NODE_EXECS): read_exec(r, f->bytes); break;
	case WIRE_VARINT(PROFILE_NODE_ID): raw->id = (int64_t)f->value; break;
	/* Read when they are needed. */
	case WIRE_LEN(PROFILE_NODE_ATTRS):
	case WIRE_LEN(PROFILE_NODE_SRC_OUTPUT_INDEX):
	case WIRE_LEN(PROFILE_NODE_OUTPUT_SHAPES): break;
	default: read_own_field(r, raw, f);
	}
}

/* ---- adding -------------------------------------------------------------- */

static inline void make_slice(struct node_reader *r, struct slice *slice, struct span bytes)
{
	if (bytes.at)
		decoder_alloc(&r->decoder, slicer_cut(&r->slicer, slice, bytes));
}

/* What a node ran as, in the order of its steps. */
static void add_executed(struct node_reader *r, uint32_t node, const struct raw_node *raw)
{
	struct nodes *nodes = &r->model->nodes;
	uint32_t op = nodes->op[node], types = nodes->types[node];

	for (size_t i = 0; i < r->executed.n; i++) {
		uint32_t type = intern(r, r->executed.at[i]);

		if (type == op || !type) {
			nodes->executed[node] = 0;
			continue;
		}
		if (type != NONE)
			types = executed_make_types(&r->sets, &r->strings, types,
				raw->is_undefined ? op : 0, type);
		if (!decoder_alloc(&r->decoder, type != NONE && types != NONE))
			return;
		nodes->executed[node] = type;
		nodes->executed_types[node] = types;
		r->has_executed = true;
	}
}

/* Where the graph places it, which counts unless it ran. */
static void add_placed(struct node_reader *r, uint32_t node, struct span placed)
{
	struct nodes *nodes = &r->model->nodes;
	uint32_t types = model_types(r->model, node);

	nodes->placed[node] = intern(r, placed);
	r->has_executed = true;
	if (nodes->device[node] || nodes->placed[node] == NONE)
		return;
	types = sets_with(&r->sets, &r->strings, types, nodes->placed[node]);
	if (decoder_alloc(&r->decoder, types != NONE))
		nodes->executed_types[node] = types;
}

/* Columns that stay as they were made, zero, are not touched. */
static void add_node(struct node_reader *r, const struct raw_node *raw, struct span message,
	int64_t key)
{
	struct nodes *nodes = &r->model->nodes;
	uint32_t node = r->first + r->n;
	uint32_t op = intern(r, raw->op), device = intern(r, raw->device);
	uint32_t host = intern(r, raw->host_device);
	uint32_t shape = r->shape.n ? shapes_add(&r->shapes, r->shape.at, r->shape.n) : 0;
	uint32_t types = sets_with_all(&r->sets, &r->strings, 0, r->types.at, r->types.n);

	if (!decoder_alloc(&r->decoder,
		    op != NONE && device != NONE && host != NONE && shape != NONE && types != NONE))
		return;
	r->model->strings.text.at[nodes->name[node]] = raw->name;
	r->model->name_hashes[node] = strings_short_hash(raw->name);
	r->n_nameless += !raw->name.n;
	nodes->op[node] = op;
	nodes->types[node] = types;
	nodes->shape[node] = shape;
	nodes->device[node] = device;
	nodes->host_device[node] = host;
	nodes->flags[node] = NODE_HAS_TRACE | NODE_FROM_PROFILE;
	if (raw->is_undefined)
		nodes->flags[node] |= NODE_UNDEFINED;
	if (r->executed.n)
		add_executed(r, node, raw);
	if (raw->placed.n)
		add_placed(r, node, raw->placed);
	/* Others know it by its key: written back under its id, that changes. */
	if (key != raw->id) {
		nodes->flags[node] |= NODE_CHANGED;
		decoder_alloc(&r->decoder, vec_push(&r->keys, ((struct node_key){node, key})));
	}
	nodes->id[node] = raw->id;
	nodes->n_edges[node] = raw->n_inputs;
	nodes->float_ops[node] = raw->float_ops;
	make_slice(r, &nodes->source[node], message);
	make_slice(r, &nodes->trace[node], raw->trace);
	r->has_negative |= raw->float_ops < 0;
	r->n++;
}

static int by_step(const void *a, const void *b)
{
	const struct raw_exec *x = a, *y = b;

	return x->step != y->step ? (x->step > y->step) - (x->step < y->step)
				  : (x->place > y->place) - (x->place < y->place);
}

/* A map may come in any order. Rows of a node are a chain: with many steps it must
 * not be walked for each. */
static void order_execs(struct node_reader *r)
{
	size_t i = 1;

	while (i < r->raw_execs.n && r->raw_execs.at[i - 1].step <= r->raw_execs.at[i].step)
		i++;
	if (i < r->raw_execs.n)
		qsort(r->raw_execs.at, r->raw_execs.n, sizeof(*r->raw_execs.at), by_step);
}

static void add_execs(struct node_reader *r, uint32_t node)
{
	uint32_t *first = &r->model->nodes.first_exec[node], last = NONE;

	*first = NONE;
	order_execs(r);
	for (size_t i = 0; i < r->raw_execs.n; i++) {
		/* A key that comes again replaces what came before. */
		uint32_t row = execs_row(&r->execs, i ? &last : first, r->raw_execs.at[i].step);
		struct exec_sums sums;

		if (!decoder_alloc(&r->decoder, row != NONE))
			return;
		make_slice(r, &exec_at(&r->execs, row)->raw, r->raw_execs.at[i].message);
		sums = exec_profile_sums(&r->decoder, r->raw_execs.at[i].message);
		decoder_alloc(&r->decoder, exec_put_sums(&r->execs, row, &sums));
		r->has_negative |= exec_is_negative(&sums);
		last = row;
	}
}

void node_reader_add(struct node_reader *r, struct span message)
{
	struct map_entry entry = map_entry_read(&r->decoder, message);
	struct raw_node raw = {.name = SPAN("")};
	struct wire_reader w = wire_reader(entry.value);
	struct wire_field f;

	r->raw_execs.n = r->shape.n = r->types.n = r->executed.n = 0;
	while (decoder_next(&r->decoder, &w, &f))
		read_field(r, &raw, &f);
	if (r->decoder.failed)
		return;
	add_node(r, &raw, entry.value, entry.key);
	if (!r->decoder.failed)
		add_execs(r, r->first + r->n - 1);
}

/* ---- one model of all parts ----------------------------------------------- */

static bool merge_strings(struct node_reader *r)
{
	size_t n = r->strings.text.n;

	r->merged.string = mem_array(n, sizeof(uint32_t));
	for (size_t i = 0; r->merged.string && i < n; i++) {
		uint32_t id = strings_alias(&r->model->strings, r->strings.text.at[i]);

		if (id == NONE)
			return false;
		r->merged.string[i] = id;
	}
	return r->merged.string;
}

/* A set is in the order of its texts, whatever ids they have. */
static bool merge_sets(struct node_reader *r)
{
	size_t n = r->sets.at.n;

	r->merged.set = mem_array(n, sizeof(uint32_t));
	for (size_t i = 0; r->merged.set && i < n; i++) {
		uint32_t id = sets_add(&r->model->sets, &r->sets.at.at[i], r->merged.string);

		if (id == NONE)
			return false;
		r->merged.set[i] = id;
	}
	return r->merged.set;
}

static bool merge_shapes(struct node_reader *r)
{
	size_t n = r->shapes.at.n;

	r->merged.shape = mem_array(n, sizeof(uint32_t));
	for (size_t i = 0; r->merged.shape && i < n; i++) {
		const struct shape *shape = &r->shapes.at.at[i];
		uint32_t id = shapes_add(&r->model->shapes, shape->dims, shape->n);

		if (id == NONE)
			return false;
		r->merged.shape[i] = id;
	}
	return r->merged.shape;
}

static bool merge_keys(struct node_reader *r)
{
	struct pending_flow *flow = &r->model->flow;

	if (!vec_reserve(&flow->keys, r->keys.n))
		return false;
	for (size_t i = 0; i < r->keys.n; i++)
		flow->keys.at[flow->keys.n++] = r->keys.at[i];
	return true;
}

static bool merge_slices(struct node_reader *r)
{
	slice_list *all = &r->model->listed_slices;

	r->merged.first_slice = all->n;
	if (!vec_reserve(all, r->listed_slices.n))
		return false;
	for (size_t i = 0; i < r->listed_slices.n; i++)
		all->at[all->n++] = r->listed_slices.at[i];
	return true;
}

bool node_reader_merge(struct node_reader *r)
{
	r->model->has_negative |= r->has_negative;
	r->model->has_executed |= r->has_executed;
	return merge_keys(r) && merge_slices(r) && merge_strings(r) && merge_sets(r) &&
		merge_shapes(r) &&
		execs_take(&r->model->execs, &r->execs, &r->merged.first_exec,
			&r->merged.first_wide);
}

/* A listed slice ends in its place in the list. */
static void remap_slice(const struct node_reader *r, struct slice *slice)
{
	if (slice_is_listed(*slice))
		slice->bits += r->merged.first_slice;
}

static void remap_slices(struct node_reader *r)
{
	const struct execs *x = &r->model->execs;

	for (uint32_t node = r->first; node < r->first + r->n; node++) {
		remap_slice(r, &r->model->nodes.source[node]);
		remap_slice(r, &r->model->nodes.trace[node]);
		for (uint32_t row = r->model->nodes.first_exec[node]; row != NONE;
			row = exec_at(x, row)->next)
			remap_slice(r, &exec_at(x, row)->raw);
	}
}

static void remap_execs(struct node_reader *r)
{
	const struct execs *x = &r->model->execs;
	uint32_t *first = r->model->nodes.first_exec;

	for (uint32_t node = r->first; node < r->first + r->n; node++) {
		uint32_t *row = &first[node];

		for (; *row != NONE; row = &exec_at(x, *row)->next) {
			*row += r->merged.first_exec;
			if (exec_at(x, *row)->is_wide)
				exec_at(x, *row)->wide += r->merged.first_wide;
		}
	}
}

void node_reader_remap(struct node_reader *r)
{
	struct nodes *nodes = &r->model->nodes;
	const struct merged_ids *ids = &r->merged;

	for (uint32_t i = r->first; i < r->first + r->n; i++) {
		nodes->op[i] = ids->string[nodes->op[i]];
		nodes->device[i] = ids->string[nodes->device[i]];
		nodes->host_device[i] = ids->string[nodes->host_device[i]];
		nodes->types[i] = ids->set[nodes->types[i]];
		nodes->shape[i] = ids->shape[nodes->shape[i]];
	}
	for (uint32_t i = r->first; r->has_executed && i < r->first + r->n; i++) {
		nodes->executed[i] = ids->string[nodes->executed[i]];
		nodes->placed[i] = ids->string[nodes->placed[i]];
		nodes->executed_types[i] = ids->set[nodes->executed_types[i]];
	}
	/* The first part's rows are where they were. */
	if (ids->first_exec)
		remap_execs(r);
	if (ids->first_slice && r->listed_slices.n)
		remap_slices(r);
}
