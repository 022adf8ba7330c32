#include "count/summary.h"

#include <limits.h>

#include "count/layer_names.h"

/* ---- names ---------------------------------------------------------------------- */

/* Removes the calls that precede a name. */
static struct span without_calls(struct span name)
{
	static const struct span prefixes[] = {
		{"StatefulPartitionedCall/", 24},
		{"PartitionedCall/", 16},
		{"Func/", 5},
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes);)
		if (span_starts(name, prefixes[i])) {
			name.at += prefixes[i].n;
			name.n -= prefixes[i].n;
			i = 0;
		} else {
			i++;
		}
	return name;
}

/* In training graphs, the operations that initialize a variable are in its scope. They are not
 * part of the layer's work. */
static bool is_initializer(struct span name)
{
	const struct span part = SPAN("Initializer/");
	const char *end = name.at + name.n, *at = name.at;

	while (at < end && (at = memchr(at, 'I', (size_t)(end - at)))) {
		if (at > name.at && at[-1] == '/' &&
			span_starts((struct span){at, (size_t)(end - at)}, part))
			return true;
		at++;
	}
	return false;
}

/* The first `depth` parts of a name, never its last; a name of one part is a layer itself. */
static struct span scope_of(struct span name, int depth)
{
	size_t end = 0;

	name = without_calls(name);
	if (is_initializer(name))
		return SPAN("Initializer");
	for (size_t i = 0; i < name.n && depth > 0; i++)
		if (name.at[i] == '/') {
			end = i;
			depth--;
		}
	return end ? (struct span){name.at, end} : name;
}

/* The first `depth` parts of a scope, or all. */
static struct span first_parts(struct span scope, int depth)
{
	for (size_t i = 0; i < scope.n; i++)
		if (scope.at[i] == '/' && --depth == 0)
			return (struct span){scope.at, i};
	return scope;
}

/* The leading parts that two scopes have in common. */
static struct span common_scope(struct span a, struct span b)
{
	size_t end = 0, i = 0;

	for (; i < a.n && i < b.n && a.at[i] == b.at[i]; i++)
		if (a.at[i] == '/')
			end = i;
	if ((i == a.n || a.at[i] == '/') && (i == b.n || b.at[i] == '/'))
		end = i;
	return (struct span){a.at, end};
}

/* ---- tables --------------------------------------------------------------------- */

struct key {
	const struct summary *summary;
	struct span name;
};

static bool same_layer(const void *context, uint32_t id)
{
	const struct key *key = context;

	return span_equal(key->summary->layers.at[id].scope, key->name);
}

/* NONE on allocation failure. */
static uint32_t get_layer(struct summary *s, struct span scope)
{
	struct key key = {s, scope};
	uint64_t hash = hash_bytes(scope.at, scope.n);
	uint32_t id = hash_find(&s->layer_index, hash, same_layer, &key);
	struct layer layer = {.scope = scope,
		.name = scope,
		.out = tensor_unknown(0),
		.last_result = NONE,
		.place = NONE,
		.largest = -1};

	if (id != NONE)
		return id;
	if (!vec_push(&s->layers, layer) ||
		!hash_add(&s->layer_index, hash, (uint32_t)s->layers.n - 1))
		return NONE;
	return (uint32_t)s->layers.n - 1;
}

/* NULL on allocation failure. */
static struct op_total *get_op(struct summary *s, const struct op_type *type)
{
	while (s->op_of_type.n <= type->id)
		if (!vec_push(&s->op_of_type, NONE))
			return NULL;
	if (s->op_of_type.at[type->id] == NONE) {
		s->op_of_type.at[type->id] = (uint32_t)s->ops.n;
		if (!vec_push(&s->ops, ((struct op_total){.type = type->name})))
			return NULL;
	}
	return &s->ops.at[s->op_of_type.at[type->id]];
}

/* ---- adding up ------------------------------------------------------------------ */

static void add_cost(struct cost *to, struct cost cost, int64_t times)
{
	to->macs = count_add(to->macs, count_multiply(cost.macs, times));
	to->others = count_add(to->others, count_multiply(cost.others, times));
}

static double seconds_of(const struct record *r, const struct summary_options *o)
{
	double compute = 0, memory = 0;

	if (r->place == PLACE_ALIAS || r->place == PLACE_NOWHERE)
		return 0;
	if (o->peak_flops > 0)
		compute = (double)cost_float_ops(r->cost) / o->peak_flops;
	if (o->peak_bandwidth > 0)
		memory = ((double)r->in_bytes + (double)r->out_bytes) / o->peak_bandwidth;
	return (compute > memory ? compute : memory) * (double)r->times;
}

/* Operations that only pass tensors on do not make a layer. */
static bool is_silent(const struct record *r)
{
	return r->state == RECORD_COUNTED && !r->cost.macs && !r->cost.others && !r->weights &&
		(r->place == PLACE_ALIAS || r->place == PLACE_NOWHERE);
}

