/* Layers of a Keras configuration as nodes, with the members of their config as attributes. */
#include "load/keras_build.h"

uint32_t keras_get(const struct keras_builder *b, uint32_t object, const char *key)
{
	return json_get(&b->k->doc, object, key);
}

struct span keras_text(const struct keras_builder *b, uint32_t value)
{
	return json_text_of(&b->k->doc, value);
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

/* Numbers of a list, of nested lists one after the other; null is -1. */
void keras_add_ints(struct keras_builder *b, struct graph *g, enum attr_id id, uint32_t list,
	enum op_attr_kind kind)
{
	const struct json_doc *doc = &b->k->doc;
	int64_t at[JSON_MAX_NUMBERS], *kept;
	uint32_t n = 0;

	for (uint32_t i = list + 1; i < doc->values.at[list].end && n < JSON_MAX_NUMBERS; i++) {
		enum json_type type = json_type_of(doc, i);

		if (type == JSON_NULL)
			at[n++] = -1;
		else if (type == JSON_NUMBER && json_int_of(doc, i, &at[n]))
			n++;
	}
	kept = arena_array(&b->m->arena, n + 1, sizeof(*kept));
	if (!kept) {
		b->no_memory = true;
		return;
	}
	memcpy(kept, at, n * sizeof(*kept));
	add_attr(b, g,
		(struct op_attr){.id = (uint8_t)id, .kind = (uint8_t)kind, .n = n, .ints = kept});
}

/* "float32", or a policy that has it in its config: a mixed one keeps weights in float32. */
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

uint32_t keras_add_node(struct keras_builder *b, struct graph *g, struct op_node node,
	struct span type, const struct op_rule *rule)
{
	node.type = op_library_get_type(&b->m->library, type, rule);
	node.n_attrs = (uint16_t)(g->attrs.n - node.first_attr);
	node.n_edges = (uint32_t)(g->edges.n - node.first_edge);
	if (!node.type || !vec_push(&g->nodes, node))
		b->no_memory = true;
	return (uint32_t)g->nodes.n - 1;
}

struct op_node keras_start_node(const struct graph *g, struct span name)
{
	return (struct op_node){.name = name,
		.first_attr = (uint32_t)g->attrs.n,
		.first_edge = (uint32_t)g->edges.n};
}

uint32_t keras_add_arg(struct keras_builder *b, struct graph *g, struct span name)
{
	return keras_add_node(b, g, keras_start_node(g, name), SPAN("_Arg"),
		op_find_rule(SPAN("_Arg")));
}
