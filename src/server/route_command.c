/* /api/command: the command line of what a page shows.
 * /api/check: whether an option accepts a value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/diff_query.h"
#include "server/routes.h"
#include "server/table_json.h"

/* The paths of a profile as the program takes them, up to a NULL; free it. A kind that was
 * named becomes its flag, kept in `flags`. */
struct command_inputs {
	VEC(const char *) words;
	VEC(char *) flags;
};

static void clear_inputs(struct command_inputs *in)
{
	for (size_t i = 0; i < in->flags.n; i++)
		free(in->flags.at[i]);
	vec_clear(&in->flags);
	vec_clear(&in->words);
}

static const char *flag_of(const char *kind)
{
	const struct tfprof_input_info *info;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if (strcmp(info->name, kind) == 0)
			return info->flag;
	return kind;
}

static bool add_flag(struct command_inputs *in, const char *name, const char *value)
{
	char *flag;

	if (asprintf(&flag, "--%s=%s", name, value) < 0)
		return false;
	if (!vec_push(&in->flags, flag)) {
		free(flag);
		return false;
	}
	return vec_push(&in->words, flag);
}

/* With the device that a model's time is bounded for, if there is one. */
static enum tfprof_status list_inputs(const struct shown_profile *profile, const char *device,
	struct command_inputs *in, struct tfprof_error *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < profile->inputs.n; i++) {
		const struct shown_input *input = &profile->inputs.at[i];

		ok = input->kind ? add_flag(in, flag_of(input->kind), input->path)
				 : vec_push(&in->words, input->path);
	}
	if (ok && device)
		ok = add_flag(in, "device", device);
	return ok && vec_push(&in->words, NULL) ? TFPROF_OK : error_no_memory(err);
}

/* A name as a regex that matches it alone. A comma would separate two of a list. */
static void put_literal(struct buf *b, struct span name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (name.at[i] == ',') {
			buf_char(b, '.');
			continue;
		}
		if (name.at[i] && strchr("\\^$.|?*+()[]{}", name.at[i]))
			buf_char(b, '\\');
		buf_char(b, name.at[i]);
	}
}

/* Row numbers are those of the pages, which leave order, columns and depth alone. */
static enum tfprof_status query_rows(struct call *c, enum tfprof_view view, struct kept **kept,
	struct tfprof_error *err)
{
	static const char *const settings[][2] = {{"order_by", "name"}, {"select", "micros"},
		{"max_depth", VIEW_ALL_DEPTHS}};
	tfprof_options *options;
	enum tfprof_status status = view_options(c, &options, err);

	for (size_t i = 0; status == TFPROF_OK && i < sizeof(settings) / sizeof(*settings); i++)
		status = tfprof_options_set(options, settings[i][0], settings[i][1], err);
	if (status == TFPROF_OK)
		status = view_query_with(c, view, options, kept, err);
	tfprof_options_free(options);
	return status;
}

/* A page that shows what is below a row starts the report there. */
static enum tfprof_status start_at_root(struct call *c, enum tfprof_view view,
	tfprof_options *options, struct tfprof_error *err)
{
	struct kept *kept = NULL;
	struct table_json table;
	struct buf regex = {0};
	int64_t root;
	enum tfprof_status status = call_get_int(c, "root", 0, 0, INT64_MAX, &root, err);

	if (status != TFPROF_OK || root == 0)
		return status;
	status = query_rows(c, view, &kept, err);
	if (status == TFPROF_OK)
		status = table_json_open(&table, view, kept_get(kept), err);
	if (status == TFPROF_OK && (size_t)root >= table.n_rows)
		status = error_set(err, TFPROF_ARGUMENT, "root: there are %zu rows", table.n_rows);
	if (status == TFPROF_OK) {
		put_literal(&regex, table_json_name(&table, root));
		status = regex.failed ? error_no_memory(err)
				      : tfprof_options_set(options, "start_name_regexes",
						buf_get(&regex).at, err);
	}
	buf_clear(&regex);
	store_release(c->store, kept);
	return status;
}