static void add_record(struct layer *layer, const struct record *r, uint32_t id,
	const struct summary_options *o)
{
	int64_t float_ops = count_multiply(cost_float_ops(r->cost), r->times);

	if (!layer->has_cost) {
		layer->place = id;
		layer->has_cost = r->cost.macs || r->cost.others;
	}
	layer->n_operations++;
	layer->n_not_counted += r->state == RECORD_NOT_COUNTED;
	add_cost(&layer->cost, r->cost, r->times);
	layer->integer_macs = count_add(layer->integer_macs, record_integer_macs(r));
	layer->seconds += seconds_of(r, o);
	if (r->place == PLACE_NEW || r->place == PLACE_OVER) {
		layer->activation_bytes =
			count_add(layer->activation_bytes, count_multiply(r->out_bytes, r->times));
		layer->moved_bytes = count_add(layer->moved_bytes,
			count_multiply(count_add(r->out_bytes, r->in_bytes), r->times));
		/* Results of loop counters and conditions are not the layer's. */
		if (r->out_rank >= 0 && (dtype_is_real(r->out_dtype) || !layer->has_real_result)) {
			layer->last_result = id;
			layer->has_real_result = dtype_is_real(r->out_dtype);
		}
	}
	if (r->weights && r->out_rank >= 0)
		layer->last_result = id;
	if (float_ops > layer->largest && !is_silent(r)) {
		layer->largest = float_ops;
		layer->type = r->type->name;
		layer->times = r->times;
	}
}

static void add_weights(struct layer *layer, const struct layer_weights *weights)
{
	layer->parameters = count_add(layer->parameters, weights->parameters);
	layer->trainable_parameters = count_add(layer->trainable_parameters, weights->trainable);
	layer->weight_bytes = count_add(layer->weight_bytes,
		count_multiply(weights->parameters, dtype_bytes(weights->dtype)));
}

static bool add_dtype(struct summary *s, int dtype, int64_t n, int64_t bytes)
{
	for (size_t i = 0; i < s->dtypes.n; i++)
		if (s->dtypes.at[i].dtype == dtype) {
			s->dtypes.at[i].parameters = count_add(s->dtypes.at[i].parameters, n);
			s->dtypes.at[i].bytes = count_add(s->dtypes.at[i].bytes, bytes);
			return true;
		}
	return vec_push(&s->dtypes, ((struct dtype_total){dtype, n, bytes}));
}

/* The layer of a record: of a graph of Keras, or a scope. .at NULL on allocation failure. */
static struct span layer_of_record(struct walk *w, const struct summary_options *o,
	struct layer_names *names, size_t i)
{
	struct span name = {"", 0};

	if (o->by_node)
		return record_name(&w->records.at[i]);
	if (names->tree.is_keras)
		name = layer_names_get(names, names->of_record[i], o->max_depth);
	return name.n || !name.at ? name
				  : scope_of(walk_record_name(w, &w->records.at[i]), o->max_depth);
}

static bool add_records(struct summary *s, struct walk *w, const struct summary_options *o,
	struct layer_names *names, uint32_t *layer_of)
{
	enum { AHEAD = 8 };

	for (size_t i = 0; i < w->records.n; i++) {
		const struct record *r = &w->records.at[i];
		struct op_total *op;
		struct span name;
		uint32_t id;

		layer_of[i] = NONE;
		/* Names are scattered over the file: without prefetching, a large model takes a
		 * tenth longer. */
		if (i + AHEAD < w->records.n)
			prefetch_line(w->records.at[i + AHEAD].name);
		if (is_silent(r))
			continue;
		name = layer_of_record(w, o, names, i);
		id = name.at ? get_layer(s, name) : NONE;
		if (id == NONE)
			return false;
		layer_of[i] = id;
		add_record(&s->layers.at[id], r, (uint32_t)i, o);
		if (r->weights) {
			const struct layer_weights *weights = &w->weights.at[r->weights];

			add_weights(&s->layers.at[id], weights);
			if (weights->parameters &&
				!add_dtype(s, weights->dtype, weights->parameters,
					count_multiply(weights->parameters,
						dtype_bytes(weights->dtype))))
				return false;
		}
		if (r->state == RECORD_COUNTED && !r->cost.macs && !r->cost.others)
			continue;
		op = get_op(s, r->type);
		if (!op)
			return false;
		op->n++;
		op->n_not_counted += r->state == RECORD_NOT_COUNTED;
		add_cost(&op->cost, r->cost, r->times);
	}
	return !w->no_memory;
}

static void add_layers(struct summary *s, const struct walk *w)
{
	struct layer *total = &s->total;

	for (size_t i = 0; i < s->layers.n; i++) {
		struct layer *layer = &s->layers.at[i];
		const struct record *r;

		add_cost(&total->cost, layer->cost, 1);
		total->integer_macs = count_add(total->integer_macs, layer->integer_macs);
		total->parameters = count_add(total->parameters, layer->parameters);
		total->trainable_parameters =
			count_add(total->trainable_parameters, layer->trainable_parameters);
		total->weight_bytes = count_add(total->weight_bytes, layer->weight_bytes);
		total->activation_bytes =
			count_add(total->activation_bytes, layer->activation_bytes);
		total->moved_bytes = count_add(total->moved_bytes, layer->moved_bytes);
		total->seconds += layer->seconds;
		total->n_operations += layer->n_operations;
		total->n_not_counted += layer->n_not_counted;
		if (layer->last_result == NONE)
			continue;
		r = &w->records.at[layer->last_result];
		layer->out = tensor_make(r->out_dtype, r->out_dims, r->out_rank);
	}
}

