/* What a model costs: parameters, multiply-accumulates, float operations and memory, by
 * layer, from a model file alone. Part of tfprof.h, which includes it. */
#ifndef TFPROF_MODEL_H
#define TFPROF_MODEL_H

#include <tfprof/tfprof.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NULL on allocation failure. */
TFPROF_API tfprof_model_options *tfprof_model_options_new(void);
TFPROF_API void tfprof_model_options_free(tfprof_model_options *options);
TFPROF_API enum tfprof_status tfprof_model_options_set(tfprof_model_options *options,
	const char *name, const char *value, struct tfprof_error *err);

/* How to treat models that are damaged, or have fields that would be ignored. */
TFPROF_API void tfprof_model_options_set_reading(tfprof_model_options *options,
	enum tfprof_reading reading);

/* The table of these options; NULL past the end. */
TFPROF_API const struct tfprof_option_info *tfprof_model_option_get_info(size_t i);

/* Reads a model (docs/model.md lists the formats; a path may be the directory of a
 * SavedModel) and counts. The result's rows are layers; it can be written as "text",
 * "json" and "csv", and tfprof_result_output carries out the option output.
 * Its verdict is that of fail_if: OVER if a condition is met, UNKNOWN if one holds only for what
 * was counted while something was not; its notes say which. */
TFPROF_API enum tfprof_status tfprof_model_run(const struct tfprof_input *input,
	const tfprof_model_options *options, tfprof_result **result, struct tfprof_error *err);
/* Whether a path leads to a file that is mainly a model, to be counted rather than viewed as
 * a graph: a SavedModel, .meta, .keras, .h5 or .tflite. */
TFPROF_API int tfprof_model_recognize(const char *path);
#ifdef __cplusplus
}
#endif

#endif
