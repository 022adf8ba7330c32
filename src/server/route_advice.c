/* /api/advice: what the advisor says, as `tfprof advise --output=json` does. */
#include <string.h>

#include "server/routes.h"
#include "server/view_query.h"

static enum tfprof_status make_advice(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, size_t *bytes, struct tfprof_error *err)
{
	tfprof_result *result;
	enum tfprof_status status = tfprof_advise_run(profile, NULL, cancel, &result, err);

	*object = result;
	if (status == TFPROF_OK)
		*bytes = view_result_bytes(result);
	return status;
}

static enum tfprof_status advice_use(struct call *c, int64_t p, struct kept **kept,
	struct tfprof_error *err)
{
	struct maker maker = {make_advice, view_free_result, NULL};

	return store_use(c->store, p, p ? "1 advice" : "0 advice", &maker, &c->cancel, kept, err);
}

enum tfprof_status route_advice(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct shown_profile *profile;
	void *bytes;
	size_t size;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = advice_use(c, p, &kept, err);
	if (status == TFPROF_OK)
		status = tfprof_result_render(kept_get(kept), "json", &bytes, &size, err);
	if (status == TFPROF_OK) {
		sink_put(out->sink, bytes, size);
		tfprof_bytes_free(bytes);
	}
	store_release(c->store, kept);
	return status;
}
