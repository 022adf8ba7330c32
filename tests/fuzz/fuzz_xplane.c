/* Any bytes as a trace: it loads or says what is wrong, and every view of what loads
 * comes; a shortage of memory is survived, too.
 *
 *     first byte: which allocation of loading fails (0: none)
 *     rest: the trace
 */
#include <stdint.h>
#include <stdlib.h>

#include <tfprof/tfprof.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int truth)
{
	if (!truth)
		abort();
}

static void query(tfprof_profile *p, enum tfprof_view view)
{
	tfprof_options *options = tfprof_options_new();
	tfprof_result *result = NULL;
	enum tfprof_status status;

	check(options != NULL);
	status = tfprof_query_run(p, view, options, NULL, &result, NULL);
	check(status == TFPROF_OK || (status == TFPROF_UNSUPPORTED && view == TFPROF_CODE));
	tfprof_result_free(result);
	tfprof_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfprof_input in;
	tfprof_profile *p;
	enum tfprof_status status;
	void *bytes;
	size_t n;

	if (!size)
		return 0;
	in = tfprof_input_bytes(data + 1, size - 1);
	p = tfprof_profile_new();
	check(p != NULL);
	mem_fail_at(data[0]);
	status = tfprof_profile_add(p, "xplane", &in, 0, NULL);
	mem_fail_at(0);
	check(status == TFPROF_OK || status == TFPROF_FORMAT ||
		(status == TFPROF_NO_MEMORY && data[0]));
	if (status == TFPROF_OK) {
		for (int view = 0; tfprof_view_get_name((size_t)view); view++)
			query(p, (enum tfprof_view)view);
		if (tfprof_profile_serialize(p, &bytes, &n, NULL) == TFPROF_OK)
			tfprof_bytes_free(bytes);
	}
	tfprof_profile_free(p);
	return 0;
}
