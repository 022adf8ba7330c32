/* /api/advice: what the advisor says, as `tfprof advise --output=json` does, with the options
 * of checkers that are given.
 * /api/checkers: the checkers and their options. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "server/advice_call.h"
#include "server/routes.h"
#include "server/view_query.h"

static enum tfprof_status make_advice(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	tfprof_result *result;
	enum tfprof_status status = tfprof_ask(profile, "advise", context, cancel, &result, err);

	*object = result;
	return status;
}

static bool put_setting(void *context, const char *checker, const char *option, const char *value)
{
	struct buf *key = context;

	buf_printf(key, "\n%s.%s=%s", checker, option, value);
	return !key->failed;
}

static enum tfprof_status advice_use(struct call *c, int64_t p, struct kept **kept,
	struct tfprof_error *err)
{
	tfprof_options *options;
	struct buf key = {0};
	bool has_settings;
	enum tfprof_status status = advice_call_options(c, &options, &has_settings, err);

	if (status != TFPROF_OK)
		return status;
	buf_printf(&key, "%" PRId64 " advice", p);
	if (!advice_call_each(c, put_setting, &key) || key.failed) {
		status = error_no_memory(err);
	} else {
		struct maker maker = {make_advice, view_count_result_bytes, view_free_result,
			options};

		buf_char(&key, '\0');
		status = key.failed ? error_no_memory(err)
				    : store_use(c->store, p, key.at, &maker, &c->cancel, kept, err);
	}
	buf_clear(&key);
	tfprof_options_free(options);
	return status;
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

static void put_options(const struct tfprof_checker_option_info *info, struct json *out)
{
	json_key(out, "options");
	json_open_array(out);
	for (; info->name; info++) {
		json_open_object(out);
		json_put_text(out, "name", info->name);
		json_put_text(out, "default", info->default_value);
		json_put_text(out, "help", info->help);
		json_close_object(out);
	}
	json_close_array(out);
}

enum tfprof_status route_checkers(struct call *c, struct json *out, struct tfprof_error *err)
{
	const struct tfprof_checker_info *info;

	(void)c;
	(void)err;
	json_open_array(out);
	for (size_t i = 0; (info = tfprof_checker_get_info(i)); i++) {
		json_open_object(out);
		json_put_text(out, "name", info->name);
		json_put_text(out, "help", info->help);
		put_options(info->options, out);
		json_close_object(out);
	}
	json_close_array(out);
	return TFPROF_OK;
}
