/* Any bytes as a saved profile or as run metadata: advice on what loads must
 * come or say what is wrong, whatever the numbers and labels in it; and a
 * shortage of memory is survived too.
 *
 *     first byte: 0 a profile, else run metadata, added so many times (to 3)
 *     second byte: which allocation of the advice fails (0: none)
 *     rest: the message
 */
#include "fuzz.h"
#include "run_query.h"

static enum tfprof_status load(tfprof_profile *p, uint8_t times, const struct tfprof_input *in)
{
	enum tfprof_status status = TFPROF_OK;

	if (!times)
		return tfprof_profile_add(p, "profile", in, 0, NULL);
	for (int step = 0; status == TFPROF_OK && step < times % 3 + 1; step++)
		status = tfprof_profile_add(p, "run_meta", in, step, NULL);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfprof_input in = tfprof_input_bytes(data + 2, size - 2);
	tfprof_profile *p;
	tfprof_options *options;
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};
	enum tfprof_status status;

	if (size < 2)
		return 0;
	p = tfprof_profile_new();
	options = tfprof_options_new();
	check(p && options);
	tfprof_options_add_checker(options, "all", NULL, NULL, NULL);
	tfprof_options_add_checker(options, "TinyKernelChecker", "min_kernels", "1", NULL);
	tfprof_options_add_checker(options, "IdleGapChecker", "min_kernels", "1", NULL);
	tfprof_options_add_checker(options, "MemoryPeakChecker", "limit_bytes", "1000", NULL);
	tfprof_options_set(options, "output", "json", NULL);
	if (load(p, data[0], &in) == TFPROF_OK) {
		mem_fail_at(data[1]);
		status = run_advice(p, options, NULL, &result, &err);
		mem_fail_at(0);
		/* Some of a profile is not looked at before it is needed. */
		check(status == TFPROF_OK || (status == TFPROF_NO_MEMORY && data[1]) ||
			(status == TFPROF_FORMAT && !data[0]));
		check((status == TFPROF_OK) == (result != NULL));
		tfprof_result_free(result);
	}
	tfprof_options_free(options);
	tfprof_profile_free(p);
	return 0;
}
