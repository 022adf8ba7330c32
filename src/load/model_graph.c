/* Models as TensorFlow's messages: SavedModel, MetaGraphDef (.meta) and GraphDef.
 *
 *     SavedModel ── MetaGraphDef ── graph, OpDefs
 *                                ── signatures: where the walk starts, what goes in
 *                                ── object graph: which variables a signature's function
 *                                   is bound to, with their true names
 *                                ── collections: trainable variables of TensorFlow 1
 */
#include "base/spelling.h"
#include "base/strings.h"
#include "load/model_file.h"

struct meta_graph {
	struct span graph_def, op_defs, objects, version, signature;
	VEC(struct span) signatures, collections;
	struct span signature_name;
	bool is_serving;
};

/* ---- reading -------------------------------------------------------------------- */

static void read_info(struct decoder *d, struct meta_graph *g, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(META_GRAPH_DEF_META_INFO_DEF_STRIPPED_OP_LIST):
			g->op_defs = f.bytes;
			break;
		case WIRE_LEN(META_GRAPH_DEF_META_INFO_DEF_TENSORFLOW_VERSION):
			g->version = f.bytes;
			break;
		case WIRE_LEN(META_GRAPH_DEF_META_INFO_DEF_TAGS):
			g->is_serving |= span_equal(f.bytes, SPAN("serve"));
			break;
		}
}

static void clear_meta_graph(struct meta_graph *g)
{
	vec_clear(&g->signatures);
	vec_clear(&g->collections);
	*g = (struct meta_graph){0};
}

static void read_meta_graph(struct decoder *d, struct meta_graph *g, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(META_GRAPH_DEF_META_INFO_DEF): read_info(d, g, f.bytes); break;
		case WIRE_LEN(META_GRAPH_DEF_GRAPH_DEF): g->graph_def = f.bytes; break;
		case WIRE_LEN(META_GRAPH_DEF_OBJECT_GRAPH_DEF): g->objects = f.bytes; break;
		case WIRE_LEN(META_GRAPH_DEF_SIGNATURE_DEF):
			decoder_alloc(d, vec_push(&g->signatures, f.bytes));
			break;
		case WIRE_LEN(META_GRAPH_DEF_COLLECTION_DEF):
			decoder_alloc(d, vec_push(&g->collections, f.bytes));
			break;
		}
}

/* ---- signatures ----------------------------------------------------------------- */
static bool is_listed(struct span name)
{
	return !span_starts(name, SPAN("__saved_model"));
}

static enum tfprof_status wrong_signature(struct decoder *d, const struct meta_graph *g,
	const char *wanted, struct tfprof_error *err)
{
	struct buf names = {0};
	enum tfprof_status status;

	for (size_t i = 0; i < g->signatures.n && names.n < 500; i++) {
		struct span name = map_entry_read(d, g->signatures.at[i]).text_key;

		if (is_listed(name))
			buf_printf(&names, "%s%.*s", names.n ? ", " : "", ERROR_SPAN(name));
	}
	if (wanted)
		status = error_set(err, TFPROF_ARGUMENT,
			"%s: the model has no signature '%.200s': expected one of: %s",
			OPTION("signature"), wanted, buf_get(&names).at);
	else
		status = error_set(err, TFPROF_FORMAT,
			"the model has several signatures: choose one with %s: %s",
			OPTION("signature"), buf_get(&names).at);
	buf_clear(&names);
	return status;
}

/* The requested signature, or serving_default, or the only one. Having none is not an error. */
static enum tfprof_status choose_signature(struct model_file *m, struct meta_graph *g,
	const char *wanted, struct tfprof_error *err)
{
	struct decoder *d = &m->library.decoder;
	struct span name = wanted ? span_of(wanted) : SPAN("serving_default");
	size_t n_listed = 0;
	struct map_entry only = {0};

	for (size_t i = 0; i < g->signatures.n; i++) {
		struct map_entry entry = map_entry_read(d, g->signatures.at[i]);

		if (span_equal(entry.text_key, name)) {
			g->signature = entry.value;
			g->signature_name = entry.text_key;
			return TFPROF_OK;
		}
		if (is_listed(entry.text_key)) {
			n_listed++;
			only = entry;
		}
	}
	if (wanted || (n_listed > 1 && !m->is_lenient))
		return wrong_signature(d, g, wanted, err);
	if (n_listed > 1)
		buf_printf(&m->notes, "the last of %zu signatures is shown: %.*s\n", n_listed,
			ERROR_SPAN(only.text_key));
	g->signature = only.value;
	g->signature_name = only.text_key;
	return TFPROF_OK;
}

