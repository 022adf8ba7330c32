/* What changed between two sides: each is one or several runs, or a model
 * (docs/diff.md). Part of tfprof.h, which includes it. */
#ifndef TFPROF_DIFF_H
#define TFPROF_DIFF_H

#include <tfprof/tfprof.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One side: a profile for each run, or a model. `names`, for messages, and each of them may be
 * NULL. */
struct tfprof_diff_side {
	tfprof_profile *const *profiles;
	const char *const *names;
	size_t n;
	const struct tfprof_input *model; /* NULL: runs */
	enum tfprof_reading reading;      /* of the model */
};

/* Compares a view of two sides, or what two models cost by layer. `options` are those of the
 * view and of diff (tfprof_options_set_for with "diff"); of a run with several
 * steps, each number is the median of its steps. Minimums and max_depth do not limit what
 * is compared. The result's rows are those of both sides; it
 * can be written as "text", "json", "csv", "markdown" and "pprof", and
 * tfprof_result_output() carries out the option output. Its notes have a line for each
 * budget, and its verdict is the worst of them. */
TFPROF_API enum tfprof_status tfprof_diff_run(const struct tfprof_diff_side *base,
	const struct tfprof_diff_side *new_side, enum tfprof_view view,
	const tfprof_options *options, const volatile int *cancel, tfprof_result **result,
	struct tfprof_error *err);

#ifdef __cplusplus
}
#endif

#endif
