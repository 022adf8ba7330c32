/* Any bytes as a trace, and a question about it: what loads is answered or refused with a reason,
 * in every format; a shortage of memory is survived, too. KIND says which questions: "step" reads
 * regions of steps and events of tf.data, "devices" planes, streams and compiled programs.
 *
 *     4 bytes: question, format, option, which allocation of the answer fails (0: none)
 *     rest: the trace
 */
#include <string.h>

#include "fuzz.h"

static const char *const of_step[] = {"step", "table", "events", "overview", "layers"};
static const char *const of_devices[] = {"devices", "transfers", "roofline", "memory", "op"};
static const char *const formats[] = {"text", "json", "jsonl", "csv", "arrow", "markdown"};

/* Those that a question does not have are refused. */
static const char *const settings[][2] = {
	{"by", "kernel"},
	{"by", "layer"},
	{"by", "line"},
	{"step", "0"},
	{"steps", "1:2"},
	{"table", "devices"},
	{"top", "1"},
	{"on", "gpu:0"},
	{"select", "micros,busy,waiting,work,device,float_ops"},
	{"step_function", "f"},
};

static void ask(tfprof_profile *p, const uint8_t *choice)
{
	const char *const *questions = strcmp(KIND, "step") == 0 ? of_step : of_devices;
	const char *question = questions[choice[0] % 5], *format = formats[choice[1] % 6];
	const char *const *setting = settings[choice[2] % (sizeof(settings) / sizeof(*settings))];
	tfprof_options *options = tfprof_options_new();
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};
	void *bytes = NULL;
	size_t n;

	check(options != NULL);
	(void)tfprof_options_set_for(options, question, setting[0], setting[1], NULL);
	mem_fail_at(choice[3]);
	check(tfprof_ask(p, question, options, NULL, &result, &err) == TFPROF_OK || err.text[0]);
	if (result && tfprof_result_render(result, format, &bytes, &n, NULL) == TFPROF_OK)
		tfprof_bytes_free(bytes);
	mem_fail_at(0);
	tfprof_result_free(result);
	tfprof_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfprof_input in;
	tfprof_profile *p;

	if (size < 4)
		return 0;
	in = tfprof_input_bytes(data + 4, size - 4);
	p = tfprof_profile_new();
	check(p != NULL);
	if (tfprof_profile_add(p, "xplane", &in, 0, NULL) == TFPROF_OK)
		ask(p, data);
	tfprof_profile_free(p);
	return 0;
}