struct tensor_info {
	struct span name;
	struct tensor tensor;
};

static struct tensor_info read_tensor_info(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct tensor_info info = {.name = {"", 0}, .tensor = tensor_unknown(0)};
	int16_t dtype = 0;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(TENSOR_INFO_NAME): info.name = f.bytes; break;
		case WIRE_VARINT(TENSOR_INFO_DTYPE): dtype = (int16_t)(f.value & 0xff); break;
		case WIRE_LEN(TENSOR_INFO_TENSOR_SHAPE):
			info.tensor = tensor_read(d, 0, f.bytes);
			break;
		}
	info.tensor.dtype = dtype;
	return info;
}

static enum tfprof_status add_signature_input(struct model_file *m, struct span key,
	const struct tensor_info *info, struct tfprof_error *err)
{
	struct op_edge edge;
	struct tensor tensor;
	enum tfprof_status status;

	if (!op_library_find_output(&m->library, info->name, &edge))
		return TFPROF_OK;
	status = model_file_add_input(m, key, info->tensor, &tensor, err);
	if (status == TFPROF_OK && !vec_push(&m->presets, ((struct preset){edge.node, tensor})))
		return error_no_memory(err);
	return status;
}

static enum tfprof_status use_signature(struct model_file *m, const struct meta_graph *g,
	struct tfprof_error *err)
{
	struct decoder *d = &m->library.decoder;
	struct wire_reader r = wire_reader(g->signature);
	struct wire_field f;
	enum tfprof_status status = TFPROF_OK;

	while (status == TFPROF_OK && decoder_next(d, &r, &f)) {
		struct map_entry entry;
		struct tensor_info info;
		struct op_edge edge;

		if (f.tag != WIRE_LEN(SIGNATURE_DEF_INPUTS) &&
			f.tag != WIRE_LEN(SIGNATURE_DEF_OUTPUTS))
			continue;
		entry = map_entry_read(d, f.bytes);
		info = read_tensor_info(d, entry.value);
		if (f.tag == WIRE_LEN(SIGNATURE_DEF_INPUTS))
			status = add_signature_input(m, entry.text_key, &info, err);
		else if (op_library_find_output(&m->library, info.name, &edge) &&
			!vec_push(&m->library.main.returns, edge))
			status = error_no_memory(err);
	}
	return status;
}

/* ---- variables ------------------------------------------------------------------ */
static struct parameter read_variable(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct parameter p = {.name = {"", 0}, .tensor = tensor_unknown(0), .is_counted = true};
	int16_t dtype = 0;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(SAVED_VARIABLE_DTYPE): dtype = (int16_t)(f.value & 0xff); break;
		case WIRE_LEN(SAVED_VARIABLE_SHAPE): p.tensor = tensor_read(d, 0, f.bytes); break;
		case WIRE_VARINT(SAVED_VARIABLE_TRAINABLE): p.is_trainable = f.value != 0; break;
		case WIRE_LEN(SAVED_VARIABLE_NAME): p.name = f.bytes; break;
		}
	p.tensor.dtype = dtype;
	/* Random number generators keep their state in variables, too. */
	if (span_contains(p.name, SPAN("seed_generator")))
		p.is_counted = false;
	return p;
}

/* The objects of a SavedModel that are variables. */
struct objects {
	VEC(struct span) variables; /* by object; .at is NULL for others */
	VEC(uint32_t) parameters;   /* by object: its parameter + 1, once it has one */
	VEC(struct span) messages;  /* by object */
	bool *is_fixed;             /* by object: whether Keras lists it as not trainable */
	VEC(struct span) functions; /* map entries: name → SavedConcreteFunction */
};

static bool read_objects(struct decoder *d, struct objects *o, struct span message)
{
	struct wire_reader r = wire_reader(message), inner;
	struct wire_field f, g;
	bool ok = true;

	while (ok && decoder_next(d, &r, &f)) {
		if (f.tag == WIRE_LEN(SAVED_OBJECT_GRAPH_CONCRETE_FUNCTIONS)) {
			ok = vec_push(&o->functions, f.bytes);
		} else if (f.tag == WIRE_LEN(SAVED_OBJECT_GRAPH_NODES)) {
			struct span variable = {NULL, 0};

			inner = wire_reader(f.bytes);
			while (decoder_find(d, &inner, WIRE_LEN(SAVED_OBJECT_VARIABLE), &g))
				variable = g.bytes;
			ok = vec_push(&o->variables, variable) && vec_push(&o->parameters, 0) &&
				vec_push(&o->messages, f.bytes);
		}
	}
	return ok;
}

