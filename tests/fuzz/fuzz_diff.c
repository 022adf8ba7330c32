/* Any two inputs, compared: the comparison comes in every format, or says what is wrong; a
 * shortage of memory is survived, too.
 *
 *     4 bytes: view, which allocation of the comparison fails (0: none), size of the base
 *              (16 bits, little-endian)
 *     rest: the base, the new side; each recognized by its content
 */
#include "fuzz.h"

static tfprof_profile *load(const uint8_t *data, size_t size)
{
	struct tfprof_input in = tfprof_input_bytes(data, size);
	tfprof_profile *p = tfprof_profile_new();

	check(p != NULL);
	if (tfprof_profile_add(p, TFPROF_INPUT_AUTO, &in, 0, NULL) == TFPROF_OK)
		return p;
	tfprof_profile_free(p);
	return NULL;
}

static void compare(tfprof_profile *base, tfprof_profile *other, const uint8_t *choice)
{
	static const char *const formats[] = {"text", "json", "csv", "markdown", "pprof"};
	const struct tfprof_diff_side sides[] = {{.profiles = &base, .n = 1},
		{.profiles = &other, .n = 1}};
	tfprof_options *options = tfprof_options_new();
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};
	enum tfprof_status status;
	void *bytes;
	size_t n;

	check(options != NULL);
	mem_fail_at(choice[1]);
	status = tfprof_diff_run(&sides[0], &sides[1], (enum tfprof_view)(choice[0] % 4), options,
		NULL, &result, &err);
	check(status == TFPROF_OK || err.text[0]);
	for (size_t i = 0; result && i < sizeof(formats) / sizeof(*formats); i++)
		if (tfprof_result_render(result, formats[i], &bytes, &n, NULL) == TFPROF_OK)
			tfprof_bytes_free(bytes);
	mem_fail_at(0);
	tfprof_result_free(result);
	tfprof_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tfprof_profile *base, *other;
	size_t n;

	if (size < 4)
		return 0;
	n = (size_t)data[2] | (size_t)data[3] << 8;
	n = n < size - 4 ? n : size - 4;
	base = load(data + 4, n);
	other = load(data + 4 + n, size - 4 - n);
	if (base && other)
		compare(base, other, data);
	tfprof_profile_free(base);
	tfprof_profile_free(other);
	return 0;
}
