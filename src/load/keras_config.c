/* Layers of a Keras configuration as nodes, with the members of their config as attributes. */
#include "count/layers.h"
#include "load/keras_build.h"

uint32_t keras_get(const struct keras_builder *b, uint32_t object, const char *key)
{
	return json_get(&b->k->doc, object, key);
}

struct span keras_text(const struct keras_builder *b, uint32_t value)
{
	return json_text_of(&b->k->doc, value);
}

uint32_t keras_nth(const struct keras_builder *b, uint32_t list, size_t n)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t i = json_first(doc, list);

	while (i != NONE && n--)
		i = json_next(doc, list, i);
	return i;
}

struct span keras_join(struct keras_builder *b, struct span prefix, struct span name,
	const char *tail)
{
	struct buf joined = {0};
	struct span kept;

	if (!prefix.n && !*tail)
		return name;
	buf_span(&joined, prefix);
	buf_span(&joined, name);
	buf_text(&joined, tail);
	kept = arena_copy(&b->m->arena, buf_get(&joined));
	if (joined.failed || !kept.at)
		b->no_memory = true;
	buf_clear(&joined);
	return kept.at ? kept : name;
}

static void add_attr(struct keras_builder *b, struct graph *g, struct op_attr attr)
{
	if (!vec_push(&g->attrs, attr))
		b->no_memory = true;
}

void keras_add_int(struct keras_builder *b, struct graph *g, enum attr_id id, int64_t number)
{
	add_attr(b, g, (struct op_attr){.id = (uint8_t)id, .kind = OP_INT, .number = number});
}

void keras_add_text(struct keras_builder *b, struct graph *g, enum attr_id id, struct span value)
{
	add_attr(b, g,
		(struct op_attr){.id = (uint8_t)id,
			.kind = OP_TEXT,
			.n = (uint32_t)value.n,
			.text = value.at});
}

void keras_add_numbers(struct keras_builder *b, struct graph *g, enum attr_id id,
	enum op_attr_kind kind, const int64_t *at, uint32_t n)
{
	int64_t *kept = arena_array(&b->m->arena, n + 1, sizeof(*kept));

	if (!kept) {
		b->no_memory = true;
		return;
	}
	memcpy(kept, at, n * sizeof(*kept));
	add_attr(b, g,
		(struct op_attr){.id = (uint8_t)id, .kind = (uint8_t)kind, .n = n, .ints = kept});
}

/* The numbers of a list, with nested lists flattened; null is -1. */
void keras_add_ints(struct keras_builder *b, struct graph *g, enum attr_id id, uint32_t list,
	enum op_attr_kind kind)
{
	const struct json_doc *doc = &b->k->doc;
	int64_t at[JSON_MAX_NUMBERS];
	uint32_t n = 0;

	for (uint32_t i = list + 1; i < doc->values.at[list].end && n < JSON_MAX_NUMBERS; i++) {
		enum json_type type = json_type_of(doc, i);

		if (type == JSON_NULL)
			at[n++] = -1;
		else if (type == JSON_NUMBER && json_int_of(doc, i, &at[n]))
			n++;
	}
	keras_add_numbers(b, g, id, kind, at, n);
}

/* True by default, if it is absent. */
bool keras_is_true(const struct keras_builder *b, uint32_t config, const char *key)
{
	uint32_t value = keras_get(b, config, key);
	int64_t number;

	return value == NONE || !json_int_of(&b->k->doc, value, &number) || number;
}

/* "float32", or a policy with it in its config: mixed policies keep weights in float32. */
int keras_dtype(const struct keras_builder *b, uint32_t value)
{
	static const struct {
		const char *name;
		int dtype;
	} dtypes[] = {{"bfloat16", DT_BFLOAT16}, {"float16", DT_HALF}, {"float64", DT_DOUBLE},
		{"int32", DT_INT32}, {"int64", DT_INT64}, {"bool", DT_BOOL}, {"int8", DT_INT8},
		{"uint8", DT_UINT8}, {"string", DT_STRING}};
	struct span name = keras_text(b, value);

	if (json_type_of(&b->k->doc, value) == JSON_OBJECT)
		name = keras_text(b, keras_get(b, keras_get(b, value, "config"), "name"));
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(*dtypes); i++)
		if (span_equal(span_of(dtypes[i].name), name))
			return dtypes[i].dtype;
	return DT_FLOAT;
}

/* A function by name, or as an object that has its name. */
static struct span function_of(const struct keras_builder *b, uint32_t object)
{
	struct span name = keras_text(b, keras_get(b, object, "config"));

	return name.n ? name : keras_text(b, keras_get(b, object, "class_name"));
}

static void add_member(struct keras_builder *b, struct graph *g, struct span key, uint32_t value)
{
	enum attr_id id = op_library_find_attr(&b->m->library, key);
	int64_t number;

	/* keras.ops has a different name for it. */
	if (span_equal(key, SPAN("subscripts")))
		id = A_equation;

	if (id == A_dtype)
		keras_add_int(b, g, id, keras_dtype(b, value));
	if (id == N_ATTRS || id == A_dtype)
		return;
	switch (json_type_of(&b->k->doc, value)) {
	case JSON_STRING: keras_add_text(b, g, id, keras_text(b, value)); break;
	case JSON_ARRAY: keras_add_ints(b, g, id, value, OP_INTS); break;
	case JSON_OBJECT: keras_add_text(b, g, id, function_of(b, value)); break;
	case JSON_NULL: break;
	default:
		if (json_int_of(&b->k->doc, value, &number))
			keras_add_int(b, g, id, number);
	}
}

