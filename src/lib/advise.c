/* Advice through the public API. No checker is there yet. */
#include "base/error.h"
#include "base/mem.h"

struct tfprof_advice_options {
	char unused;
};

tfprof_advice_options *tfprof_advice_options_new(void)
{
	return mem_zero(sizeof(tfprof_advice_options));
}

void tfprof_advice_options_free(tfprof_advice_options *options)
{
	mem_free(options);
}

enum tfprof_status tfprof_advice_options_set(tfprof_advice_options *options, const char *checker,
	const char *option, const char *value, struct tfprof_error *err)
{
	return error_set(err, TFPROF_UNSUPPORTED, "there is no checker yet");
}

enum tfprof_status tfprof_advice_options_set_output(tfprof_advice_options *options,
	const char *output, struct tfprof_error *err)
{
	return TFPROF_OK;
}

enum tfprof_status tfprof_advice_options_set_message(tfprof_advice_options *options,
	const void *bytes, size_t size, struct tfprof_error *err)
{
	return error_set(err, TFPROF_UNSUPPORTED, "there is no checker yet");
}

const struct tfprof_checker_info *tfprof_checker_get_info(size_t i)
{
	return NULL;
}

enum tfprof_status tfprof_advise_run(const tfprof_profile *profile,
	const tfprof_advice_options *options, const volatile int *cancel, tfprof_result **result,
	struct tfprof_error *err)
{
	*result = NULL;
	return error_set(err, TFPROF_UNSUPPORTED, "there is no checker yet");
}
