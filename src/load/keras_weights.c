/* Weights of Keras files by layer. Keras 3 names groups after classes and keeps the layer's
 * name as an attribute:
 *
 *     layers/dense_1/vars/0                     vars has name="ffn_up"
 *     layers/functional/layers/dense/vars/0     a model within the model
 *     model_weights/ffn_up/ffn_up/kernel:0      as Keras 2 has it
 */
#include "load/model_keras.h"

struct group_names {
	struct strings paths; /* of groups: "layers/dense_1" */
	VEC(struct span) names;
};

static bool add_group(struct group_names *g, const struct hdf5_object *o)
{
	struct span path = o->path;
	uint32_t id;

	if (!o->name.n || path.n < 6 || memcmp(path.at + path.n - 5, "/vars", 5) != 0)
		return true;
	path.n -= 5;
	id = strings_alias(&g->paths, path);
	while (id != NONE && g->names.n <= id)
		if (!vec_push(&g->names, ((struct span){"", 0})))
			return false;
	if (id != NONE)
		g->names.at[id] = o->name;
	return id != NONE;
}

/* The layers a dataset is in, by name; empty if it is in none. */
static void put_layer(const struct group_names *g, struct span path, struct buf *b)
{
	struct span rest = path, first = span_cut(&rest, '/'), part;

	if (span_equal(first, SPAN("model_weights"))) {
		buf_span(b, span_cut(&rest, '/'));
		return;
	}
	rest = path;
	while (rest.n) {
		part = span_cut(&rest, '/');
		if (span_equal(part, SPAN("layers")) && rest.n) {
			struct span group = span_cut(&rest, '/'), prefix;
			uint32_t id;

			prefix = (struct span){path.at, (size_t)(group.at + group.n - path.at)};
			id = strings_find(&g->paths, prefix);
			if (b->n)
				buf_char(b, '/');
			buf_span(b, id != NONE && g->names.at[id].n ? g->names.at[id] : group);
		}
	}
}

static bool is_of_model(struct span path)
{
	return !span_starts(path, SPAN("optimizer")) &&
		!span_contains(path, SPAN("seed_generator"));
}

static int64_t size_of(const struct hdf5_object *o)
{
	int64_t n = o->rank < 0 ? 0 : 1;

	for (int i = 0; i < o->rank; i++)
		n = count_multiply(n, o->dims[i]);
	return n;
}

static bool add_weights(struct model_keras *k, struct span layer, int64_t n)
{
	uint32_t id = strings_add(&k->layers, layer);

	while (id != NONE && k->n_weights.n <= id)
		if (!vec_push(&k->n_weights, 0))
			return false;
	if (id != NONE)
		k->n_weights.at[id] = count_add(k->n_weights.at[id], n);
	return id != NONE;
}

bool keras_weights_add_up(struct model_keras *k, int64_t *total)
{
	struct group_names g = {0};
	struct buf layer = {0};
	bool ok = strings_init(&g.paths) && vec_push(&g.names, ((struct span){"", 0})) &&
		strings_init(&k->layers) && vec_push(&k->n_weights, 0);

	*total = 0;
	k->has_layers = ok;
	for (size_t i = 0; ok && i < k->weights.objects.n; i++)
		ok = add_group(&g, &k->weights.objects.at[i]);
	for (size_t i = 0; ok && i < k->weights.objects.n; i++) {
		const struct hdf5_object *o = &k->weights.objects.at[i];

		if (!o->is_dataset || !is_of_model(o->path))
			continue;
		layer.n = 0;
		put_layer(&g, o->path, &layer);
		*total = count_add(*total, size_of(o));
		ok = !layer.failed && add_weights(k, buf_get(&layer), size_of(o));
	}
	strings_clear(&g.paths);
	vec_clear(&g.names);
	buf_clear(&layer);
	return ok;
}

void keras_weights_clear(struct model_keras *k)
{
	if (k->has_layers)
		strings_clear(&k->layers);
	vec_clear(&k->n_weights);
	vec_clear(&k->shapes);
}

int64_t keras_weights_of(const struct model_keras *k, struct span layer)
{
	uint32_t id = k->has_layers && layer.n ? strings_find(&k->layers, layer) : NONE;

	return id != NONE && id < k->n_weights.n ? k->n_weights.at[id] : 0;
}

/* By the group: "a" for a/vars/0. */
void keras_weights_as_parameters(struct model_file *m)
{
	const struct hdf5_file *f = &m->keras->weights;

	/* Objects were read in reverse order. */
	for (size_t i = f->objects.n; i-- > 0;) {
		const struct hdf5_object *o = &f->objects.at[i];
		size_t vars = span_find(o->path, SPAN("/vars/"));
		struct parameter p = {.name = o->path, .is_counted = true, .is_trainable = true};

		if (!o->is_dataset || !is_of_model(o->path) || o->rank < 0)
			continue;
		p.tensor = tensor_make(o->dtype, o->dims, o->rank);
		p.reader = (struct span){o->path.at, vars};
		if (!vec_push(&m->parameters, p))
			m->library.decoder.failed = true;
	}
}
