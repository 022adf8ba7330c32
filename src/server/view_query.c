#include "server/view_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum tfprof_status view_profile(const struct call *c, struct shown_profile **profile, int64_t *p,
	struct tfprof_error *err)
{
	enum tfprof_status status = call_get_int(c, "p", 0, 0, MAX_PROFILES - 1, p, err);

	return status == TFPROF_OK ? store_get(c->store, *p, profile, err) : status;
}

const char *view_find_model_file(const struct shown_profile *p)
{
	for (size_t i = 0; i < p->inputs.n; i++)
		if (tfprof_model_recognize(p->inputs.at[i].path))
			return p->inputs.at[i].path;
	return NULL;
}

enum tfprof_status view_given_options(const struct call *c, tfprof_options **options,
	struct tfprof_error *err)
{
	const char *question = call_get(c, "question"), *view = call_get(c, "view");
	const struct tfprof_option_info *info;
	enum tfprof_status status = TFPROF_OK;

	question = question ? question : view ? view : "scope";
	*options = tfprof_options_new();
	if (!*options)
		return error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && (info = tfprof_option_get_info(i)); i++) {
		const char *value = call_get(c, info->name);

		/* No request reads or writes a file. */
		if (value && tfprof_option_applies(info, question) &&
			strcmp(info->kind, "output") != 0 && strcmp(info->kind, "file") != 0)
			status = tfprof_options_set_for(*options, question, info->name, value, err);
	}
	if (status == TFPROF_OK)
		return TFPROF_OK;
	tfprof_options_free(*options);
	*options = NULL;
	return status;
}

enum tfprof_status view_options(const struct call *c, tfprof_options **options,
	struct tfprof_error *err)
{
	/* Pages show trees, which open row by row. */
	static const char *const defaults[][2] = {{"max_depth", VIEW_ALL_DEPTHS},
		{"all_scopes", "true"}};
	enum tfprof_status status = view_given_options(c, options, err);

	for (size_t i = 0; status == TFPROF_OK && i < sizeof(defaults) / sizeof(*defaults); i++)
		if (!tfprof_options_is_set(*options, defaults[i][0]))
			status = tfprof_options_set(*options, defaults[i][0], defaults[i][1], err);
	if (status == TFPROF_OK)
		return TFPROF_OK;
	tfprof_options_free(*options);
	*options = NULL;
	return status;
}

size_t view_find_node(tfprof_profile *profile, const char *text)
{
	struct tfprof_summary summary;
	char *end;
	unsigned long long node = strtoull(text, &end, 10);

	if (end == text || *end)
		return tfprof_profile_find_node(profile, text, strlen(text));
	tfprof_profile_get_summary(profile, &summary);
	return node < summary.n_nodes ? node : SIZE_MAX;
}

size_t view_count_result_bytes(void *result)
{
	return tfprof_result_get_n_bytes(result);
}

void view_free_result(void *result)
{
	tfprof_result_free(result);
}

struct view_request {
	enum tfprof_view view;
	tfprof_options *options;
};

static enum tfprof_status make_view(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	struct view_request *r = context;
	tfprof_result *result;
	enum tfprof_status status = tfprof_ask(profile, tfprof_view_get_name(r->view), r->options,
		cancel, &result, err);

	*object = result;
	return status;
}

enum tfprof_status view_query_with(struct call *c, enum tfprof_view view, tfprof_options *options,
	struct kept **kept, struct tfprof_error *err)
{
	struct view_request request = {view, options};
	struct maker maker = {make_view, view_count_result_bytes, view_free_result, &request};
	struct buf key = {0};
	const char *text;
	size_t length;
	int64_t p;
	enum tfprof_status status = call_get_int(c, "p", 0, 0, MAX_PROFILES - 1, &p, err);

	*kept = NULL;
	if (status != TFPROF_OK)
		return status;
	text = tfprof_options_get_text(options, &length);
	buf_printf(&key, "%" PRId64 " %s\n", p, tfprof_view_get_name(view));
	buf_put(&key, text ? text : "", text ? length : 0);
	status = key.failed || !text
		? error_no_memory(err)
		: store_use(c->store, p, key.at, &maker, &c->cancel, kept, err);
	buf_clear(&key);
	return status;
}

static enum tfprof_status make_answer(void *question, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	tfprof_result *result;
	enum tfprof_status status =
		tfprof_ask(profile, *(const char **)question, NULL, cancel, &result, err);

	*object = result;
	return status;
}

enum tfprof_status view_ask(struct call *c, const char *question, struct kept **kept,
	struct tfprof_error *err)
{
	struct maker maker = {make_answer, view_count_result_bytes, view_free_result, &question};
	struct buf key = {0};
	int64_t p;
	enum tfprof_status status = call_get_int(c, "p", 0, 0, MAX_PROFILES - 1, &p, err);

