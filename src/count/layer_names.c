#include "count/layer_names.h"

#include "base/ascii.h"
#include "base/hash.h"
#include "count/layers.h"

static bool has_work(struct span type)
{
	return !span_equal(type, SPAN("Const")) && !span_equal(type, SPAN("Placeholder")) &&
		!span_equal(type, SPAN("NoOp")) && !span_equal(type, SPAN("VarHandleOp"));
}

/* Finds the site of most records, and the first node there. */
static bool find_site(struct layer_names *n, const struct walk *w)
{
	uint32_t *counts = mem_zero_array(w->sites.n + 1, sizeof(*counts));

	if (!counts)
		return false;
	for (size_t i = 0; i < w->records.n; i++)
		if (++counts[w->records.at[i].site] > counts[n->site])
			n->site = w->records.at[i].site;
	for (size_t i = 0; i < w->records.n; i++) {
		const struct record *r = &w->records.at[i];

		if (r->site == n->site && (!n->first || r->name < n->first))
			n->first = r->name;
	}
	mem_free(counts);
	return true;
}

bool layer_names_read(struct layer_names *n, struct walk *w, struct arena *arena)
{
	bool is_backward, ok;

	*n = (struct layer_names){.arena = arena};
	n->of_record = mem_array(w->records.n + 1, sizeof(*n->of_record));
	n->of_parameter = mem_zero_array(w->parameters->n + 1, sizeof(*n->of_parameter));
	ok = n->of_record && n->of_parameter && layer_tree_init(&n->tree) && find_site(n, w);
	for (size_t i = 0; ok && i < w->records.n; i++)
		n->of_record[i] = layer_tree_add(&n->tree, walk_record_name(w, &w->records.at[i]),
			has_work(w->records.at[i].type->name), &is_backward);
	for (size_t i = 0; ok && i < w->parameters->n; i++)
		if (w->parameters->at[i].reader.n)
			n->of_parameter[i] = layer_tree_add(&n->tree, w->parameters->at[i].reader,
				true, &is_backward);
	ok = ok && !w->no_memory && layer_tree_finish(&n->tree);
	n->names = ok ? mem_zero_array(n->tree.at.n + 1, sizeof(*n->names)) : NULL;
	return n->names;
}

void layer_names_clear(struct layer_names *n)
{
	layer_tree_clear(&n->tree);
	mem_free(n->of_record);
	mem_free(n->of_parameter);
	mem_free(n->names);
	buf_clear(&n->text);
}

static int depth_of(const struct layer_tree *t, uint32_t layer)
{
	int depth = 0;

	for (; layer; layer = layer_tree_get_parent(t, layer))
		depth++;
	return depth;
}

/* Names of layers around it come first; that of the model is left out. */
static struct span make_name(struct layer_names *n, uint32_t layer)
{
	const struct layer_tree *t = &n->tree;
	uint32_t parent = layer_tree_get_parent(t, layer);

	n->text.n = 0;
	if (parent && parent != t->trunk) {
		buf_span(&n->text, n->names[parent]);
		buf_char(&n->text, '/');
	}
	buf_span(&n->text, t->at.at[layer].name);
	return n->text.failed ? (struct span){0} : arena_copy(n->arena, buf_get(&n->text));
}

struct span layer_names_get(struct layer_names *n, uint32_t place, int max_depth)
{
	const struct layer_tree *t = &n->tree;
	uint32_t layer = layer_tree_get_layer(t, place);
	int depth = depth_of(t, layer);

	for (; depth > max_depth; depth--)
		layer = layer_tree_get_parent(t, layer);
	if (!layer)
		return SPAN("");
	/* From the outside in, each once. */
	for (uint32_t at = layer; !n->names[layer].at; at = layer) {
		while (layer_tree_get_parent(t, at) && !n->names[layer_tree_get_parent(t, at)].at)
			at = layer_tree_get_parent(t, at);
		n->names[at] = make_name(n, at);
		if (!n->names[at].at)
			return (struct span){0};
	}
	return n->names[layer];
}

uint32_t layer_names_get_place(const struct layer_names *n, const struct record *r)
{
	return r->site == n->site ? (uint32_t)(r->name - n->first) : NONE;
}

/* ---- generated names ------------------------------------------------------------ */

/* Whether a name is that of a class in snake case: "re_lu" of "ReLU". */
static bool is_name_of(struct span name, struct span class_name)
{
	size_t at = 0;

	for (size_t i = 0; i < name.n; i++) {
		if (name.at[i] == '_')
			continue;
		while (at < class_name.n && class_name.at[at] == '_')
			at++;
		if (at == class_name.n || ascii_lower(class_name.at[at++]) != name.at[i])
			return false;
	}
	return name.n && at == class_name.n;
}

/* The name without a number that is generated. *is_generated: whether a class has the rest. */
static struct span get_stem(struct span name, struct span type, bool *is_generated)
{
	static const char *const models[] = {"Functional", "Sequential", "Model", "Lambda"};
	struct span stem = name;

	stem.n -= ascii_trailing_digits(name);
	if (stem.n < 2 || stem.n == name.n || stem.at[stem.n - 1] != '_')
		stem = name;
	else
		stem.n--;
	*is_generated = is_name_of(stem, type);
	for (size_t i = 0; !*is_generated && layer_get_class(i); i++)
		*is_generated = is_name_of(stem, span_of(layer_get_class(i)));
	for (size_t i = 0; !*is_generated && i < sizeof(models) / sizeof(*models); i++)
		*is_generated = is_name_of(stem, span_of(models[i]));
	return *is_generated ? stem : name;
}

uint64_t layer_name_get_kind(struct span name, struct span type)
{
	uint64_t kind = 1;
	bool is_generated = false;

	while (name.n) {
		size_t n = span_find(name, SPAN("/"));
		bool is_last = n >= name.n;
		struct span part = get_stem((struct span){name.at, is_last ? name.n : n},
			is_last ? type : (struct span){"", 0}, &is_generated);

		kind = hash_mix(kind, hash_bytes(part.at, part.n));
		name = span_from(name, is_last ? name.n : n + 1);
	}
	return is_generated ? kind | 1 : 0;
}
