/* /api/model: what a model file costs by layer, as `tfprof model --output=json` says, and
 * the devices for which a bound of its time is known. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "server/routes.h"
#include "server/view_query.h"

struct model_request {
	const char *path;
	const char *device; /* NULL: none */
	enum tfprof_reading reading;
};

static enum tfprof_status make_model(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	const struct model_request *r = context;
	struct tfprof_input input = tfprof_input_file(r->path);
	tfprof_options *options = tfprof_options_new();
	tfprof_result *result = NULL;
	enum tfprof_status status = options ? TFPROF_OK : error_no_memory(err);

	if (status == TFPROF_OK && r->device)
		status = tfprof_options_set_for(options, "model", "device", r->device, err);
	if (status == TFPROF_OK)
		status = tfprof_model_ask("model", &input, r->reading, options, &result, err);
	tfprof_options_free(options);
	*object = result;
	return status;
}

static void put_devices(struct json *out)
{
	const struct tfprof_option_info *info;
	const char *const *words = NULL;

	for (size_t i = 0; (info = tfprof_option_get_info(i)); i++)
		if (strcmp(info->name, "device") == 0)
			words = info->words;
	json_key(out, "devices");
	json_open_array(out);
	for (; words && *words; words++)
		json_text(out, *words);
	json_close_array(out);
}

static enum tfprof_status put_model(tfprof_result *result, struct json *out,
	struct tfprof_error *err)
{
	void *bytes;
	size_t size;
	enum tfprof_status status = tfprof_result_render(result, "json", &bytes, &size, err);

	if (status != TFPROF_OK)
		return status;
	json_open_object(out);
	put_devices(out);
	json_key(out, "model");
	sink_put(out->sink, bytes, size);
	json_close_object(out);
	tfprof_bytes_free(bytes);
	return TFPROF_OK;
}

/* The answer if the profile is not a model. */
static enum tfprof_status put_none(struct json *out)
{
	json_open_object(out);
	json_key(out, "model");
	json_null(out);
	json_close_object(out);
	return TFPROF_OK;
}

static bool has_nodes(const struct shown_profile *profile)
{
	size_t length;

	return tfprof_profile_get_node_name(profile->profile, 0, &length);
}

enum tfprof_status route_model(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct model_request request = {.device = call_get(c, "device")};
	struct maker maker = {make_model, view_count_result_bytes, view_free_result, &request};
	struct shown_profile *profile;
	struct kept *kept = NULL;
	char key[128];
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status != TFPROF_OK)
		return status;
	if (profile->inputs.n != 1)
		return error_set(err, TFPROF_UNSUPPORTED, "a model is one file: there are %zu",
			profile->inputs.n);
	request.path = profile->inputs.at[0].path;
	request.reading = profile->reading;
	snprintf(key, sizeof(key), "%d model %.100s", (int)p, request.device ? request.device : "");
	status = store_use(c->store, p, key, &maker, &c->cancel, &kept, err);
	if (status == TFPROF_OK)
		status = put_model(kept_get(kept), out, err);
	else if (status == TFPROF_FORMAT && has_nodes(profile))
		status = put_none(out);
	store_release(c->store, kept);
	return status;
}