	*kept = NULL;
	if (status != TFPROF_OK)
		return status;
	buf_printf(&key, "%" PRId64 " ask %s", p, question);
	status = key.failed ? error_no_memory(err)
			    : store_use(c->store, p, key.at, &maker, &c->cancel, kept, err);
	buf_clear(&key);
	return status;
}

/* The options that say how nodes are arranged and counted, not which are shown. */
static enum tfprof_status counting_options(const struct call *c, tfprof_options **options,
	struct tfprof_error *err)
{
	static const char *const names[] = {"step", "account_type_regexes", "executed_types",
		"fold_gradients", "only_my_code"};
	enum tfprof_status status;

	*options = tfprof_options_new();
	if (!*options)
		return error_no_memory(err);
	status = tfprof_options_set(*options, "max_depth", VIEW_ALL_DEPTHS, err);
	for (size_t i = 0; status == TFPROF_OK && i < sizeof(names) / sizeof(*names); i++) {
		const char *value = call_get(c, names[i]);

		if (value)
			status = tfprof_options_set(*options, names[i], value, err);
	}
	if (status == TFPROF_OK)
		return TFPROF_OK;
	tfprof_options_free(*options);
	*options = NULL;
	return status;
}

typedef enum tfprof_status options_fn(const struct call *c, tfprof_options **options,
	struct tfprof_error *err);

static enum tfprof_status query_by(options_fn *make, struct call *c, enum tfprof_view view,
	struct kept **kept, struct tfprof_error *err)
{
	tfprof_options *options;
	enum tfprof_status status = make(c, &options, err);

	*kept = NULL;
	if (status != TFPROF_OK)
		return status;
	status = view_query_with(c, view, options, kept, err);
	tfprof_options_free(options);
	return status;
}

enum tfprof_status view_query(struct call *c, enum tfprof_view view, struct kept **kept,
	struct tfprof_error *err)
{
	return query_by(view_options, c, view, kept, err);
}

enum tfprof_status view_query_all(struct call *c, enum tfprof_view view, struct kept **kept,
	struct tfprof_error *err)
{
	return query_by(counting_options, c, view, kept, err);
}

enum tfprof_status view_put_key(const struct call *c, const char *kind, struct buf *key,
	struct tfprof_error *err)
{
	tfprof_options *options;
	const char *p = call_get(c, "p"), *text;
	size_t length;
	enum tfprof_status status = counting_options(c, &options, err);

	if (status != TFPROF_OK)
		return status;
	text = tfprof_options_get_text(options, &length);
	buf_printf(key, "%s %s\n", p ? p : "0", kind);
	buf_put(key, text ? text : "", text ? length : 0);
	tfprof_options_free(options);
	return text && !key->failed ? TFPROF_OK : error_no_memory(err);
}

enum tfprof_status view_of_call(const struct call *c, enum tfprof_view *view,
	struct tfprof_error *err)
{
	const char *name = call_get(c, "view");
	int found = name ? tfprof_view_from_name(name) : -1;

	if (found < 0)
		return error_set(err, TFPROF_ARGUMENT, "view=%.100s: no such view",
			name ? name : "");
	*view = (enum tfprof_view)found;
	return TFPROF_OK;
}

static enum tfprof_status make_timeline(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	tfprof_timeline *timeline;
	enum tfprof_status status =
		tfprof_timeline_new(profile, *(int64_t *)context, &timeline, err);

	(void)cancel;
	*object = timeline;
	return status;
}

size_t view_count_timeline_bytes(void *timeline)
{
	enum { BYTES_PER_EXECUTION = 64 };
	struct tfprof_lane lane;
	size_t n = 0;

	for (size_t i = 0; tfprof_timeline_read_lane(timeline, i, &lane); i++)
		n += lane.n_executions * BYTES_PER_EXECUTION;
	return n;
}

static void free_timeline(void *timeline)
{
	tfprof_timeline_free(timeline);
}

enum tfprof_status view_timeline(struct call *c, int64_t step, struct kept **kept,
	struct tfprof_error *err)
{
	struct maker maker = {make_timeline, view_count_timeline_bytes, free_timeline, &step};
	char key[64];
	int64_t p;
	enum tfprof_status status = call_get_int(c, "p", 0, 0, MAX_PROFILES - 1, &p, err);

	*kept = NULL;
	if (status != TFPROF_OK)
		return status;
	snprintf(key, sizeof(key), "%" PRId64 " timeline %" PRId64, p, step);
	return store_use(c->store, p, key, &maker, &c->cancel, kept, err);
}