/* The next child of an object from `r` on that has this name, or any if it is empty. NONE at the
 * end. */
static uint32_t next_child(struct decoder *d, struct wire_reader *r, struct span name)
{
	struct wire_field f, g;

	while (decoder_find(d, r, WIRE_LEN(SAVED_OBJECT_CHILDREN), &f)) {
		struct wire_reader child = wire_reader(f.bytes);
		struct span local_name = {"", 0};
		uint64_t id = 0;

		while (decoder_next(d, &child, &g))
			switch (g.tag) {
			case WIRE_VARINT(OBJECT_REFERENCE_NODE_ID): id = g.value; break;
			case WIRE_LEN(OBJECT_REFERENCE_LOCAL_NAME): local_name = g.bytes; break;
			}
		if (id < NONE && (!name.n || span_equal(local_name, name)))
			return (uint32_t)id;
	}
	return NONE;
}

/* A variable is trainable if it was created so, unless Keras's export lists it as frozen since. */
static bool find_fixed(struct decoder *d, struct objects *o)
{
	struct wire_reader r;
	uint32_t list, id;

	o->is_fixed = mem_zero_array(o->messages.n + 1, sizeof(*o->is_fixed));
	if (!o->is_fixed || !o->messages.n)
		return o->is_fixed;
	r = wire_reader(o->messages.at[0]);
	list = next_child(d, &r, SPAN("non_trainable_variables"));
	if (list >= o->messages.n)
		return true;
	r = wire_reader(o->messages.at[list]);
	while ((id = next_child(d, &r, SPAN(""))) != NONE)
		if (id < o->messages.n)
			o->is_fixed[id] = true;
	return true;
}

/* The parameter of an object; 0 if it is not a variable. */
static uint32_t parameter_of_object(struct model_file *m, struct objects *o, uint64_t object)
{
	struct decoder *d = &m->library.decoder;

	if (object >= o->variables.n || !o->variables.at[object].at)
		return 0;
	if (!o->parameters.at[object]) {
		struct parameter p = read_variable(d, o->variables.at[object]);

		p.is_trainable &= !o->is_fixed[object];
		if (!decoder_alloc(d, vec_push(&m->parameters, p)))
			return 0;
		o->parameters.at[object] = (uint32_t)m->parameters.n;
	}
	return o->parameters.at[object];
}

static void preset_parameter(struct model_file *m, uint32_t node, uint32_t parameter)
{
	struct preset preset = {node, m->parameters.at[parameter - 1].tensor};

	preset.tensor.parameter = parameter;
	decoder_alloc(&m->library.decoder, vec_push(&m->presets, preset));
}

/* The last inputs of a call are the variables its function is bound to, in order. */
static void bind_call(struct model_file *m, struct objects *o, const struct op_node *node,
	struct span function)
{
	struct decoder *d = &m->library.decoder;
	struct graph *g = &m->library.main;
	struct wire_reader r = wire_reader(function), packed;
	struct wire_field f;
	VEC(uint64_t) bound = {0};
	uint64_t value;

	while (decoder_next(d, &r, &f)) {
		if (f.tag == WIRE_VARINT(SAVED_CONCRETE_FUNCTION_BOUND_INPUTS)) {
			decoder_alloc(d, vec_push(&bound, f.value));
		} else if (f.tag == WIRE_LEN(SAVED_CONCRETE_FUNCTION_BOUND_INPUTS)) {
			packed = wire_reader(f.bytes);
			while (decoder_next_packed(d, &packed, &value))
				decoder_alloc(d, vec_push(&bound, value));
		}
	}
	for (size_t i = 0; i < bound.n && bound.n <= node->n_edges; i++) {
		uint32_t parameter = parameter_of_object(m, o, bound.at[i]);
		size_t edge = node->first_edge + node->n_edges - bound.n + i;

		if (parameter)
			preset_parameter(m, g->edges.at[edge].node, parameter);
	}
	vec_clear(&bound);
}