static enum tfprof_status put_line(const char *name, tfprof_options *options,
	const struct command_inputs *inputs, struct json *out, struct tfprof_error *err)
{
	const char *command = tfprof_options_get_command(options, name, inputs->words.at);

	if (!command)
		return error_no_memory(err);
	json_open_object(out);
	json_put_text(out, "command", command);
	json_close_object(out);
	return TFPROF_OK;
}

static enum tfprof_status put_command(struct call *c, const char *name,
	const struct shown_profile *profile, struct json *out, struct tfprof_error *err)
{
	int view = tfprof_view_from_name(name);
	bool is_model = strcmp(name, "model") == 0;
	struct command_inputs inputs = {0};
	tfprof_options *options;
	enum tfprof_status status = view_given_options(c, &options, err);

	if (status == TFPROF_OK && view >= 0)
		status = start_at_root(c, (enum tfprof_view)view, options, err);
	if (status == TFPROF_OK)
		status =
			list_inputs(profile, is_model ? call_get(c, "device") : NULL, &inputs, err);
	if (status == TFPROF_OK)
		status = put_line(name, options, &inputs, out, err);
	tfprof_options_free(options);
	clear_inputs(&inputs);
	return status;
}

/* The command takes several files of a side for as many runs, the page for one. */
static enum tfprof_status list_sides(struct call *c, struct command_inputs *in,
	struct tfprof_error *err)
{
	const char *order = call_get(c, "order");
	enum tfprof_status status = TFPROF_OK;
	struct shown_profile *profile;
	bool ok = true;

	for (int64_t p = 0; p < MAX_PROFILES; p++) {
		status = store_get(c->store, p, &profile, err);
		if (status != TFPROF_OK)
			return status;
		if (profile->inputs.n != 1 || profile->inputs.at[0].kind)
			return error_set(err, TFPROF_UNSUPPORTED,
				"tfprof diff compares whole profiles: make one of these files with "
				"tfprof save OUT FILE...");
		ok = ok && vec_push(&in->words, profile->inputs.at[0].path);
	}
	ok = ok && add_flag(in, "min_change", "0%") && (!order || add_flag(in, "order_by", order));
	return ok && vec_push(&in->words, NULL) ? TFPROF_OK : error_no_memory(err);
}

static enum tfprof_status put_diff_command(struct call *c, const char *view, struct json *out,
	struct tfprof_error *err)
{
	char name[32];
	struct command_inputs inputs = {0};
	tfprof_options *options;
	enum tfprof_status status = view_given_options(c, &options, err);

	snprintf(name, sizeof(name), "diff%s%s", strcmp(view, "model") == 0 ? "" : " ",
		strcmp(view, "model") == 0 ? "" : view);
	if (status == TFPROF_OK)
		status = list_sides(c, &inputs, err);
	if (status == TFPROF_OK)
		status = put_line(name, options, &inputs, out, err);
	tfprof_options_free(options);
	clear_inputs(&inputs);
	return status;
}

enum tfprof_status route_command(struct call *c, struct json *out, struct tfprof_error *err)
{
	const char *name = call_get(c, "view");
	struct shown_profile *profile;
	int64_t p;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status != TFPROF_OK)
		return status;
	if (!name ||
		(strcmp(name, "advise") != 0 && strcmp(name, "model") != 0 &&
			tfprof_view_from_name(name) < 0))
		return error_set(err, TFPROF_ARGUMENT, "view=%.100s: no such view",
			name ? name : "");
	if (diff_is_asked(c))
		return put_diff_command(c, name, out, err);
	return put_command(c, name, profile, out, err);
}

enum tfprof_status route_check(struct call *c, struct json *out, struct tfprof_error *err)
{
	const char *name = call_get(c, "name"), *value = call_get(c, "value");
	tfprof_options *options = tfprof_options_new();
	struct tfprof_error wrong;
	bool ok;

	if (!options)
		return error_no_memory(err);
	ok = tfprof_options_set(options, name ? name : "", value ? value : "", &wrong) == TFPROF_OK;
	tfprof_options_free(options);
	json_open_object(out);
	json_put_bool(out, "ok", ok);
	if (!ok)
		json_put_text(out, "text", wrong.text);
	json_close_object(out);
	return TFPROF_OK;
}
