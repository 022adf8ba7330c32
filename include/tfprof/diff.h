/* What changed between two sides: each is one or several runs, or a model
 * (docs/diff.md). Part of tfprof.h, which includes it. */
#ifndef TFPROF_DIFF_H
#define TFPROF_DIFF_H

#include <tfprof/tfprof.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tfprof_diff_options tfprof_diff_options;

/* NULL on allocation failure. */
TFPROF_API tfprof_diff_options *tfprof_diff_options_new(void);
TFPROF_API void tfprof_diff_options_free(tfprof_diff_options *options);
/* By name, as on the command line. Setting fail_if again adds conditions. */
TFPROF_API enum tfprof_status tfprof_diff_options_set(tfprof_diff_options *options,
	const char *name, const char *value, struct tfprof_error *err);
/* Conditions from the text of a file: one or more per line; # starts a comment. */
TFPROF_API enum tfprof_status tfprof_diff_options_add_budgets(tfprof_diff_options *options,
	const char *text, size_t length, struct tfprof_error *err);

/* The table of these options; NULL past the end. */
TFPROF_API const struct tfprof_option_info *tfprof_diff_option_get_info(size_t i);

/* One side: a profile for each run. `names`, for messages, and each of them may be NULL. */
struct tfprof_diff_side {
	tfprof_profile *const *profiles;
	const char *const *names;
	size_t n;
};

/* Compares a view of two sides. `options` are those of the view; of a run with several
 * steps, each number is the median of its steps. Minimums and max_depth do not limit what
 * is compared. `diff_options` may be NULL. The result's rows are those of both sides; it
 * can be written as "text", "json", "csv", "markdown" and "pprof", and
 * tfprof_result_output() carries out the option output. Its notes have a line for each
 * budget, and its verdict is the worst of them. */
TFPROF_API enum tfprof_status tfprof_diff_run(const struct tfprof_diff_side *base,
	const struct tfprof_diff_side *new_side, enum tfprof_view view,
	const tfprof_options *options, const tfprof_diff_options *diff_options,
	const volatile int *cancel, tfprof_result **result, struct tfprof_error *err);

/* Compares what two models cost, by layer. Of `options`, only output is used. */
TFPROF_API enum tfprof_status tfprof_diff_run_models(const struct tfprof_input *base,
	const struct tfprof_input *new_model, const tfprof_model_options *model_options,
	const tfprof_options *options, const tfprof_diff_options *diff_options,
	tfprof_result **result, struct tfprof_error *err);

#ifdef __cplusplus
}
#endif

#endif
