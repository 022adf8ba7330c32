/* A checkpoint adds the type `_checkpoint_variables` to every node it has a tensor
 * for. Without a graph, its tensors become the nodes. */
#include "formats/checkpoint/checkpoint.h"

#include "load/load.h"
#include "load/recognize.h"

static uint32_t tensor_shape(struct model *m, const struct checkpoint_tensor *t)
{
	int64_t scalar = 1;

	/* As everywhere, rank 0 is a vector of one. */
	return t->shape.rank ? shapes_add(&m->shapes, t->shape.dims, t->shape.rank)
			     : shapes_add(&m->shapes, &scalar, 1);
}

/* A node for a tensor that no graph describes. */
static bool add_tensor(struct model *m, const struct checkpoint_tensor *t, uint32_t op)
{
	const struct dtype_info *type = dtype_get(t->dtype);
	uint32_t name = strings_add(&m->strings, t->name), shape = tensor_shape(m, t), node, dtype;

	if (name == NONE || shape == NONE)
		return false;
	node = model_add_node(m, name, op);
	if (node == NONE)
		return false;
	m->nodes.shape[node] = shape;
	m->nodes.n_outputs[node] = 1;
	dtype = strings_add(&m->strings, span_of(type->name));
	return dtype != NONE && model_add_type(m, node, dtype) &&
		vec_push(&m->outputs, ((struct output){0, shape}));
}

bool model_mark_checkpoint(struct model *m, size_t from)
{
	uint32_t type = strings_add(&m->strings, SPAN("_checkpoint_variables"));

	if (type == NONE)
		return false;
	for (size_t i = from; i < m->nodes.n; i++)
		if (checkpoint_find(m->checkpoint, model_name(m, (uint32_t)i)) &&
			!model_add_type(m, (uint32_t)i, type))
			return false;
	return true;
}

static bool add_tensors(struct model *m)
{
	uint32_t op = strings_add(&m->strings, SPAN("_checkpoint_variables"));

	for (size_t i = 0; op != NONE && i < checkpoint_get_n_tensors(m->checkpoint); i++)
		if (!add_tensor(m, checkpoint_get_tensor(m->checkpoint, i), op))
			return false;
	return op != NONE;
}

static void count(const struct model *m, struct load_counts *c)
{
	*c = (struct load_counts){.n_entries = checkpoint_get_n_tensors(m->checkpoint)};
	for (size_t i = 0; i < c->n_entries; i++) {
		struct span text = checkpoint_get_tensor(m->checkpoint, i)->name;
		uint32_t name = strings_find(&m->strings, text);

		c->n_outside += name == NONE || model_node_of(m, name) == NONE;
	}
}

/* Replaces the checkpoint added before. */
enum tfprof_status load_checkpoint(struct model *m, struct load *l, struct tfprof_error *err)
{
	struct checkpoint *opened;
	enum tfprof_status status = checkpoint_open(&opened, l->in->path, recognize_name, err);
	bool alone = m->nodes.n == 0;

	if (status != TFPROF_OK)
		return status;
	checkpoint_free(m->checkpoint);
	m->checkpoint = opened;
	m->generation++;
	if (alone ? !add_tensors(m) : !model_mark_checkpoint(m, 0))
		return error_no_memory(err);
	count(m, &l->counts);
	return TFPROF_OK;
}
