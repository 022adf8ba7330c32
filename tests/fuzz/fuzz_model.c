/* Any bytes as a model file: recognized, read, walked, and written in all formats. The
 * corpus has a small file of each format. */
#include <stdint.h>

#include <tfprof/tfprof.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = {"text", "json", "csv"};
	struct tfprof_input in = tfprof_input_bytes(data, size);
	struct tfprof_error err;
	tfprof_result *result;

	if (tfprof_model_ask("model", &in, TFPROF_READ_AS_IS, NULL, &result, &err) != TFPROF_OK)
		return 0;
	for (int i = 0; i < 3; i++) {
		void *bytes = NULL;
		size_t n;

		if (tfprof_result_render(result, formats[i], &bytes, &n, &err) == TFPROF_OK)
			tfprof_bytes_free(bytes);
	}
	tfprof_result_free(result);
	return 0;
}
