/* Any bytes as an input of one kind (KIND, see meson.build): it loads or says what is wrong,
 * and every view of what loads comes or says what is wrong; a shortage of memory is survived,
 * too.
 *
 *     first byte: two bits: how it is read (enum tfprof_reading); six: which allocation of
 *                 loading fails (0: none)
 *     rest: the message
 *
 * Inputs that add to existing nodes are added to those of tiny_profile.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz.h"
#include "tiny_profile.h"

static void check_status(enum tfprof_status status, const struct tfprof_error *err)
{
	check(status == TFPROF_OK || err->text[0]);
}

static void query(tfprof_profile *p, enum tfprof_view view)
{
	tfprof_options *options = tfprof_options_new();
	tfprof_result *result = NULL;
	struct tfprof_error err = {0};
	void *bytes;
	size_t n;

	check(options != NULL);
	tfprof_options_set(options, "max_depth", "100", NULL);
	check_status(tfprof_ask(p, tfprof_view_get_name(view), options, NULL, &result, &err), &err);
	if (result && tfprof_result_render(result, "text", &bytes, &n, NULL) == TFPROF_OK)
		tfprof_bytes_free(bytes);
	tfprof_result_free(result);
	tfprof_options_free(options);
}

static tfprof_profile *make_profile(void)
{
	tfprof_profile *p = tfprof_profile_new();
	struct buf graph = tiny_graph();
	struct tfprof_input in = tfprof_input_bytes(graph.at, graph.n);

	check(p != NULL);
	if (strcmp(KIND, "op_log") == 0 || strcmp(KIND, "debug_info") == 0 ||
		strcmp(KIND, "run_meta") == 0)
		check(tfprof_profile_add(p, "graph", &in, 0, NULL) == TFPROF_OK);
	buf_clear(&graph);
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfprof_input in;
	struct tfprof_error err = {0};
	tfprof_profile *p;
	enum tfprof_status status;
	void *bytes;
	size_t n;

	if (!size)
		return 0;
	in = tfprof_input_bytes(data + 1, size - 1);
	p = make_profile();
	tfprof_profile_set_reading(p, (enum tfprof_reading)((data[0] >> 6) % 3));
	mem_fail_at(data[0] & 63);
	status = tfprof_profile_add(p, KIND, &in, 0, &err);
	mem_fail_at(0);
	check_status(status, &err);
	check(status != TFPROF_NO_MEMORY || data[0] & 63);
	if (status == TFPROF_OK) {
		for (int view = 0; tfprof_view_get_name((size_t)view); view++)
			query(p, (enum tfprof_view)view);
		if (tfprof_profile_serialize(p, &bytes, &n, NULL) == TFPROF_OK)
			tfprof_bytes_free(bytes);
	}
	tfprof_profile_free(p);
	return 0;
}
