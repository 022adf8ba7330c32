/* What a model costs: parameters, multiply-accumulates, float operations and memory, by
 * layer, from a model file alone. Part of tfprof.h, which includes it. */
#ifndef TFPROF_MODEL_H
#define TFPROF_MODEL_H

#include <tfprof/tfprof.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Asks a question about a model (docs/model.md lists the formats; a path may be the directory of a
 * SavedModel). "model" counts, and its rows are layers: its verdict is that of fail_if, OVER if a
 * condition is met, UNKNOWN if one holds only for what was counted while something was not; its
 * notes say which. "layers" has the rows that a profile with this model has, and the same verdict.
 * "memory" estimates what a call or a training step takes. `options` are set with
 * tfprof_options_set_for() and the question's name; NULL: the defaults. */
TFPROF_API enum tfprof_status tfprof_model_ask(const char *question,
	const struct tfprof_input *input, enum tfprof_reading reading,
	const tfprof_options *options, tfprof_result **result, struct tfprof_error *err);
/* Whether a path leads to a file that is mainly a model, to be counted rather than viewed as
 * a graph: a SavedModel, .meta, .keras, .h5 or .tflite. */
TFPROF_API int tfprof_model_recognize(const char *path);
#ifdef __cplusplus
}
#endif

#endif