static void bind_calls(struct model_file *m, struct objects *o, const bool *is_reachable)
{
	const struct graph *g = &m->library.main;

	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct op_node *node = &g->nodes.at[i];
		struct span name;

		if (!is_reachable[i] || !node->type->rule || node->type->rule->shape != shape_call)
			continue;
		name = node_text(g, node, A_f);
		for (size_t k = 0; k < o->functions.n; k++) {
			struct map_entry entry =
				map_entry_read(&m->library.decoder, o->functions.at[k]);

			if (span_equal(entry.text_key, name) && entry.value.at)
				bind_call(m, o, node, entry.value);
		}
	}
}

bool model_is_of_optimizer(struct span name)
{
	static const char *const words[] = {"Momentum", "Adam", "RMSProp", "Adagrad", "Ftrl",
		"global_step", "beta1_power", "beta2_power", "ExponentialMovingAverage",
		"Adadelta"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (span_contains(name, span_of(words[i])))
			return true;
	return false;
}

/* "m/fc/w:0" → "m/fc/w" */
static struct span without_output(struct span name)
{
	return span_before(name, ':');
}

/* The names in the collection of trainable variables. */
static bool list_trainable(struct decoder *d, const struct meta_graph *g, struct strings *names)
{
	bool found = false;

	for (size_t i = 0; i < g->collections.n; i++) {
		struct map_entry entry = map_entry_read(d, g->collections.at[i]);
		struct wire_reader r = wire_reader(entry.value), values, var;
		struct wire_field f, v, n;

		if (!span_equal(entry.text_key, SPAN("trainable_variables")))
			continue;
		found = true;
		while (decoder_find(d, &r, WIRE_LEN(COLLECTION_DEF_BYTES_LIST), &f)) {
			values = wire_reader(f.bytes);
			while (decoder_find(d, &values, WIRE_LEN(COLLECTION_DEF_BYTES_LIST_VALUE),
				&v)) {
				var = wire_reader(v.bytes);
				if (decoder_find(d, &var, WIRE_LEN(VARIABLE_DEF_VARIABLE_NAME), &n))
					decoder_alloc(d,
						strings_alias(names, without_output(n.bytes)) !=
							NONE);
			}
		}
	}
	return found;
}

/* Adds variables that no object describes, from their nodes and the collections. */
static enum tfprof_status add_plain_variables(struct model_file *m, const struct meta_graph *meta,
	const bool *is_reachable, const bool *is_preset, struct tfprof_error *err)
{
	struct decoder *d = &m->library.decoder;
	const struct graph *g = &m->library.main;
	struct strings trainable;
	bool has_list;

	if (!strings_init(&trainable))
		return error_no_memory(err);
	has_list = list_trainable(d, meta, &trainable);
	for (uint32_t i = 0; i < g->nodes.n && !d->failed; i++) {
		const struct op_node *node = &g->nodes.at[i];
		const struct op_attr *shape = node_attr(g, node, A_shape);
		struct parameter p = {.name = node->name, .is_counted = true};

		if (!is_reachable[i] || is_preset[i] || !node->type->rule ||
			node->type->rule->shape != shape_variable)
			continue;
		p.tensor = tensor_unknown((int)node_int(g, node, A_dtype, 0));
		if (shape && shape->kind == OP_SHAPE && shape->n != OP_UNKNOWN_RANK)
			p.tensor = tensor_make(p.tensor.dtype, shape->ints, shape->n);
		p.is_trainable = has_list ? strings_find(&trainable, node->name) != NONE
					  : dtype_is_real(p.tensor.dtype);
		if (!p.is_trainable && model_is_of_optimizer(node->name))
			p.is_counted = false;
		if (model_is_of_optimizer(node->name) && !has_list)
			p.is_counted = p.is_trainable = false;
		if (decoder_alloc(d, vec_push(&m->parameters, p)))
			preset_parameter(m, i, (uint32_t)m->parameters.n);
	}
	strings_clear(&trainable);
	return TFPROF_OK;
}

static enum tfprof_status add_variables(struct model_file *m, const struct meta_graph *meta,
	struct tfprof_error *err)
{
	struct objects o = {0};
	const struct graph *main = &m->library.main;
	bool *reachable = graph_find_needed(main, 0, main->returns.n), *preset;
	enum tfprof_status status = TFPROF_OK;

	preset = mem_zero_array(m->library.main.nodes.n + 1, sizeof(*preset));
	if (!reachable || !preset || !read_objects(&m->library.decoder, &o, meta->objects) ||
		!find_fixed(&m->library.decoder, &o)) {
		status = error_no_memory(err);
		goto out;
	}
	bind_calls(m, &o, reachable);
	for (size_t i = 0; i < m->presets.n; i++)
		preset[m->presets.at[i].node] = true;
	status = add_plain_variables(m, meta, reachable, preset, err);
out:
	mem_free(reachable);
	mem_free(preset);
	vec_clear(&o.variables);
	vec_clear(&o.parameters);
	vec_clear(&o.messages);
	mem_free(o.is_fixed);
	vec_clear(&o.functions);
	return status;
}

/* ---- formats -------------------------------------------------------------------- */

static enum tfprof_status damaged(const struct model_file *m, const char *name,
	struct tfprof_error *err)
{
	struct tfprof_input in = {.path = name};

	return model_file_check(m, &in, err);
}

static enum tfprof_status use_meta_graph(struct model_file *m, struct meta_graph *g,
	const char *name, const struct model_file_options *options, struct tfprof_error *err)
{
	struct decoder *d = &m->library.decoder;
	enum tfprof_status status = choose_signature(m, g, options->signature, err);

	if (status != TFPROF_OK)
		return status;
	if (g->version.n)
		buf_printf(&m->title, "TensorFlow %.*s", ERROR_SPAN(g->version));
	if (g->signature.n)
		buf_printf(&m->title, "%ssignature %.*s", m->title.n ? ", " : "",
			ERROR_SPAN(g->signature_name));
	op_library_add_op_defs(&m->library, g->op_defs);
	op_library_add_graph(&m->library, g->graph_def);
	if (d->failed)
		return damaged(m, name, err);
	if (g->signature.n)
		status = use_signature(m, g, err);
	else {
		status = model_start_anywhere(m, true, err);
		if (status == TFPROF_OK)
			status = model_add_placeholders(m, err);
	}
	if (status == TFPROF_OK)
		status = add_variables(m, g, err);
	return status == TFPROF_OK && d->failed ? damaged(m, name, err) : status;
}

enum tfprof_status model_read_meta_graph(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err)
{
	struct meta_graph g = {0};
	enum tfprof_status status;

	read_meta_graph(&m->library.decoder, &g, m->source.bytes);
	status = m->library.decoder.failed ? damaged(m, name, err)
					   : use_meta_graph(m, &g, name, options, err);
	clear_meta_graph(&g);
	return status;
}

/* Reads the first graph for serving, or else the first one. */
enum tfprof_status model_read_saved_model(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err)
{
	struct decoder *d = &m->library.decoder;
	struct wire_reader r = wire_reader(m->source.bytes);
	struct wire_field f;
	struct meta_graph g = {0};
	bool found = false;
	enum tfprof_status status;

	while (!g.is_serving && decoder_find(d, &r, WIRE_LEN(SAVED_MODEL_META_GRAPHS), &f)) {
		struct meta_graph next = {0};

		read_meta_graph(d, &next, f.bytes);
		if (!found || next.is_serving) {
			clear_meta_graph(&g);
			g = next;
		} else {
			clear_meta_graph(&next);
		}
		found = true;
	}
	if (d->failed)
		status = damaged(m, name, err);
	else if (!found)
		status = error_set(err, TFPROF_FORMAT, "%s: the SavedModel has no graph", name);
	else
		status = use_meta_graph(m, &g, name, options, err);
	/* Signatures come after functions, so a truncated file has lost them. */
	if (status == TFPROF_OK && !g.signature.n) {
		buf_text(&m->notes,
			"the SavedModel has no signature: all of its operations are shown\n");
		model_file_name_note(m, "no_signature");
	}
	clear_meta_graph(&g);
	return status;
}

enum tfprof_status model_read_graph(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err)
{
	static const struct meta_graph none = {0};
	enum tfprof_status status;

	m->library.parameters = &m->parameters;
	m->has_open_weights = true;
	op_library_add_graph(&m->library, m->source.bytes);
	if (m->library.decoder.failed)
		return damaged(m, name, err);
	if (options->signature)
		return error_set(err, TFPROF_ARGUMENT, "--signature: a GraphDef has no signatures");
	status = model_start_anywhere(m, m->is_walked_whole, err);
	if (status == TFPROF_OK)
		status = model_add_placeholders(m, err);
	if (status == TFPROF_OK)
		status = add_variables(m, &none, err);
	return status;
}