void keras_add_config(struct keras_builder *b, struct graph *g, uint32_t config)
{
	const struct json_doc *doc = &b->k->doc;

	if (json_type_of(doc, config) != JSON_OBJECT)
		return;
	for (uint32_t key = json_first(doc, config); key != NONE;) {
		uint32_t value = doc->values.at[key].end;

		add_member(b, g, doc->values.at[key].text, value);
		key = json_next(doc, config, value);
	}
}

/* Gates, units and biases of a cell; 0 gates if its class is unknown. */
static void put_cell(const struct keras_builder *b, uint32_t cell, int64_t *at)
{
	const struct op_rule *rule =
		layer_find_rule(keras_text(b, keras_get(b, cell, "class_name")));
	uint32_t config = keras_get(b, cell, "config");

	at[0] = rule && rule->shape == layer_cell ? rule->factor : 0;
	if (!json_int_of(&b->k->doc, keras_get(b, config, "units"), &at[1]))
		at[1] = -1;
	at[2] = layer_biases(at[0], keras_is_true(b, config, "use_bias"),
		keras_is_true(b, config, "reset_after"));
}

/* The cell of an RNN, or the cells of a StackedRNNCells. */
void keras_add_cells(struct keras_builder *b, struct graph *g, uint32_t config)
{
	enum { MOST = JSON_MAX_NUMBERS / 3 };
	const struct json_doc *doc = &b->k->doc;
	uint32_t cell = keras_get(b, config, "cell"), stacked, n = 0;
	int64_t at[3 * MOST];

	if (json_type_of(doc, cell) != JSON_OBJECT)
		return;
	stacked = keras_get(b, keras_get(b, cell, "config"), "cells");
	if (json_type_of(doc, stacked) != JSON_ARRAY)
		put_cell(b, cell, at), n = 1;
	else
		for (uint32_t i = json_first(doc, stacked); i != NONE && n < MOST;
			i = json_next(doc, stacked, i))
			put_cell(b, i, at + 3 * n++);
	keras_add_numbers(b, g, A_cells, OP_INTS, at, 3 * n);
}

static int64_t key_number(const struct keras_builder *b, uint32_t value)
{
	int64_t number;

	return value != NONE && json_int_of(&b->k->doc, value, &number) ? number : KEY_OPEN;
}

/* One part of x[…]: kind, start, stop, step. False if it is unknown. */
static bool put_key(const struct keras_builder *b, uint32_t part, int64_t *at)
{
	struct span class_name = keras_text(b, keras_get(b, part, "class_name"));
	uint32_t config = keras_get(b, part, "config");

	at[1] = at[2] = at[3] = KEY_OPEN;
	if (json_type_of(&b->k->doc, part) == JSON_NULL) {
		at[0] = KEY_NEW;
	} else if (json_type_of(&b->k->doc, part) == JSON_NUMBER) {
		at[0] = KEY_INDEX;
	} else if (span_equal(class_name, SPAN("__ellipsis__"))) {
		at[0] = KEY_REST;
	} else if (span_equal(class_name, SPAN("__slice__"))) {
		at[0] = KEY_SLICE;
		at[1] = key_number(b, keras_get(b, config, "start"));
		at[2] = key_number(b, keras_get(b, config, "stop"));
		at[3] = key_number(b, keras_get(b, config, "step"));
	} else {
		return false;
	}
	return true;
}

/* The second argument of a call of GetItem: a part, or a list of them. */
void keras_add_key(struct keras_builder *b, struct graph *g, uint32_t layer, int64_t call)
{
	const struct json_doc *doc = &b->k->doc;
	uint32_t inbound = keras_nth(b, keras_get(b, layer, "inbound_nodes"), (size_t)call);
	uint32_t key = keras_nth(b, keras_get(b, inbound, "args"), 1), n = 0;
	int64_t at[4 * TENSOR_MAX_RANK];

	if (key == NONE)
		return;
	if (json_type_of(doc, key) != JSON_ARRAY) {
		if (put_key(b, key, at))
			keras_add_numbers(b, g, A_key, OP_INTS, at, 4);
		return;
	}
	for (uint32_t i = json_first(doc, key); i != NONE; i = json_next(doc, key, i))
		if (n == TENSOR_MAX_RANK || !put_key(b, i, at + 4 * n++))
			return;
	keras_add_numbers(b, g, A_key, OP_INTS, at, 4 * n);
}

uint32_t keras_add_node(struct keras_builder *b, struct graph *g, struct op_node node,
	struct span type, const struct op_rule *rule)
{
	if (!op_library_add_node(&b->m->library, g, node, type, rule))
		b->no_memory = true;
	return (uint32_t)g->nodes.n - 1;
}

uint32_t keras_add_arg(struct keras_builder *b, struct graph *g, struct span name)
{
	return keras_add_node(b, g, graph_start_node(g, name), SPAN("_Arg"),
		op_find_rule(SPAN("_Arg")));
}
