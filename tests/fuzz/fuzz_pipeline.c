/* Any bytes as a file of any kind, through views and writers: what loads can be shown in
 * every view and written in every format, with any options; a shortage of memory is
 * survived, too.
 *
 *     4 bytes: view, format, option, which allocation fails (0: none)
 *     rest: the file, recognized by its content
 */
#include "fuzz.h"

static const char *const formats[] = {"text", "json", "csv", "message", "timeline", "pprof"};

static const char *const settings[][2] = {
	{"max_depth", "100"},
	{"order_by", "micros"},
	{"select", "micros,bytes,params,float_ops,occurrence,op_types,input_shapes,device"},
	{"step", "0"},
	{"min_micros", "1"},
	{"account_type_regexes", "MatMul|.*Add.*"},
	{"start_name_regexes", ".*a.*"},
	{"trim_name_regexes", "x.*"},
	{"account_displayed_op_only", "true"},
	{"fold_gradients", "true"},
};

static void query(tfprof_profile *p, const uint8_t *choice)
{
	const size_t n_settings = sizeof(settings) / sizeof(*settings);
	const char *const *setting = settings[choice[2] % n_settings];
	const char *format = formats[choice[1] % (sizeof(formats) / sizeof(*formats))];
	tfprof_options *options = tfprof_options_new();
	tfprof_result *result = NULL;
	void *bytes = NULL;
	size_t n;

	if (options && tfprof_options_set(options, setting[0], setting[1], NULL) == TFPROF_OK &&
		tfprof_ask(p, tfprof_view_get_name(choice[0] % 4), options, NULL, &result, NULL) ==
			TFPROF_OK &&
		tfprof_result_render(result, format, &bytes, &n, NULL) == TFPROF_OK)
		tfprof_bytes_free(bytes);
	tfprof_result_free(result);
	tfprof_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfprof_input in;
	tfprof_profile *p;
	struct tfprof_error err = {0};
	enum tfprof_status status;

	if (size < 4)
		return 0;
	in = tfprof_input_bytes(data + 4, size - 4);
	p = tfprof_profile_new();
	check(p != NULL);
	mem_fail_at(data[3]);
	status = tfprof_profile_add(p, TFPROF_INPUT_AUTO, &in, 0, &err);
	check(status == TFPROF_OK || err.text[0]);
	if (status == TFPROF_OK)
		query(p, data);
	mem_fail_at(0);
	tfprof_profile_free(p);
	return 0;
}
