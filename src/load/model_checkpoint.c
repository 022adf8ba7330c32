/* A checkpoint as a model: it has variables only, so parameters are all there is to count.
 *
 *     net/fc/w                                        of TensorFlow 1
 *     net/fc/w/Adam                                   what training keeps besides the model
 *     layer-1/kernel/.ATTRIBUTES/VARIABLE_VALUE       of TensorFlow 2
 *     layer-1/kernel/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE
 *     optimizer/_trainable_variables/0/.ATTRIBUTES/…  of Keras 3, if its path is shorter
 *     optimizer/_variables/0/.ATTRIBUTES/…            a slot
 */
#include "formats/checkpoint/checkpoint.h"

#include "load/model_file.h"
#include "load/recognize.h"

static bool is_of_training(struct span name)
{
	if (span_contains(name, SPAN("/_trainable_variables/")))
		return false;
	return model_is_of_optimizer(name) || span_contains(name, SPAN("/.OPTIMIZER_SLOT/")) ||
		span_starts(name, SPAN("optimizer/")) || span_contains(name, SPAN("/optimizer/")) ||
		span_starts(name, SPAN("save_counter"));
}

/* The scope a variable is in; its own name if there is none. */
static struct span layer_of(struct span name)
{
	name.n = span_find(name, SPAN("/.ATTRIBUTES/"));
	for (size_t i = name.n; i-- > 1;)
		if (name.at[i] == '/')
			return (struct span){name.at, i};
	return name;
}

enum tfprof_status model_read_checkpoint(struct model_file *m, const char *name,
	const struct model_file_options *options, struct tfprof_error *err)
{
	enum tfprof_status status = checkpoint_open(&m->checkpoint, name, recognize_name, err);

	(void)options;
	if (status != TFPROF_OK)
		return status;
	m->is_of_layers = m->hides_training = true;
	buf_text(&m->notes, "a checkpoint has only variables: nothing but parameters is counted\n");
	model_file_name_note(m, "only_variables");
	for (size_t i = 0; i < checkpoint_get_n_tensors(m->checkpoint); i++) {
		const struct checkpoint_tensor *t = checkpoint_get_tensor(m->checkpoint, i);
		struct parameter p = {.name = t->name,
			.tensor = tensor_make((int)t->dtype, t->shape.dims, t->shape.rank),
			.reader = layer_of(t->name),
			.is_counted = true,
			.is_trainable = true};

		if (!dtype_is_real((int)t->dtype) || is_of_training(t->name))
			continue;
		if (!vec_push(&m->parameters, p))
			return error_no_memory(err);
	}
	return TFPROF_OK;
}