/* ---- parameters ----------------------------------------------------------------- */

static void add_parameter(struct layer *layer, const struct parameter *p, int64_t n, int64_t bytes)
{
	layer->parameters = count_add(layer->parameters, n);
	if (p->is_trainable)
		layer->trainable_parameters = count_add(layer->trainable_parameters, n);
	layer->weight_bytes = count_add(layer->weight_bytes, bytes);
}

/* If the true name is a scope around the layer, it is that of another layer. */
static void set_true_name(struct layer *layer, int max_depth)
{
	struct span name = first_parts(layer->true_name, max_depth), scope = layer->scope;

	if (name.n && !(scope.n > name.n && scope.at[name.n] == '/' && span_starts(scope, name)))
		layer->name = name;
}

static bool add_parameters(struct summary *s, const struct walk *w, const struct summary_options *o,
	struct layer_names *names)
{
	for (size_t i = 0; i < w->parameters->n; i++) {
		const struct parameter *p = &w->parameters->at[i];
		int64_t n = tensor_elements(&p->tensor), bytes = tensor_bytes(&p->tensor);
		struct span scope = scope_of(p->name, o->max_depth), reader;
		struct layer *layer;
		uint32_t id;

		if (!p->is_counted || n < 0)
			continue;
		reader = !p->reader.n ? scope
			: o->by_node  ? p->reader
				      : scope_of(p->reader, o->max_depth);
		if (names->tree.is_keras && p->reader.n) {
			struct span name =
				layer_names_get(names, names->of_parameter[i], o->max_depth);

			if (!name.at)
				return false;
			reader = name.n ? name : reader;
		}
		id = get_layer(s, reader);
		if (id == NONE || !add_dtype(s, p->tensor.dtype, n, bytes))
			return false;
		layer = &s->layers.at[id];
		if (p->reader.n && !p->is_constant)
			layer->true_name = layer->true_name.at
				? common_scope(layer->true_name, scope_of(p->name, INT_MAX))
				: scope_of(p->name, INT_MAX);
		add_parameter(layer, p, n, bytes);
	}
	for (size_t i = 0; !o->by_node && !names->tree.is_keras && i < s->layers.n; i++)
		set_true_name(&s->layers.at[i], o->max_depth);
	return true;
}

/* ---- all ------------------------------------------------------------------------ */

/* Keras makes layers in the order of the summary. */
static void order_layers(struct summary *s, const struct walk *w, const struct layer_names *names,
	const uint32_t *layer_of)
{
	for (size_t i = 0; i < s->layers.n; i++)
		s->layers.at[i].place = NONE;
	for (size_t i = 0; i < w->records.n; i++) {
		uint32_t place = layer_names_get_place(names, &w->records.at[i]);

		if (layer_of[i] != NONE && place < s->layers.at[layer_of[i]].place)
			s->layers.at[layer_of[i]].place = place;
	}
}

bool summary_make(struct summary *s, struct walk *w, const struct summary_options *o)
{
	struct layer_names names = {0};
	uint32_t *layer_of;
	size_t peak;
	bool ok;

	*s = (struct summary){.peak_layer = NONE, .total = {.out = tensor_unknown(0)}};
	layer_of = mem_array(w->records.n + 1, sizeof(*layer_of));
	if (!layer_of)
		return false;
	ok = (o->by_node || layer_names_read(&names, w, &s->arena)) &&
		add_records(s, w, o, &names, layer_of) && add_parameters(s, w, o, &names) &&
		memory_peak(w, &s->peak_bytes, &peak);
	if (ok && names.tree.is_keras && !w->runs_in_order)
		order_layers(s, w, &names, layer_of);
	layer_names_clear(&names);
	add_layers(s, w);
	if (ok && peak != SIZE_MAX)
		s->peak_layer = layer_of[peak];
	for (size_t i = 1; ok && i <= w->n_inputs; i++)
		s->input_bytes = count_add(s->input_bytes, w->buffers.at[i]);
	s->is_saturated = cost_float_ops(s->total.cost) == INT64_MAX ||
		s->total.parameters == INT64_MAX || s->peak_bytes == INT64_MAX;
	s->layer_of = layer_of;
	return ok;
}

void summary_clear(struct summary *s)
{
	vec_clear(&s->layers);
	mem_free(s->layer_of);
	s->layer_of = NULL;
	vec_clear(&s->ops);
	vec_clear(&s->dtypes);
	hash_clear(&s->layer_index);
	vec_clear(&s->op_of_type);
	arena_clear(&s->arena);
}
